//! `GET /v1/track/{track_id}/source`

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
#[schema(as = track::source::read::Found)]
pub(crate) struct ReplacementResponse {
    pub(super) track_id: TrackId,
    pub(super) source_replacement: ReplacementRecord,
}

/// Returns the last replacement of the file of a track, for two weeks.
#[utoipa::path(
    get,
    path = "/track/{track_id}/source",
    tag = "Tracks",
    operation_id = "read_track_source_replacement",
    params(("track_id" = TrackId, Path)),
    responses(
        (status = 200, body = Answer<ReplacementResponse>, description = "The replacement."),
        (status = 404, body = ErrorBody, description = "The file of the track was not replaced."),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<ReplacementResponse>, ApiError> {
    let source_replacement = library.replacement(&caller, track_id).await?.into();
    Ok(Answer::traced(request, ReplacementResponse { track_id, source_replacement }))
}
