//! Removing the files of a removed recipe, in batches.

use tokio::time::Instant;
use tonearm_domain::{OrganizationId, VariantId};

use crate::batches;
use crate::processing::job_error::JobError;
use crate::processing::making::Recording;
use crate::processing::manifests;
use crate::processing::runner::{JobRun, Processing, finish};
use crate::removal::remove_later;

/// Files in one transaction.
const BATCH: u64 = 500;

impl Processing {
    /// Removes the rows of a recipe's files, queues new manifests for their tracks, and settles those tracks again that
    /// lacked the file. No client reads these files any more, so the order does not matter. The objects are removed a
    /// day later.
    pub(in crate::processing) async fn remove_recipe(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        variant_id: VariantId,
    ) -> Result<(), JobError> {
        loop {
            let began = Instant::now();
            let tx = self.begin_batch(run).await?;
            if self.has_enough_to_tidy(&tx, organization_id).await? {
                return self.go_on_later(run, tx).await;
            }
            let (removed, objects) = tx.delete_files_of_recipe(variant_id, self.ambient.now(), BATCH).await?;
            if removed.is_empty() {
                tx.delete_removed_recipe(organization_id, variant_id).await?;
                return finish(&run.claimed, tx).await;
            }
            remove_later(&tx, &self.ambient, organization_id, &objects).await?;
            let tracks = removed.iter().map(|(track, _)| (organization_id, *track));
            manifests::queue_many(&tx, &self.ambient, tracks).await?;
            let mut tx = tx;
            for (track, _) in removed.into_iter().filter(|(_, has_failed)| *has_failed) {
                tx = Recording::settled(tx, &self.ambient, organization_id, track).await?;
            }
            tx.commit().await?;
            batches::rest(&run.cancel, began).await;
        }
    }
}
