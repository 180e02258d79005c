//! The loop that claims jobs.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonearm_catalog::CatalogError;
use tonearm_domain::{Job, trial_millis};
use tonearm_service::Processing;

use crate::lease::Held;
use crate::spell::Spell;
use crate::{WorkerConfig, lease, run};

/// How long given-up jobs can be looked at.
const GIVEN_UP_KEPT_SECONDS: i64 = 90 * 24 * 3600;

/// Claims due jobs and runs them, several at once.
#[derive(Clone)]
pub struct Worker {
    processing: Processing,
    config: WorkerConfig,
    born: Instant,
}

impl Worker {
    /// Over the use cases that do the work.
    pub fn new(processing: Processing, config: WorkerConfig) -> Self {
        Self { processing, config, born: Instant::now() }
    }

    /// Works until `shutdown` is cancelled; then stops claiming, stops what runs, and returns its leases.
    pub async fn work(self, shutdown: CancellationToken) {
        let slots = Arc::new(Semaphore::new(self.config.slots));
        let tasks = TaskTracker::new();
        let mut claiming = Spell::of("look for jobs");
        let mut probing = Spell::of("look for jobs that wait");
        let mut next_upkeep = Instant::now() + self.config.upkeep / 12;
        let mut next_probe = Instant::now() + self.config.probe;
        while let Some(slot) = self.free_slot(&slots, &shutdown).await {
            if Instant::now() >= next_upkeep {
                next_upkeep += self.config.upkeep;
                self.queue_upkeep().await;
            }
            if Instant::now() >= next_probe {
                next_probe = Instant::now() + self.config.probe;
                probing.note(self.processing.catalog().probe_outages(self.processing.ambient().now()).await);
            }
            let enqueued = self.processing.catalog().jobs_enqueued();
            // Listening starts before looking, so that a job queued in between is not missed.
            let woken = enqueued.notified();
            match claiming.note(self.claim().await).flatten() {
                Some(held) => {
                    let Some(others) = self.place_for(&held, &slots, &shutdown).await else { continue };
                    let worker = self.clone();
                    let shutdown = shutdown.clone();
                    tasks.spawn(async move {
                        run::run(&worker.processing, held, worker.config, &shutdown).await;
                        drop((slot, others));
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
        while let Ok(Some(held)) = self.claim().await {
            if held.job.is_suspect() && !self.begin_trial(&held).await {
                continue;
            }
            run::run(&self.processing, held, self.config, &shutdown).await;
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

    /// The slots that a job takes beside its own: none, or all of them for one that may be what kills its workers. That
    /// one waits for what runs now; nothing else is claimed meanwhile. None: it cannot be run here after all.
    async fn place_for(
        &self,
        held: &Held,
        slots: &Arc<Semaphore>,
        shutdown: &CancellationToken,
    ) -> Option<Option<OwnedSemaphorePermit>> {
        if !held.job.is_suspect() || held.job.is_deadly() {
            return Some(None);
        }
        let (job_id, kind, deaths) = (held.job.id, held.job.job.kind(), held.job.deaths);
        tracing::warn!(%job_id, kind, deaths, "a job whose workers died runs alone");
        let others = u32::try_from(self.config.slots.saturating_sub(1)).unwrap_or(u32::MAX);
        let lost = CancellationToken::new();
        let all = tokio::select! {
            all = slots.clone().acquire_many_owned(others) => all.ok()?,
            never = lease::keep(&self.processing, held, self.config, &lost) => match never {},
            () = lost.cancelled() => return None,
            () = shutdown.cancelled() => {
                run::give_back(&self.processing, &held.job, shutdown).await;
                return None;
            }
        };
        self.begin_trial(held).await.then_some(Some(all))
    }

    /// From now on a death may count against the job. It does if it comes soon in comparison with how long this worker
    /// has been up. Its moment is only known to be before the next renewal of the lease.
    async fn begin_trial(&self, held: &Held) -> bool {
        let config = self.config;
        let unsure = lease::millis(config.lease) - lease::millis(config.heartbeat);
        let until = unsure + trial_millis(lease::millis(self.born.elapsed()));
        let catalog = self.processing.catalog();
        let until = self.processing.ambient().now().plus_millis(until);
        match catalog.begin_trial(&held.job, until).await {
            Ok(is_held) => is_held,
            Err(error) => {
                // Its lease runs out, which counts as a death that says nothing about the job.
                tracing::warn!(job_id = %held.job.id, %error, "could not begin a run");
                false
            }
        }
    }

    async fn claim(&self) -> Result<Option<Held>, CatalogError> {
        let ambient = self.processing.ambient();
        loop {
            let asked = Instant::now();
            let now = ambient.now();
            let until = now.plus_millis(lease::millis(self.config.lease));
            match self.processing.catalog().claim_job(now, ambient.credential_id(), until).await {
                Ok(job) => return Ok(job.map(|job| Held { job, until: asked + self.config.lease })),
                // That one waits for an hour now; there may be others.
                Err(error @ CatalogError::Corrupt(_)) => tracing::warn!(%error, "could not read a job"),
                Err(error) => return Err(error),
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
            tx.delete_given_up_jobs(ambient.now().plus_seconds(-GIVEN_UP_KEPT_SECONDS)).await?;
            tx.commit().await
        };
        if let Err(error) = queued.await {
            tracing::warn!(%error, "could not queue the upkeep");
        }
    }
}
