//! Changing a key: its title, its expiry, and what its play sessions may do.

use tonearm_domain::{
    Actor, AllowedOrigins, ApiKey, ApiKeyId, AuditAction, CollectionId, CreatorId, ErrorCode, KeyType, Patch,
    Selection, Timestamp, TrackId,
};

use super::Library;
use super::keys::named_recipes;
use super::texts::{LONGEST_KEY_TITLE, check_changed, set_required};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// Changes to a key.
#[derive(Debug, Clone, Default)]
pub struct UpdateKey {
    /// A name for people to recognize it by; cannot be cleared.
    pub title: Patch<String>,
    /// When it stops working. If cleared, never.
    pub expires_at: Patch<Timestamp>,
    /// Whether its play sessions may allow downloads. If cleared, they may not.
    pub is_downloadable: Patch<bool>,
    /// The variants that its play sessions may list. If cleared, all.
    pub variants: Patch<Selection>,
    /// The pages from which it may be used. If cleared, all pages.
    pub allowed_origins: Patch<AllowedOrigins>,
    /// The values that the caller expects in the fixed fields.
    pub fixed: FixedOfKey,
}

/// The fields of a key that never change. A caller may send them along unchanged.
#[derive(Debug, Clone, Default)]
pub struct FixedOfKey {
    /// What it is for.
    pub key_type: Patch<KeyType>,
    /// The collection that it is limited to.
    pub collection_id: Patch<CollectionId>,
    /// The track that it is limited to.
    pub track_id: Patch<TrackId>,
    /// The creator to whom everything created with this key is attributed.
    pub creator_id: Patch<CreatorId>,
}

impl FixedOfKey {
    /// Refuses a value that differs from the key's, as it would otherwise seem to be accepted.
    fn check(self, key: &ApiKey) -> Result<(), Refusal> {
        let same = |is_same, field| {
            let message = "cannot be changed; create another key";
            if is_same { Ok(()) } else { Err(Refusal::invalid(field, message)) }
        };
        same(is_same(self.key_type, Some(key.key_type)), "api_key_type_id")?;
        same(is_same(self.collection_id, key.scope.collection()), "collection_id")?;
        same(is_same(self.track_id, key.scope.track()), "track_id")?;
        same(is_same(self.creator_id, key.creator_id), "creator_id")
    }
}

fn is_same<T: PartialEq>(sent: Patch<T>, own: Option<T>) -> bool {
    sent.given().is_none_or(|value| value == own)
}

impl Library {
    /// Changes a key. An earlier end applies to what the key made, too. A calling key may only grant permissions that it has itself, and cannot grant any to keys of type
    /// `api`. A key that another key widens counts as made by it, until a person changes it.
    pub async fn update_key(
        &self,
        caller: &Caller,
        id: ApiKeyId,
        update: UpdateKey,
    ) -> Result<ApiKey, Refusal> {
        caller.require_whole_organization()?;
        let tx = match update.expires_at {
            Patch::Keep => self.catalog.begin().await?,
            _ => self.catalog.begin_to_end(id).await?,
        };
        if !matches!(update.variants, Patch::Keep) {
            // Before the key: who renames a recipe locks in this order.
            tx.recipes_to_follow(caller.organization_id).await?;
        }
        let found = match update.expires_at {
            Patch::Keep => tx.api_key(caller.organization_id, id).await?,
            // With an earlier end, what it makes meanwhile must not last longer.
            _ => tx.api_key_to_end(caller.organization_id, id).await?,
        };
        let before = found.ok_or(Refusal::NotFound(Resource::ApiKey))?;
        if before.revoked_at.is_some() {
            let message = "this API key is revoked and cannot be changed; create another one".to_owned();
            return Err(Refusal::Conflict { code: ErrorCode::KeyRevoked, message });
        }
        let mut key = self.updated(&before, update)?;
        if !only_narrows(&before, &key) {
            tx.require_room(caller.organization_id).await?;
        }
        if key.variants != before.variants {
            key.recipes = named_recipes(&tx, caller, key.scope, &key.variants).await?;
        }
        if matches!(caller.origin.actor, Actor::Key(_)) {
            require_right_to_widen(caller, &before, &key)?;
            if key.lasts_longer_than(&before) {
                caller.latest_end(&tx).await?.require(key.expires_at)?;
            }
        }
        key.made_by = match caller.origin.actor.api_key_id() {
            Some(widener) if key.allows_more_than(&before) => Some(widener),
            Some(_) => before.made_by,
            None => None,
        };
        tx.update_api_key(&key).await?;
        if let Some(end) = key.expires_at.filter(|_| before.lasts_longer_than(&key)) {
            tx.end_made_by(caller.organization_id, id, end).await?;
        }
        let done = AuditedAction { action: AuditAction::KeyUpdate, subject_id: id.uuid(), title: &key.title };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(key)
    }

    fn updated(&self, before: &ApiKey, update: UpdateKey) -> Result<ApiKey, Refusal> {
        let mut key = before.clone();
        let UpdateKey { title, expires_at, is_downloadable, variants, allowed_origins, fixed } = update;
        fixed.check(before)?;
        check_changed::<LONGEST_KEY_TITLE>("title", &title, Some(&before.title))?;
        set_required("title", title, &mut key.title)?;
        is_downloadable.apply_or(&mut key.is_downloadable, false)?;
        variants.apply_or(&mut key.variants, Selection::All)?;
        // A key of an earlier version may name more variants than can be asked for now.
        if key.variants != before.variants {
            ApiKey::validate(key.key_type, &key.variants)
                .map_err(|error| Refusal::invalid("variants", error.to_string()))?;
        }
        allowed_origins.apply_or(&mut key.allowed_origins, AllowedOrigins::Any)?;
        ApiKey::validate_origins(key.key_type, &key.allowed_origins)
            .map_err(|error| Refusal::invalid("allowed_origins", error.to_string()))?;
        expires_at.apply(&mut key.expires_at)?;
        // A record that is sent back unchanged may hold a time in the past.
        let is_new = key.expires_at != before.expires_at;
        if is_new && key.expires_at.is_some_and(|at| at <= self.ambient.now()) {
            return Err(Refusal::invalid("expires_at", "must be in the future"));
        }
        Ok(key)
    }
}

fn require_right_to_widen(caller: &Caller, before: &ApiKey, key: &ApiKey) -> Result<(), Refusal> {
    if !key.allows_more_than(before) {
        return Ok(());
    }
    if key.key_type == KeyType::Api {
        return Err(Refusal::Forbidden {
            code: ErrorCode::KeyType,
            message: "the permissions and the lifetime of a key of type api can only be reduced; create another key in the \
                      dashboard or on the command line",
        });
    }
    if !before.variants.covers(&key.variants) {
        caller.require_variants_to_give(&key.variants)?;
    }
    if !before.allowed_origins.covers(&key.allowed_origins) {
        caller.require_origins_to_give(&key.allowed_origins)?;
    }
    if key.is_downloadable && !before.is_downloadable {
        caller.require_downloads_to_give()?;
    }
    Ok(())
}

/// Whether a change only takes rights from a key, so that it is possible without room. Such changes come to an end: an
/// expiry is set once, as it could be moved closer without end.
fn only_narrows(before: &ApiKey, after: &ApiKey) -> bool {
    let moves_expiry = before.expires_at.is_some() && after.expires_at != before.expires_at;
    before.allows_more_than(after)
        && !after.allows_more_than(before)
        && after.title == before.title
        && !moves_expiry
}
