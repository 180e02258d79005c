//! Adding what nodes counted, each batch once.

use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set};
use tonearm_domain::{Timestamp, UsageBatch, UsageEntry};

use super::{ROWS, adding};
use crate::catalog::Catalog;
use crate::entity::{usage, usage_batch};
use crate::error::{CatalogError, Record};
use crate::transaction::Transaction;

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
        let listens = tx.add_listeners(&batch.listeners, batch.taken_at).await?;
        tx.add_listen_sums(listens).await?;
        // Last, as other nodes wait for these rows until the commit.
        tx.add_sums(&batch.entries).await?;
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
        let row = usage_batch::ActiveModel {
            id: Set(batch.id.uuid()),
            added_at: Set(now.unix_millis()),
            is_summed: Set(true),
        };
        usage_batch::Entity::insert(row)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::UsageBatch))?;
        Ok(true)
    }

    async fn add_entries(&self, entries: &[UsageEntry]) -> Result<(), CatalogError> {
        use usage::Column::{Day, Folder, OrganizationId, Variant};
        let add = adding(OnConflict::columns([OrganizationId, Day, Folder, Variant]), usage::Entity);
        usage::Entity::insert_many(entries.iter().map(usage::ActiveModel::from))
            .on_conflict(add)
            .exec_without_returning(self.db())
            .await?;
        Ok(())
    }
}
