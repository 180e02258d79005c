//! Replacements of the files of tracks.

use serde::Serialize;
use tonearm_domain::{Replacement, ReplacementId, ReplacementState, Timestamp};
use utoipa::ToSchema;

/// The replacement of the file of a track.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplacementRecord {
    id: ReplacementId,
    /// `waiting` for the upload, `processing`, `completed` (the track has the new file) or `failed` (the track keeps the old
    /// one).
    status: ReplacementState,
    /// Why the replacement failed, as a sentence.
    reason: Option<String>,
    /// The name of the new file. Null if the track keeps its file name.
    file_name: Option<String>,
    created_at: Timestamp,
    /// When the upload URL expires. Once it is completed: until when it can be undone.
    expires_at: Timestamp,
}

impl From<Replacement> for ReplacementRecord {
    fn from(replacement: Replacement) -> Self {
        let Replacement { id, state, reason, file_name, created_at, expires_at, .. } = replacement;
        Self { id, status: state, reason, file_name, created_at, expires_at }
    }
}
