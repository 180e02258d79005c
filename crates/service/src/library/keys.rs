//! API keys. A secret is shown once, when it is created, and is looked up by its hash.

use std::collections::HashMap;

use tonearm_catalog::{KeyQuery, MadeByKey, ScopeTitles, Transaction};
use tonearm_domain::{
    Actor, AllowedOrigins, ApiKey, ApiKeyId, AuditAction, CollectionId, CreatorId, ErrorCode, KeyScope,
    KeyType, LimitOffset, NamedRecipes, Page, ScopeError, Selection, Timestamp, TrackId, VariantIndex,
};
use tonearm_signing::ApiKeyText;
use tracing::Instrument as _;

use super::Library;
use super::texts::{self, LONGEST_KEY_TITLE};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// Keys that are revoked in one transaction. On PostgreSQL, each of them takes a lock.
const KEYS_AT_ONCE: u64 = 100;

/// Parameters of a new key.
#[derive(Debug, Clone)]
pub struct CreateKey {
    /// What it is for.
    pub key_type: KeyType,
    /// A name for people to recognize it by.
    pub title: String,
    /// Limits it to a collection.
    pub collection_id: Option<CollectionId>,
    /// Limits it to a track of that collection.
    pub track_id: Option<TrackId>,
    /// The creator to whom everything created with this key is attributed.
    pub creator_id: Option<CreatorId>,
    /// The variants that its play sessions may list; exactly one for a share key.
    pub variants: Selection,
    /// Whether its play sessions may allow downloads.
    pub is_downloadable: bool,
    /// The pages from which it may be used.
    pub allowed_origins: AllowedOrigins,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
}

impl CreateKey {
    /// A key without limits.
    pub fn new(key_type: KeyType, title: &str) -> Self {
        Self {
            key_type,
            title: title.to_owned(),
            collection_id: None,
            track_id: None,
            creator_id: None,
            variants: Selection::All,
            is_downloadable: false,
            allowed_origins: AllowedOrigins::Any,
            expires_at: None,
        }
    }
}

/// A new key.
#[derive(Debug)]
pub struct CreatedKey {
    /// The record.
    pub key: ApiKey,
    /// The secret. It is shown only once.
    pub text: ApiKeyText,
}

