//! The result of a simulation.

use std::time::Duration;

use serde_json::{Value, json};

use crate::counts::Counted;
use crate::encoding::JobFigures;
use crate::faults;
use crate::purpose::Purpose;
use crate::settings::Settings;

/// The result of a simulation.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub(crate) settings: Settings,
    pub(crate) counted: Counted,
    pub(crate) per_second: Vec<u64>,
    pub(crate) texts: Vec<(Purpose, String, u64)>,
    pub(crate) plays: u64,
    pub(crate) failed_plays: u64,
    pub(crate) jobs: JobFigures,
    pub(crate) settled_after: Duration,
    pub(crate) impatient_steps: u64,
    pub(crate) took: Duration,
}

impl Outcome {
    /// The name of the simulation in tables.
    pub fn name(&self) -> String {
        let nodes = self.settings.nodes;
        let what = match (self.settings.is_idle(), self.settings.has_faults) {
            (_, true) => "faults",
            (true, false) => "idle",
            (false, false) => "load",
        };
        format!("{nodes} {what}")
    }

    fn seconds(&self) -> f64 {
        self.settings.length.as_secs_f64()
    }

    /// The number of statements for a purpose.
    pub fn statements(&self, purpose: Purpose) -> u64 {
        self.counted.statements.get(&purpose).copied().unwrap_or(0)
    }

    /// Statements for a purpose, per second.
    pub fn rate(&self, purpose: Purpose) -> f64 {
        self.statements(purpose) as f64 / self.seconds()
    }

    /// All statements, per second.
    pub fn total_rate(&self) -> f64 {
        self.counted.statements.values().sum::<u64>() as f64 / self.seconds()
    }

    /// Requests to the store, by kind, per second.
    pub fn requests(&self) -> impl Iterator<Item = (&str, f64)> {
        self.counted.requests.iter().map(|(kind, count)| (kind.as_str(), *count as f64 / self.seconds()))
    }

    /// Requests to the store whose kind begins with `start`, per second.
    pub fn request_rate(&self, start: &str) -> f64 {
        self.requests().filter(|(kind, _)| kind.starts_with(start)).map(|(_, rate)| rate).sum()
    }

    /// The most statements in one second, after the nodes have started.
    pub fn peak(&self) -> u64 {
        self.per_second.iter().copied().max().unwrap_or(0)
    }

    /// The mean number of statements per second before the outage of the database, and the most in one second of the
    /// minute after it. `None` without an outage.
    pub fn after_outage(&self) -> Option<(f64, u64)> {
        let away = faults::outage_after(self.settings.length).as_secs() as usize;
        let back = away + faults::OUTAGE.as_secs() as usize;
        if !self.settings.has_faults || self.per_second.len() < back + 60 {
            return None;
        }
        let before = &self.per_second[away.saturating_sub(120)..away];
        let mean = before.iter().sum::<u64>() as f64 / before.len().max(1) as f64;
        self.per_second[back..back + 60].iter().copied().max().map(|peak| (mean, peak))
    }

    /// The time in seconds within which this part (0 to 1) of the jobs began.
    pub fn wait(&self, part: f64) -> f64 {
        let waits = &self.jobs.waits;
        let index = ((waits.len() as f64 * part) as usize).min(waits.len().saturating_sub(1));
        waits.get(index).copied().unwrap_or(0.0)
    }

    /// How often each statement was run since the start, grouped by purpose.
    pub fn texts(&self) -> &[(Purpose, String, u64)] {
        &self.texts
    }

    /// The result as JSON.
    pub fn json(&self) -> Value {
        let statements: serde_json::Map<String, Value> = Purpose::ALL
            .into_iter()
            .map(|purpose| (purpose.name().replace([' ', ','], "_"), json!(self.rate(purpose))))
            .collect();
        let requests: serde_json::Map<String, Value> =
            self.requests().map(|(kind, rate)| (kind.to_owned(), json!(rate))).collect();
        json!({
            "name": self.name(),
            "nodes": self.settings.nodes,
            "nodes_without_database": self.settings.edges,
            "simulated_seconds": self.seconds(),
            "seed": self.settings.seed,
            "statements_per_second": statements,
            "total_statements_per_second": self.total_rate(),
            "peak_statements_per_second": self.peak(),
            "store_requests_per_second": requests,
            "plays": self.plays,
            "failed_plays": self.failed_plays,
            "jobs": {
                "queued": self.jobs.queued,
                "unfinished": self.jobs.unfinished,
                "runs": self.jobs.runs,
                "finished_twice": self.jobs.finished_twice,
                "run_twice_at_once": self.jobs.run_twice_at_once,
                "median_wait_seconds": self.wait(0.5),
                "wait_seconds_of_95_percent": self.wait(0.95),
                "longest_wait_seconds": self.wait(1.0),
            },
            "all_jobs_ended_after_seconds": self.settled_after.as_secs_f64(),
            "steps_with_a_statement_that_waited": self.impatient_steps,
            "real_seconds": self.took.as_secs_f64(),
        })
    }
}
