//! A day in UTC.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

const SECONDS_A_DAY: i64 = 86_400;

/// A day in UTC, from 1970-01-01 to 9999-12-31; written `2026-11-21`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day(i32);

/// Text that is not a day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a day such as 2030-01-31")]
pub struct DayError;

impl Day {
    /// 9999-12-31.
    const LAST: i32 = 2_932_896;

    /// The day of a moment, clamped to the first and the last day.
    pub fn of(moment: Timestamp) -> Self {
        let days = moment.unix_seconds().div_euclid(SECONDS_A_DAY);
        Self(i32::try_from(days.clamp(0, Self::LAST.into())).unwrap_or(0))
    }

    /// From days since 1970-01-01.
    pub fn from_number(days: i32) -> Option<Self> {
        (0..=Self::LAST).contains(&days).then_some(Self(days))
    }

    /// Days since 1970-01-01.
    pub const fn number(self) -> i32 {
        self.0
    }

    /// This day plus `days`, clamped to the first and the last day.
    #[must_use]
    pub fn plus_days(self, days: i32) -> Self {
        Self(self.0.saturating_add(days).clamp(0, Self::LAST))
    }

    /// The days from this one to `last`, inclusive; none if `last` is earlier.
    pub fn through(self, last: Self) -> impl Iterator<Item = Self> {
        (self.0..=last.0).map(Self)
    }

    fn date(self) -> Date {
        let days = jiff::Span::new().days(self.0);
        Date::constant(1970, 1, 1).saturating_add(days)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.date(), f)
    }
}

impl fmt::Debug for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Day {
    type Err = DayError;

    /// Accepts only `YYYY-MM-DD`, so that each day has one spelling.
    fn from_str(text: &str) -> Result<Self, DayError> {
        let date: Date = text.parse().map_err(|_| DayError)?;
        let days = date.since(Date::constant(1970, 1, 1)).map_err(|_| DayError)?.get_days();
        let day = Self::from_number(days).ok_or(DayError)?;
        if day.to_string() == text { Ok(day) } else { Err(DayError) }
    }
}

impl TryFrom<String> for Day {
    type Error = DayError;
    fn try_from(text: String) -> Result<Self, DayError> {
        text.parse()
    }
}

impl From<Day> for String {
    fn from(day: Day) -> String {
        day.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_day_begins_at_midnight_in_utc() {
        let day = |text: &str| Day::of(text.parse().unwrap()).to_string();
        assert_eq!(day("2026-11-21T23:59:59.999Z"), "2026-11-21");
        assert_eq!(day("2026-11-22T00:00:00Z"), "2026-11-22");
        assert_eq!(day("2026-11-22T00:30:00+01:00"), "2026-11-21");
        assert_eq!(day("1969-12-31T00:00:00Z"), "1970-01-01");
    }

    #[test]
    fn only_one_spelling_is_a_day() {
        for good in ["1970-01-01", "2028-02-29", "9999-12-31"] {
            assert_eq!(good.parse::<Day>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "today",
            "2026-2-1",
            "20260201",
            "2026-02-30",
            "1969-12-31",
            "-000001-01-01",
            "10000-01-01",
            "2026-02-01T00:00:00",
            " 2026-02-01",
            "2026-W05-7",
            "2026-02-01[UTC]",
        ] {
            assert_eq!(bad.parse::<Day>(), Err(DayError), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn days_are_read_back(number in 0..=Day::LAST) {
            let day = Day::from_number(number).unwrap();
            prop_assert_eq!(day.to_string().parse(), Ok(day));
            prop_assert_eq!(day.number(), number);
        }

        #[test]
        fn hostile_text_is_no_day(text in "\\PC{0,20}") {
            if let Ok(day) = text.parse::<Day>() {
                prop_assert_eq!(day.to_string(), text);
            }
        }
    }
}
