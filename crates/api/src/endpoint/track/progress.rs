//! `GET /v1/track/{track_id}/progress`

use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use tonearm_domain::TrackId;
use tonearm_service::{Access, Library, Streams};

use super::progress_events::ProgressEvents;
use super::progress_record::Progress;
use crate::accept::takes_events;
use crate::bearer::bearer;
use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// The API key of a request for events; `None` if JSON is requested.
pub(crate) struct EventKey(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for EventKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        if !takes_events(&parts.headers) {
            return Ok(Self(None));
        }
        bearer(&parts.headers).map(|key| Self(Some(key.to_owned())))
    }
}

/// Returns how far the processing of a track is.
///
/// With `Accept: text/event-stream`, the response is a stream of server-sent events: `progress`, with the progress as JSON, at
/// the beginning and after each change. The stream ends after the final status, or after half an hour; if it ends
/// earlier, request it again. An event `error` with `code` and `message` says why a stream ended early.
#[utoipa::path(
    get,
    path = "/track/{track_id}/progress",
    tag = "Tracks",
    operation_id = "read_track_progress",
    params(("track_id" = TrackId, Path)),
    responses((
        status = 200,
        description = "The progress.",
        content((Answer<Progress> = "application/json"), (String = "text/event-stream")),
    )),
    security(("api_key" = [])),
)]
pub(crate) async fn progress(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    EventKey(key): EventKey,
    request: CurrentRequest,
    State(library): State<Library>,
    State(access): State<Access>,
    State(streams): State<Streams>,
) -> Result<Response, ApiError> {
    match key {
        Some(key) => {
            let place = ProgressEvents::place(&streams, &caller)?;
            let track = library.follow_track(&caller, track_id).await?;
            Ok(ProgressEvents::new(track, place, access, key).into_response())
        }
        None => {
            let progress = Progress::from(&library.track_progress(&caller, track_id).await?);
            Ok(Answer::traced(request, progress).into_response())
        }
    }
}
