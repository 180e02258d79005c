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
    revoked_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<SigningKey> for SigningKeyRecord {
    fn from(key: SigningKey) -> Self {
        let SigningKey { id, organization_id, title, created_at, revoked_at } = key;
        Self { id, organization_id, title, revoked_at, created_at }
    }
}
