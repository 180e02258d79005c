//! `DELETE /v1/track/{track_id}/source`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::TrackId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ReplacementRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::source::cancel::Cancelled)]
pub(crate) struct Cancelled {
    track_id: TrackId,
    /// The replacement that puts the former file back, if one was undone.
    source_replacement: Option<ReplacementRecord>,
}

/// Cancels the replacement of the file of a track, which keeps the file that it has. The upload URL becomes invalid. A
/// completed replacement is undone: for a day, the former file can be put back.
#[utoipa::path(
    delete,
    path = "/track/{track_id}/source",
    tag = "Tracks",
    operation_id = "cancel_track_source_replacement",
    params(("track_id" = TrackId, Path)),
    responses(
        (status = 200, body = Answer<Cancelled>, description = "The replacement is cancelled, or is being undone."),
        (status = 404, body = ErrorBody, description = "The file of the track is not being replaced."),
        (status = 409, body = ErrorBody, description = "The replacement has failed, or was completed too long ago."),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn cancel(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Cancelled>, ApiError> {
    let source_replacement = library.cancel_replacement(&caller, track_id).await?.map(Into::into);
    Ok(Answer::traced(request, Cancelled { track_id, source_replacement }))
}
