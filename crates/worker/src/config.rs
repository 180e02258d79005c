//! The configuration of a worker.

use std::time::Duration;

use tonearm_domain::JobClass;

use crate::poll_schedule::PollSchedule;

/// The configuration of a worker.
#[derive(Debug, Clone, Copy)]
pub struct WorkerConfig {
    /// How many jobs it runs at once.
    pub slots: SlotCounts,
    /// How long a lease lasts unless it is renewed. The job of a dead worker waits that long.
    pub lease: Duration,
    /// How often a lease is renewed; well below a third of its length.
    pub heartbeat: Duration,
    /// How often to poll for jobs that other nodes queued or that have become due, unless workers are notified of them.
    pub poll: Duration,
    /// How often to poll while workers are notified, in case a notice was lost. With more than 20 seconds, jobs that
    /// another node postpones may run late.
    pub slow_poll: Duration,
    /// How often one of the jobs that wait for a part of the service is tried, to check whether that part is back.
    pub probe: Duration,
}

impl Default for WorkerConfig {
    fn default() -> Self {
        Self {
            slots: SlotCounts::default(),
            lease: Duration::from_secs(60),
            heartbeat: Duration::from_secs(15),
            poll: Duration::from_secs(1),
            slow_poll: Duration::from_secs(15),
            probe: Duration::from_secs(20),
        }
    }
}

impl WorkerConfig {
    pub(crate) fn rhythm(&self) -> PollSchedule {
        PollSchedule { poll: self.poll, slow_poll: self.slow_poll }
    }
}

/// The number of jobs of each class that run at once for one organization. For all together there are eight times as
/// many, which they share.
#[derive(Debug, Clone, Copy)]
pub struct SlotCounts {
    /// Jobs that encode. Most of their time is spent waiting for encoders, whose number is bounded elsewhere.
    pub encode: usize,
    /// Jobs that wait for servers of third parties.
    pub wait: usize,
    /// Jobs that remove and clean up.
    pub maintenance: usize,
}

impl Default for SlotCounts {
    fn default() -> Self {
        Self { encode: 4, wait: 8, maintenance: 2 }
    }
}

impl SlotCounts {
    /// The slots of a class.
    pub const fn of(&self, class: JobClass) -> usize {
        match class {
            JobClass::Encode => self.encode,
            JobClass::Wait => self.wait,
            JobClass::Maintenance => self.maintenance,
        }
    }
}
