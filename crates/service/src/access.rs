//! Authentication and authorization of API keys.

use std::sync::Arc;

use tonearm_catalog::{Office, Right};
use tonearm_domain::{Action, Ambient, ApiKey, ErrorCode, SignIn, UploadSession};
use tonearm_signing::ApiKeyText;

use crate::lookups::Lookups;
use crate::refusal::{INVALID_API_KEY, Refusal};

/// Looks up API keys and checks what they may do.
#[derive(Clone)]
pub struct Access {
    lookups: Lookups,
    ambient: Ambient,
}

impl Access {
    /// Creates the checks over cached lookups of the catalog.
    pub fn new(lookups: Lookups, ambient: Ambient) -> Self {
        Self { lookups, ambient }
    }

    /// The key with this text, if it is valid and permits the action.
    ///
    /// Malformed, unknown, revoked and expired keys all get the same response. A valid key whose type does not permit
    /// the action gets an error that says so.
    pub async fn key(&self, text: &str, action: Action) -> Result<Arc<ApiKey>, Refusal> {
        let key = self.bearer(text).await?;
        if !key.permits(action) {
            return Err(Refusal::Forbidden {
                code: ErrorCode::KeyType,
                message: match action {
                    Action::Manage => "this request requires an API key of type api",
                    Action::Play => "this request requires an API key of type api or player",
                    Action::Upload => "this request requires an API key of type api or uploader",
                    Action::Share => "this request requires an API key of type share",
                },
            });
        }
        self.lookups.note_key_used(key.id, self.ambient.now());
        Ok(key)
    }

    /// Refuses a request from a page whose origin the key does not allow. `origin` is the `Origin` header, if the
    /// client is a browser.
    pub fn require_origin(key: &ApiKey, origin: Option<&str>) -> Result<(), Refusal> {
        if key.allowed_origins.allow(origin) {
            return Ok(());
        }
        Err(Refusal::Forbidden {
            code: ErrorCode::OriginNotAllowed,
            message: "this API key cannot be used from pages of this origin; add the origin to the key's allowed \
                      origins",
        })
    }

    /// Writes to the database when keys were last used. Call it periodically, and once at shutdown.
    pub async fn write_key_uses(&self) -> Result<(), Refusal> {
        self.lookups.write_key_uses().await
    }

    /// The key with this text, if it is valid now, whatever actions it permits.
    pub async fn bearer(&self, text: &str) -> Result<Arc<ApiKey>, Refusal> {
        let text = text.parse::<ApiKeyText>().map_err(|_| INVALID_API_KEY)?;
        let key = self.lookups.api_key(&text).await?.ok_or(INVALID_API_KEY)?;
        if key.is_valid_at(self.ambient.now()) { Ok(key) } else { Err(INVALID_API_KEY) }
    }

    /// From now on, what the running request writes is refused once this key has ended. `text` is the secret that was
    /// sent.
    pub fn act_on_key(key: Arc<ApiKey>, text: &str) -> Result<(), Refusal> {
        let hash = text.parse::<ApiKeyText>().map_err(|_| INVALID_API_KEY)?.hash();
        act_on(Right::Key { key, hash })
    }
}

/// From now on, what the running request writes is refused once this sign-in has ended, or its person no longer has the
/// office.
pub fn act_on_sign_in(sign_in: &SignIn, office: Office) -> Result<(), Refusal> {
    act_on(Right::SignIn { id: sign_in.id, person_id: sign_in.person_id, office })
}

/// From now on, what the running request writes needs room in the organization of an upload session.
pub(crate) fn act_on_session(session: &UploadSession) {
    // Uploads by URL and resumable uploads are no such requests: they look for room themselves.
    let _ = tonearm_catalog::act_on(Right::Session(session.organization_id));
}

fn act_on(right: Right) -> Result<(), Refusal> {
    if tonearm_catalog::act_on(right) {
        Ok(())
    } else {
        Err(Refusal::Internal("the router does not run its requests in `in_request`".into()))
    }
}
