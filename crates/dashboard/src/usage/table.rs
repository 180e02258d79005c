//! Rows of the tables of a page of usage.

use tonearm_domain::{ListenCounts, UsageCounts};
use tonearm_service::{ListenGroup, SubjectListens, TrackStorage, TrackUsage, VariantUsage};

use crate::amount::{bytes, count, duration};
use crate::session::{Member, Viewer};

/// What was listened to, by one of the groups.
pub(super) struct ListenTable {
    pub(super) title: &'static str,
    pub(super) column: &'static str,
    pub(super) group: &'static str,
    /// What is told where there are no rows.
    pub(super) nothing: &'static str,
    pub(super) rows: Vec<ListenRow>,
    /// Rows that are not shown.
    pub(super) more: String,
}

pub(super) struct ListenRow {
    pub(super) name: String,
    pub(super) link: Option<String>,
    pub(super) listens: String,
    pub(super) listeners: String,
    pub(super) heard: String,
    /// Where it is told how far listeners get.
    pub(super) drop_off: Option<String>,
}

impl ListenTable {
    pub(super) fn new(
        member: &Member<Viewer>,
        group: ListenGroup,
        total: u64,
        rows: Vec<SubjectListens>,
    ) -> Self {
        let (title, column, nothing) = match group {
            ListenGroup::Day => ("By day", "Day", ""),
            ListenGroup::Track => ("By track", "Track", "No track was listened to in this period."),
            ListenGroup::Collection => {
                ("By collection", "Collection", "No collection was listened to in this period.")
            }
            ListenGroup::ShareLink => {
                ("By share link", "Share key", "No share link was listened to in this period.")
            }
            ListenGroup::Referrer => {
                ("By site", "Site", "No other site with a player was seen in this period.")
            }
        };
        let more = total.saturating_sub(rows.len() as u64);
        Self {
            title,
            column,
            group: group.as_str(),
            nothing,
            rows: rows.into_iter().map(|row| ListenRow::new(member, group, row)).collect(),
            more: if more > 0 { count(more) } else { String::new() },
        }
    }
}

impl ListenRow {
    fn new(member: &Member<Viewer>, group: ListenGroup, row: SubjectListens) -> Self {
        let SubjectListens { id, title, counts } = row;
        let ListenCounts { listens, listeners, heard_millis } = counts;
        // What was removed for good has no title, and no page.
        let (id, is_known) = (id.unwrap_or_default(), title.is_some());
        let path = |prefix: &str| is_known.then(|| member.path(&format!("{prefix}{id}")));
        let (link, unnamed) = match group {
            ListenGroup::Track => (path("/tracks/"), "Deleted track".to_owned()),
            ListenGroup::Collection => (path("/collections/"), "Deleted collection".to_owned()),
            ListenGroup::ShareLink => (None, "Deleted key".to_owned()),
            ListenGroup::Day | ListenGroup::Referrer => {
                (None, if id.is_empty() { "Other sites".to_owned() } else { id.clone() })
            }
        };
        Self {
            name: title.filter(|title| !title.is_empty()).unwrap_or(unnamed),
            link,
            listens: count(listens),
            listeners: count(listeners),
            heard: duration(heard_millis),
            drop_off: path("/usage/tracks/").filter(|_| group == ListenGroup::Track),
        }
    }
}

/// What was delivered.
pub(super) struct DeliveryRow {
    pub(super) name: String,
    pub(super) link: Option<String>,
    pub(super) requests: String,
    pub(super) starts: String,
    pub(super) downloads: String,
    pub(super) bytes: String,
}

impl DeliveryRow {
    pub(super) fn of_track(member: &Member<Viewer>, track: TrackUsage) -> Self {
        let link = track.track_id.map(|id| member.path(&format!("/tracks/{id}")));
        let unnamed = if link.is_some() { "Deleted track" } else { "Shared covers" };
        Self::of(track.title.unwrap_or_else(|| unnamed.to_owned()), link, track.counts)
    }

    pub(super) fn of_variant(variant: VariantUsage) -> Self {
        let name = variant.variant.map_or_else(|| "Unknown variant".to_owned(), |index| index.to_string());
        Self::of(name, None, variant.counts)
    }

    fn of(name: String, link: Option<String>, counts: UsageCounts) -> Self {
        Self {
            name,
            link,
            requests: count(counts.plays()),
            starts: count(counts.starts),
            downloads: count(counts.downloads),
            bytes: bytes(counts.bytes),
        }
    }
}

/// A track and the room it takes.
pub(super) struct StorageRow {
    pub(super) title: String,
    pub(super) link: String,
    pub(super) bytes: String,
}

impl StorageRow {
    pub(super) fn all(member: &Member<Viewer>, largest: Vec<TrackStorage>) -> Vec<Self> {
        let row = |track: TrackStorage| Self {
            link: member.path(&format!("/tracks/{}", track.track_id)),
            title: track.title,
            bytes: bytes(track.bytes),
        };
        largest.into_iter().map(row).collect()
    }
}
