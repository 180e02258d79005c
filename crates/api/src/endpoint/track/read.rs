//! `GET /v1/track/{track_id}`

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
#[schema(as = track::read::Found)]
pub(crate) struct Found {
    track_id: TrackId,
    track: FullTrack,
}

/// One track, in full.
#[utoipa::path(
    get,
    path = "/v1/track/{track_id}",
    tag = "Tracks",
    operation_id = "read_track",
    params(("track_id" = TrackId, Path)),
    responses((status = 200, body = Answer<Found>, description = "The full record.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Found>, ApiError> {
    let track = FullTrack::new(library.track(&caller, track_id).await?, library.links());
    Ok(Answer::traced(request, Found { track_id, track }))
}
