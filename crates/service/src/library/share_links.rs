//! Share links of one track or collection: created with a few options, shown again later, revoked.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Actor, ApiKey, ApiKeyId, KeyType, Recipe, Selection, ShareTarget, Timestamp, VariantIndex,
};
use tonearm_signing::ApiKeyText;

use super::{CreateKey, Library};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// Links on one page.
const PER_PAGE: usize = 20;

/// Parameters of a new share link.
#[derive(Debug, Clone)]
pub struct CreateShareLink {
    /// A name for people to recognize it by.
    pub title: String,
    /// The variant that it gives access to.
    pub variant: VariantIndex,
    /// When it stops working, if ever.
    pub expires_at: Option<Timestamp>,
    /// Whether its page offers the file for download.
    pub is_downloadable: bool,
}

/// A share link of a track or a collection.
#[derive(Debug)]
pub struct ShareLink {
    /// Its key.
    pub key: ApiKey,
    /// The text of the key. None for keys that were shown only once, when they were created, and for those whose text
    /// was sealed under a master secret that no longer exists.
    pub text: Option<ApiKeyText>,
}

/// Some of the share links of a track or a collection, the newest first.
#[derive(Debug)]
pub struct ShareLinkPage {
    /// The links.
    pub links: Vec<ShareLink>,
    /// Whether there are older ones.
    pub has_older: bool,
}

/// Where the vault keeps the text of a share key.
pub(crate) fn vault_context(id: ApiKeyId) -> String {
    format!("share_key/{id}")
}

impl Library {
    /// Creates a share link for a track or a collection.
    pub async fn create_share_link(
        &self,
        caller: &Caller,
        target: ShareTarget,
        create: CreateShareLink,
    ) -> Result<ShareLink, Refusal> {
        caller.require_whole_organization()?;
        let mut key = CreateKey::new(KeyType::Share, &create.title);
        key.variants = Selection::one(create.variant);
        key.is_downloadable = create.is_downloadable;
        key.expires_at = create.expires_at;
        let tx = self.catalog.begin().await?;
        match target {
            ShareTarget::Collection(id) => key.collection_id = Some(id),
            ShareTarget::Track(id) => {
                let track = tx.track(caller.organization_id, id).await?;
                key.collection_id = Some(track.ok_or(Refusal::NotFound(Resource::Track))?.collection_id);
                key.track_id = Some(id);
            }
        }
        let created = self.insert_key(&tx, caller, key).await?;
        tx.commit().await?;
        Ok(ShareLink { key: created.key, text: Some(created.text) })
    }

    /// The share links for exactly this track or collection that are not revoked, the newest first. With `before`, only
    /// links older than that one.
    pub async fn share_links(
        &self,
        caller: &Caller,
        target: ShareTarget,
        before: Option<ApiKeyId>,
    ) -> Result<ShareLinkPage, Refusal> {
        caller.require_whole_organization()?;
        let most = PER_PAGE as u64 + 1;
        let mut keys = self.catalog.share_keys(caller.organization_id, target, before, most).await?;
        let has_older = keys.len() > PER_PAGE;
        keys.truncate(PER_PAGE);
        let ids: Vec<ApiKeyId> = keys.iter().map(|key| key.id).collect();
        let mut texts = self.catalog.share_key_texts(&ids).await?;
        let links = keys.into_iter().map(|key| {
            let text = texts.remove(&key.id).and_then(|sealed| self.opened(key.id, &sealed));
            ShareLink { key, text }
        });
        Ok(ShareLinkPage { links: links.collect(), has_older })
    }

    /// One of the share links of a track or a collection.
    pub async fn share_link(
        &self,
        caller: &Caller,
        target: ShareTarget,
        id: ApiKeyId,
    ) -> Result<ShareLink, Refusal> {
        let key = self.key(caller, id).await?;
        let is_one = key.key_type == KeyType::Share
            && key.revoked_at.is_none()
            && ShareTarget::of(key.scope) == Some(target);
        if !is_one {
            return Err(Refusal::NotFound(Resource::ApiKey));
        }
        let sealed = self.catalog.share_key_texts(&[id]).await?.remove(&id);
        Ok(ShareLink { text: sealed.and_then(|sealed| self.opened(id, &sealed)), key })
    }

    /// Stores the text of a share link that a person creates. For keys created by other means, only the hash is stored:
    /// their creators must keep the text themselves.
    pub(super) async fn keep_share_text(
        &self,
        tx: &Transaction,
        caller: &Caller,
        key: &ApiKey,
        text: &ApiKeyText,
    ) -> Result<(), Refusal> {
        let is_made_by_a_person = matches!(caller.origin.actor, Actor::Person(_));
        if let (KeyType::Share, true, Some(vault)) = (key.key_type, is_made_by_a_person, &self.vault) {
            let context = vault_context(key.id);
            let sealed = vault.seal(&context, self.ambient.random(), text.reveal().as_bytes());
            tx.insert_share_key_text(key.id, sealed).await?;
        }
        Ok(())
    }

    fn opened(&self, id: ApiKeyId, sealed: &[u8]) -> Option<ApiKeyText> {
        let text = self.vault.as_ref()?.open(&vault_context(id), sealed)?;
        String::from_utf8(text).ok()?.parse().ok()
    }
}

impl Library {
    /// The recipes whose variants a share link for this track or collection can give access to.
    pub async fn shareable_variants(
        &self,
        caller: &Caller,
        target: ShareTarget,
    ) -> Result<Vec<Recipe>, Refusal> {
        caller.require_whole_organization()?;
        let organization_id = caller.organization_id;
        let mut recipes = match target {
            ShareTarget::Track(id) => self.catalog.recipes_for_track(organization_id, id).await?,
            ShareTarget::Collection(_) => self.catalog.recipes(organization_id).await?,
        };
        recipes.retain(|recipe| recipe.kind.recipe_type().is_playable());
        Ok(recipes)
    }
}
