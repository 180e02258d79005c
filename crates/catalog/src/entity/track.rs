//! Rows of `track`.

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{
    CollectionId, CreatorId, OrganizationId, Source, Track, TrackId, TrackInfo, TrackSummary, UploadSessionId,
};

use crate::column::{
    CallerJson, byte_count, corrupt, cover, cover_columns, decoded, encoded, foreign_text, metadata,
    metadata_json, moment, moment_if_set, own_theme, parsed, parsed_if_set, size, theme,
};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "track")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub collection_id: Uuid,
    pub creator_id: Option<Uuid>,
    pub upload_session_id: Option<Uuid>,
    pub index: String,
    pub organization_index: Option<String>,
    pub track_order: i64,
    pub duration: f64,
    pub file_name: String,
    pub file_name_original: Option<String>,
    pub info: Json,
    pub metadata: CallerJson,
    pub player_title: Option<String>,
    pub player_subtitle: Option<String>,
    pub player_color: Option<String>,
    pub theme: Json,
    pub cover_version: Option<String>,
    pub cover_origin: Option<String>,
    pub is_cover_overridable: bool,
    pub is_theme_overridable: bool,
    pub transcription: Option<String>,
    pub transcription_language: Option<String>,
    pub track_status_id: String,
    pub status_reason: Option<String>,
    pub source_key: Option<String>,
    pub source_size: Option<i64>,
    pub source_sha256: Option<Vec<u8>>,
    pub upload_expires_at: i64,
    pub created_at: i64,
    pub deleted_at: Option<i64>,
    pub purged_at: Option<i64>,
    pub is_early: bool,
    pub placeholder_version: Option<String>,
    pub sort_title: String,
    pub status_rank: i32,
    pub restorable_until: Option<i64>,
    pub trashed_at: Option<i64>,
    pub own_theme: Option<Json>,
    pub title_tag: Option<String>,
    pub artist_tag: Option<String>,
    pub manifest_generation: i64,
    pub stored_bytes: i64,
    pub cover_bytes: i64,
    pub cover_objects: Option<Json>,
    pub cover_basis: Option<String>,
    pub album: Option<String>,
    pub album_place: Option<i64>,
    pub api_key_id: Option<Uuid>,
}

/// The columns of a `TrackSummary`.
#[derive(Debug, DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct Summary {
    id: Uuid,
    index: String,
    track_order: i64,
    duration: f64,
    player_title: Option<String>,
    player_subtitle: Option<String>,
    player_color: Option<String>,
    file_name: String,
    title_tag: Option<String>,
    artist_tag: Option<String>,
    theme: Json,
    own_theme: Option<Json>,
    cover_origin: Option<String>,
    is_theme_overridable: bool,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Without a key there is no source.
pub(super) fn source(
    key: Option<&str>,
    bytes: Option<i64>,
    sha256: Option<Vec<u8>>,
) -> Result<Option<Source>, CatalogError> {
    match (key, bytes, sha256) {
        (None, _, _) => Ok(None),
        (Some(key), Some(bytes), Some(sha256)) => Ok(Some(Source {
            key: parsed("track.source_key", key)?,
            size: size("track.source_size", bytes)?,
            sha256: sha256.try_into().map_err(|_| corrupt("track.source_sha256"))?,
        })),
        _ => Err(corrupt("track.source_key")),
    }
}

/// Tags and chapters come from the file, which may contain anything.
fn info_json(info: &TrackInfo) -> Result<Json, CatalogError> {
    let mut info = info.clone();
    info.tags = info.tags.iter().map(|(name, value)| (foreign_text(name), foreign_text(value))).collect();
    for chapter in &mut info.chapters {
        chapter.title = chapter.title.as_deref().map(foreign_text);
    }
    encoded("track.info", &info)
}

impl TryFrom<Model> for Track {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: TrackId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            collection_id: CollectionId::from_uuid(row.collection_id),
            creator_id: row.creator_id.map(CreatorId::from_uuid),
            upload_session_id: row.upload_session_id.map(UploadSessionId::from_uuid),
            index: parsed("track.index", &row.index)?,
            organization_index: row.organization_index,
            order: row.track_order,
            duration: row.duration,
            file_name: row.file_name,
            file_name_original: row.file_name_original,
            info: decoded("track.info", row.info)?,
            metadata: metadata("track.metadata", Some(row.id), row.metadata),
            player_title: row.player_title,
            player_subtitle: row.player_subtitle,
            player_colour: parsed_if_set("track.player_color", row.player_color.as_deref())?,
            theme: theme("track.theme", row.theme, row.own_theme)?,
            cover: cover("track.cover_origin", row.cover_version.as_deref(), row.cover_origin.as_deref())?,
            placeholder: parsed_if_set("track.placeholder_version", row.placeholder_version.as_deref())?,
            is_early: row.is_early,
            is_cover_overridable: row.is_cover_overridable,
            is_theme_overridable: row.is_theme_overridable,
            transcription: row.transcription,
            transcription_language: row.transcription_language,
            status: parsed("track.track_status_id", &row.track_status_id)?,
            status_reason: row.status_reason,
            source: source(row.source_key.as_deref(), row.source_size, row.source_sha256)?,
            upload_expires_at: moment("track.upload_expires_at", row.upload_expires_at)?,
            created_at: moment("track.created_at", row.created_at)?,
            deleted_at: moment_if_set("track.deleted_at", row.deleted_at)?,
        })
    }
}

