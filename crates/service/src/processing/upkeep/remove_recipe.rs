//! Remove the files of a recipe that is removed, in batches.

use tokio::time::Instant;
use tonearm_domain::{OrganizationId, VariantId};

use crate::batches;
use crate::processing::job_error::JobError;
use crate::processing::manifests;
use crate::processing::runner::{JobRun, Processing, finish};

/// Files of one transaction.
const BATCH: u64 = 500;

impl Processing {
    /// Removes the rows of a recipe's files and has the manifests of their tracks written anew. Nobody reads these files
    /// any more, so that the order does not matter; the sweep removes the objects.
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
            let tracks = tx.delete_files_of_recipe(variant_id, BATCH).await?;
            if tracks.is_empty() {
                tx.delete_removed_recipe(organization_id, variant_id).await?;
                return finish(&run.claimed, tx).await;
            }
            manifests::queue_many(&tx, &self.ambient, organization_id, &tracks).await?;
            tx.commit().await?;
            batches::rest(&run.cancel, began).await;
        }
    }
}