impl Library {
    /// Creates a key on behalf of a person who may do so.
    pub async fn create_key(&self, caller: &Caller, create: CreateKey) -> Result<CreatedKey, Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let created = self.insert_key(&tx, caller, create).await?;
        tx.commit().await?;
        Ok(created)
    }

    /// Creates a key on behalf of another key, which cannot create keys of type `api`.
    pub async fn create_key_by_key(&self, caller: &Caller, create: CreateKey) -> Result<CreatedKey, Refusal> {
        if create.key_type == KeyType::Api {
            return Err(Refusal::Forbidden {
                code: ErrorCode::KeyType,
                message: "keys of type api can only be created in the dashboard or on the command line",
            });
        }
        caller.require_whole_organization()?;
        caller.require_variants_to_give(&create.variants)?;
        caller.require_origins_to_give(&create.allowed_origins)?;
        if create.is_downloadable {
            caller.require_downloads_to_give()?;
        }
        self.create_key(caller, create).await
    }

    /// The organization's keys, in order of creation, without their secrets.
    pub async fn keys(&self, caller: &Caller) -> Result<Vec<ApiKey>, Refusal> {
        caller.require_whole_organization()?;
        Ok(self.catalog.api_keys(caller.organization_id).await?)
    }

    /// The number of the organization's keys, of one type or of all, and a page of them in order of creation.
    pub async fn key_page(
        &self,
        caller: &Caller,
        key_type: Option<KeyType>,
        page: LimitOffset,
    ) -> Result<(u64, Vec<ApiKey>), Refusal> {
        caller.require_whole_organization()?;
        Ok(self.catalog.api_key_page(caller.organization_id, key_type, page).await?)
    }

    /// A page of the organization's keys, and the titles of their collections and tracks.
    pub async fn listed_keys(
        &self,
        caller: &Caller,
        query: &KeyQuery,
    ) -> Result<(Page<ApiKey>, ScopeTitles), Refusal> {
        caller.require_whole_organization()?;
        let page = self.catalog.key_page(caller.organization_id, query, self.ambient.now()).await?;
        let mut collections: Vec<CollectionId> = Vec::new();
        let mut tracks: Vec<TrackId> = Vec::new();
        for key in &page.rows {
            collections.extend(key.scope.collection());
            tracks.extend(key.scope.track());
        }
        let titles = self.catalog.scope_titles(caller.organization_id, &collections, &tracks).await?;
        Ok((page, titles))
    }

    /// The titles of the collection and the track of a key.
    pub async fn key_titles(&self, caller: &Caller, key: &ApiKey) -> Result<ScopeTitles, Refusal> {
        caller.require_whole_organization()?;
        let collections: Vec<CollectionId> = key.scope.collection().into_iter().collect();
        let tracks: Vec<TrackId> = key.scope.track().into_iter().collect();
        Ok(self.catalog.scope_titles(caller.organization_id, &collections, &tracks).await?)
    }

    /// The titles of collections and tracks of the organization. Deleted ones are left out.
    pub async fn titles(
        &self,
        caller: &Caller,
        collections: &[CollectionId],
        tracks: &[TrackId],
    ) -> Result<ScopeTitles, Refusal> {
        caller.require_whole_organization()?;
        Ok(self.catalog.scope_titles(caller.organization_id, collections, tracks).await?)
    }

    /// One of the organization's keys, even if it is revoked or has expired.
    pub async fn key(&self, caller: &Caller, id: ApiKeyId) -> Result<ApiKey, Refusal> {
        caller.require_whole_organization()?;
        let key = self.catalog.api_key(caller.organization_id, id).await?;
        key.ok_or(Refusal::NotFound(Resource::ApiKey))
    }

    /// Revokes a key and returns it as it was before. Every key that can make this request may revoke itself, whatever
    /// its scope.
    pub async fn revoke_key(&self, caller: &Caller, id: ApiKeyId) -> Result<ApiKey, Refusal> {
        if caller.origin.actor != Actor::Key(id) {
            caller.require_whole_organization()?;
        }
        let tx = self.catalog.begin_to_end(id).await?;
        let found = tx.api_key_to_revoke(caller.organization_id, id).await?;
        let key = self.revoke(&tx, caller, found.ok_or(Refusal::NotFound(Resource::ApiKey))?).await?;
        tx.commit().await?;
        Ok(key)
    }

    async fn revoke(&self, tx: &Transaction, caller: &Caller, key: ApiKey) -> Result<ApiKey, Refusal> {
        let now = self.ambient.now();
        if !tx.revoke_api_key(caller.organization_id, key.id, now).await? {
            return Err(Refusal::NotFound(Resource::ApiKey));
        }
        tx.delete_share_key_text(key.id).await?;
        let done =
            AuditedAction { action: AuditAction::KeyRevoke, subject_id: key.id.uuid(), title: &key.title };
        audit::record(tx, &self.ambient, caller, done).await?;
        Ok(ApiKey { revoked_at: Some(now), ..key })
    }

    /// What these keys made that was not revoked since: what [`Library::revoke_key_and_made`] also revokes. Keys that made
    /// nothing are left out.
    pub async fn made_by_keys(
        &self,
        caller: &Caller,
        ids: &[ApiKeyId],
    ) -> Result<HashMap<ApiKeyId, MadeByKey>, Refusal> {
        if ids.iter().any(|id| caller.origin.actor != Actor::Key(*id)) {
            caller.require_whole_organization()?;
        }
        Ok(self.catalog.made_by_keys(caller.organization_id, ids).await?)
    }

    /// Revokes a key like [`Library::revoke_key`], even if it is revoked already, and everything that it made: keys,
    /// signing keys, webhooks and credentials for buckets. All of it ends at once. The records follow in batches, also if
    /// the caller leaves meanwhile.
    pub async fn revoke_key_and_made(
        &self,
        caller: &Caller,
        id: ApiKeyId,
    ) -> Result<(ApiKey, MadeByKey), Refusal> {
        if caller.origin.actor != Actor::Key(id) {
            caller.require_whole_organization()?;
        }
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin_to_end(id).await?;
        let mut key =
            tx.api_key_to_revoke(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::ApiKey))?;
        if key.revoked_at.is_none() {
            key = self.revoke(&tx, caller, key).await?;
        }
        // From here on it makes nothing more.
        tx.end_made_by(organization_id, id, self.ambient.now()).await?;
        tx.commit().await?;
        // In a task of its own: the right on which the request acts may just have ended.
        let (library, caller) = (self.clone(), caller.clone());
        let revoking = async move { library.revoke_made(&caller, id).await };
        let made = tokio::spawn(revoking.in_current_span()).await;
        Ok((key, made.map_err(|error| Refusal::Internal(error.into()))??))
    }

    async fn revoke_made(&self, caller: &Caller, maker: ApiKeyId) -> Result<MadeByKey, Refusal> {
        let organization_id = caller.organization_id;
        let mut made = MadeByKey::default();
        loop {
            let tx = self.catalog.begin().await?;
            let keys = tx.keys_made_by(organization_id, maker, KEYS_AT_ONCE).await?;
            let count = keys.len() as u64;
            for key in keys {
                self.revoke(&tx, caller, key).await?;
            }
            tx.commit().await?;
            made.api_keys += count;
            if count < KEYS_AT_ONCE {
                break;
            }
        }
        // An organization has few of the others.
        let tx = self.catalog.begin().await?;
        let webhooks = tx.webhooks_made_by(organization_id, maker).await?;
        drop(tx);
        for webhook in webhooks {
            self.catalog.delete_deliveries_to(webhook.id).await?;
        }
        let tx = self.catalog.begin().await?;
        for key in tx.signing_keys_made_by(organization_id, maker).await? {
            tx.revoke_signing_key(organization_id, key.id, self.ambient.now()).await?;
            let (action, name) = (AuditAction::SigningKeyRevoke, key.id.to_string());
            audit::record_named(&tx, &self.ambient, caller, action, &name).await?;
            made.signing_keys += 1;
        }
        for webhook in tx.webhooks_made_by(organization_id, maker).await? {
            tx.delete_webhook(&webhook).await?;
            let (subject_id, title) = (webhook.id.uuid(), webhook.url.as_str());
            let done = AuditedAction { action: AuditAction::WebhookRemove, subject_id, title };
            audit::record(&tx, &self.ambient, caller, done).await?;
            made.webhooks += 1;
        }
        for bucket in tx.import_buckets_made_by(organization_id, maker).await? {
            tx.delete_import_bucket(organization_id, &bucket.bucket).await?;
            let (action, name) = (AuditAction::ImportBucketRemove, bucket.bucket.as_str());
            audit::record_named(&tx, &self.ambient, caller, action, name).await?;
            made.import_buckets += 1;
        }
        tx.commit().await?;
        Ok(made)
    }

    pub(super) async fn insert_key(
        &self,
        tx: &Transaction,
        caller: &Caller,
        create: CreateKey,
    ) -> Result<CreatedKey, Refusal> {
        texts::check::<LONGEST_KEY_TITLE>(&[("title", Some(&create.title))])?;
        ApiKey::validate(create.key_type, &create.variants)
            .map_err(|error| Refusal::invalid("variants", error.to_string()))?;
        ApiKey::validate_origins(create.key_type, &create.allowed_origins)
            .map_err(|error| Refusal::invalid("allowed_origins", error.to_string()))?;
        let scope = KeyScope::new(create.collection_id, create.track_id)
            .map_err(|error: ScopeError| Refusal::invalid("collection_id", error.to_string()))?;
        if create.expires_at.is_some_and(|at| at <= self.ambient.now()) {
            return Err(Refusal::invalid("expires_at", "must be in the future"));
        }
        require_targets(tx, caller, scope, create.creator_id).await?;
        let recipes = named_recipes(tx, caller, scope, &create.variants).await?;
        let expires_at = caller.latest_end(tx).await?.of_new(create.expires_at)?;
        let text = ApiKeyText::new(caller.organization_id, create.key_type, self.ambient.random());
        let key = ApiKey {
            id: self.ambient.record_id(),
            organization_id: caller.organization_id,
            title: create.title,
            key_type: create.key_type,
            scope,
            creator_id: create.creator_id,
            variants: create.variants,
            recipes,
            is_downloadable: create.is_downloadable,
            allowed_origins: create.allowed_origins,
            expires_at,
            revoked_at: None,
            created_at: self.ambient.now(),
            last_used_at: None,
            made_by: caller.origin.actor.api_key_id(),
        };
        tx.insert_api_key(&key, &text.hash()).await?;
        self.keep_share_text(tx, caller, &key, &text).await?;
        let done =
            AuditedAction { action: AuditAction::KeyCreate, subject_id: key.id.uuid(), title: &key.title };
        audit::record(tx, &self.ambient, caller, done).await?;
        Ok(CreatedKey { key, text })
    }
}

