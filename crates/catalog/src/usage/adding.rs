//! Adds the counts of nodes, each batch once.

use std::collections::{BTreeMap, HashSet};

use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set};
use tonearm_domain::{ListenerEntry, Timestamp, UsageBatch, UsageCounts, UsageEntry};
use uuid::Uuid;

use super::{ROWS, adding};
use crate::catalog::Catalog;
use crate::entity::{usage, usage_batch};
use crate::error::{CatalogError, Record};
use crate::transaction::Transaction;

impl Catalog {
    /// Adds a batch to the sums. Returns `false` if it was added before. A caller that got no answer can simply repeat
    /// the call: the id of a batch is recorded in the transaction that adds it.
    pub async fn add_usage(&self, batch: &UsageBatch, now: Timestamp) -> Result<bool, CatalogError> {
        Ok(self.add_usage_of_many(std::slice::from_ref(batch), now).await? > 0)
    }

    /// Adds several batches in one transaction, with as many statements as one batch takes. Batches that were added
    /// before are skipped. Returns the number of new batches. Their data about listeners counts as of the latest of
    /// them.
    pub async fn add_usage_of_many(
        &self,
        batches: &[UsageBatch],
        now: Timestamp,
    ) -> Result<usize, CatalogError> {
        let tx = self.begin().await?;
        let new = tx.record_batches(batches, now).await?;
        if let Some(taken_at) = new.iter().map(|batch| batch.taken_at).max() {
            let entries = merged(&new);
            for entries in entries.chunks(ROWS) {
                tx.add_entries(entries).await?;
            }
            let listeners: Vec<ListenerEntry> =
                new.iter().flat_map(|batch| batch.listeners.iter().cloned()).collect();
            let listens = tx.add_listeners(&listeners, taken_at).await?;
            tx.add_listen_sums(listens).await?;
            // Last, because other nodes wait for these rows until the commit.
            tx.add_sums(&entries).await?;
        }
        // Committed even if no batch is new: the records were renewed.
        tx.commit().await?;
        Ok(new.len())
    }
}

/// One entry per key, in the order in which rows are written.
fn merged(batches: &[&UsageBatch]) -> Vec<UsageEntry> {
    let mut sums = BTreeMap::<_, UsageCounts>::new();
    for entry in batches.iter().flat_map(|batch| &batch.entries) {
        let place = (entry.organization_id, entry.day, entry.folder, entry.variant.as_ref());
        *sums.entry(place).or_default() += entry.counts;
    }
    let entry = |((organization_id, day, folder, variant), counts): ((_, _, _, Option<&_>), _)| UsageEntry {
        organization_id,
        day,
        folder,
        variant: variant.cloned(),
        counts,
    };
    sums.into_iter().map(entry).collect()
}

impl Transaction {
    /// Records that batches are added, and returns those that were not recorded before. The records of the others are
    /// renewed.
    async fn record_batches<'b>(
        &self,
        batches: &'b [UsageBatch],
        now: Timestamp,
    ) -> Result<Vec<&'b UsageBatch>, CatalogError> {
        use usage_batch::Column;
        let known: HashSet<Uuid> = usage_batch::Entity::update_many()
            .col_expr(Column::AddedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.is_in(batches.iter().map(|batch| batch.id.uuid())))
            .exec_with_returning(self.db())
            .await?
            .into_iter()
            .map(|row| row.id)
            .collect();
        let new: Vec<&UsageBatch> =
            batches.iter().filter(|batch| !known.contains(&batch.id.uuid())).collect();
        if new.is_empty() {
            return Ok(new);
        }
        let rows = new.iter().map(|batch| usage_batch::ActiveModel {
            id: Set(batch.id.uuid()),
            added_at: Set(now.unix_millis()),
            is_summed: Set(true),
        });
        usage_batch::Entity::insert_many(rows)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::UsageBatch))?;
        Ok(new)
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
