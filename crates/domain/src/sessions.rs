//! Play sessions and upload sessions. They expire, and their ids are credentials.

use std::net::IpAddr;
use std::sync::Arc;

use crate::actor::Origin;
use crate::key::ApiKey;
use crate::recipe::Recipe;
use crate::selection::{NamedRecipes, Selection, VariantList};
use crate::text::Metadata;
use crate::timestamp::Timestamp;
use crate::upload::UploadOpener;
use crate::variant_index::VariantIndex;
use crate::{
    ApiKeyId, CollectionId, CreatorId, OrganizationId, PersonId, PlaySessionId, SessionHandle, TrackId,
    UploadSessionId,
};

/// A player's time-limited access to one track or to a collection's tracks.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaySession {
    /// Its id, and the player's credential.
    pub id: PlaySessionId,
    /// Whose tracks it plays.
    pub organization_id: OrganizationId,
    /// The creator of the key that created it, if the key has one.
    pub creator_id: Option<CreatorId>,
    /// The collection it plays, or the collection of its track.
    pub collection_id: CollectionId,
    /// The track it plays; none for the whole collection.
    pub track_id: Option<TrackId>,
    /// The variants it lists, in that order, or all playable ones.
    pub variants: Selection,
    /// The recipes that these names stand for.
    pub recipes: NamedRecipes,
    /// The caller's own external id.
    pub organization_index: Option<String>,
    /// The caller's own data.
    pub metadata: Metadata,
    /// Whether it may download: allowed by its key AND requested.
    pub is_downloadable: bool,
    /// When it ends.
    pub expires_at: Timestamp,
    /// The key that opened it. It ends when the key is revoked.
    pub api_key_id: Option<ApiKeyId>,
    /// Names it in lists; none for sessions of an earlier version, which are not listed.
    pub handle: Option<SessionHandle>,
}

impl PlaySession {
    /// Whether it is valid at this moment.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }

    /// Whether it lists, and may download, the files of a recipe. The original and other files that cannot be played
    /// are listed only if they are selected by name.
    pub fn lists(&self, recipe: &Recipe) -> bool {
        match &self.variants {
            Selection::All => recipe.kind.recipe_type().is_playable(),
            Selection::Only(_) => self.place(recipe).is_some(),
        }
    }

    /// The place of a recipe among those that are selected by name, whatever its name is now.
    pub fn place(&self, recipe: &Recipe) -> Option<usize> {
        self.variants.only()?.iter().position(|name| self.recipes.stands_for(name, recipe))
    }

    /// The session with no more rights than its key has now. `None` if the key was revoked.
    pub fn within(self: Arc<Self>, key: &ApiKey) -> Option<Arc<Self>> {
        if key.revoked_at.is_some() {
            return None;
        }
        if key.variants == Selection::All && (key.is_downloadable || !self.is_downloadable) {
            return Some(self);
        }
        let is_left = |name: &&VariantIndex| key.variants.allows_named(&key.recipes, name, &self.recipes);
        let (variants, recipes) = match (&self.variants, &key.variants) {
            (own, Selection::All) => (own.clone(), self.recipes.clone()),
            (Selection::All, allowed) => (allowed.clone(), key.recipes.clone()),
            (Selection::Only(own), _) => {
                let left: Vec<_> = own.iter().filter(is_left).cloned().collect();
                (Selection::Only(VariantList::from(left)), self.recipes.clone())
            }
        };
        let is_downloadable = self.is_downloadable && key.is_downloadable;
        Some(Arc::new(Self { variants, recipes, is_downloadable, ..Arc::unwrap_or_clone(self) }))
    }

    /// The stored value of `is_downloadable`: a key that forbids downloads takes precedence.
    pub fn grants_downloads(key_allows: bool, requested: bool) -> bool {
        key_allows && requested
    }
}

/// A batch upload into one collection.
#[derive(Debug, Clone, PartialEq)]
pub struct UploadSession {
    /// Its id, and the uploader's credential.
    pub id: UploadSessionId,
    /// Whose collection it fills.
    pub organization_id: OrganizationId,
    /// The creator to whom its tracks are attributed.
    pub creator_id: Option<CreatorId>,
    /// The collection it fills.
    pub collection_id: CollectionId,
    /// The caller's own external id.
    pub organization_index: Option<String>,
    /// The caller's own data.
    pub metadata: Metadata,
    /// When it ends.
    pub expires_at: Timestamp,
    /// The person who created it, if it was created in the dashboard. Then only this person uploads in it.
    pub person_id: Option<PersonId>,
    /// The key that opened it. It ends when the key is revoked.
    pub api_key_id: Option<ApiKeyId>,
    /// Names it in lists; none for sessions of an earlier version, which are not listed.
    pub handle: Option<SessionHandle>,
}

impl UploadSession {
    /// On whose right its uploads depend.
    pub const fn opener(&self) -> UploadOpener {
        UploadOpener { api_key_id: self.api_key_id, person_id: self.person_id }
    }

    /// The origin of its uploads from this address.
    pub const fn uploader(&self, address: Option<IpAddr>) -> Origin {
        Origin::uploader(self.person_id, address)
    }

    /// Whether it is valid at this moment.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_forbids_downloads_wins() {
        for (key, requested, stored) in
            [(true, true, true), (true, false, false), (false, true, false), (false, false, false)]
        {
            assert_eq!(PlaySession::grants_downloads(key, requested), stored);
        }
    }
}
