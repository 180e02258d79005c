//! Deleted tracks and collections that can be restored until their purge begins. Restoring and purging exclude each
//! other: whichever updates the row first wins.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect, Select, UpdateMany,
};
use tonearm_domain::{
    Collection, CollectionId, Cursor, OrganizationId, Page, Timestamp, Total, Track, TrackId, Trashed,
};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::column::{corrupt, moment};
use crate::entity::{collection, track, track_file, variant};
use crate::error::{CatalogError, Record};
use crate::keyset::{Keyset, keyset_page};
use crate::living::in_living_collection;
use crate::query::{TO_CHANGE, one};
use crate::transaction::Transaction;

/// A table whose rows can be deleted and restored.
trait Restorable: EntityTrait {
    const ID: Self::Column;
    const ORGANIZATION_ID: Self::Column;
    const DELETED_AT: Self::Column;
    const RESTORABLE_UNTIL: Self::Column;
    /// Set on rows that were deleted individually, in a table whose rows are also deleted with others.
    const TRASHED_AT: Option<Self::Column>;
}

impl Restorable for track::Entity {
    const ID: track::Column = track::Column::Id;
    const ORGANIZATION_ID: track::Column = track::Column::OrganizationId;
    const DELETED_AT: track::Column = track::Column::DeletedAt;
    const RESTORABLE_UNTIL: track::Column = track::Column::RestorableUntil;
    const TRASHED_AT: Option<track::Column> = Some(track::Column::TrashedAt);
}

impl Restorable for collection::Entity {
    const ID: collection::Column = collection::Column::Id;
    const ORGANIZATION_ID: collection::Column = collection::Column::OrganizationId;
    const DELETED_AT: collection::Column = collection::Column::DeletedAt;
    const RESTORABLE_UNTIL: collection::Column = collection::Column::RestorableUntil;
    const TRASHED_AT: Option<collection::Column> = None;
}

/// A row of the organization, deleted or not.
fn this<E: Restorable>(organization: OrganizationId, id: Uuid) -> SimpleExpr {
    E::ID.eq(id).and(E::ORGANIZATION_ID.eq(organization.uuid()))
}

/// The row is deleted, not being purged, and can still be restored.
fn in_time<E: Restorable>(now: Timestamp) -> Condition {
    Condition::all().add(E::DELETED_AT.is_not_null()).add(E::RESTORABLE_UNTIL.gt(now.unix_millis()))
}

/// The row is deleted and can no longer be restored.
fn due<E: Restorable>(now: Timestamp) -> Condition {
    let until = E::RESTORABLE_UNTIL;
    let is_over = Condition::any().add(until.is_null()).add(until.lte(now.unix_millis()));
    Condition::all().add(E::DELETED_AT.is_not_null()).add(is_over)
}

/// Takes the updated rows out of the trash, to purge or to restore them.
fn out_of_trash<E: Restorable>(update: UpdateMany<E>) -> UpdateMany<E> {
    let columns = [Some(E::RESTORABLE_UNTIL), E::TRASHED_AT];
    columns.into_iter().flatten().fold(update, |update, column| update.col_expr(column, none()))
}

fn none() -> SimpleExpr {
    Expr::value(None::<i64>)
}

impl TryFrom<track::Model> for Trashed<Track> {
    type Error = CatalogError;

    fn try_from(row: track::Model) -> Result<Self, CatalogError> {
        let until = row.restorable_until;
        let thing = Track::try_from(row)?;
        let (deleted_at, restorable_until) = moments("track.restorable_until", thing.deleted_at, until)?;
        Ok(Self { thing, deleted_at, restorable_until })
    }
}

impl TryFrom<collection::Model> for Trashed<Collection> {
    type Error = CatalogError;

    fn try_from(row: collection::Model) -> Result<Self, CatalogError> {
        let until = row.restorable_until;
        let thing = Collection::try_from(row)?;
        let (deleted_at, restorable_until) = moments("collection.restorable_until", thing.deleted_at, until)?;
        Ok(Self { thing, deleted_at, restorable_until })
    }
}

