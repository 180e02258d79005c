//! Records to store: bare ones with every option empty, full ones with every field set.

use std::collections::BTreeMap;

use serde_json::json;
use tonearm_catalog::Catalog;
use tonearm_domain::{
    Ambient, ApiKey, CachePolicy, Chapter, Codec, Collection, Colour, ContentType, Cover, CoverOrigin,
    Creator, FileData, FileOutcome, KeyScope, KeyType, Metadata, ObjectFile, ObjectKey, Organization,
    OrganizationId, PlaySession, PreviewLength, PreviewSettings, Recipe, RecipeKind, Selection, ShortId,
    Source, Theme, ThemeColour, Track, TrackFile, TrackInfo, TrackStatus, TrackSummary, Transcode,
    UploadSession, VariantIndex,
};

/// Quotes, emoji, right-to-left text, SQL and JSON inside text.
pub(crate) const HOSTILE: &str =
    "Robert'); DROP TABLE track;-- \"x\" `y` \\ % _ ? $1 :a 🎧 ‏שלום é\u{301} \u{1}\u{7f}\n\t{\"a\":[1]}";

pub(crate) fn metadata(value: serde_json::Value) -> Metadata {
    serde_json::from_value(value).unwrap()
}

pub(crate) fn rich_metadata() -> Metadata {
    metadata(json!({
        HOSTILE: HOSTILE, "deep": [{"a": {"b": [null, true, -7, 0.25, u64::MAX, i64::MIN, 1e300]}}], "": "",
    }))
}

pub(crate) fn theme() -> Theme {
    let found = [(Colour::new(1, 2, 3), 0.75), (Colour::new(255, 0, 128), 0.1)]
        .map(|(hex, area)| ThemeColour { hex, area, lightness: 1.0 / 3.0, saturation: 0.0 });
    Theme { set: Some(vec![found[1].clone()].try_into().unwrap()), found: found.to_vec() }
}

pub(crate) fn cover(ambient: &Ambient, origin: CoverOrigin) -> Cover {
    Cover { version: ambient.short_id(), origin }
}

pub(crate) fn bare_organization(ambient: &Ambient) -> Organization {
    Organization::new(ambient.record_id(), ambient.short_id(), String::new(), ambient.now())
}

pub(crate) fn full_organization(ambient: &Ambient) -> Organization {
    Organization {
        id: ambient.record_id(),
        folder: ambient.short_id(),
        name: HOSTILE.to_owned(),
        cover: Some(cover(ambient, CoverOrigin::Uploaded)),
        theme: theme(),
        is_theme_overridable: false,
        is_cover_overridable: false,
        player_colour: Colour::new(9, 8, 7),
        player_subtitle: HOSTILE.to_owned(),
        webhook_url: Some("https://example.com/a".to_owned()),
        webhook_url_file: Some("https://example.com/b".to_owned()),
        webhook_url_collection: Some("https://example.com/c".to_owned()),
        is_transcription_enabled: true,
        is_early_sound: true,
        created_at: ambient.now(),
    }
}

pub(crate) fn creator(ambient: &Ambient, organization: &Organization) -> Creator {
    Creator {
        id: ambient.record_id(),
        organization_id: organization.id,
        folder: ambient.short_id(),
        organization_index: HOSTILE.to_owned(),
        metadata: rich_metadata(),
        created_at: ambient.now(),
        updated_at: ambient.now().plus_millis(1),
    }
}

pub(crate) fn bare_collection(ambient: &Ambient, organization: &Organization) -> Collection {
    Collection {
        id: ambient.record_id(),
        organization_id: organization.id,
        creator_id: None,
        folder: ambient.short_id(),
        organization_index: None,
        title: "Field recordings".to_owned(),
        metadata: Metadata::default(),
        cover: None,
        theme: Theme::default(),
        is_cover_overridable: true,
        is_theme_overridable: true,
        player_colour: None,
        player_subtitle: None,
        created_at: ambient.now(),
        deleted_at: None,
    }
}

