//! Creators.

use serde::Serialize;
use tonearm_domain::{Creator, CreatorId, Metadata, OrganizationId, Timestamp};
use utoipa::ToSchema;

/// The record of a creator.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CreatorRecord {
    id: CreatorId,
    organization_id: OrganizationId,
    /// The creator's only folder; its id is the id of the creator.
    folder_id: CreatorId,
    organization_index: String,
    metadata: Metadata,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<Creator> for CreatorRecord {
    fn from(creator: Creator) -> Self {
        Self {
            id: creator.id,
            organization_id: creator.organization_id,
            folder_id: creator.id,
            organization_index: creator.organization_index,
            metadata: creator.metadata,
            created_at: creator.created_at,
            updated_at: creator.updated_at,
        }
    }
}
