//! API keys.

use serde::Serialize;
use tonearm_domain::{
    ApiKey, ApiKeyId, CollectionId, CreatorId, KeyType, OrganizationId, PageOrigin, Timestamp, TrackId,
    VariantIndex,
};
use utoipa::ToSchema;

/// The record of a key, without the key itself.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeyRecord {
    id: ApiKeyId,
    organization_id: OrganizationId,
    title: String,
    api_key_type_id: KeyType,
    collection_id: Option<CollectionId>,
    track_id: Option<TrackId>,
    creator_id: Option<CreatorId>,
    /// The variants that its play sessions may list; null for all.
    variants: Option<Vec<VariantIndex>>,
    is_downloadable: bool,
    /// The origins whose pages may use it; null for all.
    allowed_origins: Option<Vec<PageOrigin>>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    /// Accurate to about a minute; null if it was never used.
    last_used_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<ApiKey> for KeyRecord {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id,
            organization_id: key.organization_id,
            title: key.title,
            api_key_type_id: key.key_type,
            collection_id: key.scope.collection(),
            track_id: key.scope.track(),
            creator_id: key.creator_id,
            variants: key.variants.only().map(|list| list.to_vec()),
            is_downloadable: key.is_downloadable,
            allowed_origins: key.allowed_origins.only().map(|list| list.to_vec()),
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            last_used_at: key.last_used_at,
            created_at: key.created_at,
        }
    }
}
