//! Rotating the secret of a key. The old secret keeps working for a while, so that its users can switch without an
//! interruption.

use std::collections::HashMap;

use tonearm_domain::{ApiKey, ApiKeyId, AuditAction, ErrorCode, KeyOverlap, Timestamp};
use tonearm_signing::ApiKeyText;

use super::Library;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// A key with a new secret.
#[derive(Debug)]
pub struct RotatedKey {
    /// The record, which is unchanged.
    pub key: ApiKey,
    /// The new secret. It is shown only once.
    pub text: ApiKeyText,
    /// Until when the old secret works. None if it no longer works.
    pub old_until: Option<Timestamp>,
}

impl Library {
    /// Gives a key a new secret, on behalf of a person or the command line. Refused while the previous secret still
    /// works: a key never has more than two. If the previous one ends at once, so do the sessions that it opened.
    pub async fn rotate_key(
        &self,
        caller: &Caller,
        id: ApiKeyId,
        overlap: KeyOverlap,
    ) -> Result<RotatedKey, Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let found = tx.api_key_to_end(caller.organization_id, id).await?;
        let key = found.ok_or(Refusal::NotFound(Resource::ApiKey))?;
        let now = self.ambient.now();
        if !key.is_valid_at(now) {
            let message = "this API key is revoked or expired; create another one".to_owned();
            return Err(Refusal::Conflict { code: ErrorCode::KeyNotValid, message });
        }
        if tx.old_api_key_until(id).await?.is_some_and(|until| until > now) {
            let message =
                "the old secret of this API key still works; end it before you rotate again".to_owned();
            return Err(Refusal::Conflict { code: ErrorCode::KeyRotating, message });
        }
        let text = ApiKeyText::new(caller.organization_id, key.key_type, self.ambient.random());
        // A secret never outlives its key.
        let old_until = overlap.until(now).map(|until| key.expires_at.map_or(until, |end| end.min(until)));
        tx.replace_api_key_hash(&key, &text.hash(), old_until).await?;
        if old_until.is_none() {
            tx.end_sessions_of_key(caller.organization_id, id, now).await?;
        }
        tx.delete_share_key_text(id).await?;
        self.keep_share_text(&tx, caller, &key, &text).await?;
        let done = AuditedAction { action: AuditAction::KeyRotate, subject_id: id.uuid(), title: &key.title };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(RotatedKey { key, text, old_until })
    }

    /// Ends the old secret of a key early, and the sessions of the key: nobody knows which of them were opened with that
    /// secret.
    pub async fn end_old_secret(&self, caller: &Caller, id: ApiKeyId) -> Result<ApiKey, Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let found = tx.api_key_to_end(caller.organization_id, id).await?;
        let key = found.ok_or(Refusal::NotFound(Resource::ApiKey))?;
        let until = tx.old_api_key_until(id).await?;
        let now = self.ambient.now();
        if until.is_none_or(|until| until <= now) {
            let message = "this API key has no old secret that still works".to_owned();
            return Err(Refusal::Conflict { code: ErrorCode::KeyNotRotating, message });
        }
        tx.end_old_api_key(caller.organization_id, id).await?;
        tx.end_sessions_of_key(caller.organization_id, id, now).await?;
        let done = AuditedAction { action: AuditAction::KeyEndOld, subject_id: id.uuid(), title: &key.title };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(key)
    }

    /// The times until which the old secrets of the organization's keys work. Keys without a working old secret are
    /// left out.
    pub async fn old_secrets(
        &self,
        caller: &Caller,
        keys: &[ApiKey],
    ) -> Result<HashMap<ApiKeyId, Timestamp>, Refusal> {
        caller.require_whole_organization()?;
        let own = keys.iter().filter(|key| key.organization_id == caller.organization_id);
        let ids: Vec<ApiKeyId> = own.map(|key| key.id).collect();
        let mut found = self.catalog.old_keys_until(&ids).await?;
        let now = self.ambient.now();
        found.retain(|_, until| *until > now);
        Ok(found)
    }
}
