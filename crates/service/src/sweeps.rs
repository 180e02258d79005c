//! Shows the sweep of the object store, and confirms removals that need a person's approval.

use tonearm_catalog::{Catalog, Sweep};
use tonearm_domain::{Ambient, Job};

use crate::refusal::Refusal;

/// Shows and confirms sweeps, for operators.
#[derive(Clone)]
pub struct Sweeps {
    catalog: Catalog,
    ambient: Ambient,
}

/// The current or last sweep, and the number of unknown objects.
#[derive(Debug, Clone)]
pub struct SweepView {
    /// The sweep; `None` before the first.
    pub sweep: Option<Sweep>,
    /// The number of objects that are recorded as unknown.
    pub noted: u64,
}

impl Sweeps {
    /// Creates the use cases for this catalog.
    pub fn new(catalog: Catalog, ambient: Ambient) -> Self {
        Self { catalog, ambient }
    }

    /// The state of the sweep.
    pub async fn view(&self) -> Result<SweepView, Refusal> {
        Ok(SweepView {
            sweep: self.catalog.sweep().await?,
            noted: self.catalog.count_unknown_objects().await?,
        })
    }

    /// Confirms the removals that the last sweep left for confirmation, and queues a sweep that makes them. Returns the
    /// number of objects, or `None` if nothing waits for confirmation.
    pub async fn confirm(&self) -> Result<Option<u64>, Refusal> {
        let tx = self.catalog.begin().await?;
        let Some(confirmed) = tx.confirm_sweep().await? else {
            return Ok(None);
        };
        let job = Job::SweepObjects {};
        let kind = job.kind();
        tx.enqueue(job, self.ambient.record_id(), self.ambient.now(), Some(kind)).await?;
        tx.commit().await?;
        Ok(Some(confirmed.due))
    }
}
