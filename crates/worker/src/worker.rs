//! The loop that claims jobs.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonearm_domain::{ClaimedJob, Job};
use tonearm_service::Processing;

use crate::{WorkerConfig, lease, run};

/// Claims due jobs and runs them, several at once.
#[derive(Clone)]
pub struct Worker {
    processing: Processing,
    config: WorkerConfig,
}

impl Worker {
    /// Over the use cases that do the work.
    pub fn new(processing: Processing, config: WorkerConfig) -> Self {
        Self { processing, config }
    }

    /// Works until `shutdown` is cancelled; then stops claiming, stops what runs, and returns its leases.
    pub async fn work(self, shutdown: CancellationToken) {
        let slots = Arc::new(Semaphore::new(self.config.slots));
        let tasks = TaskTracker::new();
        let mut next_upkeep = tokio::time::Instant::now() + self.config.upkeep / 12;
        while let Some(slot) = self.free_slot(&slots, &shutdown).await {
            if tokio::time::Instant::now() >= next_upkeep {
                next_upkeep += self.config.upkeep;
                self.queue_upkeep().await;
            }
            let enqueued = self.processing.catalog().jobs_enqueued();
            // Listening starts before looking, so that a job queued in between is not missed.
            let woken = enqueued.notified();
            match self.claim().await {
                Some(claimed) => {
                    let worker = self.clone();
                    let shutdown = shutdown.clone();
                    tasks.spawn(async move {
                        run::run(&worker.processing, claimed, worker.config, &shutdown).await;
                        drop(slot);
                    });
                }
                None => {
                    tokio::select! {
                        () = woken => {}
                        () = tokio::time::sleep(self.config.poll) => {}
                        () = shutdown.cancelled() => {}
                    }
                }
            }
        }
        tasks.close();
        tasks.wait().await;
    }

    /// Runs due jobs one after another until none is due; for tests and tools.
    pub async fn drain(&self) -> usize {
        let shutdown = CancellationToken::new();
        let mut done = 0;
        while let Some(claimed) = self.claim().await {
            run::run(&self.processing, claimed, self.config, &shutdown).await;
            done += 1;
        }
        done
    }

    async fn free_slot(
        &self,
        slots: &Arc<Semaphore>,
        shutdown: &CancellationToken,
    ) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            biased;
            () = shutdown.cancelled() => None,
            slot = slots.clone().acquire_owned() => slot.ok(),
        }
    }

    async fn claim(&self) -> Option<ClaimedJob> {
        let ambient = self.processing.ambient();
        let now = ambient.now();
        let until = now.plus_millis(lease::millis(self.config.lease));
        match self.processing.catalog().claim_job(now, ambient.credential_id(), until).await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::warn!(%error, "could not look for jobs");
                None
            }
        }
    }

    /// One of each at a time is enough for all nodes.
    async fn queue_upkeep(&self) {
        let ambient = self.processing.ambient();
        let queued = async {
            let tx = self.processing.catalog().begin().await?;
            for job in [Job::SweepObjects {}, Job::ForgetExpired {}] {
                let kind = job.kind();
                tx.enqueue(job, ambient.record_id(), ambient.now(), Some(kind)).await?;
            }
            tx.commit().await
        };
        if let Err(error) = queued.await {
            tracing::warn!(%error, "could not queue the upkeep");
        }
    }
}
