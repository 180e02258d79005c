//! Authentication and authorization of API keys.

use std::sync::Arc;

use tonearm_domain::{Action, Ambient, ApiKey};
use tonearm_signing::ApiKeyText;

use crate::lookups::Lookups;
use crate::refusal::Refusal;

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
                code: "key_type",
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
            code: "origin_not_allowed",
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
        let unknown = Refusal::Unauthenticated {
            code: "invalid_api_key",
            message: "the API key is unknown, revoked or expired",
        };
        let Ok(text) = text.parse::<ApiKeyText>() else {
            return Err(unknown);
        };
        let Some(key) = self.lookups.api_key(&text).await? else {
            return Err(unknown);
        };
        if !key.is_valid_at(self.ambient.now()) {
            return Err(unknown);
        }
        Ok(key)
    }
}
