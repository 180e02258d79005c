//! Chooses the cover that players show for a track.

use crate::cover::{Cover, CoverOrigin};
use crate::organization::{Collection, Organization};
use crate::short_id::ShortId;
use crate::track::Track;

/// A cover with the folder that its files are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedCover {
    /// The cover.
    pub cover: Cover,
    /// The folder, of the track, collection or organization that it belongs to.
    pub folder: ShortId,
}

/// The cover that players show for a track; none only if no level has a cover.
///
/// The most specific cover wins, but the cover of a level counts only if every level above it allows overriding. A
/// cover found in the file counts only if the track allows it. A placeholder ranks below every real picture: it is used
/// if no other cover counts. Without a placeholder, the track's own cover is used even if it does not count, because
/// players always show a picture.
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

    /// Whether the organization and the collection have a cover, and the origin of the track's cover; whether
    /// organization, collection and track allow overriding; the level whose cover is shown.
    const CASES: [Case; 22] = {
        use CoverOrigin::{Embedded, Generated, Uploaded};
        [
            // No level has a cover.
            ((false, false, None), (true, true, true), "none"),
            // Only one level has a cover.
            ((true, false, None), (true, true, true), "organization"),
            ((false, true, None), (true, true, true), "collection"),
            ((false, false, Some(Uploaded)), (true, true, true), "track"),
            ((false, false, Some(Embedded)), (true, true, true), "track"),
            ((false, false, Some(Generated)), (true, true, true), "track"),
            // The most specific one wins.
            ((true, true, Some(Uploaded)), (true, true, true), "track"),
            ((true, true, Some(Embedded)), (true, true, true), "track"),
            ((true, true, None), (true, true, true), "collection"),
            // Every real picture has priority over a placeholder.
            ((true, true, Some(Generated)), (true, true, true), "collection"),
            ((true, false, Some(Generated)), (true, true, true), "organization"),
            // The track's flag applies only to covers found in the file.
            ((true, true, Some(Embedded)), (true, true, false), "collection"),
            ((true, false, Some(Embedded)), (true, true, false), "organization"),
            ((true, true, Some(Uploaded)), (true, true, false), "track"),
            // The collection does not allow its tracks to override its cover or the organization's.
            ((true, true, Some(Uploaded)), (true, false, true), "collection"),
            ((true, false, Some(Embedded)), (true, false, true), "organization"),
            // The organization allows no overriding.
            ((true, true, Some(Uploaded)), (false, true, true), "organization"),
            ((true, true, None), (false, true, true), "organization"),
            ((true, false, Some(Embedded)), (false, true, true), "organization"),
            // If no cover counts, the track's own cover is used, but not the collection's.
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
}