/// When something was deleted, and until when it can be restored.
fn moments(
    column: &'static str,
    deleted_at: Option<Timestamp>,
    until: Option<i64>,
) -> Result<(Timestamp, Timestamp), CatalogError> {
    let (deleted_at, until) = deleted_at.zip(until).ok_or_else(|| corrupt(column))?;
    Ok((deleted_at, moment(column, until)?))
}

fn trashed_tracks(organization: OrganizationId, now: Timestamp) -> Select<track::Entity> {
    use track::Column;
    track::Entity::find()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .filter(Column::TrashedAt.is_not_null())
        .filter(Column::RestorableUntil.gt(now.unix_millis()))
        .filter(in_living_collection())
}

impl Catalog {
    /// A page of the tracks that were deleted individually and can be restored, the last deleted first. Tracks that
    /// were deleted with their collection are restored with it.
    pub async fn trashed_tracks(
        &self,
        organization: OrganizationId,
        now: Timestamp,
        cursor: Cursor<TrackId>,
        limit: u32,
    ) -> Result<Page<Trashed<Track>>, CatalogError> {
        use track::Column;
        let select = trashed_tracks(organization, now);
        let total = Total::Exactly(select.clone().count(self.reader()).await?);
        let keyset = Keyset { column: Some(Column::TrashedAt), id: Column::Id, is_descending: true };
        keyset_page(self.reader(), select, keyset, cursor.map(TrackId::uuid), limit, total).await
    }

    /// A page of the collections that were deleted and can be restored, those that stay longest first.
    pub async fn trashed_collections(
        &self,
        organization: OrganizationId,
        now: Timestamp,
        cursor: Cursor<CollectionId>,
        limit: u32,
    ) -> Result<Page<Trashed<Collection>>, CatalogError> {
        use collection::Column;
        let select = collection::Entity::find()
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::RestorableUntil.gt(now.unix_millis()));
        let total = Total::Exactly(select.clone().count(self.reader()).await?);
        let keyset = Keyset { column: Some(Column::RestorableUntil), id: Column::Id, is_descending: true };
        keyset_page(self.reader(), select, keyset, cursor.map(CollectionId::uuid), limit, total).await
    }
}

impl Transaction {
    /// Restores a deleted track, with everything that was deleted together with it. Returns the track if it could still
    /// be restored. [`Record::Collection`] is missing if its collection is deleted.
    pub async fn restore_track(
        &self,
        organization: OrganizationId,
        id: TrackId,
        now: Timestamp,
    ) -> Result<Option<Track>, CatalogError> {
        let found = track::Entity::find()
            .select_only()
            .column(track::Column::DeletedAt)
            .filter(this::<track::Entity>(organization, id.uuid()))
            .lock(TO_CHANGE);
        let deleted_at: Option<Option<i64>> = found.into_tuple().one(self.db()).await?;
        self.lock_recipes(organization).await?;
        let Some(deleted_at) = deleted_at.flatten() else { return Ok(None) };
        if !self.take_back::<track::Entity>(organization, id.uuid(), now).await? {
            return Ok(None);
        }
        self.note(Change::Track(id));
        self.restore_belongings(organization, &[id.uuid()], deleted_at).await?;
        let restored = one::<Track, _, _>(self.db(), track::Entity::find_by_id(id.uuid())).await?;
        if let Some(track) = &restored {
            self.note(Change::TracksOf(track.collection_id));
            if !self.lock_collection(track.collection_id).await? {
                return Err(CatalogError::Missing(Record::Collection));
            }
        }
        Ok(restored)
    }

