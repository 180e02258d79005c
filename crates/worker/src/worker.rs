//! Everything that a node with the role of a worker does with jobs.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonearm_catalog::CatalogError;
use tonearm_domain::JobClass;
use tonearm_service::Processing;

use crate::claims::{Claims, Shared};
use crate::config::WorkerConfig;
use crate::lease::{self, HeldLease};
use crate::{run, upkeep};

/// Claims due jobs and runs them, several at once.
#[derive(Clone)]
pub struct Worker {
    shared: Shared,
}

impl Worker {
    /// Creates a worker over the use cases that do the work.
    pub fn new(processing: Processing, config: WorkerConfig) -> Self {
        Self { shared: Shared::new(processing, config) }
    }

    /// Works until `shutdown` is cancelled; then stops claiming, stops running jobs, and returns their leases.
    pub async fn work(self, shutdown: CancellationToken) {
        let tasks = TaskTracker::new();
        for class in JobClass::ALL {
            tasks.spawn(Claims::new(self.shared.clone(), class).work(shutdown.clone()));
        }
        tasks.spawn(upkeep::keep_up(self.shared.processing, self.shared.config, shutdown));
        tasks.close();
        tasks.wait().await;
    }

    /// Runs due jobs one after another until none is due; for tests and tools.
    pub async fn drain(&self) -> usize {
        let shutdown = CancellationToken::new();
        let mut done = 0;
        loop {
            let held = match self.claim_any().await {
                Ok(Some(held)) => held,
                // That job now waits for an hour; there may be others.
                Err(CatalogError::Corrupt(_)) => continue,
                Ok(None) | Err(_) => return done,
            };
            if held.job.is_suspect() && !self.shared.begin_trial(&held).await {
                continue;
            }
            run::run(&self.shared.processing, held, self.shared.config, &shutdown).await;
            done += 1;
        }
    }

    async fn claim_any(&self) -> Result<Option<HeldLease>, CatalogError> {
        let (config, ambient) = (self.shared.config, self.shared.processing.ambient());
        let (requested_at, now) = (tokio::time::Instant::now(), ambient.now());
        let until = now.plus_millis(lease::millis(config.lease));
        let job = self.shared.processing.catalog().claim_job(now, ambient.credential_id(), until).await?;
        Ok(job.map(|job| HeldLease { job, until: requested_at + config.lease }))
    }
}
