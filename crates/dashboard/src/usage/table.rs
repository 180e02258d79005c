//! Rows of the tables of a usage page.

use tonearm_domain::{ListenCounts, UsageCounts};
use tonearm_service::{ListenGroup, SubjectListens, TrackStorage, TrackUsage, VariantUsage};

use crate::amount::{bytes, count, duration};
use crate::session::{Member, Viewer};
use crate::text::t;

/// Listens by one of the groups.
pub(super) struct ListenTable {
    pub(super) words: Words,
    pub(super) group: &'static str,
    pub(super) rows: Vec<ListenRow>,
    /// How many rows are not shown.
    pub(super) more: u64,
}

/// The messages of a table.
pub(super) struct Words {
    /// Its heading.
    pub(super) title: &'static str,
    /// What it lists, for screen readers.
    pub(super) listens: &'static str,
    /// What its export contains.
    pub(super) export: &'static str,
    /// The heading of the first column.
    pub(super) column: &'static str,
    /// The text shown if there are no rows.
    pub(super) nothing: &'static str,
}

impl Words {
    const fn of(group: ListenGroup) -> Self {
        match group {
            ListenGroup::Day => Self {
                title: "track-by-day",
                listens: "usage-listens-per-day",
                export: "usage-export-days",
                column: "usage-day",
                nothing: "usage-none",
            },
            ListenGroup::Track => Self {
                title: "usage-by-track",
                listens: "usage-listens-by-track",
                export: "usage-export-by-track",
                column: "common-track",
                nothing: "usage-no-track",
            },
            ListenGroup::Collection => Self {
                title: "usage-by-collection",
                listens: "usage-listens-by-collection",
                export: "usage-export-by-collection",
                column: "library-collection",
                nothing: "usage-no-collection",
            },
            ListenGroup::ShareLink => Self {
                title: "usage-by-share-link",
                listens: "usage-listens-by-share-link",
                export: "usage-export-by-share-link",
                column: "usage-share-key",
                nothing: "usage-no-share-link",
            },
            ListenGroup::Referrer => Self {
                title: "usage-by-site",
                listens: "usage-listens-by-site",
                export: "usage-export-by-site",
                column: "usage-site",
                nothing: "usage-no-site",
            },
            ListenGroup::Country => Self {
                title: "usage-by-country",
                listens: "usage-listens-by-country",
                export: "usage-export-by-country",
                column: "usage-country",
                nothing: "usage-no-country",
            },
        }
    }
}

pub(super) struct ListenRow {
    pub(super) name: String,
    /// Whether the name is a country code, which scripts replace with the country's name.
    pub(super) is_country: bool,
    pub(super) link: Option<String>,
    pub(super) listens: String,
    pub(super) listeners: String,
    pub(super) heard: String,
    /// The path of the page that shows how far listeners get.
    pub(super) drop_off: Option<String>,
}

impl ListenTable {
    pub(super) fn new(
        member: &Member<Viewer>,
        group: ListenGroup,
        total: u64,
        rows: Vec<SubjectListens>,
    ) -> Self {
        Self {
            words: Words::of(group),
            group: group.as_str(),
            more: total.saturating_sub(rows.len() as u64),
            rows: rows.into_iter().map(|row| ListenRow::new(member, group, row)).collect(),
        }
    }
}

impl ListenRow {
    fn new(member: &Member<Viewer>, group: ListenGroup, row: SubjectListens) -> Self {
        let SubjectListens { id, title, counts } = row;
        let ListenCounts { listens, listeners, heard_millis, .. } = counts;
        // Permanently deleted items have no title, and no page.
        let (id, is_known) = (id.unwrap_or_default(), title.is_some());
        let path = |prefix: &str| is_known.then(|| member.path(&format!("{prefix}{id}")));
        let (link, unnamed) = match group {
            ListenGroup::Track => (path("/tracks/"), t("common-deleted-track").into()),
            ListenGroup::Collection => (path("/collections/"), t("common-deleted-collection").into()),
            ListenGroup::ShareLink => (None, t("usage-deleted-key").into()),
            ListenGroup::Day | ListenGroup::Referrer | ListenGroup::Country => {
                (None, if id.is_empty() { t("usage-other-sites").into() } else { id.clone() })
            }
        };
        Self {
            name: title.filter(|title| !title.is_empty()).unwrap_or(unnamed),
            is_country: group == ListenGroup::Country,
            link,
            listens: count(listens),
            listeners: count(listeners),
            heard: duration(heard_millis),
            drop_off: path("/usage/tracks/").filter(|_| group == ListenGroup::Track),
        }
    }
}

/// Deliveries.
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
        let unnamed = if link.is_some() { "common-deleted-track" } else { "usage-shared-covers" };
        Self::of(track.title.unwrap_or_else(|| t(unnamed).into()), link, track.counts)
    }

    pub(super) fn of_variant(variant: VariantUsage) -> Self {
        let name =
            variant.variant.map_or_else(|| t("usage-unknown-variant").into(), |index| index.to_string());
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

/// A track and the storage it uses.
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
