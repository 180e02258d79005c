//! API keys.

use serde::Serialize;
use tonearm_domain::{
    ApiKeyId, CollectionId, CreatorId, KeyType, OrganizationId, Timestamp, TrackId, VariantIndex,
};
use tonearm_service::CreatedKey;
use utoipa::ToSchema;

/// The record of a key that was just made, with the key itself: it is shown this once.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeyRecord {
    id: ApiKeyId,
    key: String,
    organization_id: OrganizationId,
    title: String,
    api_key_type_id: KeyType,
    collection_id: Option<CollectionId>,
    track_id: Option<TrackId>,
    creator_id: Option<CreatorId>,
    /// The only ones that its play sessions may list; null: all.
    variants: Option<Vec<VariantIndex>>,
    is_downloadable: bool,
    expires_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<CreatedKey> for KeyRecord {
    fn from(CreatedKey { key, text }: CreatedKey) -> Self {
        Self {
            id: key.id,
            key: text.reveal().to_owned(),
            organization_id: key.organization_id,
            title: key.title,
            api_key_type_id: key.key_type,
            collection_id: key.scope.collection(),
            track_id: key.scope.track(),
            creator_id: key.creator_id,
            variants: key.variants.only().map(|list| list.to_vec()),
            is_downloadable: key.is_downloadable,
            expires_at: key.expires_at,
            created_at: key.created_at,
        }
    }
}
