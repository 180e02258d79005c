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
    fn from(QuotaView { quotas, used }: QuotaView) -> Self {
        let state = |limit, used| QuotaState { limit, used };
        Self {
            bytes: state(quotas.bytes, used.bytes),
            tracks: state(quotas.tracks, used.tracks),
            minutes: state(quotas.minutes, used.minutes()),
        }
    }
}
