//! The title and the subtitle of a track, as shown in lists, players, pages and events.
//!
//! Texts set by the owner have priority. Otherwise they are derived from the tags of the file, from its name, and from
//! the collection and the organization. Derived texts are stored as if they had been set only when a
//! replaced file would change them.

use std::mem;

use serde::{Deserialize, Serialize};

use crate::organization::{Collection, Organization};
use crate::track::{Track, TrackInfo};
use crate::track_summary::TrackSummary;

/// The tag that holds a title.
const TITLE_TAG: &str = "title";
/// The tag that holds the name of the artist.
const ARTIST_TAG: &str = "artist";

/// Maximum number of characters of a tag that are shown.
const LONGEST_TAG: usize = 1000;

/// The texts that were set or removed with a new source, so that an undo changes them back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextChanges {
    title: Option<TextChange>,
    subtitle: Option<TextChange>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TextChange {
    before: Option<String>,
    after: Option<String>,
}

impl TextChange {
    fn make(text: &mut Option<String>, after: Option<String>) -> Option<Self> {
        let before = mem::replace(text, after.clone());
        Some(Self { before, after })
    }

    /// Changes a text back that was not changed since.
    fn undo(self, text: &mut Option<String>) -> Option<Self> {
        if *text == self.after { Self::make(text, self.before) } else { None }
    }
}

/// The title of a track: the one that was set, otherwise the title tag, otherwise the file name without its extension.
pub fn shown_title<'a>(set: Option<&'a str>, title_tag: Option<&'a str>, file_name: &'a str) -> &'a str {
    first_said([set, title_tag]).unwrap_or_else(|| match file_name.rsplit_once('.') {
        Some((stem, _)) if !stem.trim().is_empty() => stem,
        _ => file_name,
    })
}

/// The line under the title: the one that was set, otherwise the artist tag, otherwise the collection's, otherwise the
/// organization's.
pub fn shown_subtitle<'a>(
    set: Option<&'a str>,
    artist_tag: Option<&'a str>,
    collection: &'a Collection,
    organization: &'a Organization,
) -> Option<&'a str> {
    first_said([set, artist_tag]).or_else(|| collection.shown_subtitle(organization))
}

/// The first text that is not blank.
fn first_said<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> Option<&'a str> {
    texts.into_iter().flatten().find(|text| !text.trim().is_empty())
}

impl TrackInfo {
    /// The title tag of the file, at most 1000 characters of it.
    pub fn title_tag(&self) -> Option<&str> {
        self.tag(TITLE_TAG)
    }

    /// The artist tag of the file, at most 1000 characters of it.
    pub fn artist_tag(&self) -> Option<&str> {
        self.tag(ARTIST_TAG)
    }

    fn tag(&self, name: &str) -> Option<&str> {
        let text = self.tags.get(name)?.trim();
        let end = text.char_indices().nth(LONGEST_TAG).map_or(text.len(), |(end, _)| end);
        (!text.is_empty()).then_some(&text[..end])
    }
}

impl Track {
    /// See [`shown_title`].
    pub fn shown_title(&self) -> &str {
        shown_title(self.player_title.as_deref(), self.info.title_tag(), &self.file_name)
    }

    /// The title while none is set.
    pub fn derived_title(&self) -> &str {
        shown_title(None, self.info.title_tag(), &self.file_name)
    }

    /// Sets the texts that came from the tags or the name of the former source, or from the collection, if this source has
    /// others: people go on seeing what they saw.
    pub fn keep_texts_of(&mut self, former: &Self, of_collection: Option<&str>) -> TextChanges {
        let mut changes = TextChanges::default();
        if self.shown_title() != former.shown_title() {
            changes.title = TextChange::make(&mut self.player_title, Some(former.shown_title().to_owned()));
        }
        let subtitle = |track: &Self| {
            let own = [track.player_subtitle.as_deref(), track.info.artist_tag(), of_collection];
            first_said(own).map(str::to_owned)
        };
        let seen = subtitle(former);
        if seen.is_some() && seen != subtitle(self) {
            changes.subtitle = TextChange::make(&mut self.player_subtitle, seen);
        }
        changes
    }

