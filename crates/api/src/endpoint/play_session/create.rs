//! `POST /v1/play_session/{scope}`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{CollectionId, ExpiresIn, Timestamp, TrackId};
use tonearm_service::{GrantPlaySession, PlaySessionScope, Playback};
use utoipa::ToSchema;

use crate::ApiError;
use crate::extract::{Body, PathText, PlayKey, required};
use crate::shapes::{Answer, OpenedBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = play_session::create::Fields)]
pub(crate) struct Fields {
    variants: Option<Vec<String>>,
    collection_id: Option<CollectionId>,
    track_id: Option<TrackId>,
    is_downloadable: Option<bool>,
    expires_in: Option<ExpiresIn>,
}

impl Fields {
    fn scope(&self, scope: &str) -> Result<PlaySessionScope, ApiError> {
        match scope {
            "collection" => required("collection_id", self.collection_id).map(PlaySessionScope::Collection),
            "track" => required("track_id", self.track_id).map(PlaySessionScope::Track),
            "playlist" => Err(ApiError::invalid("scope", "playlist is reserved; use collection or track")),
            _ => Err(ApiError::invalid("scope", "is collection or track")),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play_session::create::Created)]
pub(crate) struct Created {
    #[serde(flatten)]
    opened: OpenedBody,
    expires_at: Timestamp,
}

/// Grants a play session and answers all it takes to play its first track.
#[utoipa::path(
    post,
    path = "/v1/play_session/{scope}",
    tag = "Play sessions",
    operation_id = "create_play_session",
    params(("scope" = String, Path, description = "`collection` or `track`.")),
    request_body = Fields,
    responses((status = 200, body = Answer<Created>, description = "Done.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    PlayKey(caller): PlayKey,
    PathText(scope): PathText,
    State(playback): State<Playback>,
    Body(fields): Body<Fields>,
) -> Result<Answer<Created>, ApiError> {
    let grant = GrantPlaySession {
        scope: fields.scope(&scope)?,
        variants: fields.variants.unwrap_or_default(),
        is_downloadable: fields.is_downloadable.unwrap_or(false),
        expires_in: fields.expires_in.unwrap_or_default(),
    };
    let opened = playback.grant_play_session(&caller, grant).await?;
    let expires_at = opened.session.expires_at;
    Ok(Answer::plain(Created { opened: opened.into(), expires_at }))
}
