//! The storage that living files use, covers included. Triggers maintain `track.stored_bytes` and
//! `collection.stored_bytes`.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, JsonValue, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, Select,
};
use tonearm_domain::{CoverOwner, KeyScope, LimitOffset, OrganizationId, TrackId, shown_title};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::collections::living_id;
use crate::column::{byte_count, size};
use crate::entity::{collection, organization, track};
use crate::error::CatalogError;
use crate::living::living_track;
use crate::named::CoverObjects;
use crate::transaction::Transaction;

/// The storage that all files use together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageUsage {
    /// The number of tracks.
    pub tracks: u64,
    /// Bytes of their files, including sources and the covers of tracks, collections and the organization.
    pub bytes: u64,
}

/// The storage that the files of a track use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackStorage {
    /// The track.
    pub track_id: TrackId,
    /// Its title.
    pub title: String,
    /// Bytes of its files, including its source and its covers.
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

fn living_collections(organization: OrganizationId) -> Select<collection::Entity> {
    use collection::Column;
    let collections = collection::Entity::find().select_only().filter(Column::DeletedAt.is_null());
    collections.filter(Column::OrganizationId.eq(organization.uuid()))
}

impl Catalog {
    /// The storage that the tracks and covers of an organization use, within the scope of a key. Reads one index entry
    /// per collection.
    pub async fn storage_usage(
        &self,
        organization: OrganizationId,
        scope: KeyScope,
    ) -> Result<StorageUsage, CatalogError> {
        let tracks = self.count_in_scope(organization, scope).await?;
        let bytes = match scope {
            KeyScope::Organization => {
                let collections = self.bytes_of(living_collections(organization)).await?;
                collections + self.cover_bytes_of(organization).await?
            }
            KeyScope::Collection(id) => {
                let one = living_collections(organization).filter(collection::Column::Id.eq(id.uuid()));
                self.bytes_of(one).await?
            }
            KeyScope::Track(..) => {
                let track = living(organization, scope).column(track::Column::StoredBytes);
                track.into_tuple::<i64>().one(self.reader()).await?.unwrap_or(0)
            }
        };
        Ok(StorageUsage { tracks, bytes: size("collection.stored_bytes", bytes)? })
    }

    async fn bytes_of(&self, collections: Select<collection::Entity>) -> Result<i64, CatalogError> {
        use collection::Column;
        // PostgreSQL sums to a type without bounds, which is not read as a number.
        let bytes = Column::StoredBytes.into_expr().add(Column::CoverBytes.into_expr());
        let sum = Expr::expr(bytes).sum().cast_as("bigint");
        let sum: Option<Option<i64>> = collections.expr(sum).into_tuple().one(self.reader()).await?;
        Ok(sum.flatten().unwrap_or(0))
    }

    async fn cover_bytes_of(&self, organization: OrganizationId) -> Result<i64, CatalogError> {
        let own = organization::Entity::find_by_id(organization.uuid()).select_only();
        let own = own.column(organization::Column::CoverBytes).into_tuple::<i64>();
        Ok(own.one(self.reader()).await?.unwrap_or(0))
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

    /// The number of tracks, and a page of them, the largest first.
    pub async fn storage_by_track(
        &self,
        organization: OrganizationId,
        scope: KeyScope,
        window: LimitOffset,
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

impl Catalog {
    /// What is recorded about the files of the owner's covers.
    pub async fn recorded_covers(
        &self,
        organization: OrganizationId,
        owner: CoverOwner,
    ) -> Result<CoverObjects, CatalogError> {
        recorded_covers(self.reader(), organization, owner).await
    }
}

async fn recorded_covers<C: ConnectionTrait>(
    db: &C,
    organization: OrganizationId,
    owner: CoverOwner,
) -> Result<CoverObjects, CatalogError> {
    let row: Option<Option<JsonValue>> = match owner {
        CoverOwner::Track(id) => {
            use track::{Column, Entity};
            let select = Entity::find_by_id(id.uuid()).select_only().column(Column::CoverObjects);
            select.filter(Column::OrganizationId.eq(organization.uuid())).into_tuple().one(db).await?
        }
        CoverOwner::Collection(id) => {
            use collection::{Column, Entity};
            let select = Entity::find_by_id(id.uuid()).select_only().column(Column::CoverObjects);
            select.filter(Column::OrganizationId.eq(organization.uuid())).into_tuple().one(db).await?
        }
        CoverOwner::Organization => {
            use organization::{Column, Entity};
            let select = Entity::find_by_id(organization.uuid()).select_only().column(Column::CoverObjects);
            select.into_tuple().one(db).await?
        }
    };
    CoverObjects::of_column("cover_objects", row.flatten())
}

impl Transaction {
    /// Records how many bytes the files of the owner's covers use, and the lengths and hashes of the files that must
    /// exist. Earlier records of the same names are kept: if the store has other bytes now, they are damaged.
    pub async fn record_covers(
        &self,
        organization: OrganizationId,
        owner: CoverOwner,
        bytes: u64,
        mut objects: CoverObjects,
    ) -> Result<(), CatalogError> {
        objects.keep(&recorded_covers(self.db(), organization, owner).await?);
        let (bytes, objects) = (Expr::value(byte_count(bytes)), Expr::value(objects.to_column()?));
        match owner {
            CoverOwner::Track(id) => {
                use track::{Column, Entity};
                let update = Entity::update_many().col_expr(Column::CoverBytes, bytes);
                let update = update.col_expr(Column::CoverObjects, objects);
                let update = update.filter(Column::Id.eq(id.uuid()));
                update.filter(Column::OrganizationId.eq(organization.uuid())).exec(self.db()).await?;
            }
            CoverOwner::Collection(id) => {
                use collection::{Column, Entity};
                let update = Entity::update_many().col_expr(Column::CoverBytes, bytes);
                let update = update.col_expr(Column::CoverObjects, objects);
                let update = update.filter(Column::Id.eq(id.uuid()));
                update.filter(Column::OrganizationId.eq(organization.uuid())).exec(self.db()).await?;
            }
            CoverOwner::Organization => {
                use organization::{Column, Entity};
                let update = Entity::update_many().col_expr(Column::CoverBytes, bytes);
                let update = update.col_expr(Column::CoverObjects, objects);
                update.filter(Column::Id.eq(organization.uuid())).exec(self.db()).await?;
            }
        }
        Ok(())
    }
}
