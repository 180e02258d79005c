//! `POST /v1/track/{track_id}/source`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{Text, TrackId};
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::extract::{Body, ManageKey, PathId};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ReplacementRecord, UploadDescriptor};

/// What changes with the file.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = track::source::create::Fields)]
pub(crate) struct ReplaceSourceBody {
    /// The name of the new file. Default: the track keeps its file name.
    #[schema(value_type = Option<NotBlank<1000>>)]
    file_name: Option<Text<1000>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::source::create::Created)]
pub(crate) struct Created {
    track_id: TrackId,
    source_replacement: ReplacementRecord,
    track_upload: UploadDescriptor,
}

/// Returns a URL for uploading a new file for a track that has one.
///
/// The track keeps its id, links and settings. Players get the old files until all new ones are made, then only new ones. If the
/// new file cannot be processed, the track keeps the old one. Old files are removed a day after they were replaced.
#[utoipa::path(
    post,
    path = "/track/{track_id}/source",
    tag = "Tracks",
    operation_id = "replace_track_source",
    params(("track_id" = TrackId, Path)),
    request_body(content = ReplaceSourceBody, example = json!({ "file_name": "dawn-remastered.wav" })),
    responses(
        (status = 200, body = Answer<Created>, description = "The upload URL, valid for one hour. It replaces an earlier one that was not used."),
        (status = 409, body = ErrorBody, description = "Another new file is being processed."),
        (status = 422, body = ErrorBody, description = "The track has no file yet."),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<ReplaceSourceBody>,
) -> Result<Answer<Created>, ApiError> {
    let file_name = body.file_name.map(Into::into);
    let (replacement, upload) = library.replace_source(&caller, track_id, file_name).await?;
    let created = Created { track_id, source_replacement: replacement.into(), track_upload: upload.into() };
    Ok(Answer::traced(request, created))
}
