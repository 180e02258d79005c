//! Reports of listens.

use std::str::FromStr;

use tonearm_domain::{LimitOffset, ListenCounts, ListenKind, Segments, TrackId};

use super::Usage;
use super::report::{UsagePeriod, filter};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

pub use tonearm_catalog::{DayListens, SubjectListens};

/// The number of days that a drop-off covers: the time for which it is known who listened to which parts.
const DROP_OFF_DAYS: i32 = 7;

/// The grouping of the rows of a report of listens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListenGroup {
    /// One row for each day.
    #[default]
    Day,
    /// One row for each track.
    Track,
    /// One row for each collection.
    Collection,
    /// One row for each key of a share link.
    ShareLink,
    /// One row for each site with a player on its pages.
    Referrer,
    /// One row for each country.
    Country,
}

impl ListenGroup {
    /// Every group, in the order they are shown.
    pub const ALL: [Self; 6] =
        [Self::Day, Self::Track, Self::Collection, Self::ShareLink, Self::Referrer, Self::Country];

    /// The group as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Track => "track",
            Self::Collection => "collection",
            Self::ShareLink => "share_link",
            Self::Referrer => "referrer",
            Self::Country => "country",
        }
    }

    const fn kind(self) -> Option<ListenKind> {
        match self {
            Self::Day => None,
            Self::Track => Some(ListenKind::Track),
            Self::Collection => Some(ListenKind::Collection),
            Self::ShareLink => Some(ListenKind::ShareLink),
            Self::Referrer => Some(ListenKind::Referrer),
            Self::Country => Some(ListenKind::Country),
        }
    }
}

impl FromStr for ListenGroup {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let known = Self::ALL.into_iter().find(|group| group.as_str() == text);
        known.ok_or_else(|| {
            Refusal::invalid("group", "must be day, track, collection, share_link, referrer or country")
        })
    }
}

/// The rows of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenRows {
    /// All days of the period, in order.
    Days(Vec<DayListens>),
    /// Tracks, collections, share links, sites or countries, those with the most listens first.
    Subjects(Vec<SubjectListens>),
}

/// The listens in a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenReport {
    /// The period.
    pub period: UsagePeriod,
    /// The sum of its days.
    pub total: ListenCounts,
    /// The total number of rows, regardless of the page.
    pub count: u64,
    /// The rows of the page.
    pub rows: ListenRows,
}

/// How far listeners get through a track.
#[derive(Debug, Clone, PartialEq)]
pub struct DropOff {
    /// The title of the track.
    pub title: String,
    /// Its length in seconds.
    pub duration: f64,
    /// The number of listens covered: those of the last seven days, at most the latest 10,000.
    pub listens: u64,
    /// How many of these included each of the 50 parts of the track.
    pub parts: Vec<u64>,
    /// Its waveform. Empty if there is none.
    pub levels: Vec<f64>,
}

impl Usage {
    /// The listens of everything in the caller's reach, as up to date as [`Usage::report`]. Share links, sites and
    /// countries are reported only to callers that reach the whole organization.
    pub async fn listens(
        &self,
        caller: &Caller,
        period: UsagePeriod,
        group: ListenGroup,
        window: LimitOffset,
    ) -> Result<ListenReport, Refusal> {
        let days = self.daily_listens(caller, period).await?;
        let total = days.iter().map(|day| day.counts).sum();
        let (count, rows) = match group.kind() {
            None => {
                let count = days.len() as u64;
                let skip = usize::try_from(window.offset()).unwrap_or(usize::MAX);
                let take = usize::try_from(window.limit()).unwrap_or(usize::MAX);
                (count, ListenRows::Days(days.into_iter().skip(skip).take(take).collect()))
            }
            Some(kind) => {
                if matches!(kind, ListenKind::ShareLink | ListenKind::Referrer | ListenKind::Country) {
                    caller.require_whole_organization()?;
                }
                let filter = filter(caller, period);
                let load = self.catalog.listens_by(&filter, kind, window);
                let found = Box::pin(self.listens.get((filter, kind, window), load)).await?;
                (found.0, ListenRows::Subjects(found.1.clone()))
            }
        };
        Ok(ListenReport { period, total, count, rows })
    }

    /// All days of a period, including those without listens.
    pub async fn daily_listens(
        &self,
        caller: &Caller,
        period: UsagePeriod,
    ) -> Result<Vec<DayListens>, Refusal> {
        let found = self.catalog.listens_by_day(&filter(caller, period)).await?;
        let mut found = found.into_iter().peekable();
        let every = period.days().map(|day| {
            let known = found.next_if(|known| known.day == day);
            known.unwrap_or(DayListens { day, counts: ListenCounts::default() })
        });
        Ok(every.collect())
    }

    /// The estimated number of current listeners, over all tracks of the caller's organization.
    pub async fn listening_now(&self, caller: &Caller) -> Result<u64, Refusal> {
        Ok(self.catalog.listening_now(caller.organization_id, self.ambient.now()).await?)
    }

    /// The parts of a track that its listeners of the last seven days heard.
    pub async fn drop_off(&self, caller: &Caller, id: TrackId) -> Result<DropOff, Refusal> {
        let found = self.catalog.track(caller.organization_id, id).await?;
        let track = found.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        let today = self.today();
        let period = UsagePeriod::new(Some(today.plus_days(1 - DROP_OFF_DAYS)), Some(today), today)?;
        let millis = (track.duration * 1000.0).round() as u64;
        let heard = self.catalog.parts_heard(&filter(caller, period), track.index.as_str(), millis).await?;
        let mut parts = vec![0; Segments::COUNT as usize];
        for part in heard.iter().flat_map(|heard| heard.iter()) {
            parts[part as usize] += 1;
        }
        let title = track.player_title.unwrap_or(track.file_name);
        let levels = self.levels_of(id).await?;
        Ok(DropOff { title, duration: track.duration, listens: heard.len() as u64, parts, levels })
    }

    async fn levels_of(&self, id: TrackId) -> Result<Vec<f64>, Refusal> {
        let files = self.catalog.files_of_track(id).await?;
        Ok(files.into_iter().find_map(|file| file.outcome.into_levels()).unwrap_or_default())
    }
}
