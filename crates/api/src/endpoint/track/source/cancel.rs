//! `DELETE /v1/track/{track_id}/source`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::TrackId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::source::cancel::Cancelled)]
pub(crate) struct Cancelled {
    track_id: TrackId,
}

/// Cancels the replacement of the file of a track, which keeps the file that it has. The upload URL becomes invalid.
#[utoipa::path(
    delete,
    path = "/track/{track_id}/source",
    tag = "Tracks",
    operation_id = "cancel_track_source_replacement",
    params(("track_id" = TrackId, Path)),
    responses(
        (status = 200, body = Answer<Cancelled>, description = "The replacement is cancelled."),
        (status = 404, body = ErrorBody, description = "The file of the track is not being replaced."),
        (status = 409, body = ErrorBody, description = "The replacement has ended."),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn cancel(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Cancelled>, ApiError> {
    library.cancel_replacement(&caller, track_id, None).await?;
    Ok(Answer::traced(request, Cancelled { track_id }))
}
