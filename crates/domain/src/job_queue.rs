//! The queues and classes of jobs.

/// The class of a job. Each class has worker slots of its own, so that no class delays another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobClass {
    /// CPU-bound work on this machine.
    Encode,
    /// Requests to third-party servers, which may hang for minutes.
    Wait,
    /// Removal and cleanup, which no caller waits for.
    Maintenance,
}

impl JobClass {
    /// Every class.
    pub const ALL: [Self; 3] = [Self::Encode, Self::Wait, Self::Maintenance];

    /// The class as text, as in logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Encode => "encode",
            Self::Wait => "wait",
            Self::Maintenance => "maintenance",
        }
    }

    /// The class in words for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Encode => "encoding",
            Self::Wait => "third-party calls",
            Self::Maintenance => "maintenance",
        }
    }

    /// The queues whose jobs it runs, by priority: an earlier queue goes before a later one.
    pub const fn queues(self) -> &'static [JobQueue] {
        match self {
            Self::Encode => &[JobQueue::Uploads, JobQueue::Renderings],
            Self::Wait => &[JobQueue::Imports, JobQueue::Transcriptions],
            Self::Maintenance => &[JobQueue::Maintenance],
        }
    }
}

/// A job queue. Within a queue, organizations take turns, and the jobs of one organization run in the order in which
/// they are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobQueue {
    /// Jobs that make an upload playable.
    Uploads,
    /// Renderings for tracks that are already playable.
    Renderings,
    /// Imports of sources from third-party servers.
    Imports,
    /// Transcriptions by a provider.
    Transcriptions,
    /// Removal and cleanup.
    Maintenance,
}

impl JobQueue {
    /// Every queue.
    pub const ALL: [Self; 5] =
        [Self::Uploads, Self::Renderings, Self::Imports, Self::Transcriptions, Self::Maintenance];

    /// The class of its jobs.
    pub const fn class(self) -> JobClass {
        match self {
            Self::Uploads | Self::Renderings => JobClass::Encode,
            Self::Imports | Self::Transcriptions => JobClass::Wait,
            Self::Maintenance => JobClass::Maintenance,
        }
    }

    /// The queue as text, as in SQL and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Uploads => "uploads",
            Self::Renderings => "renderings",
            Self::Imports => "imports",
            Self::Transcriptions => "transcriptions",
            Self::Maintenance => "maintenance",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_queue_is_of_one_class() {
        let served: Vec<JobQueue> = JobClass::ALL.into_iter().flat_map(JobClass::queues).copied().collect();
        assert_eq!(served, JobQueue::ALL);
        for class in JobClass::ALL {
            assert!(class.queues().iter().all(|queue| queue.class() == class));
            assert_eq!(JobClass::ALL[class as usize], class);
        }
    }
}
