//! `POST /v1/upload_session`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{CollectionId, CreatorId, ExpiresIn, Metadata, Text, TrackId};
use tonearm_service::{CreateUploadSession, CreatedUploadSession, Uploads};
use utoipa::ToSchema;

use crate::endpoint::track::create::CreateTrackBody;
use crate::error::ApiError;
use crate::extract::{Body, UploadKey};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, SessionTrackRecord, UploadDescriptor, UploadSessionBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = upload_session::create::Fields)]
pub(crate) struct CreateUploadSessionBody {
    /// Required unless the key is limited to a collection.
    collection_id: Option<CollectionId>,
    creator_id: Option<CreatorId>,
    /// Your own id for the session. Its tracks have their own.
    organization_index: Option<Text<1000>>,
    /// Of the session itself. Its tracks have their own.
    metadata: Option<Metadata>,
    expires_in: Option<ExpiresIn>,
    /// A first track, so that one request is enough for a single file.
    track: Option<CreateTrackBody>,
}

/// The last four fields are present only if the request contained a first track.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload_session::create::Created)]
pub(crate) struct Created {
    #[serde(flatten)]
    session: UploadSessionBody,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = TrackId)]
    track_id: Option<TrackId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = SessionTrackRecord)]
    track: Option<SessionTrackRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = UploadDescriptor)]
    track_upload: Option<UploadDescriptor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = UploadDescriptor)]
    track_cover_upload: Option<UploadDescriptor>,
}

impl From<CreatedUploadSession> for Created {
    fn from(CreatedUploadSession { view, track }: CreatedUploadSession) -> Self {
        let record = track.as_ref().map(SessionTrackRecord::from);
        let track_id = track.as_ref().map(|track| track.track.track.id);
        let (source, cover) = track.map(|track| (track.handles.track, track.handles.cover)).unzip();
        Self {
            session: view.into(),
            track_id,
            track: record,
            track_upload: source.map(Into::into),
            track_cover_upload: cover.map(Into::into),
        }
    }
}

/// Creates an upload session, and a first track in it if the request contains one.
#[utoipa::path(
    post,
    path = "/upload_session",
    tag = "Upload sessions",
    operation_id = "create_upload_session",
    request_body(content = CreateUploadSessionBody, example = json!({ "collection_id": "019a0c3e-7d51-7c64-9d0b-2f4f6c1f8a10", "expires_in": 7200 })),
    responses((status = 200, body = Answer<Created>, description = "The session, and its first track if the request contained one.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    UploadKey(caller): UploadKey,
    request: CurrentRequest,
    State(uploads): State<Uploads>,
    Body(body): Body<CreateUploadSessionBody>,
) -> Result<Answer<Created>, ApiError> {
    let create = CreateUploadSession {
        collection_id: body.collection_id,
        creator_id: body.creator_id,
        organization_index: body.organization_index.map(Into::into),
        metadata: body.metadata.unwrap_or_default(),
        expires_in: body.expires_in.unwrap_or_default(),
        track: body.track.map(|track| track.into_track("track.file_name")).transpose()?,
    };
    let created = uploads.create_upload_session(&caller, create).await?;
    Ok(Answer::traced(request, created.into()))
}
