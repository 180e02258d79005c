//! A moment, to the millisecond, written as RFC 3339 in UTC.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A moment with millisecond precision; in JSON `2026-11-21T09:30:00.000Z`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(jiff::Timestamp);

/// Text that is not an RFC 3339 date and time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be an RFC 3339 date and time such as 2030-01-31T12:00:00Z")]
pub struct TimestampError;

impl Timestamp {
    /// From milliseconds since 1970-01-01 UTC; `None` outside the years -9999 to 9999.
    pub fn from_unix_millis(millis: i64) -> Option<Self> {
        jiff::Timestamp::from_millisecond(millis).ok().map(Self)
    }

    /// From whole seconds since 1970-01-01 UTC; `None` outside the years -9999 to 9999.
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        jiff::Timestamp::from_second(seconds).ok().map(Self)
    }

    /// Milliseconds since 1970-01-01 UTC.
    pub fn unix_millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// Seconds since 1970-01-01 UTC, rounded down.
    pub fn unix_seconds(self) -> i64 {
        self.unix_millis().div_euclid(1000)
    }

    pub(crate) fn unix_millis_unsigned(self) -> u64 {
        u64::try_from(self.unix_millis()).unwrap_or(0)
    }

    /// This moment plus `seconds`, clamped to the representable years.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        self.plus_millis(seconds.saturating_mul(1000))
    }

    /// This moment plus `millis`, clamped to the representable years.
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        let moved = self.unix_millis().saturating_add(millis);
        let limit = if millis < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        Self::from_unix_millis(moved).unwrap_or(Self(limit))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;
    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let parsed: jiff::Timestamp = text.parse().map_err(|_| TimestampError)?;
        Self::from_unix_millis(parsed.as_millisecond()).ok_or(TimestampError)
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;
    fn try_from(text: String) -> Result<Self, TimestampError> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(timestamp: Timestamp) -> String {
        timestamp.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_with_three_digits_and_z() {
        let moment = Timestamp::from_unix_millis(1_700_000_000_007).unwrap();
        assert_eq!(moment.to_string(), "2023-11-14T22:13:20.007Z");
        assert_eq!("2023-11-14T23:13:20.0079+01:00".parse(), Ok(moment));
        assert_eq!(Timestamp::from_unix_millis(0).unwrap().to_string(), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn moving_saturates() {
        let moment = Timestamp::from_unix_millis(0).unwrap();
        assert!(moment.plus_seconds(i64::MAX) > moment);
        assert!(moment.plus_seconds(i64::MIN) < moment);
    }
}