    /// Restores a deleted collection, and returns it if it could still be restored. Its tracks reappear with it. The
    /// jobs that they wait for must be queued again (see [`Transaction::waiting_tracks`]).
    pub async fn restore_collection(
        &self,
        organization: OrganizationId,
        id: CollectionId,
        now: Timestamp,
    ) -> Result<Option<Collection>, CatalogError> {
        self.lock_recipes(organization).await?;
        if !self.take_back::<collection::Entity>(organization, id.uuid(), now).await? {
            return Ok(None);
        }
        self.note(Change::Collection(id));
        self.give_way_to_recipes(organization, id, now).await?;
        self.collection(organization, id).await
    }

    /// Restores a deleted row. Returns whether it could still be restored.
    async fn take_back<E: Restorable>(
        &self,
        organization: OrganizationId,
        id: Uuid,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let restored = out_of_trash(E::update_many().col_expr(E::DELETED_AT, none()))
            .filter(this::<E>(organization, id))
            .filter(in_time::<E>(now))
            .exec(self.db())
            .await?;
        Ok(restored.rows_affected > 0)
    }

    /// Restores the files and own recipes of tracks that were deleted with them. Recipes whose index the organization
    /// has taken meanwhile stay deleted, and so do files whose recipe is deleted.
    pub(crate) async fn restore_belongings(
        &self,
        organization: OrganizationId,
        tracks: &[Uuid],
        deleted_at: i64,
    ) -> Result<(), CatalogError> {
        let of_organization = || {
            Query::select()
                .from(variant::Entity)
                .and_where(variant::Column::OrganizationId.eq(organization.uuid()))
                .and_where(variant::Column::DeletedAt.is_null())
                .take()
        };
        let taken = of_organization()
            .column(variant::Column::Index)
            .and_where(variant::Column::TrackId.is_null())
            .take();
        variant::Entity::update_many()
            .col_expr(variant::Column::DeletedAt, none())
            .filter(variant::Column::TrackId.is_in(tracks.iter().copied()))
            .filter(variant::Column::DeletedAt.eq(deleted_at))
            .filter(variant::Column::Index.not_in_subquery(taken))
            .exec(self.db())
            .await?;
        self.note(Change::Recipes(organization));
        track_file::Entity::update_many()
            .col_expr(track_file::Column::DeletedAt, none())
            .filter(track_file::Column::TrackId.is_in(tracks.iter().copied()))
            .filter(track_file::Column::DeletedAt.eq(deleted_at))
            .filter(
                track_file::Column::VariantId
                    .in_subquery(of_organization().column(variant::Column::Id).take()),
            )
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Begins the purge of a track: from now on it cannot be restored. Returns whether the track is deleted and its
    /// time for restoring is over; if not, it must not be purged (yet). For a track that an earlier version marked with
    /// its collection, the time of the collection counts: the collection may have been restored or deleted again since.
    pub async fn begin_purge_of_track(
        &self,
        organization: OrganizationId,
        id: TrackId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        use track::Column;
        let collection = Query::select()
            .expr(Expr::value(1))
            .from(collection::Entity)
            .and_where(
                Expr::col((collection::Entity, collection::Column::Id))
                    .equals((track::Entity, Column::CollectionId)),
            )
            .cond_where(due::<collection::Entity>(now))
            .take();
        let by_itself = Condition::any()
            .add(Column::TrashedAt.is_not_null())
            .add(Column::RestorableUntil.is_null())
            .add(Expr::exists(collection));
        self.begin_purge::<track::Entity>(organization, id.uuid(), now, by_itself).await
    }

    /// The same for a collection.
    pub async fn begin_purge_of_collection(
        &self,
        organization: OrganizationId,
        id: CollectionId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        self.begin_purge::<collection::Entity>(organization, id.uuid(), now, Condition::all()).await
    }

    async fn begin_purge<E: Restorable>(
        &self,
        organization: OrganizationId,
        id: Uuid,
        now: Timestamp,
        also: Condition,
    ) -> Result<bool, CatalogError> {
        let begun = out_of_trash(E::update_many())
            .filter(this::<E>(organization, id))
            .filter(due::<E>(now))
            .filter(also)
            .exec(self.db())
            .await?;
        Ok(begun.rows_affected > 0)
    }
}
