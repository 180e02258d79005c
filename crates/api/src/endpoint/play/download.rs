//! `GET /v1/play/{play_session_id}/{play_track_id}/{variant_index}/download`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{PlaySessionId, TrackId};
use tonearm_service::Playback;
use utoipa::ToSchema;

use crate::ApiError;
use crate::extract::{PathId, PathText};
use crate::shapes::Answer;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play::download::Downloaded)]
pub(crate) struct Downloaded {
    play_session_id: PlaySessionId,
    track_id: TrackId,
    download: DownloadRecord,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play::download::DownloadRecord)]
struct DownloadRecord {
    variant: String,
    url: String,
}

/// A URL that a browser saves, valid for 30 seconds.
#[utoipa::path(
    get,
    path = "/v1/play/{play_session_id}/{play_track_id}/{variant_index}/download",
    tag = "Play sessions",
    operation_id = "download_track",
    params(
        ("play_session_id" = PlaySessionId, Path),
        ("play_track_id" = TrackId, Path),
        ("variant_index" = String, Path),
    ),
    responses((status = 200, body = Answer<Downloaded>, description = "A URL that a browser saves, valid for 30 seconds.")),
)]
pub(crate) async fn download(
    PathId(session_id): PathId<PlaySessionId>,
    PathId(track_id): PathId<TrackId>,
    PathText(variant_index): PathText,
    State(playback): State<Playback>,
) -> Result<Answer<Downloaded>, ApiError> {
    let download = playback.download(session_id, track_id, &variant_index).await?;
    Ok(Answer::plain(Downloaded {
        play_session_id: session_id,
        track_id,
        download: DownloadRecord { variant: download.variant, url: download.url },
    }))
}
