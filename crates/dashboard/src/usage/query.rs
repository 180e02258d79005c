//! The period of a usage page.

use serde::Deserialize;
use tonearm_domain::Day;
use tonearm_service::{Refusal, UsagePeriod};

use crate::error::PageError;
use crate::form::Problems;

/// The default ranges, in days that end today.
const RANGES: [i32; 3] = [7, 30, 90];

#[derive(Deserialize)]
pub(super) struct UsageQuery {
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
}

impl From<UsageQuery> for [String; 2] {
    fn from(UsageQuery { from, to }: UsageQuery) -> Self {
        [from, to]
    }
}

/// A link to one of the default ranges.
pub(super) struct Range {
    pub(super) days: i32,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) is_current: bool,
}

impl UsageQuery {
    /// The requested period; otherwise the default one, with the problems.
    pub(super) fn period(&self, today: Day) -> Result<(UsagePeriod, Problems), PageError> {
        let day = |field: &'static str, text: &str| match text {
            "" => Ok(None),
            text => text.parse::<Day>().map(Some).map_err(|error| Refusal::invalid(field, error.to_string())),
        };
        let chosen = day("from", &self.from)
            .and_then(|from| Ok((from, day("to", &self.to)?)))
            .and_then(|(from, to)| UsagePeriod::new(from, to, today));
        match chosen {
            Ok(period) => Ok((period, Problems::default())),
            Err(refusal @ Refusal::Invalid { .. }) => {
                Ok((UsagePeriod::new(None, None, today)?, Problems::of(refusal)?))
            }
            Err(refusal) => Err(refusal.into()),
        }
    }
}

pub(super) fn ranges(period: UsagePeriod, today: Day) -> Vec<Range> {
    let range = |days: i32| {
        let from = today.plus_days(1 - days);
        let is_current = period.from() == from && period.to() == today;
        Range { days, from: from.to_string(), to: today.to_string(), is_current }
    };
    RANGES.map(range).into()
}
