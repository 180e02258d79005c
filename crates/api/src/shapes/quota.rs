//! Quotas in responses.

use serde::Serialize;
use tonearm_service::QuotaView;
use utoipa::ToSchema;

/// The quotas of an organization.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct QuotaRecord {
    /// Bytes of sources, files and covers. Those of deleted tracks count until they are purged.
    bytes: QuotaState,
    /// Tracks that are not deleted.
    tracks: QuotaState,
    /// Minutes of audio in these tracks, rounded up. A track counts once it has been probed.
    minutes: QuotaState,
    /// Records in the database: tracks, collections, sessions, keys, stored answers and all others. Those of deleted
    /// tracks and expired sessions count until they are removed; of a deleted track, one record stays. The limit is that
    /// of every organization.
    records: QuotaState,
    /// Bytes of text and metadata in these records.
    metadata: QuotaState,
}

/// A quota, and what is used of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct QuotaState {
    /// The limit; null if there is none.
    #[schema(required = true)]
    limit: Option<u64>,
    used: u64,
}

impl From<QuotaView> for QuotaRecord {
    fn from(QuotaView { quotas, used, record_limits, records }: QuotaView) -> Self {
        let state = |limit, used| QuotaState { limit, used };
        Self {
            bytes: state(quotas.bytes, used.bytes),
            tracks: state(quotas.tracks, used.tracks),
            minutes: state(quotas.minutes, used.minutes()),
            records: state(record_limits.records, records.records),
            metadata: state(record_limits.metadata, records.metadata),
        }
    }
}
