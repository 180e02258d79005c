//! `POST /v1/upload_session`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{CollectionId, CreatorId, ExpiresIn, Metadata, Text, TrackId};
use tonearm_service::{CreateUploadSession, SessionTrack, Uploads};
use utoipa::ToSchema;

use crate::ApiError;
use crate::endpoint::track::create as track;
use crate::extract::{Body, UploadKey};
use crate::shapes::{Answer, SessionTrackRecord, UploadDescriptors, UploadSessionBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = upload_session::create::Fields)]
pub(crate) struct Fields {
    collection_id: Option<CollectionId>,
    creator_id: Option<CreatorId>,
    organization_index: Option<Text<1000>>,
    metadata: Option<Metadata>,
    expires_in: Option<ExpiresIn>,
    track: Option<track::Fields>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload_session::create::Created)]
pub(crate) struct Created {
    #[serde(flatten)]
    session: UploadSessionBody,
    /// Where the body asked for a first track.
    #[serde(flatten)]
    track: Option<CreatedTrack>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload_session::create::CreatedTrack)]
struct CreatedTrack {
    track_id: TrackId,
    track: SessionTrackRecord,
    #[serde(flatten)]
    uploads: UploadDescriptors,
}

impl From<SessionTrack> for CreatedTrack {
    fn from(created: SessionTrack) -> Self {
        Self {
            track_id: created.track.track.id,
            track: SessionTrackRecord::from(&created),
            uploads: created.handles.into(),
        }
    }
}

/// Makes an upload session, and a first track in it where the body has one.
#[utoipa::path(
    post,
    path = "/v1/upload_session",
    tag = "Upload sessions",
    operation_id = "create_upload_session",
    request_body = Fields,
    responses((status = 200, body = Answer<Created>, description = "Done.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    UploadKey(caller): UploadKey,
    State(uploads): State<Uploads>,
    Body(fields): Body<Fields>,
) -> Result<Answer<Created>, ApiError> {
    let create = CreateUploadSession {
        collection_id: fields.collection_id,
        creator_id: fields.creator_id,
        organization_index: fields.organization_index.map(Into::into),
        metadata: fields.metadata.unwrap_or_default(),
        expires_in: fields.expires_in.unwrap_or_default(),
        track: fields.track.map(|track| track.into_track("track.file_name")).transpose()?,
    };
    let created = uploads.create_upload_session(&caller, create).await?;
    Ok(Answer::plain(Created { session: created.view.into(), track: created.track.map(Into::into) }))
}