pub(crate) fn full_collection(
    ambient: &Ambient,
    organization: &Organization,
    creator: &Creator,
) -> Collection {
    Collection {
        creator_id: Some(creator.id),
        organization_index: Some(HOSTILE.to_owned()),
        title: HOSTILE.to_owned(),
        metadata: rich_metadata(),
        cover: Some(cover(ambient, CoverOrigin::Uploaded)),
        theme: theme(),
        is_cover_overridable: false,
        is_theme_overridable: false,
        player_colour: Some(Colour::new(0, 0, 0)),
        player_subtitle: Some(HOSTILE.to_owned()),
        ..bare_collection(ambient, organization)
    }
}

pub(crate) fn bare_track(ambient: &Ambient, collection: &Collection) -> Track {
    Track {
        id: ambient.record_id(),
        organization_id: collection.organization_id,
        collection_id: collection.id,
        creator_id: None,
        upload_session_id: None,
        index: ambient.short_id(),
        organization_index: None,
        order: 0,
        duration: 0.0,
        file_name: "take 1.wav".to_owned(),
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
        status: TrackStatus::Initialized,
        status_reason: None,
        is_early: false,
        source: None,
        upload_expires_at: ambient.now().plus_seconds(3600),
        created_at: ambient.now(),
        deleted_at: None,
    }
}

pub(crate) fn full_track(ambient: &Ambient, collection: &Collection, creator: &Creator) -> Track {
    let bare = bare_track(ambient, collection);
    Track {
        creator_id: Some(creator.id),
        upload_session_id: Some(ambient.credential_id()),
        organization_index: Some(HOSTILE.to_owned()),
        duration: 301.123_456_789,
        file_name_original: Some(HOSTILE.to_owned()),
        info: full_info(),
        metadata: rich_metadata(),
        player_title: Some(HOSTILE.to_owned()),
        player_subtitle: Some(String::new()),
        player_colour: Some(Colour::new(255, 255, 255)),
        theme: theme(),
        cover: Some(cover(ambient, CoverOrigin::Embedded)),
        is_cover_overridable: false,
        is_theme_overridable: false,
        transcription: Some("One.\n\nTwo.".to_owned()),
        transcription_language: Some("en-GB".to_owned()),
        status: TrackStatus::Incomplete,
        status_reason: Some("The preview could not be made.".to_owned()),
        source: Some(source(ambient, &bare)),
        ..bare
    }
}

fn full_info() -> TrackInfo {
    TrackInfo {
        container: Some("mov,mp4,m4a".to_owned()),
        codec: Some("aac".to_owned()),
        sample_rate: Some(44_100),
        channels: Some(2),
        bit_rate: Some(u64::from(u32::MAX) * 2),
        bits_per_sample: Some(24),
        size: Some(u64::MAX),
        loudness_lufs: Some(-14.25),
        true_peak_dbtp: Some(-0.1),
        is_truncated: true,
        tags: BTreeMap::from([("title".to_owned(), HOSTILE.to_owned())]),
        chapters: vec![Chapter { start: 0.0, end: 0.125, title: Some(HOSTILE.to_owned()) }],
    }
}

/// The short form of a track.
pub(crate) fn summary(track: &Track) -> TrackSummary {
    let track = track.clone();
    TrackSummary {
        id: track.id,
        index: track.index,
        order: track.order,
        duration: track.duration,
        file_name: track.file_name,
        title_tag: track.info.title_tag().map(ToOwned::to_owned),
        artist_tag: track.info.artist_tag().map(ToOwned::to_owned),
        player_title: track.player_title,
        player_subtitle: track.player_subtitle,
        player_colour: track.player_colour,
        theme: track.theme,
        cover_origin: track.cover.map(|cover| cover.origin),
        is_theme_overridable: track.is_theme_overridable,
    }
}

pub(crate) fn source(ambient: &Ambient, track: &Track) -> Source {
    Source {
        key: key(ambient, track.organization_id, track.index, "source", ContentType::Wav),
        size: 5_000_000_000,
        sha256: ambient.random(),
    }
}

pub(crate) fn key(
    ambient: &Ambient,
    organization_id: OrganizationId,
    folder: ShortId,
    label: &'static str,
    content_type: ContentType,
) -> ObjectKey {
    ObjectKey {
        organization_id,
        folder,
        file: ObjectFile {
            label: VariantIndex::from_static(label),
            version: ambient.short_id(),
            content_type,
        },
    }
}

