//! Purging of deleted tracks and collections, once their objects are removed.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, Set};
use tonearm_domain::{
    CollectionId, Metadata, ObjectKey, OrganizationId, ShortId, Theme, Timestamp, TrackId, TrackInfo,
};

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::column::{encoded, metadata_json};
use crate::entity::{collection, track, variant};
use crate::error::CatalogError;
use crate::transaction::Transaction;

/// Whether the title of a purged track is kept with its usage counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PurgedTitles {
    /// It is removed with the rest.
    #[default]
    Removed,
    /// It is kept.
    Kept,
}

/// What remains of a purged track besides its title.
fn bare_track(now: Timestamp) -> Result<track::ActiveModel, CatalogError> {
    Ok(track::ActiveModel {
        organization_index: Set(None),
        file_name_original: Set(None),
        info: Set(encoded("track.info", &TrackInfo::default())?),
        metadata: metadata_json(&Metadata::default()),
        player_subtitle: Set(None),
        player_color: Set(None),
        theme: Set(encoded("track.theme", &Theme::default().found)?),
        own_theme: Set(None),
        transcription: Set(None),
        transcription_language: Set(None),
        status_reason: Set(None),
        source_key: Set(None),
        source_size: Set(None),
        source_sha256: Set(None),
        cover_version: Set(None),
        cover_origin: Set(None),
        placeholder_version: Set(None),
        cover_bytes: Set(0),
        cover_objects: Set(None),
        cover_basis: Set(None),
        album: Set(None),
        album_place: Set(None),
        purged_at: Set(Some(now.unix_millis())),
        ..Default::default()
    })
}

fn without_title(track: track::ActiveModel) -> track::ActiveModel {
    track::ActiveModel {
        file_name: Set(String::new()),
        player_title: Set(None),
        title_tag: Set(None),
        artist_tag: Set(None),
        sort_title: Set(String::new()),
        ..track
    }
}

fn bare_collection() -> Result<collection::ActiveModel, CatalogError> {
    Ok(collection::ActiveModel {
        organization_index: Set(None),
        title: Set(String::new()),
        metadata: metadata_json(&Metadata::default()),
        player_subtitle: Set(None),
        player_color: Set(None),
        theme: Set(encoded("collection.theme", &Theme::default().found)?),
        own_theme: Set(None),
        cover_version: Set(None),
        cover_origin: Set(None),
        sort_title: Set(String::new()),
        track_count: Set(0),
        cover_bytes: Set(0),
        cover_objects: Set(None),
        ..Default::default()
    })
}

/// Where the objects of a deleted record are. What cannot be read is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedObjects {
    /// Its folder.
    pub folder: Option<ShortId>,
    /// Its source, which may be in the folder of another track.
    pub source: Option<ObjectKey>,
}

impl Catalog {
    /// Where the objects of a track are, even if it is deleted and the rest of its row cannot be read.
    pub async fn objects_of_deleted_track(
        &self,
        organization: OrganizationId,
        id: TrackId,
    ) -> Result<Option<DeletedObjects>, CatalogError> {
        use track::{Column, Entity};
        let select = Entity::find_by_id(id.uuid())
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .select_only()
            .columns([Column::Index, Column::SourceKey]);
        let row: Option<(String, Option<String>)> = select.into_tuple().one(self.reader()).await?;
        Ok(row.map(|(folder, source)| DeletedObjects {
            folder: folder.parse().ok(),
            source: source.and_then(|source| source.parse().ok()),
        }))
    }

    /// The same for a collection, all of whose objects are in its folder.
    pub async fn objects_of_deleted_collection(
        &self,
        organization: OrganizationId,
        id: CollectionId,
    ) -> Result<Option<DeletedObjects>, CatalogError> {
        use collection::{Column, Entity};
        let select = Entity::find_by_id(id.uuid())
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .select_only()
            .column(Column::Folder);
        let folder: Option<String> = select.into_tuple().one(self.reader()).await?;
        Ok(folder.map(|folder| DeletedObjects { folder: folder.parse().ok(), source: None }))
    }
}

impl Transaction {
    /// Purges a deleted track whose objects are removed: deletes its files, its words, its own recipes and all other
    /// data about it. A bare row stays, so that usage counts still refer to the track. Returns whether the track
    /// existed and was deleted.
    pub async fn purge_track(
        &self,
        organization: OrganizationId,
        id: TrackId,
        now: Timestamp,
        titles: PurgedTitles,
    ) -> Result<bool, CatalogError> {
        use track::{Column, Entity};
        self.note(Change::Track(id));
        let bare = bare_track(now)?;
        let purge = match titles {
            PurgedTitles::Removed => without_title(bare),
            PurgedTitles::Kept => bare,
        };
        let purged = Entity::update_many()
            .set(purge)
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_not_null())
            .exec(self.db())
            .await?;
        if purged.rows_affected == 0 {
            return Ok(false);
        }
        self.end_answered_jobs(id).await?;
        self.delete_files_of_track(id).await?;
        let of_track = variant::Column::TrackId.eq(id.uuid());
        variant::Entity::delete_many().filter(of_track).exec(self.db()).await?;
        self.delete_track_progress(id).await?;
        self.delete_track_search(id).await?;
        self.delete_track_words(id).await?;
        self.delete_transcription(id).await?;
        self.delete_import(id).await?;
        self.delete_replacements(id).await?;
        Ok(true)
    }

    /// The same for a deleted collection, without its tracks.
    pub async fn purge_collection(
        &self,
        organization: OrganizationId,
        id: CollectionId,
    ) -> Result<bool, CatalogError> {
        use collection::{Column, Entity};
        let purged = Entity::update_many()
            .set(bare_collection()?)
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_not_null())
            .exec(self.db())
            .await?;
        Ok(purged.rows_affected > 0)
    }
}
