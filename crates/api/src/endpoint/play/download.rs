//! `GET /v1/play/{play_session_id}/{play_track_id}/{variant_index}/download`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{PlaySessionId, Timestamp, TrackId};
use tonearm_service::Playback;
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::extract::{PathId, PathText, RequestVisit};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play::download::Downloaded)]
pub(crate) struct Downloaded {
    play_session_id: PlaySessionId,
    track_id: TrackId,
    download: DownloadRecord,
    /// When the URL expires; the same as in `download`.
    expires_at: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play::download::DownloadRecord)]
struct DownloadRecord {
    variant: String,
    url: String,
    /// When the URL expires.
    expires_at: Timestamp,
}

/// Returns a URL that browsers save as a file, valid for 30 seconds.
#[utoipa::path(
    get,
    path = "/play/{play_session_id}/{play_track_id}/{variant_index}/download",
    tag = "Play sessions",
    operation_id = "download_track",
    params(
        ("play_session_id" = PlaySessionId, Path),
        ("play_track_id" = TrackId, Path),
        ("variant_index" = String, Path),
    ),
    responses(
        (status = 200, body = Answer<Downloaded>, description = "The download URL, valid for 30 seconds."),
        (status = 403, body = ErrorBody, description = "The session does not allow downloads."),
    ),
)]
pub(crate) async fn download(
    PathId(session_id): PathId<PlaySessionId>,
    PathId(track_id): PathId<TrackId>,
    PathText(variant_index): PathText,
    visit: RequestVisit,
    request: CurrentRequest,
    State(playback): State<Playback>,
) -> Result<Answer<Downloaded>, ApiError> {
    let download = playback.download(session_id, track_id, &variant_index, visit.counted().as_ref()).await?;
    let expires_at = download.expires_at;
    let record = DownloadRecord { variant: download.variant, url: download.url, expires_at };
    let downloaded = Downloaded { play_session_id: session_id, track_id, download: record, expires_at };
    Ok(Answer::traced(request, downloaded))
}
