//! What was listened to.

use serde::Serialize;
use tonearm_domain::{Day, ListenCounts};
use tonearm_service::{ListenRows, SubjectListens};
use utoipa::ToSchema;

/// Totals of listens.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListenSums {
    /// Listens: at least one minute of a track, or a whole track that is shorter, delivered to one listener on one day.
    listens: u64,
    /// Unique listeners per day, added up.
    listeners: u64,
    /// Seconds that listeners played, where their players report it, and seconds delivered to all others.
    seconds_heard: u64,
    /// The part of `seconds_heard` that players reported.
    seconds_played: u64,
}

impl From<ListenCounts> for ListenSums {
    fn from(counts: ListenCounts) -> Self {
        let ListenCounts { listens, listeners, heard_millis, played_millis } = counts;
        Self { listens, listeners, seconds_heard: heard_millis / 1000, seconds_played: played_millis / 1000 }
    }
}

/// The totals of a day, a track, a collection, a share link, a site or a country.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ListenRecord {
    Day(ListenDayRecord),
    Subject(ListenSubjectRecord),
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListenDayRecord {
    day: Day,
    #[serde(flatten)]
    sums: ListenSums,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListenSubjectRecord {
    /// The id of the track, the collection or the share key, the host name of the site, or the code of the country by
    /// ISO 3166-1, such as `DE`. Null for all sites beyond the first 200 of a day.
    #[schema(required)]
    id: Option<String>,
    /// Null for sites and countries, and for what was removed permanently.
    #[schema(required)]
    title: Option<String>,
    #[serde(flatten)]
    sums: ListenSums,
}

impl ListenRecord {
    /// One record for each row.
    pub(crate) fn of(rows: ListenRows) -> Vec<Self> {
        match rows {
            ListenRows::Days(rows) => rows
                .into_iter()
                .map(|row| Self::Day(ListenDayRecord { day: row.day, sums: row.counts.into() }))
                .collect(),
            ListenRows::Subjects(rows) => rows
                .into_iter()
                .map(|SubjectListens { id, title, counts }| ListenSubjectRecord {
                    id,
                    title,
                    sums: counts.into(),
                })
                .map(Self::Subject)
                .collect(),
        }
    }
}
