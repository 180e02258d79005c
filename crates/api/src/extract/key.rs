//! `Authorization: Bearer <API key>`.

use axum::extract::FromRequestParts;
use http::header::{AUTHORIZATION, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use tonearm_domain::Action;
use tonearm_service::{Access, Caller};

use super::address;
use crate::app::App;
use crate::error::ApiError;

/// Whoever may manage things.
pub(crate) struct ManageKey(pub(crate) Caller);

/// Whoever may create and read play sessions.
pub(crate) struct PlayKey(pub(crate) Caller);

/// Whoever may create upload sessions.
pub(crate) struct UploadKey(pub(crate) Caller);

/// Whoever reads a play session: a key, or anyone where the operator opened that.
pub(crate) enum PlaySessionReader {
    /// With a key.
    Key(Caller),
    /// With nothing but the session's id.
    Holder,
}

async fn caller(parts: &Parts, app: &App, action: Action) -> Result<Caller, ApiError> {
    let key = match bearer(&parts.headers) {
        Ok(text) => app.access.key(text, action).await.map_err(ApiError::from),
        Err(error) => Err(error),
    };
    let key = key.map_err(ApiError::asking_for_key)?;
    tonearm_telemetry::note_organization(key.organization_id);
    // What cannot be read is no origin that is allowed.
    let origin = parts.headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or("null"));
    Access::require_origin(&key, origin)?;
    Ok(Caller::from(&*key).from_address(address(&parts.extensions)))
}

/// The text after `Bearer`, the scheme in any case.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let unauthorized = |code, message| ApiError::new(StatusCode::UNAUTHORIZED, code, message);
    let header = headers.get(AUTHORIZATION).ok_or_else(|| {
        unauthorized("missing_api_key", "missing API key; send it as `Authorization: Bearer <API_KEY>`")
    })?;
    header
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, text)| text.trim())
        .ok_or_else(|| {
            unauthorized("invalid_api_key", "the Authorization header must have the form `Bearer <API_KEY>`")
        })
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
            let missing = ApiError::new(StatusCode::UNAUTHORIZED, "missing_api_key", message);
            return Err(missing.asking_for_key());
        }
        caller(parts, app, Action::Play).await.map(Self::Key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bearer_is_a_scheme() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, text.parse().unwrap());
            bearer(&headers).ok().map(str::to_owned)
        };
        assert_eq!(read("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(read("bearer  abc ").as_deref(), Some("abc"));
        assert_eq!(read("Basic abc"), None);
        assert_eq!(read("abc"), None);
    }
}
