//! `GET /v1/play/{play_session_id}/{play_track_id}/captions`

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use tonearm_domain::{PlaySessionId, TrackId};
use tonearm_service::Playback;

use crate::error::ApiError;
use crate::extract::PathId;

/// Returns the transcript of a track of a session as WebVTT, for `<track kind="captions">`. The times are those of the audio in
/// the session: if it has only a preview, they are counted from the start of the preview. Without a transcript, there are no
/// cues.
#[utoipa::path(
    get,
    path = "/play/{play_session_id}/{play_track_id}/captions",
    tag = "Play sessions",
    operation_id = "track_captions",
    params(("play_session_id" = PlaySessionId, Path), ("play_track_id" = TrackId, Path)),
    responses((status = 200, body = String, content_type = "text/vtt", description = "The captions.")),
)]
pub(crate) async fn captions(
    PathId(session_id): PathId<PlaySessionId>,
    PathId(track_id): PathId<TrackId>,
    State(playback): State<Playback>,
) -> Result<Response, ApiError> {
    let captions = playback.session_captions(session_id, track_id).await?;
    let headers = [(CONTENT_TYPE, "text/vtt; charset=utf-8"), (CACHE_CONTROL, "no-store")];
    Ok((headers, captions).into_response())
}
