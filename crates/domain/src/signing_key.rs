//! Signing keys, with which an organization's own backend signs delivery URLs. The record never contains the secret: it
//! is derived when it is needed, and shown once.

use crate::key::KeyState;
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;
use crate::{ApiKeyId, OrganizationId};

/// The record of a signing key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// Its id, the `kid` in URLs.
    pub id: ShortId,
    /// The organization whose files its URLs give access to.
    pub organization_id: OrganizationId,
    /// A name for people.
    pub title: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it stops working, if ever.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
    /// The API key that made it; none: a person did, or the command line.
    pub made_by: Option<ApiKeyId>,
}

impl SigningKey {
    /// Its state at this moment. URLs that it signs are honoured while it is valid.
    pub fn state_at(&self, now: Timestamp) -> KeyState {
        KeyState::of(self.revoked_at, self.expires_at, now)
    }
}
