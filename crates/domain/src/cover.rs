//! Covers: which picture stands for a track, and in which sizes.

use serde::{Deserialize, Serialize};

use crate::object_key::{ContentType, ObjectFile, ObjectKey};
use crate::organization::{Collection, Organization};
use crate::recipe::VariantIndex;
use crate::short_id::ShortId;
use crate::track::Track;
use crate::{CollectionId, OrganizationId, TrackId};

/// A cover of a track, a collection or an organization: where it came from and which version of its files is
/// current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// The version in the names of its files.
    pub version: ShortId,
    /// Where it came from.
    pub origin: CoverOrigin,
}

/// What a cover belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverOwner {
    /// A track.
    Track(TrackId),
    /// A collection; for its tracks too, unless they have their own.
    Collection(CollectionId),
    /// The organization; for everything in it that has none.
    Organization,
}

/// Where a cover came from. A later one replaces an earlier one only where it ranks at least as high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverOrigin {
    /// Drawn by Tonearm.
    Generated,
    /// Found in the audio file.
    Embedded,
    /// Uploaded on its own.
    Uploaded,
}

impl CoverOrigin {
    /// The origin as text, as in SQL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Embedded => "embedded",
            Self::Uploaded => "uploaded",
        }
    }
}

impl std::str::FromStr for CoverOrigin {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Generated, Self::Embedded, Self::Uploaded].into_iter().find(|o| o.as_str() == text).ok_or(())
    }
}

/// Settings of a cover that is a file of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CoverSettings {
    /// Its size.
    pub size: CoverSize,
}

/// A size that covers exist in; square.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverSize {
    /// 80 × 80 pixels.
    Icon,
    /// 200 × 200 pixels.
    Small,
    /// 400 × 400 pixels.
    Regular,
    /// 1000 × 1000 pixels; not part of `cover_image`.
    #[default]
    Large,
}

impl CoverSize {
    /// Every size, smallest first.
    pub const ALL: [Self; 4] = [Self::Icon, Self::Small, Self::Regular, Self::Large];

    /// The sizes in `cover_image`, smallest first.
    pub const LISTED: [Self; 3] = [Self::Icon, Self::Small, Self::Regular];

    /// The size's name, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Icon => "icon",
            Self::Small => "small",
            Self::Regular => "regular",
            Self::Large => "large",
        }
    }

    /// Pixels of a side.
    pub const fn side(self) -> u32 {
        match self {
            Self::Icon => 80,
            Self::Small => 200,
            Self::Regular => 400,
            Self::Large => 1000,
        }
    }
}

impl Cover {
    /// The label of an uploaded picture as it was received. It is kept and never served as a cover.
    pub fn original_label() -> VariantIndex {
        VariantIndex::from_static("cover-original")
    }

    /// The label of a cover's file in one size.
    pub fn label(size: CoverSize) -> VariantIndex {
        VariantIndex::from_static(match size {
            CoverSize::Icon => "cover-icon",
            CoverSize::Small => "cover-small",
            CoverSize::Regular => "cover-regular",
            CoverSize::Large => "cover-large",
        })
    }

    /// Every label that a cover's file may have.
    pub fn labels() -> [VariantIndex; 5] {
        let [icon, small, regular, large] = CoverSize::ALL.map(Self::label);
        [icon, small, regular, large, Self::original_label()]
    }

    /// Where the file of one size is.
    pub fn key(&self, organization_id: OrganizationId, folder: ShortId, size: CoverSize) -> ObjectKey {
        self.file_key(organization_id, folder, Self::label(size), ContentType::Jpeg)
    }

    /// Where the files of every size of a version are.
    pub fn files(organization_id: OrganizationId, folder: ShortId, version: ShortId) -> [ObjectKey; 4] {
        CoverSize::ALL.map(|size| {
            let file = ObjectFile { label: Self::label(size), version, content_type: ContentType::Jpeg };
            ObjectKey { organization_id, folder, file }
        })
    }

