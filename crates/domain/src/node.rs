//! A running node, as it is known to the others.

use crate::ended_runs::{PerClass, RecentRuns};
use crate::id::NodeId;
use crate::timestamp::Timestamp;

/// A running node, as it is known to the others. Each start is a node of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRecord {
    /// Its id, new with each start.
    pub id: NodeId,
    /// The name of its machine.
    pub name: String,
    /// The address that it listens on.
    pub address: String,
    /// Its version.
    pub version: String,
    /// What it does, as text: a later version may know more roles.
    pub roles: Vec<String>,
    /// When it was started, by its own clock.
    pub started_at: Timestamp,
    /// How far its clock is ahead of the database's; none where the database has no clock of its own.
    pub clock_ahead_millis: Option<i64>,
    /// The fingerprints of the master secrets that it knows, the one that it signs with first. Empty: it runs an older
    /// version, which does not tell.
    pub master_secrets: Vec<String>,
    /// The runs of jobs that ended on it lately.
    pub recent_runs: PerClass<RecentRuns>,
}

impl NodeRecord {
    /// How often a node sends a heartbeat.
    pub const BEAT_SECONDS: u64 = 15;

    /// A node that has been silent for longer is taken for lost: it has missed three heartbeats, and some time more.
    pub const LOST_AFTER_MILLIS: u64 = 60_000;

    /// How long a node that was lost is remembered.
    pub const KEPT_SECONDS: i64 = 24 * 3600;
}
