//! The usage that one node counted since its last report.

use serde::{Deserialize, Serialize};

use super::{Day, ListenerEntry, UsageCounts};
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;
use crate::variant_index::VariantIndex;
use crate::{OrganizationId, UsageBatchId};

/// The counts of one variant on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageEntry {
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The day.
    pub day: Day,
    /// The folder of the file: the `index` of a track, or the folder of another object with files.
    pub folder: ShortId,
    /// The variant; none if it is not known, for example when all variants were returned.
    pub variant: Option<VariantIndex>,
    /// The counts.
    pub counts: UsageCounts,
}

/// The usage that one node counted since its last report. It has an id, so that it is added to the sums only once,
/// however often it is submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageBatch {
    /// Its id.
    pub id: UsageBatchId,
    /// When it was taken.
    pub taken_at: Timestamp,
    /// One entry for each folder, variant and day, in the same order on every node.
    pub entries: Vec<UsageEntry>,
    /// Entries about listeners, also in the same order on every node. Earlier versions neither write nor read this
    /// field.
    #[serde(default)]
    pub listeners: Vec<ListenerEntry>,
}
