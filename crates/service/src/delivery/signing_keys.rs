//! Keys with which an organization's own backend signs delivery URLs.

mod follow;
mod stored;

use tonearm_catalog::Catalog;
use tonearm_domain::{
    Ambient, AuditAction, ErrorCode, LimitOffset, MOST_SIGNING_KEYS, ShortId, SigningKey, Text,
};
use tonearm_signing::UrlSigner;

use crate::audit;
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

pub use follow::KeyFollower;

/// Manages the signing keys of organizations.
#[derive(Clone)]
pub struct SigningKeys {
    catalog: Catalog,
    ambient: Ambient,
    signer: UrlSigner,
}

/// A new signing key.
#[derive(Clone)]
pub struct CreatedSigningKey {
    /// The record.
    pub key: SigningKey,
    /// Its text: 64 hex digits, used as text. It is shown only once.
    pub secret: String,
}

impl std::fmt::Debug for CreatedSigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CreatedSigningKey({})", self.key.id)
    }
}

impl SigningKeys {
    /// Creates the use cases for this catalog. `signer` derives the texts of keys.
    pub fn new(catalog: Catalog, ambient: Ambient, signer: UrlSigner) -> Self {
        Self { catalog, ambient, signer }
    }

    /// Creates a key, which ends with the API key that creates it. This node honours URLs signed with it at once, other
    /// nodes with the catalog within a second, and nodes without it within ten.
    pub async fn create(&self, caller: &Caller, title: &str) -> Result<CreatedSigningKey, Refusal> {
        caller.require_no_limits()?;
        let title = Text::<1000>::try_from(title.to_owned())
            .map_err(|error| Refusal::invalid("title", error.to_string()))?;
        let tx = self.catalog.begin().await?;
        let key = SigningKey {
            id: self.ambient.short_id(),
            organization_id: caller.organization_id,
            title: title.into(),
            created_at: self.ambient.now(),
            expires_at: caller.latest_end(&tx).await?.of_new(None)?,
            revoked_at: None,
            made_by: caller.origin.actor.api_key_id(),
        };
        tx.organization(key.organization_id).await?.ok_or(Refusal::NotFound(Resource::Organization))?;
        if tx.count_live_signing_keys(key.organization_id, key.created_at).await? >= MOST_SIGNING_KEYS {
            let message = format!(
                "the organization has {MOST_SIGNING_KEYS} signing keys and can have no more; revoke one"
            );
            return Err(Refusal::Conflict { code: ErrorCode::TooManySigningKeys, message });
        }
        tx.insert_signing_key(&key).await?;
        let name = key.id.to_string();
        audit::record_named(&tx, &self.ambient, caller, AuditAction::SigningKeyCreate, &name).await?;
        tx.commit().await?;
        self.signer.honour_new((key.organization_id, key.id), self.ambient.now());
        let secret = self.signer.signing_key(key.organization_id, key.id);
        Ok(CreatedSigningKey { key, secret })
    }

    /// The organization's signing keys, including revoked ones, ordered by creation.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<SigningKey>, Refusal> {
        caller.require_whole_organization()?;
        Ok(self.catalog.signing_keys(caller.organization_id).await?)
    }

    /// The number of the organization's signing keys, including revoked ones, and a page of them, ordered by creation.
    pub async fn page(&self, caller: &Caller, page: LimitOffset) -> Result<(u64, Vec<SigningKey>), Refusal> {
        caller.require_whole_organization()?;
        Ok(self.catalog.signing_key_page(caller.organization_id, page).await?)
    }

    /// One of the organization's signing keys, even if it is revoked.
    pub async fn key(&self, caller: &Caller, id: ShortId) -> Result<SigningKey, Refusal> {
        caller.require_whole_organization()?;
        let key = self.catalog.signing_key(caller.organization_id, id).await?;
        key.ok_or(Refusal::NotFound(Resource::SigningKey))
    }

    /// Revokes a key. Nodes with the catalog refuse URLs signed with it within two seconds, other nodes within thirty.
    /// Returns the revoked key.
    pub async fn revoke(&self, caller: &Caller, id: ShortId) -> Result<SigningKey, Refusal> {
        caller.require_no_limits()?;
        let tx = self.catalog.begin().await?;
        let not_found = Refusal::NotFound(Resource::SigningKey);
        let Some(key) = tx.signing_key_to_end(caller.organization_id, id).await? else {
            return Err(not_found);
        };
        let now = self.ambient.now();
        if !tx.revoke_signing_key(caller.organization_id, id, now).await? {
            return Err(not_found);
        }
        let name = id.to_string();
        audit::record_named(&tx, &self.ambient, caller, AuditAction::SigningKeyRevoke, &name).await?;
        tx.commit().await?;
        self.signer.forget_new((key.organization_id, id));
        Ok(SigningKey { revoked_at: Some(now), ..key })
    }
}
