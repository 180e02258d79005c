//! `POST /v1/track/{track_id}/source/undo`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{ReplacementId, TrackId};
use tonearm_service::Uploads;
use utoipa::ToSchema;

use super::read::ReplacementResponse;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Body, ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// What is undone.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = track::source::undo::Fields)]
pub(crate) struct UndoBody {
    /// The id of the latest replacement of the track.
    replacement_id: ReplacementId,
}

/// Puts the file back that a track had before a completed replacement. This is a replacement, too: players get the current
/// files until all have been made from the former one, and it can be undone itself.
#[utoipa::path(
    post,
    path = "/track/{track_id}/source/undo",
    tag = "Tracks",
    operation_id = "undo_track_source_replacement",
    params(("track_id" = TrackId, Path)),
    request_body(content = UndoBody),
    responses(
        (status = 200, body = Answer<ReplacementResponse>, description = "The replacement that puts the former file back."),
        (status = 404, body = ErrorBody, description = "The file of the track was not replaced."),
        (status = 409, body = ErrorBody, description = "The replacement is not the latest one, was not completed, or was completed more than a day ago."),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn undo(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(uploads): State<Uploads>,
    Body(body): Body<UndoBody>,
) -> Result<Answer<ReplacementResponse>, ApiError> {
    let source_replacement = uploads.undo_replacement(&caller, track_id, body.replacement_id).await?.into();
    Ok(Answer::traced(request, ReplacementResponse { track_id, source_replacement }))
}
