//! `POST /v1/upload/{upload_session_id}/track`

use axum::Extension;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{ClientAddress, Metadata, Text, TrackId, UploadSessionId};
use tonearm_service::{CreateTrack, Uploads};
use utoipa::ToSchema;

use crate::endpoint::track::create::file_or_url;
use crate::error::ApiError;
use crate::extract::{Body, ValidUploadSession};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, SessionTrackRecord, UploadDescriptors, UploadSessionRecord};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = upload_session::create_track::Fields)]
pub(crate) struct UploadTrackBody {
    /// Required unless `source_url` is given.
    #[schema(value_type = NotBlank<1000>, required = false)]
    file_name: Option<Text<1000>>,
    /// An `http` or `https` URL from which the file is imported, or `s3://bucket/key` for a bucket for which the organization has
    /// credentials. See docs/importing.md.
    #[schema(value_type = Option<NotBlank<8000>>)]
    source_url: Option<Text<8000>>,
    organization_index: Option<Text<1000>>,
    metadata: Option<Metadata>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload_session::create_track::Created)]
pub(crate) struct Created {
    upload_session_id: UploadSessionId,
    track_id: TrackId,
    track: SessionTrackRecord,
    upload_session: UploadSessionRecord,
    #[serde(flatten)]
    uploads: UploadDescriptors,
}

/// Creates a track in an upload session. The session's id is the credential.
#[utoipa::path(
    post,
    path = "/upload/{upload_session_id}/track",
    tag = "Upload sessions",
    operation_id = "create_upload_session_track",
    params(("upload_session_id" = UploadSessionId, Path)),
    request_body(content = UploadTrackBody, example = json!({ "file_name": "dawn.wav", "organization_index": "rec-0042" })),
    responses((status = 200, body = Answer<Created>, description = "The track, and the URLs for uploading its file and its cover.")),
)]
pub(crate) async fn create_track(
    ValidUploadSession(upload_session_id): ValidUploadSession,
    client: Option<Extension<ClientAddress>>,
    request: CurrentRequest,
    State(uploads): State<Uploads>,
    Body(body): Body<UploadTrackBody>,
) -> Result<Answer<Created>, ApiError> {
    let (file_name, source_url) = file_or_url("file_name", body.file_name, body.source_url)?;
    let create = CreateTrack {
        file_name,
        source_url,
        organization_index: body.organization_index.map(Into::into),
        metadata: body.metadata.unwrap_or_default(),
        ..CreateTrack::default()
    };
    let address = client.map(|Extension(client)| client.ip());
    let (view, created) = uploads.create_session_track(address, upload_session_id, create).await?;
    Ok(Answer::traced(
        request,
        Created {
            upload_session_id,
            track_id: created.track.track.id,
            track: SessionTrackRecord::from(&created),
            upload_session: view.session.into(),
            uploads: created.handles.into(),
        },
    ))
}
