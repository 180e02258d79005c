//! `tonearm job`

use clap::Subcommand;
use serde_json::{Value, json};
use tonearm_catalog::{JobFilter, JobState, PendingJob};
use tonearm_domain::{Ambient, Job, JobId, LimitOffset, Origin};
use tonearm_service::Jobs;

use super::confirm::confirm;
use super::table::Table;
use super::{Failure, print};
use crate::{Config, Services};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the background jobs of all organizations, earliest due first
    List {
        /// Only jobs in this state: waiting, running or failed
        #[arg(long)]
        state: Option<JobState>,
        /// Only jobs of this kind, such as process_track
        #[arg(long, value_parser = Job::KINDS)]
        kind: Option<String>,
        /// Maximum number of jobs
        #[arg(long, default_value_t = 50)]
        limit: i64,
        /// Number of jobs to skip
        #[arg(long, default_value_t = 0)]
        offset: i64,
        /// Print JSON, one job per line
        #[arg(long)]
        json: bool,
    },
    /// Run a waiting or failed job now; a failed track is processed again
    Retry {
        /// The job's id
        job: JobId,
    },
    /// Remove a waiting or failed job without running it
    Drop {
        /// The job's id
        job: JobId,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let jobs = Services::open(config, ambient).await?.jobs;
    match command {
        Command::List { state, kind, limit, offset, json } => {
            let page = LimitOffset::new(Some(limit), Some(offset))
                .map_err(|error| Failure::Usage(error.to_string()))?;
            let (total, found) = jobs.list(JobFilter { state, kind }, page).await?;
            JOBS.list(&found, json, as_value, row);
            let shown = u64::try_from(offset).unwrap_or(0) + found.len() as u64;
            if !json && shown < total {
                print::outln!("{total} jobs in total; `--offset {shown}` shows the next page.");
            }
            Ok(())
        }
        Command::Retry { job } => require_found(jobs.retry(Origin::command_line(), job).await?, job),
        Command::Drop { job, yes } => drop_job(&jobs, job, yes).await,
    }
}

fn require_found(is_found: bool, job: JobId) -> Result<(), Failure> {
    if is_found { Ok(()) } else { Err(Failure::Failed(format!("no job {job}; it may have finished"))) }
}

async fn drop_job(jobs: &Jobs, job: JobId, is_sure: bool) -> Result<(), Failure> {
    if !is_sure {
        confirm(&format!("Remove job {job} without running it?"), "remove the job", "removed")?;
    }
    require_found(jobs.drop_job(Origin::command_line(), job).await?, job)
}

const JOBS: Table<7> = Table {
    columns: ["JOB", "KIND", "STATE", "NEXT RUN", "ATTEMPTS", "TRACK", "REASON"],
    empty: "There are no jobs.",
};

fn row(job: &PendingJob) -> [String; 7] {
    [
        job.id.to_string(),
        job.kind.clone(),
        job.state().as_str().to_owned(),
        job.run_at.to_string(),
        job.attempts.to_string(),
        job.track_id.map(|id| id.to_string()).unwrap_or_default(),
        reason(job),
    ]
}

fn reason(job: &PendingJob) -> String {
    match (job.waits_for, &job.last_error) {
        (Some(outage), _) => outage.sentence().to_owned(),
        (None, Some(error)) => error.replace('\n', " "),
        (None, None) => String::new(),
    }
}

fn as_value(job: &PendingJob) -> Value {
    json!({
        "job_id": job.id,
        "kind": job.kind,
        "state": job.state().as_str(),
        "track_id": job.track_id,
        "attempts": job.attempts,
        "deaths": job.deaths,
        "run_at": job.run_at,
        "leased_until": job.leased_until,
        "waits_for": job.waits_for,
        "failing_since": job.failing_since,
        "last_error": job.last_error,
        "failed_at": job.failed_at,
    })
}
