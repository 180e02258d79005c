//! Follow-up work of deleting and restoring a collection, in batches: its tracks are marked for their purge, or the
//! tracks that an earlier version had marked are restored.

use std::collections::BTreeMap;

use sea_orm::sea_query::{Expr, ExprTrait, Func, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use tonearm_domain::{
    CollectionId, OrganizationId, ReplacementState, Timestamp, Track, TrackId, TrackStatus,
    TranscriptionState,
};
use uuid::Uuid;

use crate::changes::Change;
use crate::entity::track::{Column, Entity};
use crate::entity::{source_replacement, track_file, transcription, variant};
use crate::error::CatalogError;
use crate::living::living_track;
use crate::query::{TO_CHANGE, first_readable};
use crate::transaction::Transaction;

/// Tracks of a collection that are not deleted individually, whether or not the collection is deleted.
fn unmarked(collection: CollectionId) -> Select<Entity> {
    Entity::find().filter(Column::CollectionId.eq(collection.uuid())).filter(Column::DeletedAt.is_null())
}

/// Tracks that an earlier version marked together with their collection and whose purge has not begun. Tracks that were
/// deleted individually are in the trash (`trashed_at`), or cannot be restored.
fn marked_with(collection: CollectionId) -> Select<Entity> {
    Entity::find()
        .filter(Column::CollectionId.eq(collection.uuid()))
        .filter(Column::RestorableUntil.is_not_null())
        .filter(Column::TrashedAt.is_null())
}

fn ids(rows: &[Uuid]) -> impl Iterator<Item = TrackId> + '_ {
    rows.iter().copied().map(TrackId::from_uuid)
}

impl Transaction {
    async fn next_of(&self, select: Select<Entity>, most: u64) -> Result<Vec<Uuid>, CatalogError> {
        let next = select.select_only().column(Column::Id).order_by_asc(Column::Id).limit(most);
        Ok(next.lock(TO_CHANGE).into_tuple().all(self.db()).await?)
    }

    /// Marks at most `most` tracks of a collection as permanently deleted, with their files and own recipes, and
    /// returns them. An empty result means that none are left. The purge of the collection must have begun.
    pub async fn mark_tracks_for_purge(
        &self,
        collection: CollectionId,
        now: Timestamp,
        most: u64,
    ) -> Result<Vec<TrackId>, CatalogError> {
        let mut tracks = self.next_of(unmarked(collection), most).await?;
        if tracks.is_empty() {
            tracks = self.next_of(marked_with(collection), most).await?;
        }
        if tracks.is_empty() {
            return Ok(Vec::new());
        }
        let at = Func::coalesce([Expr::col(Column::DeletedAt), Expr::value(now.unix_millis())]);
        Entity::update_many()
            .col_expr(Column::DeletedAt, at.into())
            .col_expr(Column::RestorableUntil, Expr::value(None::<i64>))
            .filter(Column::Id.is_in(tracks.iter().copied()))
            .exec(self.db())
            .await?;
        ids(&tracks).for_each(|track| self.note(Change::Track(track)));
        let these = Query::select()
            .column(Column::Id)
            .from(Entity)
            .and_where(Column::Id.is_in(tracks.iter().copied()))
            .take();
        self.mark_belongings(these, now).await?;
        Ok(ids(&tracks).collect())
    }

    /// Whether a collection has tracks that [`Transaction::mark_tracks_for_purge`] would mark.
    pub async fn has_unmarked_tracks(&self, collection: CollectionId) -> Result<bool, CatalogError> {
        Ok(unmarked(collection).limit(1).count(self.db()).await? > 0
            || marked_with(collection).limit(1).count(self.db()).await? > 0)
    }

    /// Restores at most `most` tracks that an earlier version marked together with their collection, and returns their
    /// number. `None` if the collection is deleted (again), in which case this transaction must be rolled back. The
    /// tracks are restored however late this runs: the collection was restored in time.
    pub async fn restore_marked_tracks(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        most: u64,
    ) -> Result<Option<u64>, CatalogError> {
        let next = marked_with(collection).select_only().columns([Column::Id, Column::DeletedAt]);
        let next = next.order_by_asc(Column::Id).limit(most).lock(TO_CHANGE);
        let tracks: Vec<(Uuid, Option<i64>)> = next.into_tuple().all(self.db()).await?;
        self.lock_recipes(organization).await?;
        let mut by_deletion: BTreeMap<i64, Vec<Uuid>> = BTreeMap::new();
        for (id, deleted_at) in &tracks {
            by_deletion.entry(deleted_at.unwrap_or_default()).or_default().push(*id);
        }
        for (deleted_at, tracks) in by_deletion {
            Entity::update_many()
                .col_expr(Column::DeletedAt, Expr::value(None::<i64>))
                .col_expr(Column::RestorableUntil, Expr::value(None::<i64>))
                .filter(Column::Id.is_in(tracks.iter().copied()))
                .exec(self.db())
                .await?;
            ids(&tracks).for_each(|track| self.note(Change::Track(track)));
            self.restore_belongings(organization, &tracks, deleted_at).await?;
        }
        self.note(Change::TracksOf(collection));
        let is_there = self.lock_collection(collection).await?;
        Ok(is_there.then_some(tracks.len() as u64))
    }

