//! The response to a complete upload of a source.

use serde::Serialize;
use tonearm_domain::TrackId;
use tonearm_service::AcceptedUpload;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload::source::Accepted)]
pub(crate) struct AcceptedSource {
    track_id: TrackId,
    size: u64,
    /// In hexadecimal.
    sha256: String,
}

impl From<AcceptedUpload> for AcceptedSource {
    fn from(upload: AcceptedUpload) -> Self {
        Self { track_id: upload.track_id, size: upload.size, sha256: hex::encode(upload.sha256) }
    }
}
