//! `POST /v1/play_session/:scope`: a scope is `collection` or `track`, each with an address of its own.

use axum::extract::State;
use axum::response::Response;
use http::Method;
use serde::Deserialize;
use tonearm_domain::{CollectionId, ExpiresIn, Metadata, PlaySessionId, Text, Timestamp, TrackId};
use tonearm_service::{Caller, GrantPlaySession, PlaySessionScope, Playback};
use utoipa::ToSchema;

use super::described::Described;
use crate::error::ApiError;
use crate::extract::{Body, PathText, PlayKey, required};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, OpenedBody, opened};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = play_session::create::Fields)]
pub(crate) struct Fields {
    /// Required if the scope is `collection`.
    collection_id: Option<CollectionId>,
    /// Required if the scope is `track`.
    track_id: Option<TrackId>,
    /// Indexes of the variants to list, in this order. Default: all playable variants.
    variants: Option<Vec<String>>,
    organization_index: Option<Text<1000>>,
    metadata: Option<Metadata>,
    /// Requests downloads, which the key must also allow.
    #[schema(default = false)]
    is_downloadable: Option<bool>,
    expires_in: Option<ExpiresIn>,
}

impl Fields {
    fn into_grant(self, scope: PlaySessionScope) -> GrantPlaySession {
        GrantPlaySession {
            scope,
            variants: self.variants.unwrap_or_default(),
            organization_index: self.organization_index.map(Into::into),
            metadata: self.metadata.unwrap_or_default(),
            is_downloadable: self.is_downloadable.unwrap_or(false),
            expires_in: self.expires_in.unwrap_or_default(),
        }
    }
}

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
        content = Described,
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
    Body(mut fields): Body<Fields>,
) -> Result<Response, ApiError> {
    let scope = PlaySessionScope::Collection(required("collection_id", fields.collection_id.take())?);
    open(&caller, request, &playback, fields.into_grant(scope)).await
}

/// The same for one track.
pub(crate) async fn for_track(
    PlayKey(caller): PlayKey,
    request: CurrentRequest,
    State(playback): State<Playback>,
    Body(mut fields): Body<Fields>,
) -> Result<Response, ApiError> {
    let scope = PlaySessionScope::Track(required("track_id", fields.track_id.take())?);
    open(&caller, request, &playback, fields.into_grant(scope)).await
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

/// What else is sent to `/v1/play_session/{…}`: an unknown scope where a scope can stand, which is everything that is
/// not the address of a session.
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
