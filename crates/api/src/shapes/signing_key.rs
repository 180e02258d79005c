//! Signing keys.

use serde::Serialize;
use tonearm_domain::{OrganizationId, ShortId, SigningKey, Timestamp};
use utoipa::ToSchema;

/// The record of a signing key, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SigningKeyRecord {
    /// The value of `kid` in the URLs that it signs.
    id: ShortId,
    organization_id: OrganizationId,
    title: String,
    /// When it stops working: with the API key that created it. Null if never.
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<SigningKey> for SigningKeyRecord {
    fn from(key: SigningKey) -> Self {
        let SigningKey { id, organization_id, title, created_at, expires_at, revoked_at, made_by: _ } = key;
        Self { id, organization_id, title, expires_at, revoked_at, created_at }
    }
}
