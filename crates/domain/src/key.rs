//! An API key's record. The secret itself is never here: only its hash is stored.

use crate::access::{Action, KeyScope, KeyType, ScopeError};
use crate::selection::Selection;
use crate::timestamp::Timestamp;
use crate::{ApiKeyId, CreatorId, OrganizationId};

/// What is known of an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The record's id.
    pub id: ApiKeyId,
    /// The organization it acts on.
    pub organization_id: OrganizationId,
    /// A name for people.
    pub title: String,
    /// What it is for.
    pub key_type: KeyType,
    /// How far it reaches.
    pub scope: KeyScope,
    /// The creator that what it makes is attributed to.
    pub creator_id: Option<CreatorId>,
    /// What its play sessions may list; on share keys exactly one variant (see [`ApiKey::validate`]).
    pub variants: Selection,
    /// Whether play sessions it creates may allow downloads.
    pub is_downloadable: bool,
    /// When it stops working, if ever.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, give or take a minute; none: never.
    pub last_used_at: Option<Timestamp>,
}

impl ApiKey {
    /// Checks what the fields demand of each other.
    pub fn validate(key_type: KeyType, variants: &Selection) -> Result<(), ScopeError> {
        if key_type == KeyType::Share && variants.single().is_none() {
            return Err(ScopeError::ShareNeedsOneVariant);
        }
        Ok(())
    }

    /// Whether it is still a credential at this moment.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|at| now < at)
    }

    /// Whether its type permits the action.
    pub fn permits(&self, action: Action) -> bool {
        self.key_type.permits(action)
    }
}
