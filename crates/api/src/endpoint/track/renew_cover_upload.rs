//! `POST /v1/track/{track_id}/cover`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::TrackId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ReducedTrack, UploadDescriptor};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::renew_cover_upload::Renewed)]
pub(crate) struct Renewed {
    track_id: TrackId,
    track: ReducedTrack,
    track_cover_upload: UploadDescriptor,
}

/// Returns a new URL for uploading the track's cover.
#[utoipa::path(
    post,
    path = "/track/{track_id}/cover",
    tag = "Tracks",
    operation_id = "renew_track_cover_upload",
    params(("track_id" = TrackId, Path)),
    responses((status = 200, body = Answer<Renewed>, description = "The upload URL, valid for one hour.")),
    security(("api_key" = [])),
)]
pub(crate) async fn renew_cover_upload(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Renewed>, ApiError> {
    let (track, cover) = library.renew_cover_upload(&caller, track_id).await?;
    let renewed = Renewed {
        track_id,
        track: ReducedTrack::new(track, library.links()),
        track_cover_upload: cover.into(),
    };
    Ok(Answer::traced(request, renewed))
}
