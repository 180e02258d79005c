//! The loop that claims the jobs of one class.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonearm_catalog::{CatalogError, RoundRobin, Wakeup, WorkKind};
use tonearm_domain::{JobClass, JobQueue, OrganizationId, trial_millis};
use tonearm_service::Processing;

use crate::config::WorkerConfig;
use crate::failure_streak::FailureStreak;
use crate::lease::HeldLease;
use crate::poll_schedule::WakeupJitter;
use crate::slots::{Slot, Slots};
use crate::{lease, run};

/// One claim in this many begins with the last queue of the class, so that a queue that never empties does not starve
/// the others.
const LAST_QUEUE_FIRST: u64 = 8;

/// State that the classes of a worker share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) processing: Processing,
    pub(crate) config: WorkerConfig,
    /// One permit for each running job, of any class. A job that holds all of them runs alone.
    run_permits: Arc<Semaphore>,
    born: Instant,
}

/// The permit to run a job. `None` only if the semaphore is closed, which never happens.
type RunPermit = Option<OwnedSemaphorePermit>;

impl Shared {
    pub(crate) fn new(processing: Processing, config: WorkerConfig) -> Self {
        let run_permits = Arc::new(Semaphore::new(Self::most_at_once(&config)));
        Self { processing, config, run_permits, born: Instant::now() }
    }

    /// The number of slots of all classes.
    fn most_at_once(config: &WorkerConfig) -> usize {
        JobClass::ALL.into_iter().map(|class| Slots::count(config.slots.of(class))).sum()
    }

    /// Waits while a job runs alone.
    async fn run_permit(&self) -> RunPermit {
        self.run_permits.clone().acquire_owned().await.ok()
    }

    /// Waits until no job runs, and keeps others from starting.
    async fn all_run_permits(&self) -> RunPermit {
        let all = u32::try_from(Self::most_at_once(&self.config)).unwrap_or(u32::MAX);
        self.run_permits.clone().acquire_many_owned(all).await.ok()
    }

    /// From now on, a death may count against the job. It does if it comes early compared with the uptime of this
    /// worker. The time of a death is only known to be before the next renewal of the lease.
    pub(crate) async fn begin_trial(&self, held: &HeldLease) -> bool {
        let config = self.config;
        let unsure = lease::millis(config.lease) - lease::millis(config.heartbeat);
        let until = unsure + trial_millis(lease::millis(self.born.elapsed()));
        let catalog = self.processing.catalog();
        let until = self.processing.ambient().now().plus_millis(until);
        match catalog.begin_trial(&held.job, until).await {
            Ok(is_held) => is_held,
            Err(error) => {
                // The lease of the job expires, which counts as a death that says nothing about the job.
                tracing::warn!(job_id = %held.job.id, %error, "could not start a job");
                false
            }
        }
    }
}

/// The result of an attempt to claim a job.
enum ClaimOutcome {
    Job(Box<HeldLease>),
    /// No job is due; sleep for this long.
    NoneDue(Duration),
}

/// Claims due jobs of one class and runs them, several at once.
pub(crate) struct Claims {
    shared: Shared,
    class: JobClass,
    slots: Slots,
    /// The organization that was served last in each queue.
    served: HashMap<JobQueue, OrganizationId>,
    count: u64,
}

impl Claims {
    pub(crate) fn new(shared: Shared, class: JobClass) -> Self {
        let slots = Slots::new(shared.config.slots.of(class));
        Self { shared, class, slots, served: HashMap::new(), count: 0 }
    }

    /// Works until `shutdown` is cancelled; then stops claiming and waits for running jobs.
    pub(crate) async fn work(mut self, shutdown: CancellationToken) {
        let tasks = TaskTracker::new();
        let mut claiming = FailureStreak::of("claiming jobs");
        let (processing, config) = (self.shared.processing.clone(), self.shared.config);
        let wakeups = processing.catalog().wakeups(WorkKind::Jobs(self.class));
        let mut spread = WakeupJitter::up_to(config.poll);
        let slots = self.slots.clone();
        let mut is_ours = true;
        // A job that is queued between an attempt and the wait for the next one is not missed; nor is one that is
        // queued while no slot is free.
        while let Some(mut slot) = shutdown.run_until_cancelled(slots.take()).await {
            let Some(permit) = shutdown.run_until_cancelled(self.shared.run_permit()).await else { break };
            let freed = slots.freed();
            match claiming.note(self.try_claim(&slot, is_ours).await) {
                Some(ClaimOutcome::Job(held)) => {
                    is_ours = true;
                    spread.reset();
                    slot.assign_to(held.job.job.turn_of());
                    tasks.spawn(start(
                        self.shared.clone(),
                        self.class,
                        *held,
                        (slot, permit),
                        shutdown.clone(),
                    ));
                }
                outcome => {
                    drop(permit);
                    let pause = match outcome {
                        Some(ClaimOutcome::NoneDue(pause)) => pause,
                        _ => config.poll,
                    };
                    is_ours = tokio::select! {
                        wakeup = spread.woken(&wakeups, processing.ambient()) => wakeup == Wakeup::Here,
                        () = freed => true,
                        () = tokio::time::sleep(pause) => {
                            spread.reset();
                            false
                        }
                        () = shutdown.cancelled() => false,
                    };
                }
            }
        }
        tasks.close();
        tasks.wait().await;
    }

