//! `POST /v1/play_session/:scope`: a scope is `collection` or `track`, each with an address of its own.

use axum::extract::State;
use http::Method;
use serde::{Deserialize, Serialize};
use tonearm_domain::{CollectionId, ExpiresIn, PlaySessionId, Timestamp, TrackId};
use tonearm_service::{Caller, GrantPlaySession, PlaySessionScope, Playback};
use utoipa::ToSchema;

use crate::ApiError;
use crate::extract::{Body, PathText, PlayKey, required};
use crate::router::method_not_allowed;
use crate::shapes::{Answer, OpenedBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = play_session::create::CollectionFields)]
pub(crate) struct CollectionFields {
    #[schema(required, value_type = CollectionId)]
    collection_id: Option<CollectionId>,
    /// Indexes of the variants to list, in this order; all playable ones unless told.
    variants: Option<Vec<String>>,
    /// Asks for downloads, which the key must allow too.
    is_downloadable: Option<bool>,
    expires_in: Option<ExpiresIn>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = play_session::create::TrackFields)]
pub(crate) struct TrackFields {
    #[schema(required, value_type = TrackId)]
    track_id: Option<TrackId>,
    /// Indexes of the variants to list, in this order; all playable ones unless told.
    variants: Option<Vec<String>>,
    /// Asks for downloads, which the key must allow too.
    is_downloadable: Option<bool>,
    expires_in: Option<ExpiresIn>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play_session::create::Created)]
pub(crate) struct Created {
    #[serde(flatten)]
    opened: OpenedBody,
    expires_at: Timestamp,
}

/// Grants a play session for a collection and answers all it takes to play its first track.
#[utoipa::path(
    post,
    path = "/v1/play_session/collection",
    tag = "Play sessions",
    operation_id = "create_collection_play_session",
    request_body(
        content = CollectionFields,
        example = json!({
            "collection_id": "019a0c3e-7d51-7c64-9d0b-2f4f6c1f8a10",
            "variants": ["hq", "preview"],
            "expires_in": 3600,
        }),
    ),
    responses((
        status = 200,
        body = Answer<Created>,
        description = "The session, the tracks that can be played, and all it takes to play the first.",
    )),
    security(("api_key" = [])),
)]
pub(crate) async fn for_collection(
    PlayKey(caller): PlayKey,
    State(playback): State<Playback>,
    Body(fields): Body<CollectionFields>,
) -> Result<Answer<Created>, ApiError> {
    let CollectionFields { collection_id, variants, is_downloadable, expires_in } = fields;
    let grant = GrantPlaySession {
        scope: PlaySessionScope::Collection(required("collection_id", collection_id)?),
        variants: variants.unwrap_or_default(),
        is_downloadable: is_downloadable.unwrap_or(false),
        expires_in: expires_in.unwrap_or_default(),
    };
    open(&caller, &playback, grant).await
}

/// Grants a play session for one track and answers all it takes to play it.
#[utoipa::path(
    post,
    path = "/v1/play_session/track",
    tag = "Play sessions",
    operation_id = "create_track_play_session",
    request_body(
        content = TrackFields,
        example = json!({ "track_id": "019a0c3f-0b7e-7a42-8f55-6f7a1f0f2c3d", "is_downloadable": true }),
    ),
    responses((
        status = 200,
        body = Answer<Created>,
        description = "The session, the track, and all it takes to play it.",
    )),
    security(("api_key" = [])),
)]
pub(crate) async fn for_track(
    PlayKey(caller): PlayKey,
    State(playback): State<Playback>,
    Body(fields): Body<TrackFields>,
) -> Result<Answer<Created>, ApiError> {
    let TrackFields { track_id, variants, is_downloadable, expires_in } = fields;
    let grant = GrantPlaySession {
        scope: PlaySessionScope::Track(required("track_id", track_id)?),
        variants: variants.unwrap_or_default(),
        is_downloadable: is_downloadable.unwrap_or(false),
        expires_in: expires_in.unwrap_or_default(),
    };
    open(&caller, &playback, grant).await
}

async fn open(
    caller: &Caller,
    playback: &Playback,
    grant: GrantPlaySession,
) -> Result<Answer<Created>, ApiError> {
    let opened = playback.grant_play_session(caller, grant).await?;
    let expires_at = opened.session.expires_at;
    Ok(Answer::plain(Created { opened: opened.into(), expires_at }))
}

/// What else is sent to `/v1/play_session/{…}`: an unknown scope where a scope can stand, which is everything that is
/// not the address of a session.
pub(crate) async fn elsewhere(
    method: Method,
    key: Result<PlayKey, ApiError>,
    PathText(scope): PathText,
) -> ApiError {
    if method != Method::POST || scope.parse::<PlaySessionId>().is_ok() {
        return method_not_allowed().await;
    }
    match (key, scope.as_str()) {
        (Err(error), _) => error,
        (Ok(_), "playlist") => ApiError::invalid("scope", "playlist is reserved; use collection or track"),
        (Ok(_), _) => ApiError::invalid("scope", "is collection or track"),
    }
}
