//! Extractors for the API keys of requests, by the action that they permit.

use axum::extract::FromRequestParts;
use http::header::{AUTHORIZATION, ORIGIN};
use http::request::Parts;
use http::{Extensions, HeaderMap, StatusCode};
use tonearm_domain::{Action, ErrorCode, RequestOrganization};
use tonearm_service::{Access, Caller, take_turn};

use crate::address::address;
use crate::app::App;
use crate::bearer::bearer;
use crate::error::ApiError;

/// A caller who may manage resources.
pub(crate) struct ManageKey(pub(crate) Caller);

/// A caller who may create and read play sessions.
pub(crate) struct PlayKey(pub(crate) Caller);

/// A caller who may create upload sessions.
pub(crate) struct UploadKey(pub(crate) Caller);

/// A caller who reads a play session: with a key or, if the operator allows it, without one.
pub(crate) enum PlaySessionReader {
    /// With a key.
    Key(Caller),
    /// With only the session's id.
    Holder,
}

/// The secret on which a request acts, to be looked up again once its body has arrived.
#[derive(Clone)]
struct JudgedSecret(String);

async fn caller(parts: &mut Parts, app: &App, action: Action) -> Result<Caller, ApiError> {
    let text = bearer(&parts.headers).map_err(ApiError::asking_for_key)?;
    let key = app.access.key(text, action).await.map_err(|error| ApiError::from(error).asking_for_key())?;
    tonearm_telemetry::note_organization(key.organization_id);
    RequestOrganization::note(parts.extensions.get(), key.organization_id);
    Access::require_origin(&key, origin(&parts.headers))?;
    let caller = Caller::from(&*key).from_address(address(&parts.extensions));
    Access::act_on_key(key, text)?;
    let secret = JudgedSecret(text.to_owned());
    parts.extensions.insert(secret);
    // What plays is cached, and written for many requests at once.
    if action != Action::Play {
        take_turn(&caller).await?;
    }
    Ok(caller)
}

/// The `Origin` of a request. An unreadable one counts as an origin that is not allowed.
pub(crate) fn origin(headers: &HeaderMap) -> Option<&str> {
    headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or("null"))
}

/// Refuses a request whose key has ended while its body arrived. Use cases that only read rely on this; those that
/// write judge the key again in their transaction.
pub(super) async fn require_still_valid(extensions: &Extensions, app: &App) -> Result<(), ApiError> {
    let Some(JudgedSecret(text)) = extensions.get() else { return Ok(()) };
    app.access.bearer(text).await.map_err(|error| ApiError::from(error).asking_for_key())?;
    Ok(())
}

macro_rules! key_extractors {
    ($($name:ident $action:ident),* $(,)?) => {
        $(impl FromRequestParts<App> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
                caller(parts, app, Action::$action).await.map(Self)
            }
        })*
    };
}

key_extractors!(ManageKey Manage, PlayKey Play, UploadKey Upload);

impl FromRequestParts<App> for PlaySessionReader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        if app.settings.public_play_sessions && !parts.headers.contains_key(AUTHORIZATION) {
            return Ok(Self::Holder);
        }
        if !parts.headers.contains_key(AUTHORIZATION) {
            let message = "missing API key; send it as `Authorization: Bearer <API_KEY>`. With the setting \
                `api.public_play_sessions = true`, the id of the session is sufficient";
            let missing = ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::MissingApiKey, message);
            return Err(missing.asking_for_key());
        }
        caller(parts, app, Action::Play).await.map(Self::Key)
    }
}