    /// Undoes changes of texts. Returns those that it makes.
    pub fn undo_texts(&mut self, changes: TextChanges) -> TextChanges {
        TextChanges {
            title: changes.title.and_then(|change| change.undo(&mut self.player_title)),
            subtitle: changes.subtitle.and_then(|change| change.undo(&mut self.player_subtitle)),
        }
    }

    /// See [`shown_subtitle`].
    pub fn shown_subtitle<'a>(
        &'a self,
        collection: &'a Collection,
        organization: &'a Organization,
    ) -> Option<&'a str> {
        shown_subtitle(self.player_subtitle.as_deref(), self.info.artist_tag(), collection, organization)
    }
}

impl TrackSummary {
    /// The same as for [`Track`].
    pub fn shown_title(&self) -> &str {
        shown_title(self.player_title.as_deref(), self.title_tag.as_deref(), &self.file_name)
    }

    /// The same as for [`Track`].
    pub fn shown_subtitle<'a>(
        &'a self,
        collection: &'a Collection,
        organization: &'a Organization,
    ) -> Option<&'a str> {
        shown_subtitle(self.player_subtitle.as_deref(), self.artist_tag.as_deref(), collection, organization)
    }
}

impl Collection {
    /// The line under the collection's title: its own, otherwise the organization's.
    pub fn shown_subtitle<'a>(&'a self, organization: &'a Organization) -> Option<&'a str> {
        first_said([self.player_subtitle.as_deref(), Some(&organization.player_subtitle)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::short_id::ShortId;
    use crate::text::Metadata;
    use crate::theme::Theme;
    use crate::timestamp::Timestamp;
    use crate::{CollectionId, OrganizationId, RecordId};

    #[test]
    fn there_is_always_a_title() {
        assert_eq!(shown_title(Some("A song"), Some("Tagged"), "x.wav"), "A song");
        assert_eq!(shown_title(Some(" "), Some("Tagged"), "x.wav"), "Tagged");
        assert_eq!(shown_title(None, Some("\t"), "A. Song.flac"), "A. Song");
        assert_eq!(shown_title(None, None, "audio"), "audio");
        assert_eq!(shown_title(None, None, ".wav"), ".wav");
    }

    #[test]
    fn tags_are_trimmed_and_bounded() {
        let info = |title: &str| TrackInfo {
            tags: [("title".to_owned(), title.to_owned())].into(),
            ..TrackInfo::default()
        };
        assert_eq!(info(" A song \n").title_tag(), Some("A song"));
        assert_eq!(info("  ").title_tag(), None);
        assert_eq!(info("A song").artist_tag(), None);
        assert_eq!(info(&"ä".repeat(2000)).title_tag().map(|tag| tag.chars().count()), Some(1000));
    }

    #[test]
    fn the_most_specific_subtitle_is_shown() {
        let now = Timestamp::from_unix_millis(0).unwrap();
        let folder = ShortId::from_random([1; 8]);
        let organization_id = OrganizationId::from_parts(now, [1; 10]);
        let mut organization = Organization::new(organization_id, folder, String::new(), now);
        let mut collection = Collection {
            id: CollectionId::from_parts(now, [2; 10]),
            organization_id,
            creator_id: None,
            folder,
            organization_index: None,
            title: String::new(),
            metadata: Metadata::default(),
            cover: None,
            theme: Theme::default(),
            is_cover_overridable: true,
            is_theme_overridable: true,
            player_colour: None,
            player_subtitle: Some("collection".to_owned()),
            created_at: now,
            deleted_at: None,
        };
        organization.player_subtitle = "organization".to_owned();
        let shown = |set, tag, collection: &Collection, organization: &Organization| {
            shown_subtitle(set, tag, collection, organization).map(ToOwned::to_owned)
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(shown(Some("set"), Some("artist"), &collection, &organization), text("set"));
        assert_eq!(shown(Some(""), Some("artist"), &collection, &organization), text("artist"));
        assert_eq!(shown(None, None, &collection, &organization), text("collection"));
        collection.player_subtitle = None;
        assert_eq!(shown(None, None, &collection, &organization), text("organization"));
        organization.player_subtitle = " ".to_owned();
        assert_eq!(shown(None, None, &collection, &organization), None);
    }
}
