//! Counts of job runs that ended recently.

use serde::{Deserialize, Serialize};

use crate::job_queue::JobClass;

/// Counts of job runs that ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedRuns {
    /// The job is done.
    pub finished: u64,
    /// The run failed: the job is retried, or was given up.
    pub failed: u64,
}

impl EndedRuns {
    /// The sum of both.
    pub const fn plus(self, other: Self) -> Self {
        Self {
            finished: self.finished.saturating_add(other.finished),
            failed: self.failed.saturating_add(other.failed),
        }
    }

    /// The runs that were added since `before`.
    pub const fn since(self, before: Self) -> Self {
        Self {
            finished: self.finished.saturating_sub(before.finished),
            failed: self.failed.saturating_sub(before.failed),
        }
    }
}

/// Counts of job runs of one class that ended recently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentRuns {
    /// In the last minute.
    pub minute: EndedRuns,
    /// In the last hour.
    pub hour: EndedRuns,
}

impl RecentRuns {
    /// The sum of both.
    pub const fn plus(self, other: Self) -> Self {
        Self { minute: self.minute.plus(other.minute), hour: self.hour.plus(other.hour) }
    }
}

/// A value for each job class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PerClass<T>([T; JobClass::ALL.len()]);

impl<T: Copy> PerClass<T> {
    /// Calls a function for each class.
    pub fn of(each: impl FnMut(JobClass) -> T) -> Self {
        Self(JobClass::ALL.map(each))
    }

    /// The value of a class.
    pub fn get(&self, class: JobClass) -> T {
        // The classes are numbered in the order of `ALL`; a test verifies this.
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
