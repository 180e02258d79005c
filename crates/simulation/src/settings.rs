//! The settings of a simulation.

use std::time::Duration;

/// The settings of a simulation.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Number of nodes with all roles.
    pub nodes: usize,
    /// Number of nodes that only deliver and have no database.
    pub edges: usize,
    /// The simulated time in which counts are taken. It begins after a minute in which the nodes start.
    pub length: Duration,
    /// Jobs queued per hour, on average.
    pub jobs_per_hour: f64,
    /// How long a job takes, on average.
    pub job_length: Duration,
    /// Plays that begin per second, on average.
    pub plays_per_second: f64,
    /// Whether nodes die and the database is unavailable for a minute.
    pub has_faults: bool,
    /// Whether the wall clocks of nodes are wrong, by up to some seconds.
    pub are_clocks_wrong: bool,
    /// How long a message from a node to the database takes, in simulated time.
    pub delay: Duration,
    /// Seed for all random numbers.
    pub seed: u64,
}

impl Settings {
    /// Nodes without work, and a quarter as many nodes that only deliver.
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

    /// The same nodes with work.
    pub fn under_load(self, jobs_per_hour: f64, plays_per_second: f64) -> Self {
        Self { jobs_per_hour, plays_per_second, ..self }
    }

    /// The same nodes with faults and wrong clocks.
    pub fn with_faults(self) -> Self {
        Self { has_faults: true, are_clocks_wrong: true, ..self }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.jobs_per_hour == 0.0 && self.plays_per_second == 0.0
    }
}
