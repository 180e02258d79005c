//! Reports of what was played and how much storage files take.

use std::str::FromStr;

use tonearm_catalog::UsageFilter;
use tonearm_domain::{Day, LimitOffset, UsageCounts};

use super::Usage;
use crate::caller::Caller;
use crate::refusal::Refusal;

pub use tonearm_catalog::{DayUsage, StorageUsage, TrackStorage, TrackUsage, UsageTracks, VariantUsage};

/// The number of days that a report covers by default: today and the days before it.
const USUAL_DAYS: i32 = 30;

/// The most days that a report covers: a leap year and a day.
const MOST_DAYS: i32 = 367;

/// Days in UTC, the last one included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsagePeriod {
    from: Day,
    to: Day,
}

impl UsagePeriod {
    /// From `from` to `to`. `to` defaults to today; `from` defaults to the start of the 30 days that end with `to`.
    pub fn new(from: Option<Day>, to: Option<Day>, today: Day) -> Result<Self, Refusal> {
        let to = to.unwrap_or(today);
        let from = from.unwrap_or_else(|| to.plus_days(1 - USUAL_DAYS));
        if from > to {
            return Err(Refusal::invalid("from", "must not be after `to`"));
        }
        if to.number() - from.number() >= MOST_DAYS {
            return Err(Refusal::invalid("from", format!("must be less than {MOST_DAYS} days before `to`")));
        }
        Ok(Self { from, to })
    }

    /// The first day.
    pub fn from(self) -> Day {
        self.from
    }

    /// The last day.
    pub fn to(self) -> Day {
        self.to
    }

    /// All days.
    pub fn days(self) -> impl Iterator<Item = Day> {
        self.from.through(self.to)
    }
}

/// The grouping of the rows of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UsageGroup {
    /// One row for each day.
    #[default]
    Day,
    /// One row for each track.
    Track,
    /// One row for each variant.
    Variant,
}

impl UsageGroup {
    /// Every group, in the order they are shown.
    pub const ALL: [Self; 3] = [Self::Day, Self::Track, Self::Variant];

    /// The group as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Track => "track",
            Self::Variant => "variant",
        }
    }
}

impl FromStr for UsageGroup {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let known = Self::ALL.into_iter().find(|group| group.as_str() == text);
        known.ok_or_else(|| Refusal::invalid("group", "must be day, track or variant"))
    }
}

/// The rows of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UsageRows {
    /// All days of the period, in order.
    Days(Vec<DayUsage>),
    /// Tracks, those with the most bytes first.
    Tracks(Vec<TrackUsage>),
    /// Variants, those with the most bytes first.
    Variants(Vec<VariantUsage>),
}

/// What was played in a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageReport {
    /// The period.
    pub period: UsagePeriod,
    /// The total over the period.
    pub total: UsageCounts,
    /// The total number of rows, regardless of the page.
    pub count: u64,
    /// The rows of the page.
    pub rows: UsageRows,
}

impl Usage {
    /// The current day in UTC.
    pub fn today(&self) -> Day {
        Day::of(self.ambient.now())
    }

    /// The usage of everything in the caller's reach. It is up to date within a second or two, or within 15 seconds if
    /// nodes deliver without a database.
    pub async fn report(
        &self,
        caller: &Caller,
        period: UsagePeriod,
        group: UsageGroup,
        window: LimitOffset,
    ) -> Result<UsageReport, Refusal> {
        let filter = filter(caller, period);
        let total = self.catalog.total_usage(&filter).await?;
        let (count, rows) = match group {
            UsageGroup::Day => {
                let days = self.every_day(&filter, period).await?;
                let count = days.len() as u64;
                let skip = usize::try_from(window.offset()).unwrap_or(usize::MAX);
                let take = usize::try_from(window.limit()).unwrap_or(usize::MAX);
                (count, UsageRows::Days(days.into_iter().skip(skip).take(take).collect()))
            }
            UsageGroup::Track => {
                let (tracks, rows) = self.by_track(caller, period, window).await?;
                (tracks.total, UsageRows::Tracks(rows))
            }
            UsageGroup::Variant => {
                let (count, variants) = self.catalog.usage_by_variant(&filter, window).await?;
                (count, UsageRows::Variants(variants))
            }
        };
        Ok(UsageReport { period, total, count, rows })
    }

