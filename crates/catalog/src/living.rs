//! Conditions for living tracks. Deleting a collection marks only the collection, so a track is living if neither it
//! nor its collection is deleted.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, Condition};

use crate::entity::{collection, track, track_file};

/// Tracks that are not deleted and whose collection is not deleted. For statements on `track`.
pub(crate) fn living_track() -> Condition {
    Condition::all().add(track::Column::DeletedAt.is_null()).add(in_living_collection())
}

/// Tracks whose collection is not deleted, looked up for each track.
pub(crate) fn in_living_collection() -> SimpleExpr {
    let own = Expr::col((collection::Entity, collection::Column::Id))
        .equals((track::Entity, track::Column::CollectionId));
    Expr::exists(living_collections().and_where(own).take())
}

/// A subquery: whether the track whose id is in a column is living.
pub(crate) fn names_living_track(column: impl Into<SimpleExpr>) -> SimpleExpr {
    let named = Expr::col((track::Entity, track::Column::Id)).eq(column);
    let living = Query::select()
        .expr(Expr::value(1))
        .from(track::Entity)
        .and_where(named)
        .cond_where(living_track())
        .take();
    Expr::exists(living)
}

fn living_collections() -> SelectStatement {
    Query::select()
        .expr(Expr::value(1))
        .from(collection::Entity)
        .and_where(collection::Column::DeletedAt.is_null())
        .take()
}

/// Living tracks, and those that can be restored.
pub(crate) fn kept_tracks() -> Condition {
    Condition::any().add(track::Column::DeletedAt.is_null()).add(track::Column::RestorableUntil.is_not_null())
}

/// A subquery: the track of a file, if it is deleted and can be restored.
pub(crate) fn of_trashed() -> SelectStatement {
    let file = Expr::col((track_file::Entity, track_file::Column::TrackId));
    Query::select()
        .expr(Expr::value(1))
        .from(track::Entity)
        .and_where(Expr::col((track::Entity, track::Column::Id)).eq(file))
        .and_where(Expr::col((track::Entity, track::Column::RestorableUntil)).is_not_null())
        .take()
}
