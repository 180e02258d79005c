//! Where tracks stand in a collection, counted as lists show them: deleted rows keep an order, but have no position.

use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use tonearm_domain::{CollectionId, OrganizationId, TrackId};
use uuid::Uuid;

use crate::collections::living_id;
use crate::entity::track::{Column, Entity};
use crate::error::CatalogError;
use crate::query::TO_CHANGE;
use crate::transaction::Transaction;

/// Tracks of a collection that follow one another, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// How many tracks stand before the first.
    pub start: u64,
    /// The tracks, locked for a change.
    pub tracks: Vec<TrackId>,
}

fn living(organization: OrganizationId, collection: CollectionId) -> Select<Entity> {
    Entity::find()
        .filter(Column::CollectionId.into_expr().eq(living_id(organization, collection)))
        .filter(Column::DeletedAt.is_null())
}

impl Transaction {
    /// Those of the tracks that the collection has, locked for a change, in their order.
    pub async fn tracks_in_order(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        tracks: &[TrackId],
    ) -> Result<Vec<TrackId>, CatalogError> {
        let select =
            living(organization, collection).filter(Column::Id.is_in(tracks.iter().map(|id| id.uuid())));
        self.lock_in_order(select).await
    }

    /// The tracks from the first to the last of those that are named or stand at the positions `from..=to` (0 is the first),
    /// locked for a change. `most + 1` of them if they are more than `most`; `None` if none of the named ones is there.
    pub async fn stretch_around(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        tracks: &[TrackId],
        (from, to): (u64, u64),
        most: u64,
    ) -> Result<Option<Stretch>, CatalogError> {
        let ends = living(organization, collection)
            .select_only()
            .expr(Column::TrackOrder.min())
            .expr(Column::TrackOrder.max())
            .filter(Column::Id.is_in(tracks.iter().map(|id| id.uuid())))
            .into_tuple::<(Option<i64>, Option<i64>)>()
            .one(self.db())
            .await?;
        let Some((Some(first), Some(last))) = ends else { return Ok(None) };
        let low =
            self.order_at(organization, collection, from).await?.map_or(first, |order| order.min(first));
        let high = match self.order_at(organization, collection, to).await? {
            Some(order) => order.max(last),
            // The position is beyond the last track.
            None => i64::MAX,
        };
        let start =
            living(organization, collection).filter(Column::TrackOrder.lt(low)).count(self.db()).await?;
        let between = living(organization, collection).filter(Column::TrackOrder.between(low, high));
        let tracks = self.lock_in_order(between.limit(most.saturating_add(1))).await?;
        Ok(Some(Stretch { start, tracks }))
    }

    /// The order of the track at a position.
    async fn order_at(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        position: u64,
    ) -> Result<Option<i64>, CatalogError> {
        let select = living(organization, collection)
            .select_only()
            .column(Column::TrackOrder)
            .order_by_asc(Column::TrackOrder)
            .order_by_asc(Column::Id)
            .offset(position)
            .limit(1);
        Ok(select.into_tuple().one(self.db()).await?)
    }

    async fn lock_in_order(&self, select: Select<Entity>) -> Result<Vec<TrackId>, CatalogError> {
        let mut found: Vec<(Uuid, i64)> = select
            .select_only()
            .columns([Column::Id, Column::TrackOrder])
            // Everybody locks several tracks by their ids.
            .order_by_asc(Column::Id)
            .lock(TO_CHANGE)
            .into_tuple()
            .all(self.db())
            .await?;
        found.sort_unstable_by_key(|(id, order)| (*order, *id));
        Ok(found.into_iter().map(|(id, _)| TrackId::from_uuid(id)).collect())
    }
}
