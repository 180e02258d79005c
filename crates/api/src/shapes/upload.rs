//! Where to send a track's bytes.

use serde::Serialize;
use tonearm_domain::{ShortId, Timestamp, TrackId};
use tonearm_service::{SessionTrack, UploadHandle, UploadHandles};
use utoipa::ToSchema;

/// A signed URL for uploading a file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UploadDescriptor {
    method: &'static str,
    upload_url: String,
    /// Lifetime of the URL in seconds.
    ttl: u32,
    expires_at: Timestamp,
}

/// The URLs for uploading the file of a track and its cover.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UploadDescriptors {
    track_upload: UploadDescriptor,
    track_cover_upload: UploadDescriptor,
}

/// A track in an upload session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionTrackRecord {
    id: TrackId,
    index: ShortId,
    /// The folder of the files of the track.
    path: String,
    /// The beginning of the durable path of each file; append `_{variant index}.{extension}`.
    base_path: String,
    /// The same as a URL. Sign it with a signing key of the organization.
    base_url: String,
    upload_url: String,
}

impl From<UploadHandle> for UploadDescriptor {
    fn from(handle: UploadHandle) -> Self {
        let UploadHandle { method, upload_url, ttl, expires_at } = handle;
        Self { method, upload_url, ttl, expires_at }
    }
}

impl From<UploadHandles> for UploadDescriptors {
    fn from(handles: UploadHandles) -> Self {
        Self { track_upload: handles.track.into(), track_cover_upload: handles.cover.into() }
    }
}

impl From<&SessionTrack> for SessionTrackRecord {
    fn from(SessionTrack { track, handles, base }: &SessionTrack) -> Self {
        let track = &track.track;
        Self {
            id: track.id,
            index: track.index,
            path: format!("{}/{}", track.organization_id, track.index),
            base_path: base.base_path.clone(),
            base_url: base.base_url.clone(),
            upload_url: handles.track.upload_url.clone(),
        }
    }
}
