//! How much room living files take: `track.stored_bytes`, which triggers keep. Covers are not among them: their sizes are
//! recorded nowhere.

use sea_orm::sea_query::{ExprTrait, Query};
use sea_orm::{
    ColumnTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
};
use tonearm_domain::{KeyScope, OrganizationId, Page, TrackId, shown_title};
use uuid::Uuid;

use crate::collections::living_id;
use crate::column::size;
use crate::entity::{collection, track};
use crate::living::living_track;
use crate::{Catalog, CatalogError};

/// The room that all files together take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageUsage {
    /// How many tracks there are.
    pub tracks: u64,
    /// Bytes of their files, sources included.
    pub bytes: u64,
}

/// The room that the files of a track take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackStorage {
    /// Which.
    pub track_id: TrackId,
    /// What people know it by.
    pub title: String,
    /// Bytes of its files, its source included.
    pub bytes: u64,
}

#[derive(FromQueryResult)]
struct Row {
    id: Uuid,
    player_title: Option<String>,
    title_tag: Option<String>,
    file_name: String,
    stored_bytes: i64,
}

fn living(organization: OrganizationId, scope: KeyScope) -> Select<track::Entity> {
    use track::Column;
    let tracks = track::Entity::find().select_only();
    let living = match scope.collection() {
        None => tracks.filter(Column::OrganizationId.eq(organization.uuid())).filter(living_track()),
        Some(id) => tracks
            .filter(Column::CollectionId.into_expr().eq(living_id(organization, id)))
            .filter(Column::DeletedAt.is_null()),
    };
    living.apply_if(scope.track(), |select, id| select.filter(Column::Id.eq(id.uuid())))
}

/// Tracks that are not deleted by themselves.
fn of_organization(organization: OrganizationId) -> Select<track::Entity> {
    use track::Column;
    let tracks = track::Entity::find().select_only().filter(Column::DeletedAt.is_null());
    tracks.filter(Column::OrganizationId.eq(organization.uuid()))
}

fn in_deleted_collections(organization: OrganizationId) -> Select<track::Entity> {
    use collection::Column;
    let deleted = Query::select()
        .column(Column::Id)
        .from(collection::Entity)
        .and_where(Column::OrganizationId.eq(organization.uuid()))
        .and_where(Column::DeletedAt.is_not_null())
        .take();
    let tracks = track::Entity::find().select_only().filter(track::Column::DeletedAt.is_null());
    tracks.filter(track::Column::CollectionId.in_subquery(deleted))
}

impl Catalog {
    /// The room that the tracks of an organization take, as far as a key reaches. Reads an entry of an index for each track.
    pub async fn storage_usage(
        &self,
        organization: OrganizationId,
        scope: KeyScope,
    ) -> Result<StorageUsage, CatalogError> {
        let tracks = self.count_in_scope(organization, scope).await?;
        let bytes = match scope {
            KeyScope::Organization => {
                let all = self.sum_stored(of_organization(organization)).await?;
                // Few tracks are in deleted collections, and looking at the collection of each would take far longer.
                all - self.sum_stored(in_deleted_collections(organization)).await?
            }
            _ => self.sum_stored(living(organization, scope)).await?,
        };
        Ok(StorageUsage { tracks, bytes: size("track.stored_bytes", bytes)? })
    }

    async fn sum_stored(&self, tracks: Select<track::Entity>) -> Result<i64, CatalogError> {
        // PostgreSQL sums to a type without bounds, which is not read as a number.
        let bytes = track::Column::StoredBytes.sum().cast_as("bigint");
        let sum: Option<Option<i64>> =
            tracks.column_as(bytes, "bytes").into_tuple().one(self.reader()).await?;
        Ok(sum.flatten().unwrap_or(0))
    }

    async fn count_in_scope(
        &self,
        organization: OrganizationId,
        scope: KeyScope,
    ) -> Result<u64, CatalogError> {
        match scope.track() {
            Some(_) => Ok(living(organization, scope).column(track::Column::Id).count(self.reader()).await?),
            None => self.count_tracks(organization, scope.collection()).await,
        }
    }

    /// How many tracks there are, and a page of them, the largest first.
    pub async fn storage_by_track(
        &self,
        organization: OrganizationId,
        scope: KeyScope,
        window: Page,
    ) -> Result<(u64, Vec<TrackStorage>), CatalogError> {
        use track::Column;
        let total = self.count_in_scope(organization, scope).await?;
        let select = living(organization, scope)
            .columns([
                Column::Id,
                Column::PlayerTitle,
                Column::TitleTag,
                Column::FileName,
                Column::StoredBytes,
            ])
            .order_by_desc(Column::StoredBytes)
            .order_by_desc(Column::Id)
            .limit(window.limit())
            .offset(window.offset());
        let rows = select.into_model::<Row>().all(self.reader()).await?;
        let tracks = rows.into_iter().map(|row| {
            Ok(TrackStorage {
                track_id: TrackId::from_uuid(row.id),
                title: shown_title(row.player_title.as_deref(), row.title_tag.as_deref(), &row.file_name)
                    .to_owned(),
                bytes: size("track.stored_bytes", row.stored_bytes)?,
            })
        });
        Ok((total, tracks.collect::<Result<_, CatalogError>>()?))
    }
}
