//! Signing keys, with which an organization's own backend signs delivery URLs. The record never contains the secret: it
//! is derived when it is needed, and shown once.

use crate::OrganizationId;
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;

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
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}
