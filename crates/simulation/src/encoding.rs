//! A substitute for ffmpeg: jobs that take some time and then finish, and a ledger of their results.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tonearm_catalog::Catalog;
use tonearm_domain::JobId;
use tonearm_fixtures::Dice;
use tonearm_service::{EncodeJobs, JobError, JobRun};

use crate::time::Since;

/// The shortest and the longest duration of a job.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);

/// The history of a job.
#[derive(Debug, Clone, Default)]
struct Life {
    queued: Duration,
    begun: Option<Duration>,
    /// Nodes that are running the job now.
    running: u32,
    runs: u32,
    finished: u32,
}

/// Jobs and their history. Clones share the same ledger.
#[derive(Debug, Clone)]
pub(crate) struct Encoding(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    since: Since,
    seed: u64,
    mean: Duration,
    jobs: Mutex<Ledger>,
}

#[derive(Debug, Default)]
struct Ledger {
    lives: HashMap<JobId, Life>,
    run_twice_at_once: u64,
}

/// Figures about the jobs that were queued in a period.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobFigures {
    pub(crate) queued: u64,
    pub(crate) unfinished: u64,
    pub(crate) finished_twice: u64,
    pub(crate) run_twice_at_once: u64,
    pub(crate) runs: u64,
    /// Seconds from queueing to the first run, sorted.
    pub(crate) waits: Vec<f64>,
}

impl Encoding {
    /// Creates a ledger for jobs that take `mean` on average.
    pub(crate) fn new(since: Since, seed: u64, mean: Duration) -> Self {
        Self(Arc::new(Inner { since, seed, mean, jobs: Mutex::default() }))
    }

    fn jobs(&self) -> MutexGuard<'_, Ledger> {
        self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note_queued(&self, id: JobId) {
        self.jobs().lives.entry(id).or_default().queued = self.0.since.elapsed();
    }

    /// The encoder of one node.
    pub(crate) fn of_node(&self, node: u64, catalog: Catalog) -> Encoder {
        Encoder { node, catalog, encoding: self.clone() }
    }

    /// Figures about the jobs that were queued at or after `after`.
    pub(crate) fn figures(&self, after: Duration) -> JobFigures {
        let jobs = self.jobs();
        let mut figures = JobFigures { run_twice_at_once: jobs.run_twice_at_once, ..JobFigures::default() };
        for life in jobs.lives.values().filter(|life| life.queued >= after) {
            figures.queued += 1;
            figures.runs += u64::from(life.runs);
            figures.unfinished += u64::from(life.finished == 0);
            figures.finished_twice += u64::from(life.finished > 1);
            figures.waits.extend(life.begun.map(|begun| begun.saturating_sub(life.queued).as_secs_f64()));
        }
        figures.waits.sort_by(f64::total_cmp);
        figures
    }

    /// The duration of a job. The same job takes the same time in every run, on any node.
    fn length(&self, id: JobId) -> Duration {
        let name = id.uuid().as_u64_pair().1;
        Dice::sequence(self.0.seed, name).pause(1.0 / self.0.mean.as_secs_f64()).clamp(SHORTEST, LONGEST)
    }
}

/// The encoder of one node.
pub(crate) struct Encoder {
    node: u64,
    catalog: Catalog,
    encoding: Encoding,
}

/// A run of a job. It ends when dropped.
struct Running<'a>(&'a Encoding, JobId);

impl<'a> Running<'a> {
    fn begin(encoding: &'a Encoding, id: JobId) -> Self {
        let now = encoding.0.since.elapsed();
        let mut jobs = encoding.jobs();
        let life = jobs.lives.entry(id).or_default();
        life.begun.get_or_insert(now);
        life.runs += 1;
        life.running += 1;
        let is_second = life.running > 1;
        jobs.run_twice_at_once += u64::from(is_second);
        Self(encoding, id)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.jobs().lives.entry(self.1).or_default().running -= 1;
    }
}

#[async_trait::async_trait]
impl EncodeJobs for Encoder {
    async fn run(&self, run: &JobRun) -> Result<(), JobError> {
        let id = run.claimed.id;
        let _running = Running::begin(&self.encoding, id);
        tokio::select! {
            () = tokio::time::sleep(self.encoding.length(id)) => {}
            () = run.cancel.cancelled() => return Err(JobError::Cancelled),
        }
        let tx = self.catalog.begin().await?;
        if !tx.finish_job(&run.claimed).await? {
            return Err(JobError::LeaseLost);
        }
        tx.commit().await?;
        self.encoding.jobs().lives.entry(id).or_default().finished += 1;
        Ok(())
    }
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Encoder({})", self.node)
    }
}
