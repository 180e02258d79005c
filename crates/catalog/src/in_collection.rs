//! The tracks of a collection, in the order that players and lists show.

use futures::TryStreamExt;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, EntityTrait, PaginatorTrait, PartialModelTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select, StreamTrait,
};
use tonearm_domain::{
    CollectionId, LimitOffset, ListPart, ListPosition, OrganizationId, PageBytes, SortValue, Track, TrackId,
    TrackStatus, TrackSummary, VariantIndex,
};

use crate::catalog::Catalog;
use crate::collections::living_id;
use crate::column::size;
use crate::entity::track::{Column, Entity, Model, Summary};
use crate::entity::{collection, track_file, variant};
use crate::error::CatalogError;
use crate::keyset::{Keyset, keyset_part};
use crate::query::{ListedRow, first_read, page, readable};

/// Sorted by order, then id.
const ORDER: Keyset<Column> =
    Keyset { column: Some(Column::TrackOrder), id: Column::Id, is_descending: false };

pub(crate) fn in_order(select: Select<Entity>) -> Select<Entity> {
    select.order_by_asc(Column::TrackOrder).order_by_asc(Column::Id)
}

fn in_collection(
    organization: OrganizationId,
    collection: CollectionId,
    only: Option<TrackId>,
) -> Select<Entity> {
    in_order(living_in(organization, collection, only))
}

pub(crate) fn living_in(
    organization: OrganizationId,
    collection: CollectionId,
    only: Option<TrackId>,
) -> Select<Entity> {
    Entity::find()
        .filter(Column::CollectionId.into_expr().eq(living_id(organization, collection)))
        .filter(Column::DeletedAt.is_null())
        .apply_if(only, |select, id| select.filter(Column::Id.eq(id.uuid())))
}

fn summaries(select: Select<Entity>) -> Select<Entity> {
    Summary::select_cols(QuerySelect::select_only(select))
}

/// The number of tracks that a collection has, and the number that it ever had.
struct Counts {
    living: u64,
    ever: u64,
}

impl Catalog {
    /// The number of tracks in the collection (0 or 1 if `only` is set) and a page of them, sorted by order, then id.
    ///
    /// A late page takes no longer than the first. Orders are assigned without gaps and never removed, so the order of
    /// a track gives the number of rows before it, minus those that were deleted.
    pub async fn tracks_in_collection(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        only: Option<TrackId>,
        window: LimitOffset,
    ) -> Result<(u64, Vec<Track>), CatalogError> {
        let select = in_collection(organization, collection, only);
        if only.is_some() {
            return page(self.reader(), select, window).await;
        }
        let counts = self.track_counts(organization, collection).await?;
        let (offset, limit) = (window.offset(), window.limit());
        if counts.living <= offset {
            return Ok((counts.living, Vec::new()));
        }
        let order = i64::try_from(offset).unwrap_or(i64::MAX);
        let from = select.filter(Column::TrackOrder.gt(order)).limit(limit);
        let deleted = match counts.ever - counts.living {
            0 => 0,
            _ => self.deleted_up_to(collection, order).await?,
        };
        if deleted == 0 {
            return Ok((counts.living, PageBytes::cut(readable(self.reader(), from).await?)));
        }
        // The index contains the ids, so the skipped rows are not read.
        let ids = from.select_only().column(Column::Id).offset(deleted).into_query();
        let ids = Query::select().column("id").from_subquery(ids, "page").take();
        let rows = in_order(Entity::find().filter(Column::Id.in_subquery(ids)));
        Ok((counts.living, PageBytes::cut(readable(self.reader(), rows).await?)))
    }

    /// The number of tracks in the collection (0 or 1 if `only` is set) and those after a position, sorted by order,
    /// then id.
    pub async fn tracks_after(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        only: Option<TrackId>,
        (after, limit): (Option<&ListPosition>, u64),
    ) -> Result<ListPart<Track>, CatalogError> {
        let select = living_in(organization, collection, only);
        let keyset = Keyset { column: Some(Column::TrackOrder), id: Column::Id, is_descending: false };
        let position_of =
            |row: &Model| ListPosition { value: SortValue::Integer(row.track_order), id: row.id };
        let part = keyset_part(self.reader(), select, keyset, after, limit, position_of).await?;
        let count = match only {
            None => self.count_tracks(organization, Some(collection)).await?,
            Some(_) => living_in(organization, collection, only).count(self.reader()).await?,
        };
        Ok(ListPart { count: Some(count), ..part })
    }

