//! `DELETE /v1/track/{track_id}/cover`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{CoverOwner, TrackId};
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, FullTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::remove_cover::Removed)]
pub(crate) struct Removed {
    track_id: TrackId,
    track: FullTrack,
}

/// Removes the uploaded cover of a track. The art in its file, or a drawn cover, then takes its place.
#[utoipa::path(
    delete,
    path = "/track/{track_id}/cover",
    tag = "Tracks",
    operation_id = "remove_track_cover",
    params(("track_id" = TrackId, Path)),
    responses((status = 200, body = Answer<Removed>, description = "The track. Its own cover is made in the background.")),
    security(("api_key" = [])),
)]
pub(crate) async fn remove_cover(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Removed>, ApiError> {
    library.reset_cover(&caller, CoverOwner::Track(track_id)).await?;
    let view = library.track(&caller, track_id).await?;
    Ok(Answer::traced(request, Removed { track_id, track: FullTrack::new(view, library.links()) }))
}
