//! The status report.

use std::time::Duration;

use tonearm_catalog::{JobFailures, LastBackup, NearQuota};
use tonearm_domain::{CertificateNames, CertificateState, JobClass, NodeRecord, RecentRuns, Timestamp};

use super::disks::DiskStatus;

/// Whether a part of the service responds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reachability {
    /// It responded, after this time.
    Answered(Duration),
    /// It cannot be reached. The log has the reason.
    Failed,
    /// It did not respond in time.
    TimedOut,
}

/// A node, as it was last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeStatus {
    /// The node.
    pub node: NodeRecord,
    /// When it sent its last heartbeat, by the clock of the node that makes the report.
    pub seen_at: Timestamp,
    /// Whether it has sent no heartbeat for so long that it counts as lost.
    pub is_lost: bool,
    /// Whether it is the node that makes the report.
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
    /// Jobs that wait until they are due, or for an unavailable part of the service.
    pub waiting: u64,
    /// How long the oldest due job has been due, in milliseconds.
    pub oldest_due_millis: u64,
    /// The runs that ended recently on running nodes. `None` if the nodes could not be read.
    pub ended: Option<RecentRuns>,
}

/// The certificate that nodes order automatically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcmeStatus {
    /// The names of the certificate.
    pub names: CertificateNames,
    /// When the latest certificate expires; `None` before the first.
    pub ends_at: Option<Timestamp>,
    /// When the next order is due; `None` if no node has ordered yet.
    pub order_at: Option<Timestamp>,
    /// Why the last order failed, if it did.
    pub last_error: Option<String>,
}

/// Completed backups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupStatus {
    /// The latest one; `None` if there was none yet.
    pub last: Option<LastBackup>,
}

/// Quotas that are nearly used up, the fullest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearQuotas {
    /// The quotas, up to a limit.
    pub quotas: Vec<NearQuota>,
    /// Whether the list is complete.
    pub is_complete: bool,
}

/// The status of the service. Parts that could not be read in time are `None`.
#[derive(Debug, Clone)]
pub struct StatusReport {
    /// When the report was made.
    pub at: Timestamp,
    /// The database.
    pub database: Reachability,
    /// The object store.
    pub store: Reachability,
    /// The nodes of the last day, running ones first.
    pub nodes: Option<Vec<NodeStatus>>,
    /// The jobs, by class.
    pub queues: Option<Vec<QueueStatus>>,
    /// The jobs that were given up in the last day.
    pub failures: Option<JobFailures>,
    /// The file systems of this node.
    pub disks: Vec<DiskStatus>,
    /// When the certificate of this node expires.
    pub certificate_ends_at: Option<Timestamp>,
    /// The certificate that nodes order automatically, if this node uses it.
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