    /// All days of a period, for a chart, including those on which nothing was played.
    pub async fn daily(&self, caller: &Caller, period: UsagePeriod) -> Result<Vec<DayUsage>, Refusal> {
        self.every_day(&filter(caller, period), period).await
    }

    /// The number of tracks (and other things with files) of which anything was delivered, and a page of them, those
    /// with the most bytes first. With 5,000 tracks or more, the result is cached for a hundred times as long as it
    /// took, at most five minutes.
    pub async fn by_track(
        &self,
        caller: &Caller,
        period: UsagePeriod,
        window: LimitOffset,
    ) -> Result<(UsageTracks, Vec<TrackUsage>), Refusal> {
        let filter = filter(caller, period);
        let found = self.by_track.get((filter, window), self.catalog.usage_by_track(&filter, window)).await?;
        Ok((found.0, found.1.clone()))
    }

    /// The number of variants that were played, and a page of them, those with the most bytes first.
    pub async fn by_variant(
        &self,
        caller: &Caller,
        period: UsagePeriod,
        window: LimitOffset,
    ) -> Result<(u64, Vec<VariantUsage>), Refusal> {
        Ok(self.catalog.usage_by_variant(&filter(caller, period), window).await?)
    }

    /// The storage that sources, variants and covers take now.
    pub async fn storage(&self, caller: &Caller) -> Result<StorageUsage, Refusal> {
        Ok(self.catalog.storage_usage(caller.organization_id, caller.scope).await?)
    }

    /// The number of tracks, and a page of them, the largest first.
    pub async fn storage_by_track(
        &self,
        caller: &Caller,
        window: LimitOffset,
    ) -> Result<(u64, Vec<TrackStorage>), Refusal> {
        Ok(self.catalog.storage_by_track(caller.organization_id, caller.scope, window).await?)
    }

    async fn every_day(&self, filter: &UsageFilter, period: UsagePeriod) -> Result<Vec<DayUsage>, Refusal> {
        let mut found = self.catalog.usage_by_day(filter).await?.into_iter().peekable();
        let every = period.days().map(|day| {
            let known = found.next_if(|known| known.day == day);
            known.unwrap_or(DayUsage { day, counts: UsageCounts::default() })
        });
        Ok(every.collect())
    }
}

pub(super) fn filter(caller: &Caller, period: UsagePeriod) -> UsageFilter {
    UsageFilter {
        organization_id: caller.organization_id,
        from: period.from,
        to: period.to,
        scope: caller.scope,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(number: i32) -> Day {
        Day::from_number(number).unwrap()
    }

    #[test]
    fn a_period_is_the_last_thirty_days_unless_told() {
        let today = day(20_000);
        let period = |from, to| UsagePeriod::new(from, to, today).map(|period| (period.from, period.to)).ok();
        assert_eq!(period(None, None), Some((day(19_971), today)));
        assert_eq!(period(None, Some(day(100))), Some((day(71), day(100))));
        assert_eq!(period(Some(day(19_999)), None), Some((day(19_999), today)));
        assert_eq!(period(Some(today), Some(today)), Some((today, today)));
        assert_eq!(period(Some(day(20_001)), None), None);
        assert_eq!(period(Some(day(7)), Some(day(6))), None);
        assert_eq!(period(None, Some(day(3))), Some((day(0), day(3))));
        assert!(period(Some(day(20_000 - 366)), None).is_some());
        assert_eq!(period(Some(day(20_000 - 367)), None), None);
    }

    proptest! {
        #[test]
        fn every_period_has_its_days(from in 0..3000_i32, to in 0..3000_i32) {
            match UsagePeriod::new(Some(day(from)), Some(day(to)), day(0)) {
                Ok(period) => {
                    prop_assert_eq!(period.days().count() as i32, to - from + 1);
                    prop_assert!(to - from < MOST_DAYS);
                }
                Err(_) => prop_assert!(from > to || to - from >= MOST_DAYS),
            }
        }
    }
}
