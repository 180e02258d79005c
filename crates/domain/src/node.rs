//! The record of a running node, as other nodes see it.

use crate::ended_runs::{PerClass, RecentRuns};
use crate::id::NodeId;
use crate::timestamp::Timestamp;

/// The record of a running node, as other nodes see it. Each start of a process is a new node.
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
    /// Its roles, as text: a later version may know more roles.
    pub roles: Vec<String>,
    /// When it was started, by its own clock.
    pub started_at: Timestamp,
    /// How far its clock is ahead of the database's clock, in milliseconds; none if the database has no clock of its
    /// own.
    pub clock_ahead_millis: Option<i64>,
    /// The fingerprints of the master secrets that it knows; the one that it signs with comes first. Empty if it runs
    /// an older version, which does not report them.
    pub master_secrets: Vec<String>,
    /// The job runs that ended on it recently.
    pub recent_runs: PerClass<RecentRuns>,
}

impl NodeRecord {
    /// How often a node sends a heartbeat.
    pub const BEAT_SECONDS: u64 = 15;

    /// A node without a heartbeat for longer than this is considered lost: it has missed at least three heartbeats.
    pub const LOST_AFTER_MILLIS: u64 = 60_000;

    /// How long the record of a lost node is kept.
    pub const KEPT_SECONDS: i64 = 24 * 3600;
}
