//! A streak of failures, logged once when it begins and once when it is over.

use std::fmt::Display;

/// Whether an operation that is repeated fails at present.
#[derive(Debug)]
pub(crate) struct FailureStreak {
    what: &'static str,
    failures: u64,
}

impl FailureStreak {
    /// `what` names the operation, as in "claiming jobs".
    pub(crate) const fn of(what: &'static str) -> Self {
        Self { what, failures: 0 }
    }

    /// Notes a result and returns its value.
    pub(crate) fn note<T, E: Display>(&mut self, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => {
                if self.failures > 0 {
                    tracing::info!(failures = self.failures, "recovered: {}", self.what);
                    self.failures = 0;
                }
                Some(value)
            }
            Err(error) => {
                if self.failures == 0 {
                    tracing::warn!(%error, "failed, will be retried: {}", self.what);
                }
                self.failures += 1;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_until_one_succeeds() {
        let mut spell = FailureStreak::of("claiming jobs");
        assert_eq!(spell.note::<(), _>(Err("away")), None);
        assert_eq!(spell.note::<(), _>(Err("away")), None);
        assert_eq!(spell.failures, 2);
        assert_eq!(spell.note::<_, &str>(Ok(1)), Some(1));
        assert_eq!(spell.failures, 0);
    }
}
