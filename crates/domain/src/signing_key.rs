//! A key that an organization's own backend signs delivery URLs with. Its text is never here: it is derived when it is
//! needed, and shown once.

use crate::OrganizationId;
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;

/// What is known of a signing key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// What URLs name it by: `kid`.
    pub id: ShortId,
    /// Whose files its URLs permit.
    pub organization_id: OrganizationId,
    /// A name for people.
    pub title: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}
