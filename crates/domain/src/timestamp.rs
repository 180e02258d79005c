//! A moment, to the millisecond, written as RFC 3339 in UTC.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::{DateTime, datetime};
use jiff::fmt::temporal::Pieces;
use serde::{Deserialize, Serialize};

/// A moment with millisecond precision, in the years -9999 to 9999; in JSON `2026-11-21T09:30:00.000Z`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// Text that is not an RFC 3339 date and time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be an RFC 3339 date and time such as 2030-01-31T12:00:00Z")]
pub struct TimestampError;

/// The moment that others are counted from. `jiff::Timestamp` ends a day before the year 9999 does, so that each moment
/// can be written with any offset; clients use the last second of that year for "never".
const EPOCH: DateTime = datetime(1970, 1, 1, 0, 0, 0, 0);

impl Timestamp {
    const MIN: Self = Self(-377_705_116_800_000);
    const MAX: Self = Self(253_402_300_799_999);

    /// From milliseconds since 1970-01-01 UTC; `None` outside the years -9999 to 9999.
    pub fn from_unix_millis(millis: i64) -> Option<Self> {
        let moment = Self(millis);
        (Self::MIN..=Self::MAX).contains(&moment).then_some(moment)
    }

    /// From whole seconds since 1970-01-01 UTC; `None` outside the years -9999 to 9999.
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        Self::from_unix_millis(seconds.checked_mul(1000)?)
    }

    /// Milliseconds since 1970-01-01 UTC.
    pub const fn unix_millis(self) -> i64 {
        self.0
    }

    /// Seconds since 1970-01-01 UTC, rounded down.
    pub const fn unix_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    pub(crate) fn unix_millis_unsigned(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }

    /// This moment plus `seconds`, clamped to the representable years.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        self.plus_millis(seconds.saturating_mul(1000))
    }

    /// This moment plus `millis`, clamped to the representable years.
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis)).clamp(Self::MIN, Self::MAX)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}Z", EPOCH.saturating_add(SignedDuration::from_millis(self.0)))
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
        let pieces = Pieces::parse(text).map_err(|_| TimestampError)?;
        let (time, offset) = pieces.time().zip(pieces.to_numeric_offset()).ok_or(TimestampError)?;
        let local = pieces.date().to_datetime(time).duration_since(EPOCH);
        let moment = local - SignedDuration::from_secs(offset.seconds().into());
        let millis = i64::try_from(moment.as_millis()).map_err(|_| TimestampError)?;
        Self::from_unix_millis(millis).ok_or(TimestampError)
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
    fn every_second_of_the_years_is_a_moment() {
        for text in ["9999-12-31T23:59:59.999Z", "9999-12-30T22:00:01.000Z", "1969-12-31T23:59:59.999Z"] {
            assert_eq!(text.parse::<Timestamp>().map(|moment| moment.to_string()).as_deref(), Ok(text));
        }
        let last: Timestamp = "9999-12-31T23:59:59Z".parse().unwrap();
        assert_eq!(last.plus_seconds(1), Timestamp::MAX);
        assert_eq!("9999-12-31t22:59:59-01:00".parse(), Ok(last));
        assert_eq!("-009999-01-01T00:00:00Z".parse(), Ok(Timestamp::MIN));
        for moment in [Timestamp::MIN, Timestamp::MAX] {
            assert_eq!(moment.to_string().parse(), Ok(moment));
        }
        for bad in [
            "9999-12-31T23:59:59-01:00",
            "-009999-01-01T00:00:00+01:00",
            "2026-02-30T00:00:00Z",
            "2026-02-03",
            "2026-02-03T00:00:00",
            "2026-02-03T25:00:00Z",
            "",
        ] {
            assert_eq!(bad.parse::<Timestamp>(), Err(TimestampError), "{bad}");
        }
        assert_eq!(Timestamp::from_unix_seconds(i64::MAX), None);
    }

    #[test]
    fn moving_saturates() {
        let moment = Timestamp::from_unix_millis(0).unwrap();
        assert!(moment.plus_seconds(i64::MAX) > moment);
        assert!(moment.plus_seconds(i64::MIN) < moment);
    }
}
