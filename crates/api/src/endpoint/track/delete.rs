//! `DELETE /v1/track/{track_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::TrackId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, BasicTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::delete::Deleted)]
pub(crate) struct Deleted {
    track_id: TrackId,
    deleted_track: BasicTrack,
}

/// Deletes a track with its files and variants.
///
/// The files are removed in the background.
#[utoipa::path(
    delete,
    path = "/track/{track_id}",
    tag = "Tracks",
    operation_id = "delete_track",
    params(("track_id" = TrackId, Path)),
    responses((status = 200, body = Answer<Deleted>, description = "The deleted track.")),
    security(("api_key" = [])),
)]
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Deleted>, ApiError> {
    let deleted_track = library.delete_track(&caller, track_id).await?.into();
    Ok(Answer::traced(request, Deleted { track_id, deleted_track }))
}
