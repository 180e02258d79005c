//! What one node counted since it last told.

use serde::{Deserialize, Serialize};

use super::{Day, ListenerEntry, UsageCounts};
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;
use crate::variant_index::VariantIndex;
use crate::{OrganizationId, UsageBatchId};

/// What was counted of one thing on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageEntry {
    /// Whose it is.
    pub organization_id: OrganizationId,
    /// When.
    pub day: Day,
    /// The folder of the file: of a track (its `index`), or of whatever else has files.
    pub folder: ShortId,
    /// Which file of it; none where that is not known, as when all of them were handed out.
    pub variant: Option<VariantIndex>,
    /// What was counted.
    pub counts: UsageCounts,
}

/// What one node counted since it last told. It has a name, so that it is added to the sums once however often it
/// is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageBatch {
    /// Its name.
    pub id: UsageBatchId,
    /// When it was taken.
    pub taken_at: Timestamp,
    /// One entry for each thing and day, in an order that is the same on every node.
    pub entries: Vec<UsageEntry>,
    /// What was learned of listeners, in such an order, too. Earlier versions neither write nor read it.
    #[serde(default)]
    pub listeners: Vec<ListenerEntry>,
}
