//! How many runs of jobs ended lately.

use serde::{Deserialize, Serialize};

use crate::job_queue::JobClass;

/// Runs of jobs that ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedRuns {
    /// The job is done.
    pub finished: u64,
    /// Something failed: the job is tried again, or was given up.
    pub failed: u64,
}

impl EndedRuns {
    /// Both together.
    pub const fn plus(self, other: Self) -> Self {
        Self {
            finished: self.finished.saturating_add(other.finished),
            failed: self.failed.saturating_add(other.failed),
        }
    }

    /// Those that were not counted before.
    pub const fn since(self, before: Self) -> Self {
        Self {
            finished: self.finished.saturating_sub(before.finished),
            failed: self.failed.saturating_sub(before.failed),
        }
    }
}

/// Runs of jobs of one class that ended lately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentRuns {
    /// In the last minute.
    pub minute: EndedRuns,
    /// In the last hour.
    pub hour: EndedRuns,
}

impl RecentRuns {
    /// Both together.
    pub const fn plus(self, other: Self) -> Self {
        Self { minute: self.minute.plus(other.minute), hour: self.hour.plus(other.hour) }
    }
}

/// Something of each class of jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PerClass<T>([T; JobClass::ALL.len()]);

impl<T: Copy> PerClass<T> {
    /// What a function gives for each class.
    pub fn of(each: impl FnMut(JobClass) -> T) -> Self {
        Self(JobClass::ALL.map(each))
    }

    /// That of a class.
    pub fn get(&self, class: JobClass) -> T {
        // Classes are numbered in the order of `ALL`, as a test of theirs shows.
        self.0[class as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_own() {
        let names = PerClass::of(JobClass::as_str);
        assert!(JobClass::ALL.into_iter().all(|class| names.get(class) == class.as_str()));
    }

    #[test]
    fn counts_are_added_and_never_below_zero() {
        let runs = |finished, failed| EndedRuns { finished, failed };
        assert_eq!(runs(1, 2).plus(runs(3, u64::MAX)), runs(4, u64::MAX));
        assert_eq!(runs(5, 1).since(runs(2, 3)), runs(3, 0));
    }
}
