//! Adding what nodes counted, each batch once.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set};
use tonearm_domain::{Timestamp, UsageBatch, UsageEntry};

use crate::entity::{usage, usage_batch};
use crate::{Catalog, CatalogError, Record, Transaction};

/// Rows of one statement: nine values each, of the 32,766 that SQLite takes.
const ROWS: usize = 3000;

/// The columns that are added up.
const SUMMED: [usage::Column; 5] = {
    use usage::Column::*;
    [StreamRedirects, TrackFetches, Downloads, Starts, Bytes]
};

impl Catalog {
    /// Adds a batch to the sums; `false` where it had been added before. Whoever got no answer just asks again: the
    /// name of a batch is recorded in the transaction that adds it.
    pub async fn add_usage(&self, batch: &UsageBatch, now: Timestamp) -> Result<bool, CatalogError> {
        let tx = self.begin().await?;
        if !tx.record_batch(batch, now).await? {
            // Committed all the same: the record was renewed.
            tx.commit().await?;
            return Ok(false);
        }
        for entries in batch.entries.chunks(ROWS) {
            tx.add_entries(entries).await?;
        }
        tx.commit().await?;
        Ok(true)
    }
}

impl Transaction {
    /// Takes down that a batch is added; `false` where it was taken down before, and then the record is as new.
    async fn record_batch(&self, batch: &UsageBatch, now: Timestamp) -> Result<bool, CatalogError> {
        use usage_batch::Column;
        let renewed = usage_batch::Entity::update_many()
            .col_expr(Column::AddedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(batch.id.uuid()))
            .exec(self.db())
            .await?;
        if renewed.rows_affected > 0 {
            return Ok(false);
        }
        let row = usage_batch::ActiveModel { id: Set(batch.id.uuid()), added_at: Set(now.unix_millis()) };
        usage_batch::Entity::insert(row)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::UsageBatch))?;
        Ok(true)
    }

    async fn add_entries(&self, entries: &[UsageEntry]) -> Result<(), CatalogError> {
        use usage::Column::{Day, Folder, OrganizationId, Variant};
        let mut add = OnConflict::columns([OrganizationId, Day, Folder, Variant]);
        for column in SUMMED {
            let sum = Expr::col((usage::Entity, column)).add(Expr::col(("excluded", column)));
            add.value(column, sum);
        }
        usage::Entity::insert_many(entries.iter().map(usage::ActiveModel::from))
            .on_conflict(add)
            .exec_without_returning(self.db())
            .await?;
        Ok(())
    }

    /// Forgets which batches were added at or before `until`. Gives how many there were.
    pub async fn forget_usage_batches(&self, until: Timestamp) -> Result<u64, CatalogError> {
        let forgotten = usage_batch::Entity::delete_many()
            .filter(usage_batch::Column::AddedAt.lte(until.unix_millis()))
            .exec(self.db())
            .await?;
        Ok(forgotten.rows_affected)
    }
}