pub(crate) fn recipe(
    ambient: &Ambient,
    organization: &Organization,
    track: Option<&Track>,
    index: &'static str,
    position: i32,
) -> Recipe {
    Recipe {
        id: ambient.record_id(),
        organization_id: organization.id,
        track_id: track.map(|track| track.id),
        index: VariantIndex::from_static(index),
        kind: RecipeKind::Preview(PreviewSettings {
            transcode: Transcode {
                codec: Codec::Opus,
                bitrate: 96,
                is_stereo: false,
                is_strip_tags: false,
                is_strip_cover: false,
                loudness_target: Some(-16.5),
            },
            length: PreviewLength::Percent {
                preview_percent: 12.5,
                preview_min_seconds: 1.0,
                preview_max_seconds: 30.0,
            },
            preview_start_percent: 50.0,
        }),
        position,
        cache: CachePolicy::Private,
        created_at: ambient.now(),
    }
}

pub(crate) fn made_file(ambient: &Ambient, track: &Track, recipe: &Recipe, data: FileData) -> TrackFile {
    TrackFile {
        id: ambient.record_id(),
        track_id: track.id,
        recipe: recipe.clone(),
        outcome: FileOutcome::Made {
            key: key(ambient, track.organization_id, track.index, "hq", ContentType::Mp3),
            size: 123_456,
            sha256: Some([0xA5; 32]),
            file_name: HOSTILE.to_owned(),
            data,
            made_from: Some([0x5A; 32]),
        },
        created_at: ambient.now(),
    }
}

pub(crate) fn play_session(ambient: &Ambient, collection: &Collection) -> PlaySession {
    PlaySession {
        id: ambient.credential_id(),
        organization_id: collection.organization_id,
        creator_id: None,
        collection_id: collection.id,
        track_id: None,
        variants: Selection::All,
        recipes: tonearm_domain::NamedRecipes::UNKNOWN,
        organization_index: None,
        metadata: Metadata::default(),
        is_downloadable: false,
        expires_at: ambient.now().plus_seconds(60),
        api_key_id: None,
        handle: None,
    }
}

pub(crate) fn upload_session(ambient: &Ambient, collection: &Collection) -> UploadSession {
    UploadSession {
        id: ambient.credential_id(),
        organization_id: collection.organization_id,
        creator_id: None,
        collection_id: collection.id,
        organization_index: None,
        metadata: Metadata::default(),
        expires_at: ambient.now().plus_seconds(60),
        person_id: None,
        api_key_id: None,
        handle: None,
    }
}

pub(crate) fn api_key(ambient: &Ambient, organization: &Organization) -> ApiKey {
    ApiKey {
        id: ambient.record_id(),
        organization_id: organization.id,
        title: HOSTILE.to_owned(),
        key_type: KeyType::Api,
        scope: KeyScope::Organization,
        creator_id: None,
        variants: Selection::All,
        recipes: tonearm_domain::NamedRecipes::UNKNOWN,
        is_downloadable: false,
        allowed_origins: tonearm_domain::AllowedOrigins::Any,
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
        made_by: None,
        created_at: ambient.now(),
    }
}

/// An organization with one collection, committed.
pub(crate) async fn stored_collection(catalog: &Catalog, ambient: &Ambient) -> (Organization, Collection) {
    let organization = bare_organization(ambient);
    let collection = bare_collection(ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.insert_collection(&collection).await.unwrap();
    tx.commit().await.unwrap();
    (organization, collection)
}

/// A track at the end of the collection, committed.
pub(crate) async fn stored_track(catalog: &Catalog, mut track: Track) -> Track {
    let tx = catalog.begin().await.unwrap();
    track.order = tx.insert_track(&track).await.unwrap();
    tx.commit().await.unwrap();
    track
}

/// The short form of the playable tracks of a collection, or of one of them.
pub(crate) async fn playable_tracks(
    catalog: &Catalog,
    collection: &Collection,
    only: Option<tonearm_domain::TrackId>,
) -> Vec<TrackSummary> {
    let mut found = Vec::new();
    let each = |track| found.push(track);
    catalog.each_playable_track(collection.organization_id, collection.id, only, each).await.unwrap();
    found
}