    async fn track_counts(
        &self,
        organization: OrganizationId,
        id: CollectionId,
    ) -> Result<Counts, CatalogError> {
        use collection::Column;
        let found: Option<(i64, i64)> = collection::Entity::find_by_id(id.uuid())
            .select_only()
            .columns([Column::TrackCount, Column::LastTrackOrder])
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_null())
            .into_tuple()
            .one(self.reader())
            .await?;
        let (living, ever) = found.unwrap_or_default();
        let living = size("collection.track_count", living)?;
        let ever = size("collection.last_track_order", ever)?;
        Ok(Counts { living, ever: Ord::max(ever, living) })
    }

    /// The number of deleted tracks of a collection up to an order.
    async fn deleted_up_to(&self, collection: CollectionId, order: i64) -> Result<u64, CatalogError> {
        let deleted = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::CollectionId.eq(collection.uuid()))
            .filter(Column::DeletedAt.is_not_null())
            .filter(Column::TrackOrder.lte(order));
        Ok(deleted.count(self.reader()).await?)
    }

    /// Calls `each` with the summary of each playable track of the collection, or only of the track `only`, sorted by
    /// order, then id. The rows are streamed, since a collection may have tens of thousands of tracks.
    pub async fn each_playable_track(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        only: Option<TrackId>,
        mut each: impl FnMut(TrackSummary) + Send,
    ) -> Result<(), CatalogError> {
        let with = |is: fn(TrackStatus) -> bool| {
            let status = TrackStatus::ALL.into_iter().filter(move |status| is(*status));
            Column::TrackStatusId.is_in(status.map(TrackStatus::as_str))
        };
        let early = with(TrackStatus::is_processing).and(Column::IsEarly.eq(true));
        let select =
            in_collection(organization, collection, only).filter(with(TrackStatus::is_playable).or(early));
        let mut rows = self.reader().free().stream(&summaries(select).into_query()).await?;
        while let Some(row) = rows.try_next().await? {
            if let Some(track) = ListedRow::<Summary>::of::<Entity>(&row).readable(TrackSummary::try_from) {
                each(track);
            }
        }
        Ok(())
    }

    /// The collection's playable tracks that have a file of the shared variant, or only the track `only`, sorted by
    /// order, then id: at most `limit` tracks after `after`, and whether there are more.
    pub async fn shared_tracks(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        only: Option<TrackId>,
        shared: &VariantIndex,
        (after, limit): (Option<TrackId>, usize),
    ) -> Result<(Vec<TrackSummary>, bool), CatalogError> {
        let playable = TrackStatus::ALL.into_iter().filter(|status| status.is_playable());
        let named = Query::select()
            .column(variant::Column::Id)
            .from(variant::Entity)
            .and_where(variant::Column::OrganizationId.eq(organization.uuid()))
            .and_where(variant::Column::Index.eq(shared.as_str()))
            .and_where(variant::Column::DeletedAt.is_null())
            .take();
        let of_track =
            Expr::col((track_file::Entity, track_file::Column::TrackId)).eq(Expr::col((Entity, Column::Id)));
        let made = Query::select()
            .expr(Expr::value(1))
            .from(track_file::Entity)
            .and_where(of_track)
            .and_where(track_file::Column::VariantId.in_subquery(named))
            .and_where(track_file::Column::ObjectKey.is_not_null())
            .and_where(track_file::Column::DeletedAt.is_null())
            .take();
        let select = in_collection(organization, collection, only)
            .filter(Column::TrackStatusId.is_in(playable.map(TrackStatus::as_str)))
            .filter(Expr::exists(made))
            .apply_if(after, |select, track| select.filter(ORDER.beyond::<Entity>(track.uuid(), true)));
        let read = |row: Summary| TrackSummary::try_from(row);
        // One extra row shows whether there are more.
        let mut tracks = first_read(self.reader(), summaries(select), limit as u64 + 1, read).await?;
        let has_more = tracks.len() > limit;
        tracks.truncate(limit);
        Ok((tracks, has_more))
    }

    /// The number of tracks in a collection or in all collections of the organization, from the counters that are
    /// updated with each addition and deletion.
    pub(crate) async fn count_tracks(
        &self,
        organization: OrganizationId,
        within: Option<CollectionId>,
    ) -> Result<u64, CatalogError> {
        use collection::Column;
        if let Some(id) = within {
            return Ok(self.track_count(organization, id).await?.unwrap_or(0));
        }
        let sum = Column::TrackCount.sum().cast_as("bigint");
        let select = collection::Entity::find()
            .select_only()
            .expr(sum)
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_null());
        let found: Option<Option<i64>> = select.into_tuple().one(self.reader()).await?;
        size("collection.track_count", found.flatten().unwrap_or(0))
    }
}
