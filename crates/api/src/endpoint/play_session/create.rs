//! `POST /v1/play_session/:scope`: the scope is `collection` or `track`, and each has its own route.

use axum::extract::State;
use axum::response::Response;
use http::Method;
use tonearm_domain::{PlaySessionId, Timestamp};
use tonearm_service::{Caller, GrantPlaySession, PlaySessionScope, Playback};
use utoipa::ToSchema;

use super::create_body::{CreatePlaySessionBody, CreatePlaySessionSchema};
use crate::error::ApiError;
use crate::extract::{Body, PathText, PlayKey, required};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, OpenedBody, opened};

/// The response to creating a play session.
#[derive(Debug, ToSchema)]
#[schema(as = play_session::create::Created)]
#[expect(dead_code, reason = "describes what is written in parts")]
pub(crate) struct Created {
    #[serde(flatten)]
    opened: OpenedBody,
    expires_at: Timestamp,
}

/// Creates a play session for a collection or a track and returns everything needed to play its first track.
#[utoipa::path(
    post,
    path = "/play_session/{scope}",
    tag = "Play sessions",
    operation_id = "create_play_session",
    params((
        "scope" = String,
        Path,
        pattern = "^(collection|track)$",
        description = "`collection` or `track`. `playlist` is reserved and returns 400.",
    )),
    request_body(
        content = CreatePlaySessionSchema,
        example = json!({
            "collection_id": "019a0c3e-7d51-7c64-9d0b-2f4f6c1f8a10",
            "variants": ["hq", "preview"],
            "expires_in": 3600,
        }),
    ),
    responses((
        status = 200,
        body = Answer<Created>,
        description = "The session, its playable tracks, and everything needed to play the first one.",
    )),
    security(("api_key" = [])),
)]
pub(crate) async fn for_collection(
    PlayKey(caller): PlayKey,
    request: CurrentRequest,
    State(playback): State<Playback>,
    Body(mut body): Body<CreatePlaySessionBody>,
) -> Result<Response, ApiError> {
    let scope = PlaySessionScope::Collection(required("collection_id", body.collection_id.take())?);
    open(&caller, request, &playback, body.into_grant(scope)).await
}

/// Creates a play session for one track.
pub(crate) async fn for_track(
    PlayKey(caller): PlayKey,
    request: CurrentRequest,
    State(playback): State<Playback>,
    Body(mut body): Body<CreatePlaySessionBody>,
) -> Result<Response, ApiError> {
    let scope = PlaySessionScope::Track(required("track_id", body.track_id.take())?);
    open(&caller, request, &playback, body.into_grant(scope)).await
}

async fn open(
    caller: &Caller,
    request: CurrentRequest,
    playback: &Playback,
    grant: GrantPlaySession,
) -> Result<Response, ApiError> {
    let granted = playback.grant_play_session(caller, grant).await?;
    let expires_at = granted.session.expires_at;
    opened(request, granted, Some(expires_at))
}

/// Answers all other requests to `/v1/play_session/{…}`. A path segment that is not the id of a session is treated as
/// an unknown scope.
pub(crate) async fn elsewhere(
    method: Method,
    key: Result<PlayKey, ApiError>,
    PathText(scope): PathText,
) -> ApiError {
    if method != Method::POST || scope.parse::<PlaySessionId>().is_ok() {
        return ApiError::method_not_allowed();
    }
    match (key, scope.as_str()) {
        (Err(error), _) => error,
        (Ok(_), "playlist") => {
            ApiError::invalid("scope", "`playlist` is reserved; use `collection` or `track`")
        }
        (Ok(_), _) => ApiError::invalid("scope", "must be `collection` or `track`"),
    }
}
