//! What was played.

use serde::Serialize;
use tonearm_domain::{Day, ShortId, TrackId, UsageCounts, VariantIndex};
use tonearm_service::UsageRows;
use utoipa::ToSchema;

/// Usage totals.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UsageSums {
    /// The sum of `stream_redirects` and `track_fetches`: requests, whether or not anything was heard. See `/v1/listens`.
    plays: u64,
    /// Requests of share links that were redirected to a file.
    stream_redirects: u64,
    /// Requests for a track of a play session.
    track_fetches: u64,
    /// Download URLs that were returned.
    downloads: u64,
    /// Deliveries of sound that started with the first byte of a file.
    starts: u64,
    /// Bytes delivered.
    bytes: u64,
}

impl From<UsageCounts> for UsageSums {
    fn from(counts: UsageCounts) -> Self {
        let UsageCounts { stream_redirects, track_fetches, downloads, starts, bytes } = counts;
        Self { plays: counts.plays(), stream_redirects, track_fetches, downloads, starts, bytes }
    }
}

/// The totals of a day, a track or a variant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum UsageRecord {
    Day(DayRecord),
    Track(TrackUsageRecord),
    Variant(VariantUsageRecord),
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DayRecord {
    day: Day,
    #[serde(flatten)]
    sums: UsageSums,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TrackUsageRecord {
    /// Kept after the track is deleted; null for covers of collections and of the organization.
    #[schema(required)]
    track_id: Option<TrackId>,
    /// The folder in the paths of the files.
    index: ShortId,
    #[serde(flatten)]
    sums: UsageSums,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantUsageRecord {
    /// The index of the variant, or the name of another file such as `cover-small`; null for tracks that were fetched
    /// with all their variants.
    #[schema(required)]
    variant: Option<VariantIndex>,
    #[serde(flatten)]
    sums: UsageSums,
}

impl UsageRecord {
    /// One record for each row.
    pub(crate) fn of(rows: UsageRows) -> Vec<Self> {
        match rows {
            UsageRows::Days(rows) => rows
                .into_iter()
                .map(|row| Self::Day(DayRecord { day: row.day, sums: row.counts.into() }))
                .collect(),
            UsageRows::Tracks(rows) => rows
                .into_iter()
                .map(|row| TrackUsageRecord {
                    track_id: row.track_id,
                    index: row.folder,
                    sums: row.counts.into(),
                })
                .map(Self::Track)
                .collect(),
            UsageRows::Variants(rows) => rows
                .into_iter()
                .map(|row| VariantUsageRecord { variant: row.variant, sums: row.counts.into() })
                .map(Self::Variant)
                .collect(),
        }
    }
}
