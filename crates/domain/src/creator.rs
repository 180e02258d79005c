//! Creators.

use crate::short_id::ShortId;
use crate::text::Metadata;
use crate::timestamp::Timestamp;
use crate::{CreatorId, OrganizationId};

/// The person or entity that a track or collection is attributed to.
#[derive(Debug, Clone, PartialEq)]
pub struct Creator {
    /// Its id.
    pub id: CreatorId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The folder of its own files, should it have any.
    pub folder: ShortId,
    /// The caller's own external id.
    pub organization_index: String,
    /// The caller's own data.
    pub metadata: Metadata,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}
