//! Creators.

use crate::short_id::ShortId;
use crate::text::Metadata;
use crate::timestamp::Timestamp;
use crate::{CreatorId, OrganizationId};

/// Whoever the organization says a track or collection comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Creator {
    /// Its id.
    pub id: CreatorId,
    /// Whose it is.
    pub organization_id: OrganizationId,
    /// The folder its own files would be in.
    pub folder: ShortId,
    /// The caller's own external id.
    pub organization_index: String,
    /// The caller's own data.
    pub metadata: Metadata,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}
