//! How a worker works.

use std::time::Duration;

/// How a worker works.
#[derive(Debug, Clone, Copy)]
pub struct WorkerConfig {
    /// Jobs at once. Most of their time is spent waiting for encoders, whose number is bounded elsewhere.
    pub slots: usize,
    /// How long a lease lasts unless it is renewed; a dead worker's job waits that long.
    pub lease: Duration,
    /// How often a lease is renewed; well below a third of its length.
    pub heartbeat: Duration,
    /// How often to look for jobs that other nodes queued or that have become due.
    pub poll: Duration,
    /// How often one of the jobs that wait for a part of the service is tried, to see whether that part is back.
    pub probe: Duration,
    /// How often objects without a row are swept, and what has expired is forgotten.
    pub upkeep: Duration,
}

impl Default for WorkerConfig {
    fn default() -> Self {
        Self {
            slots: 4,
            lease: Duration::from_secs(60),
            heartbeat: Duration::from_secs(15),
            poll: Duration::from_secs(1),
            probe: Duration::from_secs(20),
            upkeep: Duration::from_secs(6 * 3600),
        }
    }
}
