//! What is told of the service.

use std::time::Duration;

use tonearm_catalog::{JobFailures, LastBackup, NearQuota};
use tonearm_domain::{CertificateNames, CertificateState, JobClass, NodeRecord, RecentRuns, Timestamp};

use super::disks::DiskStatus;

/// Whether a part of the service answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reachability {
    /// It answered, after so long.
    Answered(Duration),
    /// It cannot be reached; the log tells why.
    Failed,
    /// It did not answer in time.
    TimedOut,
}

/// A node, as it was last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeStatus {
    /// The node.
    pub node: NodeRecord,
    /// When it sent its last heartbeat, by the clock of whoever asks.
    pub seen_at: Timestamp,
    /// Whether it has been silent for so long that it is taken for lost.
    pub is_lost: bool,
    /// Whether it is the node that is asked.
    pub is_this: bool,
}

/// The jobs of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueStatus {
    /// The class.
    pub class: JobClass,
    /// Jobs that are due and wait for a worker.
    pub due: u64,
    /// Jobs that run.
    pub running: u64,
    /// Jobs that wait for their time, or for a part of the service.
    pub waiting: u64,
    /// Milliseconds since the oldest of those that are due was.
    pub oldest_due_millis: u64,
    /// The runs that ended lately on the nodes that run; none where the nodes could not be told.
    pub ended: Option<RecentRuns>,
}

/// The certificate that nodes get by themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcmeStatus {
    /// For which names.
    pub names: CertificateNames,
    /// When the latest one ends; none before the first.
    pub ends_at: Option<Timestamp>,
    /// When the next one is ordered; none where no node has asked for one yet.
    pub order_at: Option<Timestamp>,
    /// Why the last order failed, if it did.
    pub last_error: Option<String>,
}

/// Backups that came to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupStatus {
    /// The latest one; none where there was none yet.
    pub last: Option<LastBackup>,
}

/// Quotas that are nearly used up, the fullest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearQuotas {
    /// Some of them.
    pub quotas: Vec<NearQuota>,
    /// Whether these are all.
    pub is_complete: bool,
}

/// How the service is. What could not be told in time is none.
#[derive(Debug, Clone)]
pub struct StatusReport {
    /// When it was asked.
    pub at: Timestamp,
    /// The database.
    pub database: Reachability,
    /// The object store.
    pub store: Reachability,
    /// The nodes of the last day, those that run first.
    pub nodes: Option<Vec<NodeStatus>>,
    /// The jobs, by class.
    pub queues: Option<Vec<QueueStatus>>,
    /// The jobs that were given up in the last day.
    pub failures: Option<JobFailures>,
    /// The file systems of this node.
    pub disks: Vec<DiskStatus>,
    /// When the certificate of this node ends.
    pub certificate_ends_at: Option<Timestamp>,
    /// The certificate that nodes get by themselves, where this one is to have it.
    pub acme: Option<AcmeStatus>,
    /// Backups.
    pub backup: Option<BackupStatus>,
    /// Quotas that are nearly used up.
    pub near_quotas: Option<NearQuotas>,
}

impl AcmeStatus {
    pub(super) fn of(names: CertificateNames, state: Option<CertificateState>) -> Self {
        let Some(state) = state else {
            return Self { names, ends_at: None, order_at: None, last_error: None };
        };
        let ends_at = state.issued.map(|issued| issued.not_after);
        Self { names, ends_at, order_at: Some(state.order_at), last_error: state.last_error }
    }
}
