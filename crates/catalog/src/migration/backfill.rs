//! Filling a column of a large table.

use sea_orm::sea_query::{Expr, ExprTrait, LockType, Query, SimpleExpr};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, Order, Statement};
use uuid::Uuid;

use super::step::{Batch, InBatches};

/// Rows per batch: few enough that the transaction does not disturb anyone.
pub(super) const BATCH: u64 = 1000;

/// One update over all rows of a table, in ranges of the UUID `id`.
pub(super) struct Backfill {
    pub(super) table: &'static str,
    /// The statement, with `{batch}` in place of the batch's condition.
    pub(super) update: &'static str,
}

#[async_trait::async_trait]
impl InBatches for Backfill {
    fn table(&self) -> &'static str {
        self.table
    }

    async fn next(&self, db: &DatabaseTransaction, position: Option<&str>) -> Result<Batch, DbErr> {
        let after = key(position)?;
        let ids = ids_after(db, self.table, after, BATCH).await?;
        let Some(last) = ids.last().copied() else {
            return Ok(Batch { rows: 0, position: None });
        };
        let update = self.update.replace("{batch}", "id > $1 AND id <= $2");
        let values = [after.into(), last.into()];
        let statement = Statement::from_sql_and_values(db.get_database_backend(), update, values);
        db.execute_raw(statement).await?;
        let rows = ids.len() as u64;
        Ok(Batch { rows, position: (rows == BATCH).then(|| last.to_string()) })
    }
}

/// Collections per batch. Each may have many tracks.
const COLLECTIONS: u64 = 100;

/// A counter of each collection, computed from its tracks. Triggers maintain it afterwards.
pub(super) struct PerCollection {
    /// The column of `collection`.
    pub(super) column: &'static str,
    /// The aggregate over rows of `track`.
    pub(super) of_tracks: fn() -> SimpleExpr,
    /// Whether to count tracks that were deleted individually.
    pub(super) is_deleted_included: bool,
}

#[async_trait::async_trait]
impl InBatches for PerCollection {
    fn table(&self) -> &'static str {
        "collection"
    }

    async fn next(&self, db: &DatabaseTransaction, position: Option<&str>) -> Result<Batch, DbErr> {
        let ids = ids_after(db, "collection", key(position)?, COLLECTIONS).await?;
        let Some(last) = ids.last().copied() else {
            return Ok(Batch { rows: 0, position: None });
        };
        // Locked first: a transaction that changes a track then waits for this one, or the statement that counts sees
        // its change.
        let mut lock = Query::select();
        lock.column("id").from("collection").and_where(Expr::col("id").is_in(ids.iter().copied()));
        if db.get_database_backend() == DbBackend::Postgres {
            lock.order_by("id", Order::Asc).lock(LockType::NoKeyUpdate);
        }
        db.query_all(&lock).await?;
        let mut counted = Query::select();
        counted
            .expr((self.of_tracks)())
            .from("track")
            .and_where(Expr::col(("track", "collection_id")).equals(("collection", "id")));
        if !self.is_deleted_included {
            counted.and_where(Expr::col(("track", "deleted_at")).is_null());
        }
        let update = Query::update()
            .table("collection")
            .value(self.column, SimpleExpr::SubQuery(None, Box::new(counted.into())))
            .and_where(Expr::col("id").is_in(ids.iter().copied()))
            .take();
        db.execute(&update).await?;
        let rows = ids.len() as u64;
        Ok(Batch { rows, position: (rows == COLLECTIONS).then(|| last.to_string()) })
    }
}

/// The id that a position stands for. Without a position, the nil id, which precedes all others.
pub(super) fn key(position: Option<&str>) -> Result<Uuid, DbErr> {
    let parsed = position.map(str::parse).transpose();
    Ok(parsed
        .map_err(|_| DbErr::Custom("the position of a step is not an id".to_owned()))?
        .unwrap_or_default())
}

/// The ids of a table after `after`, in order.
pub(super) async fn ids_after(
    db: &DatabaseTransaction,
    table: &'static str,
    after: Uuid,
    most: u64,
) -> Result<Vec<Uuid>, DbErr> {
    let select = Query::select()
        .column("id")
        .from(table)
        .and_where(Expr::col("id").gt(after))
        .order_by("id", Order::Asc)
        .limit(most)
        .take();
    db.query_all(&select).await?.iter().map(|row| row.try_get::<Uuid>("", "id")).collect()
}