/// Unknown variants that an error names.
const MOST_NAMED: usize = 20;

/// The organization's recipes that a key names. Refuses a key that names an unknown variant: one that neither the organization
/// has nor, as its own, a track in the key's scope. The names belong to the same variants until the transaction ends.
pub(super) async fn named_recipes(
    tx: &Transaction,
    caller: &Caller,
    scope: KeyScope,
    variants: &Selection,
) -> Result<NamedRecipes, Refusal> {
    let Some(named) = variants.only() else { return Ok(NamedRecipes::UNKNOWN) };
    let recipes = tx.recipes_to_follow(caller.organization_id).await?;
    let is_missing = |index: &&VariantIndex| !recipes.iter().any(|recipe| recipe.index == **index);
    let mut missing: Vec<&VariantIndex> = named.iter().filter(is_missing).collect();
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|index| index.as_str()).collect();
        let own = tx.own_variants(caller.organization_id, scope, &names).await?;
        missing.retain(|index| !own.contains(index));
    }
    if missing.is_empty() {
        let are_named = recipes.iter().filter(|recipe| named.contains(&recipe.index));
        return Ok(NamedRecipes::of(are_named.map(|recipe| (recipe.index.clone(), recipe.id))));
    }
    let names: Vec<&str> = missing.iter().take(MOST_NAMED).map(|index| index.as_str()).collect();
    let known: Vec<&str> = recipes.iter().map(|recipe| recipe.index.as_str()).collect();
    let message = format!(
        "contains unknown variants: {}; the organization has: {}",
        names.join(", "),
        known.join(", ")
    );
    Err(Refusal::invalid("variants", message))
}

/// Refuses a key whose collection, track or creator does not belong to the organization.
async fn require_targets(
    tx: &Transaction,
    caller: &Caller,
    scope: KeyScope,
    creator_id: Option<CreatorId>,
) -> Result<(), Refusal> {
    let organization_id = caller.organization_id;
    if let Some(id) = scope.collection() {
        tx.collection(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Collection))?;
    }
    if let Some(id) = scope.track() {
        let track = tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        if Some(track.collection_id) != scope.collection() {
            return Err(Refusal::NotFound(Resource::Track));
        }
    }
    if let Some(id) = creator_id {
        tx.creator(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Creator))?;
    }
    Ok(())
}
