//! `POST /v1/track/{track_id}/retry`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::TrackId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, FullTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::retry::Retried)]
pub(crate) struct Retried {
    track_id: TrackId,
    track: FullTrack,
}

/// Processes a track once more.
///
/// Works for every final status as long as the upload is there. Variants that were made stay; those that failed or are
/// missing are made.
#[utoipa::path(
    post,
    path = "/v1/track/{track_id}/retry",
    tag = "Tracks",
    operation_id = "retry_track",
    params(("track_id" = TrackId, Path)),
    responses((status = 200, body = Answer<Retried>, description = "The track, back in processing.")),
    security(("api_key" = [])),
)]
pub(crate) async fn retry(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Retried>, ApiError> {
    let track = FullTrack::new(library.retry_track(&caller, track_id).await?, library.links());
    Ok(Answer::traced(request, Retried { track_id, track }))
}