impl TryFrom<Summary> for TrackSummary {
    type Error = CatalogError;

    fn try_from(row: Summary) -> Result<Self, CatalogError> {
        Ok(Self {
            id: TrackId::from_uuid(row.id),
            index: parsed("track.index", &row.index)?,
            order: row.track_order,
            duration: row.duration,
            file_name: row.file_name,
            title_tag: row.title_tag,
            artist_tag: row.artist_tag,
            player_title: row.player_title,
            player_subtitle: row.player_subtitle,
            player_colour: parsed_if_set("track.player_color", row.player_color.as_deref())?,
            theme: theme("track.theme", row.theme, row.own_theme)?,
            cover_origin: parsed_if_set("track.cover_origin", row.cover_origin.as_deref())?,
            is_theme_overridable: row.is_theme_overridable,
        })
    }
}

impl TryFrom<&Track> for ActiveModel {
    type Error = CatalogError;

    /// All columns but the order, which the collection assigns, the place on the album, the maker, and those that deletion writes.
    fn try_from(track: &Track) -> Result<Self, CatalogError> {
        let source = track.source.as_ref();
        let (cover_version, cover_origin) = cover_columns(track.cover);
        Ok(Self {
            id: Set(track.id.uuid()),
            organization_id: Set(track.organization_id.uuid()),
            collection_id: Set(track.collection_id.uuid()),
            creator_id: Set(track.creator_id.map(CreatorId::uuid)),
            upload_session_id: Set(track.upload_session_id.map(UploadSessionId::uuid)),
            index: Set(track.index.to_string()),
            organization_index: Set(track.organization_index.clone()),
            track_order: NotSet,
            duration: Set(track.duration),
            file_name: Set(track.file_name.clone()),
            file_name_original: Set(track.file_name_original.clone()),
            info: Set(info_json(&track.info)?),
            metadata: metadata_json(&track.metadata),
            player_title: Set(track.player_title.clone()),
            player_subtitle: Set(track.player_subtitle.clone()),
            player_color: Set(track.player_colour.map(|colour| colour.to_string())),
            theme: Set(encoded("track.theme", &track.theme.found)?),
            own_theme: Set(own_theme("track.own_theme", &track.theme)?),
            cover_version: Set(cover_version),
            cover_origin: Set(cover_origin),
            is_cover_overridable: Set(track.is_cover_overridable),
            is_theme_overridable: Set(track.is_theme_overridable),
            transcription: Set(track.transcription.as_deref().map(foreign_text)),
            transcription_language: Set(track.transcription_language.clone()),
            track_status_id: Set(track.status.as_str().to_owned()),
            status_reason: Set(track.status_reason.as_deref().map(foreign_text)),
            source_key: Set(source.map(|source| source.key.to_string())),
            source_size: Set(source.map(|source| byte_count(source.size))),
            source_sha256: Set(source.map(|source| source.sha256.to_vec())),
            upload_expires_at: Set(track.upload_expires_at.unix_millis()),
            created_at: Set(track.created_at.unix_millis()),
            deleted_at: Set(track.deleted_at.map(|at| at.unix_millis())),
            purged_at: NotSet,
            is_early: Set(track.is_early),
            placeholder_version: Set(track.placeholder.map(|version| version.to_string())),
            sort_title: Set(track.sort_title()),
            status_rank: Set(track.status.rank().into()),
            restorable_until: NotSet,
            trashed_at: NotSet,
            title_tag: Set(track.info.title_tag().map(foreign_text)),
            artist_tag: Set(track.info.artist_tag().map(foreign_text)),
            manifest_generation: NotSet,
            stored_bytes: NotSet,
            cover_bytes: NotSet,
            cover_objects: NotSet,
            cover_basis: NotSet,
            api_key_id: NotSet,
            album: NotSet,
            album_place: NotSet,
        })
    }
}