    /// The next tracks of a collection that wait for something, with ids after `after`, locked for a change. Their jobs
    /// ended without doing anything while the collection was deleted. Empty if the collection is deleted (again).
    pub async fn waiting_tracks(
        &self,
        collection: CollectionId,
        after: Option<TrackId>,
        most: u64,
    ) -> Result<Vec<Track>, CatalogError> {
        let waiting = TrackStatus::ALL.into_iter().filter(|status| !status.is_final());
        let pending = Query::select()
            .expr(Expr::value(1))
            .from(transcription::Entity)
            .and_where(
                Expr::col((transcription::Entity, transcription::Column::TrackId))
                    .equals((Entity, Column::Id)),
            )
            .and_where(transcription::Column::State.eq(TranscriptionState::Pending.as_str()))
            .take();
        let replaced = Query::select()
            .expr(Expr::value(1))
            .from(source_replacement::Entity)
            .and_where(
                Expr::col((source_replacement::Entity, source_replacement::Column::TrackId))
                    .equals((Entity, Column::Id)),
            )
            .and_where(source_replacement::Column::State.eq(ReplacementState::Processing.as_str()))
            .take();
        let waits = Condition::any()
            .add(Column::TrackStatusId.is_in(waiting.map(TrackStatus::as_str)))
            .add(Expr::exists(replaced))
            .add(Expr::exists(pending));
        let mut select = Entity::find()
            .filter(Column::CollectionId.eq(collection.uuid()))
            .filter(living_track())
            .filter(waits)
            .order_by_asc(Column::Id);
        if let Some(after) = after {
            select = select.filter(Column::Id.gt(after.uuid()));
        }
        first_readable(self.db(), select.lock(TO_CHANGE), most).await
    }

    /// Marks as deleted the own recipes of a collection's tracks whose index the organization has taken while the
    /// collection was deleted, and the files of these recipes. They are found by their index, so this costs nothing if
    /// there are none. The organization's recipes must be locked.
    pub(crate) async fn give_way_to_recipes(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        let yielding = || yielding(organization, collection);
        track_file::Entity::update_many()
            .col_expr(track_file::Column::DeletedAt, Expr::value(now.unix_millis()))
            .filter(track_file::Column::VariantId.in_subquery(yielding()))
            .filter(track_file::Column::DeletedAt.is_null())
            .exec(self.db())
            .await?;
        variant::Entity::update_many()
            .col_expr(variant::Column::DeletedAt, Expr::value(now.unix_millis()))
            .filter(variant::Column::Id.in_subquery(yielding()))
            .exec(self.db())
            .await?;
        self.note(Change::Recipes(organization));
        Ok(())
    }
}

/// The own recipes of a collection's tracks that have the index of a recipe of the organization.
fn yielding(organization: OrganizationId, collection: CollectionId) -> SelectStatement {
    let living = || {
        Query::select()
            .from(variant::Entity)
            .and_where(variant::Column::OrganizationId.eq(organization.uuid()))
            .and_where(variant::Column::DeletedAt.is_null())
            .take()
    };
    let taken = living().column(variant::Column::Index).and_where(variant::Column::TrackId.is_null()).take();
    let of_collection = Query::select()
        .expr(Expr::value(1))
        .from(Entity)
        .and_where(Expr::col((Entity, Column::Id)).equals((variant::Entity, variant::Column::TrackId)))
        .and_where(Column::CollectionId.eq(collection.uuid()))
        .take();
    living()
        .column(variant::Column::Id)
        .and_where(variant::Column::TrackId.is_not_null())
        .and_where(variant::Column::Index.in_subquery(taken))
        .and_where(Expr::exists(of_collection))
        .take()
}
