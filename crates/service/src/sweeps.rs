//! Looking at the sweep of the object store, and confirming what it leaves to a person.

use tonearm_catalog::{Catalog, Sweep};
use tonearm_domain::{Ambient, Job};

use crate::refusal::Refusal;

/// Looks at the sweep, for operators.
#[derive(Clone)]
pub struct Sweeps {
    catalog: Catalog,
    ambient: Ambient,
}

/// The sweep that is under way, or the last one, and what is noted.
#[derive(Debug, Clone)]
pub struct SweepView {
    /// The sweep; `None` before the first.
    pub sweep: Option<Sweep>,
    /// Objects that are noted as unknown.
    pub noted: u64,
}

impl Sweeps {
    /// Over this catalog.
    pub fn new(catalog: Catalog, ambient: Ambient) -> Self {
        Self { catalog, ambient }
    }

    /// How far the sweep is.
    pub async fn view(&self) -> Result<SweepView, Refusal> {
        Ok(SweepView {
            sweep: self.catalog.sweep().await?,
            noted: self.catalog.count_unknown_objects().await?,
        })
    }

    /// Confirms what the last sweep left to be confirmed, and queues a sweep that removes it. Returns how many objects
    /// these were; `None` where nothing waits.
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
