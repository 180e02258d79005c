//! `GET /v1/play/{play_session_id}`

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use tonearm_domain::{PlaySessionId, TrackId};
use tonearm_service::Playback;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::ApiError;
use crate::extract::{PathId, query};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ListedTrack, PlaySessionCore};

/// The track ids in the query.
pub(crate) struct TrackIds(Vec<TrackId>);

/// The ids as text, so that an error about an invalid id can name the parameter.
#[derive(Debug, Deserialize)]
struct TrackIdsText {
    track_ids: Option<String>,
}

impl FromRequestParts<App> for TrackIds {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, ApiError> {
        let text: TrackIdsText = query(parts)?;
        let text = text.track_ids.unwrap_or_default();
        let ids = text.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::parse);
        let ids = ids.collect::<Result<_, _>>();
        Ok(Self(ids.map_err(|_| ApiError::invalid("track_ids", "must be track ids, separated by commas"))?))
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play::describe::Described)]
pub(crate) struct DescribedTracks {
    play_session_id: PlaySessionId,
    play_session: PlaySessionCore,
    /// The tracks that the session can play, in the order of the request. Others are left out.
    tracks: Vec<ListedTrack>,
}

/// Returns titles and lengths of some tracks of a session, for a list of them. Nothing is counted.
#[utoipa::path(
    get,
    path = "/play/{play_session_id}",
    tag = "Play sessions",
    operation_id = "describe_tracks",
    params(
        ("play_session_id" = PlaySessionId, Path),
        ("track_ids" = String, Query, pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(,[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}){0,99}$", description = "1 to 100 ids of tracks, separated by commas."),
    ),
    responses((status = 200, body = Answer<DescribedTracks>, description = "The tracks, without signed URLs.")),
)]
pub(crate) async fn describe(
    PathId(session_id): PathId<PlaySessionId>,
    TrackIds(track_ids): TrackIds,
    request: CurrentRequest,
    State(playback): State<Playback>,
) -> Result<Answer<DescribedTracks>, ApiError> {
    let (session, tracks) = playback.describe_tracks(session_id, &track_ids).await?;
    let tracks = tracks.into_iter().map(Into::into).collect();
    Ok(Answer::traced(
        request,
        DescribedTracks { play_session_id: session_id, play_session: session.into(), tracks },
    ))
}