    /// Claims a job if one is due. After a wake-up of all nodes, or a pause, usually no job is left. In these cases,
    /// one statement without locks first checks whether any job is due, in all queues.
    async fn try_claim(&mut self, slot: &Slot, is_ours: bool) -> Result<ClaimOutcome, CatalogError> {
        let (catalog, ambient) = (self.shared.processing.catalog(), self.shared.processing.ambient());
        if !is_ours && catalog.is_notified_of_work() {
            let due = catalog.next_job_due(self.class, ambient.now()).await?;
            if due != Some(Duration::ZERO) {
                return Ok(ClaimOutcome::NoneDue(self.shared.config.rhythm().pause_until(due, ambient)));
            }
        }
        match self.claim(slot).await? {
            Some(held) => Ok(ClaimOutcome::Job(Box::new(held))),
            None => Ok(ClaimOutcome::NoneDue(self.pause().await)),
        }
    }

    /// How long to sleep when there is nothing to claim.
    async fn pause(&self) -> Duration {
        let (catalog, ambient) = (self.shared.processing.catalog(), self.shared.processing.ambient());
        let next_due = || catalog.next_job_due(self.class, ambient.now());
        self.shared.config.rhythm().pause(catalog, ambient, next_due).await
    }

    /// Claims the job that runs next.
    async fn claim(&mut self, slot: &Slot) -> Result<Option<HeldLease>, CatalogError> {
        self.count += 1;
        let mut queues = self.class.queues().to_vec();
        if self.count.is_multiple_of(LAST_QUEUE_FIRST) {
            queues.reverse();
        }
        let except = slot.excluded();
        for queue in queues {
            let round_robin = RoundRobin { queue, after: self.served.get(&queue).copied(), except: &except };
            if let Some(held) = self.claim_in(round_robin).await? {
                self.served.insert(queue, held.job.job.turn_of());
                return Ok(Some(held));
            }
        }
        Ok(None)
    }

    async fn claim_in(&self, round_robin: RoundRobin<'_>) -> Result<Option<HeldLease>, CatalogError> {
        let (config, ambient) = (self.shared.config, self.shared.processing.ambient());
        loop {
            let requested_at = Instant::now();
            let now = ambient.now();
            let until = now.plus_millis(lease::millis(config.lease));
            let lease = ambient.credential_id();
            match self.shared.processing.catalog().claim_next(round_robin, now, lease, until).await {
                Ok(job) => return Ok(job.map(|job| HeldLease { job, until: requested_at + config.lease })),
                // That job now waits for an hour; there may be others.
                Err(error @ CatalogError::Corrupt(_)) => tracing::warn!(%error, "could not read a job"),
                Err(error) => return Err(error),
            }
        }
    }
}

/// The longest time that a slot for maintenance rests.
const LONGEST_REST: Duration = Duration::from_secs(1);

/// Runs a job in its slot. A job that may be killing its workers runs alone. After a maintenance job, the slot rests
/// for as long as the job took, up to a limit: 50,000 removals leave half of the database to others.
async fn start(
    shared: Shared,
    class: JobClass,
    held: HeldLease,
    (slot, permit): (Slot, RunPermit),
    shutdown: CancellationToken,
) {
    let began = Instant::now();
    if held.job.is_suspect() && !held.job.is_deadly() {
        // Released first: two such jobs must not wait for each other.
        drop(permit);
        if let Some(permit) = exclusive_permit(&shared, &held, &shutdown).await {
            run::run(&shared.processing, held, shared.config, &shutdown).await;
            drop(permit);
        }
    } else {
        run::run(&shared.processing, held, shared.config, &shutdown).await;
        drop(permit);
    }
    if class == JobClass::Maintenance {
        let rest = began.elapsed().min(LONGEST_REST);
        shutdown.run_until_cancelled(tokio::time::sleep(rest)).await;
    }
    drop(slot);
}

/// Waits until no job runs; no other job starts in the meantime. `None` if the job cannot be run here after all.
async fn exclusive_permit(
    shared: &Shared,
    held: &HeldLease,
    shutdown: &CancellationToken,
) -> Option<RunPermit> {
    let (job_id, kind, deaths) = (held.job.id, held.job.job.kind(), held.job.deaths);
    tracing::warn!(%job_id, kind, deaths, "running a job exclusively on this node, because workers died while running it");
    let lost = CancellationToken::new();
    let permit = tokio::select! {
        permit = shared.all_run_permits() => permit,
        never = lease::keep(&shared.processing, held, shared.config, &lost) => match never {},
        () = lost.cancelled() => return None,
        () = shutdown.cancelled() => {
            run::give_back(&shared.processing, &held.job, shutdown).await;
            return None;
        }
    };
    shared.begin_trial(held).await.then_some(permit)
}