    /// Where the same picture is as WebP, for those who take it, if it is there; `None` for what is no cover.
    pub fn webp_of(key: &ObjectKey) -> Option<ObjectKey> {
        let is_cover = key.file.content_type == ContentType::Jpeg
            && CoverSize::ALL.into_iter().any(|size| key.file.label == Self::label(size));
        is_cover.then(|| {
            let file = ObjectFile { content_type: ContentType::Webp, ..key.file.clone() };
            ObjectKey { file, ..key.clone() }
        })
    }

    /// Where an uploaded picture of this type is kept as it was received.
    pub fn original_key(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
        content_type: ContentType,
    ) -> ObjectKey {
        self.file_key(organization_id, folder, Self::original_label(), content_type)
    }

    fn file_key(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
        label: VariantIndex,
        content_type: ContentType,
    ) -> ObjectKey {
        let file = ObjectFile { label, version: self.version, content_type };
        ObjectKey { organization_id, folder, file }
    }
}

/// A cover with the folder that its files are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedCover {
    /// The cover.
    pub cover: Cover,
    /// The folder, of the track, collection or organization that it belongs to.
    pub folder: ShortId,
}

/// The cover that players see for a track; none only where no level has any.
///
/// The most specific one wins, but a level's own counts only where every level above allows to be overridden.
/// Art found in the file also needs the track's consent. A placeholder comes after every real picture. Where
/// nothing else is there, one that was drawn stands in; and where there is none, the track's own even if it does not
/// count, as players always show a picture.
pub fn resolve_cover(
    organization: &Organization,
    collection: &Collection,
    track: &Track,
) -> Option<PlacedCover> {
    let collection_counts = organization.is_cover_overridable;
    let track_counts = collection_counts && collection.is_cover_overridable;
    let own = track.cover.filter(|cover| match cover.origin {
        CoverOrigin::Uploaded => track_counts,
        CoverOrigin::Embedded => track_counts && track.is_cover_overridable,
        CoverOrigin::Generated => false,
    });
    let drawn = track.placeholder.map(|version| Cover { version, origin: CoverOrigin::Generated });
    let in_order = [
        (own, track.index),
        (collection.cover.filter(|_| collection_counts), collection.folder),
        (organization.cover, organization.folder),
        (drawn, track.index),
        (track.cover, track.index),
    ];
    in_order.into_iter().find_map(|(cover, folder)| cover.map(|cover| PlacedCover { cover, folder }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordId;
    use crate::text::Metadata;
    use crate::theme::{Palette, Theme};
    use crate::timestamp::Timestamp;
    use crate::track::TrackInfo;
    use crate::track_status::TrackStatus;

    fn now() -> Timestamp {
        Timestamp::from_unix_millis(0).unwrap()
    }

    fn id<T: RecordId>() -> T {
        T::from_parts(now(), [1; 10])
    }

    fn short(seed: u8) -> ShortId {
        ShortId::from_random([seed; 8])
    }

    fn collection() -> Collection {
        Collection {
            id: id(),
            organization_id: id(),
            creator_id: None,
            folder: short(2),
            organization_index: None,
            title: String::new(),
            metadata: Metadata::default(),
            cover: None,
            theme: Theme::default(),
            is_cover_overridable: true,
            is_theme_overridable: true,
            player_colour: None,
            player_subtitle: None,
            created_at: now(),
            deleted_at: None,
        }
    }

    fn track() -> Track {
        Track {
            id: id(),
            organization_id: id(),
            collection_id: id(),
            creator_id: None,
            upload_session_id: None,
            index: short(3),
            organization_index: None,
            order: 1,
            duration: 0.0,
            file_name: String::new(),
            file_name_original: None,
            info: TrackInfo::default(),
            metadata: Metadata::default(),
            player_title: None,
            player_subtitle: None,
            player_colour: None,
            theme: Theme::default(),
            cover: None,
            placeholder: None,
            is_cover_overridable: true,
            is_theme_overridable: true,
            transcription: None,
            transcription_language: None,
            status: TrackStatus::Ready,
            status_reason: None,
            is_early: false,
            source: None,
            upload_expires_at: now(),
            created_at: now(),
            deleted_at: None,
        }
    }

    type Case = ((bool, bool, Option<CoverOrigin>), (bool, bool, bool), &'static str);

    /// Whether the organization, the collection and the track have a cover, and where the track's is from;
    /// whether organization, collection and track allow to be overridden; whose cover is shown.
    const CASES: [Case; 22] = {
        use CoverOrigin::{Embedded, Generated, Uploaded};
        [
            // Nothing anywhere.
            ((false, false, None), (true, true, true), "none"),
            // Only one level has any.
            ((true, false, None), (true, true, true), "organization"),
            ((false, true, None), (true, true, true), "collection"),
            ((false, false, Some(Uploaded)), (true, true, true), "track"),
            ((false, false, Some(Embedded)), (true, true, true), "track"),
            ((false, false, Some(Generated)), (true, true, true), "track"),
            // The most specific one wins.
            ((true, true, Some(Uploaded)), (true, true, true), "track"),
            ((true, true, Some(Embedded)), (true, true, true), "track"),
            ((true, true, None), (true, true, true), "collection"),
            // A placeholder gives way to every real picture.
            ((true, true, Some(Generated)), (true, true, true), "collection"),
            ((true, false, Some(Generated)), (true, true, true), "organization"),
            // The track's flag is about art in the file only.
            ((true, true, Some(Embedded)), (true, true, false), "collection"),
            ((true, false, Some(Embedded)), (true, true, false), "organization"),
            ((true, true, Some(Uploaded)), (true, true, false), "track"),
            // The collection keeps its tracks from overriding it, and what is above it.
            ((true, true, Some(Uploaded)), (true, false, true), "collection"),
            ((true, false, Some(Embedded)), (true, false, true), "organization"),
            // The organization keeps everything from overriding it.
            ((true, true, Some(Uploaded)), (false, true, true), "organization"),
            ((true, true, None), (false, true, true), "organization"),
            ((true, false, Some(Embedded)), (false, true, true), "organization"),
            // Where nothing counts, the track's own is better than none; a collection's is still not taken.
            ((false, true, Some(Generated)), (false, true, true), "track"),
            ((false, false, Some(Embedded)), (true, true, false), "track"),
            ((false, true, None), (false, true, true), "none"),
        ]
    };

    #[test]
    fn the_most_specific_cover_that_counts_is_shown() {
        for (has, allows, shown) in CASES {
            let cover = |seed, origin| Cover { version: short(seed), origin };
            let mut organization = Organization::new(id(), short(1), String::new(), now());
            organization.cover = has.0.then(|| cover(11, CoverOrigin::Uploaded));
            organization.is_cover_overridable = allows.0;
            let collection = Collection {
                cover: has.1.then(|| cover(12, CoverOrigin::Uploaded)),
                is_cover_overridable: allows.1,
                ..collection()
            };
            let track = Track {
                cover: has.2.map(|origin| cover(13, origin)),
                is_cover_overridable: allows.2,
                ..track()
            };
            let expected = match shown {
                "organization" => organization.cover.map(|cover| (cover, organization.folder)),
                "collection" => collection.cover.map(|cover| (cover, collection.folder)),
                "track" => track.cover.map(|cover| (cover, track.index)),
                _ => None,
            };
            let resolved = resolve_cover(&organization, &collection, &track);
            assert_eq!(resolved.map(|p| (p.cover, p.folder)), expected, "{has:?} {allows:?}");
            assert_eq!(resolved.is_none(), shown == "none");
        }
    }

    #[test]
    fn what_was_drawn_stands_in_for_what_does_not_count() {
        let mut organization = Organization::new(id(), short(1), String::new(), now());
        let uploaded = Cover { version: short(13), origin: CoverOrigin::Uploaded };
        let track = Track { cover: Some(uploaded), placeholder: Some(short(14)), ..track() };
        let shown = |organization: &Organization| {
            resolve_cover(organization, &collection(), &track).map(|placed| placed.cover.version)
        };
        assert_eq!(shown(&organization), Some(short(13)));
        organization.is_cover_overridable = false;
        assert_eq!(shown(&organization), Some(short(14)));
    }

    #[test]
    fn colours_of_a_file_need_consent_and_those_of_an_upload_do_not() {
        let red = crate::Colour::new(200, 0, 0);
        let theme = Theme { set: None, found: vec![crate::ThemeColour::of(red, 1.0)] };
        for (origin, allows, counts) in [
            (None, true, true),
            (None, false, false),
            (Some(CoverOrigin::Embedded), true, true),
            (Some(CoverOrigin::Embedded), false, false),
            (Some(CoverOrigin::Uploaded), true, true),
            (Some(CoverOrigin::Uploaded), false, true),
        ] {
            let track = Track {
                cover: origin.map(|origin| Cover { version: short(1), origin }),
                theme: theme.clone(),
                is_theme_overridable: allows,
                ..track()
            };
            assert_eq!(track.vibrant_colour(), counts.then_some(red), "{origin:?} {allows}");
        }
    }

    #[test]
    fn a_theme_that_was_set_needs_no_consent() {
        let [set, found] = [(200, 0, 0), (0, 0, 200)].map(|(r, g, b)| crate::Colour::new(r, g, b));
        let palette = |colour| vec![crate::ThemeColour::of(colour, 1.0)];
        let theme = Theme { set: Palette::try_from(palette(set)).ok(), found: palette(found) };
        let cover = Some(Cover { version: short(1), origin: CoverOrigin::Embedded });
        let track = Track { cover, theme: theme.clone(), is_theme_overridable: false, ..track() };
        assert_eq!(track.vibrant_colour(), Some(set));
        assert_eq!(Collection { theme, ..collection() }.colour(), Some(set));
    }

    #[test]
    fn a_collection_takes_its_own_colour_before_its_covers() {
        let [own, vibrant, dull] =
            [(1, 2, 3), (250, 20, 20), (90, 80, 80)].map(|(r, g, b)| crate::Colour::new(r, g, b));
        let theme = vec![crate::ThemeColour::of(dull, 0.9), crate::ThemeColour::of(vibrant, 0.1)];
        for (player_colour, theme, expected) in [
            (Some(own), theme.clone(), Some(own)),
            (None, theme, Some(vibrant)),
            (Some(own), Vec::new(), Some(own)),
            (None, Vec::new(), None),
        ] {
            let theme = Theme { set: None, found: theme };
            assert_eq!(Collection { player_colour, theme, ..collection() }.colour(), expected);
        }
    }

    #[test]
    fn the_original_is_named_apart_from_the_sizes() {
        let cover = Cover { version: short(9), origin: CoverOrigin::Uploaded };
        let original = cover.original_key(id(), short(1), ContentType::Png);
        assert!(original.to_string().contains("/cover-original."), "{original}");
        assert!(CoverSize::ALL.iter().all(|size| cover.key(id(), short(1), *size) != original));
    }

    #[test]
    fn only_covers_have_a_smaller_form() {
        let cover = Cover { version: short(1), origin: CoverOrigin::Uploaded };
        let regular = cover.key(id(), short(2), CoverSize::Regular);
        let webp = Cover::webp_of(&regular).unwrap();
        assert_eq!(webp.to_string(), regular.to_string().replace(".jpg", ".webp"));
        assert_eq!(Cover::webp_of(&webp), None);
        assert_eq!(Cover::webp_of(&cover.original_key(id(), short(2), ContentType::Jpeg)), None);
        assert_eq!(Cover::files(id(), short(2), short(1))[2], regular);
    }
}
