//! Positions of tracks in a collection, counted as lists show them. Deleted rows keep an order but have no position.

use sea_orm::{ColumnTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use tonearm_domain::{CollectionId, OrganizationId, TrackId};
use uuid::Uuid;

use crate::entity::track::{Column, Entity};
use crate::error::CatalogError;
use crate::in_collection::{in_order, living_in};
use crate::query::TO_CHANGE;
use crate::transaction::Transaction;

/// Consecutive tracks of a collection, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackRange {
    /// The number of tracks before the first.
    pub start: u64,
    /// The tracks, locked for a change.
    pub tracks: Vec<TrackId>,
    /// The requested position, or the last one at which the named tracks have room.
    pub index: u64,
}

/// Why there is no [`TrackRange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackRangeError {
    /// The collection lacks one of the named tracks.
    Missing,
    /// Another transaction changed the order while this one waited for the rows.
    Changed,
}

/// The order of the track at a position.
async fn order_at(
    tx: &Transaction,
    tracks: Select<Entity>,
    position: u64,
) -> Result<Option<i64>, CatalogError> {
    let select = in_order(tracks).select_only().column(Column::TrackOrder).offset(position).limit(1);
    Ok(select.into_tuple().one(tx.db()).await?)
}

impl Transaction {
    /// Those of the tracks that are in the collection, locked for a change, in their order.
    pub async fn tracks_in_order(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        tracks: &[TrackId],
    ) -> Result<Vec<TrackId>, CatalogError> {
        let select = living_in(organization, collection, None)
            .filter(Column::Id.is_in(tracks.iter().map(|id| id.uuid())));
        self.lock_in_order(select).await
    }

    /// Locks the range of tracks that is affected if the named tracks are moved to the position `index` (0 is the
    /// first): from the first to the last of the named tracks, of the tracks that they will displace, and of the one
    /// before these. Returns `most + 1` of them if they are more than `most`. No track may be named twice.
    pub async fn range_around(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        tracks: &[TrackId],
        index: u64,
        most: u64,
    ) -> Result<Result<TrackRange, TrackRangeError>, CatalogError> {
        let all = || living_in(organization, collection, None);
        let ends = all()
            .select_only()
            .expr(Column::Id.count())
            .expr(Column::TrackOrder.min())
            .expr(Column::TrackOrder.max())
            .filter(Column::Id.is_in(tracks.iter().map(|id| id.uuid())))
            .into_tuple::<(i64, Option<i64>, Option<i64>)>()
            .one(self.db())
            .await?;
        let named = tracks.len() as u64;
        let Some((count, Some(first), Some(last))) = ends else { return Ok(Err(TrackRangeError::Missing)) };
        if count.cast_unsigned() != named {
            return Ok(Err(TrackRangeError::Missing));
        }
        let last_index = all().count(self.db()).await?.saturating_sub(named);
        let index = Ord::min(index, last_index);
        let (before, end) = (index.saturating_sub(1), index + named - 1);
        let low = order_at(self, all(), before).await?.map_or(first, |order| Ord::min(order, first));
        let high = order_at(self, all(), end).await?.map_or(last, |order| Ord::max(order, last));
        let preceding = || all().filter(Column::TrackOrder.lt(low));
        let between = || all().filter(Column::TrackOrder.between(low, high));
        let start = preceding().count(self.db()).await?;
        let tracks = self.lock_in_order(between().limit(most.saturating_add(1))).await?;
        let found = tracks.len() as u64;
        // While this transaction waited for rows, the transactions that had locked them may have moved other tracks
        // into the range.
        let is_changed = found <= most
            && (between().count(self.db()).await? != found || preceding().count(self.db()).await? != start);
        if is_changed {
            return Ok(Err(TrackRangeError::Changed));
        }
        Ok(Ok(TrackRange { start, tracks, index }))
    }

    async fn lock_in_order(&self, select: Select<Entity>) -> Result<Vec<TrackId>, CatalogError> {
        let mut found = self.lock_places(select).await?;
        found.sort_unstable_by_key(|(id, order)| (*order, *id));
        Ok(found.into_iter().map(|(id, _)| TrackId::from_uuid(id)).collect())
    }

    /// The ids and orders of tracks, locked for a change by id, the order in which all transactions lock several
    /// tracks.
    pub(crate) async fn lock_places(&self, select: Select<Entity>) -> Result<Vec<(Uuid, i64)>, CatalogError> {
        let places = select.select_only().columns([Column::Id, Column::TrackOrder]).order_by_asc(Column::Id);
        Ok(places.lock(TO_CHANGE).into_tuple().all(self.db()).await?)
    }
}
