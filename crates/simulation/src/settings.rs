//! What is simulated.

use std::time::Duration;

/// What is simulated.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Nodes with all roles.
    pub nodes: usize,
    /// Nodes that only deliver, without a database.
    pub edges: usize,
    /// Simulated time that is counted, after a minute in which the nodes start.
    pub length: Duration,
    /// Jobs that are queued in an hour.
    pub jobs_per_hour: f64,
    /// How long a job takes on average.
    pub job_length: Duration,
    /// Plays that begin in a second.
    pub plays_per_second: f64,
    /// Whether clocks are wrong by seconds, nodes die and the database is away for a minute.
    pub has_faults: bool,
    /// Whether the wall clocks of nodes are wrong.
    pub are_clocks_wrong: bool,
    /// How long a message from a node to the database takes, in simulated time.
    pub delay: Duration,
    /// Decides all random numbers.
    pub seed: u64,
}

impl Settings {
    /// Nodes without work, and a quarter as many that only deliver.
    pub fn idle(nodes: usize, length: Duration, seed: u64) -> Self {
        Self {
            nodes,
            edges: nodes.div_ceil(4),
            length,
            jobs_per_hour: 0.0,
            job_length: Duration::from_secs(20),
            plays_per_second: 0.0,
            has_faults: false,
            are_clocks_wrong: false,
            delay: Duration::ZERO,
            seed,
        }
    }

    /// The same with work.
    pub fn under_load(self, jobs_per_hour: f64, plays_per_second: f64) -> Self {
        Self { jobs_per_hour, plays_per_second, ..self }
    }

    /// The same with faults.
    pub fn with_faults(self) -> Self {
        Self { has_faults: true, are_clocks_wrong: true, ..self }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.jobs_per_hour == 0.0 && self.plays_per_second == 0.0
    }
}
