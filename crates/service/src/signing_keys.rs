//! Keys that an organization's own backend signs delivery URLs with.

mod follow;
mod stored;

use tonearm_catalog::{Catalog, CatalogError, Transaction};
use tonearm_domain::{Ambient, AuditAction, AuditEntry, ShortId, SigningKey, Text};
use tonearm_signing::UrlSigner;

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
    /// Its text, 64 hex digits used as text; shown this once.
    pub secret: String,
}

impl std::fmt::Debug for CreatedSigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CreatedSigningKey({})", self.key.id)
    }
}

impl SigningKeys {
    /// Over the catalog; `signer` derives their texts.
    pub fn new(catalog: Catalog, ambient: Ambient, signer: UrlSigner) -> Self {
        Self { catalog, ambient, signer }
    }

    /// Makes a key. URLs signed with it are honoured within a second on nodes with the catalog, and within ten on
    /// others.
    pub async fn create(&self, caller: &Caller, title: &str) -> Result<CreatedSigningKey, Refusal> {
        caller.require_whole_organization()?;
        let title = Text::<1000>::try_from(title.to_owned())
            .map_err(|error| Refusal::invalid("title", error.to_string()))?;
        let key = SigningKey {
            id: self.ambient.short_id(),
            organization_id: caller.organization_id,
            title: title.into(),
            created_at: self.ambient.now(),
            revoked_at: None,
        };
        let tx = self.catalog.begin().await?;
        tx.organization(key.organization_id).await?.ok_or(Refusal::NotFound(Resource::Organization))?;
        tx.insert_signing_key(&key).await?;
        self.record(&tx, caller, AuditAction::SigningKeyCreate, key.id).await?;
        tx.commit().await?;
        let secret = self.signer.signing_key(key.organization_id, key.id);
        Ok(CreatedSigningKey { key, secret })
    }

    /// The organization's signing keys, also revoked ones, by creation.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<SigningKey>, Refusal> {
        caller.require_whole_organization()?;
        Ok(self.catalog.signing_keys(caller.organization_id).await?)
    }

    /// Revokes a key: what it signed is refused within two seconds on nodes with the catalog, and within thirty on
    /// others.
    pub async fn revoke(&self, caller: &Caller, id: ShortId) -> Result<(), Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        if !tx.revoke_signing_key(caller.organization_id, id, self.ambient.now()).await? {
            return Err(Refusal::NotFound(Resource::SigningKey));
        }
        self.record(&tx, caller, AuditAction::SigningKeyRevoke, id).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Writes down what was done to a key, which is named by its short id.
    async fn record(
        &self,
        tx: &Transaction,
        caller: &Caller,
        action: AuditAction,
        id: ShortId,
    ) -> Result<(), CatalogError> {
        let entry = AuditEntry {
            id: self.ambient.record_id(),
            organization_id: Some(caller.organization_id),
            at: self.ambient.now(),
            origin: caller.origin,
            action,
            subject_id: None,
            title: Some(id.to_string()),
        };
        tx.audit(&entry).await
    }
}
