//! The status of the service for operators: its nodes, jobs and dependencies.

mod disks;
mod heartbeat;
mod jobs;
mod report;
mod run_counter;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, CatalogError, SeenNode};
use tonearm_domain::{Ambient, CertificateNames, NodeId, Timestamp};

pub use disks::{DiskStatus, Disks};
pub use heartbeat::Heartbeat;
pub use report::{AcmeStatus, BackupStatus, NearQuotas, NodeStatus, QueueStatus, Reachability, StatusReport};
pub use run_counter::RunCounter;

use jobs::{ended_runs, queues};

/// The timeout for each part of a report.
const DEADLINE: Duration = Duration::from_secs(3);

/// How long a report is cached. The parts are queried at most once in this time.
const FRESH: Duration = Duration::from_secs(5);

/// The maximum number of groups of failures in a report.
const MOST_FAILURES: usize = 20;

/// The maximum number of quotas in a report.
const MOST_QUOTAS: usize = 20;

/// Jobs that were given up within this many seconds are reported.
pub(crate) const FAILED_FOR_SECONDS: i64 = 24 * 3600;

/// Returns when the certificate of this node expires, or `None` if that is not known.
pub type CertificateEnd = Arc<dyn Fn() -> Option<Timestamp> + Send + Sync>;

/// Reports the status of the service. Cheap to clone.
#[derive(Clone)]
pub struct Status {
    catalog: Catalog,
    blobs: Option<Blobs>,
    ambient: Ambient,
    disks: Disks,
    node: Option<NodeId>,
    certificate: Option<CertificateEnd>,
    acme: Option<CertificateNames>,
    last: Arc<Mutex<Option<(Instant, StatusReport)>>>,
}

impl Status {
    /// Reports on a catalog and, if it could be opened, its store.
    pub fn new(catalog: Catalog, blobs: Option<Blobs>, ambient: Ambient) -> Self {
        Self {
            catalog,
            blobs,
            ambient,
            disks: Disks::default(),
            node: None,
            certificate: None,
            acme: None,
            last: Arc::default(),
        }
    }

    /// Adds these file systems to the report.
    pub fn with_disks(mut self, disks: Disks) -> Self {
        self.disks = disks;
        self
    }

    /// Sets the id of this node.
    pub fn of_node(mut self, id: NodeId) -> Self {
        self.node = Some(id);
        self
    }

    /// Adds the expiry of this node's certificate to the report.
    pub fn with_certificate(mut self, ends_at: Option<CertificateEnd>) -> Self {
        self.certificate = ends_at;
        self
    }

    /// Adds the certificate that nodes order automatically for these names to the report.
    pub fn with_acme(mut self, names: Option<CertificateNames>) -> Self {
        self.acme = names;
        self
    }

    /// A report that is at most a few seconds old. Concurrent callers share one query.
    pub async fn cached_report(&self) -> StatusReport {
        let mut last = self.last.lock().await;
        if let Some((made_at, report)) = &*last
            && made_at.elapsed() < FRESH
        {
            return report.clone();
        }
        let report = self.report().await;
        *last = Some((Instant::now(), report.clone()));
        report
    }

    /// Drops the cached report, because something that it reports has changed.
    pub async fn forget_cached_report(&self) {
        *self.last.lock().await = None;
    }

    /// A new report. It takes as long as its slowest part, at most the timeout of one part.
    pub async fn report(&self) -> StatusReport {
        Box::pin(self.look()).await
    }

    async fn look(&self) -> StatusReport {
        let at = self.ambient.now();
        let (database, store, nodes, tallies, failures, disks, acme, backup, near_quotas) = futures::join!(
            check("the database", self.catalog.ping()),
            self.check_store(),
            in_time("the nodes", self.catalog.seen_nodes(at)),
            in_time("the jobs", self.catalog.job_tallies(at)),
            in_time(
                "failed jobs",
                self.catalog.failed_jobs(at.plus_seconds(-FAILED_FOR_SECONDS), MOST_FAILURES)
            ),
            self.disks.look(),
            self.acme(),
            in_time("the last backup", self.catalog.last_backup()),
            in_time("quotas", self.catalog.near_quotas(MOST_QUOTAS + 1)),
        );
        let nodes = nodes.map(|nodes| self.node_statuses(nodes, at));
        let ended = nodes.as_deref().map(ended_runs);
        StatusReport {
            at,
            database,
            store,
            nodes,
            queues: tallies.map(|tallies| queues(&tallies, ended)),
            failures,
            disks,
            certificate_ends_at: self.certificate.as_ref().and_then(|ends_at| ends_at()),
            acme,
            backup: backup.map(|last| BackupStatus { last }),
            near_quotas: near_quotas.map(|mut quotas| {
                let is_complete = quotas.len() <= MOST_QUOTAS;
                quotas.truncate(MOST_QUOTAS);
                NearQuotas { quotas, is_complete }
            }),
        }
    }

    async fn acme(&self) -> Option<AcmeStatus> {
        let names = self.acme.as_ref()?;
        let state = in_time("the certificate", self.catalog.certificate(names)).await?;
        Some(AcmeStatus::of(names.clone(), state))
    }

    async fn check_store(&self) -> Reachability {
        match &self.blobs {
            Some(blobs) => check("the store", blobs.check()).await,
            None => Reachability::Failed,
        }
    }

    fn node_statuses(&self, seen: Vec<SeenNode>, at: Timestamp) -> Vec<NodeStatus> {
        let status = |seen: SeenNode| NodeStatus {
            seen_at: at.plus_millis(-i64::try_from(seen.seen_millis_ago).unwrap_or(i64::MAX)),
            is_lost: seen.is_lost(),
            is_this: self.node == Some(seen.node.id),
            node: seen.node,
        };
        let mut nodes: Vec<NodeStatus> = seen.into_iter().map(status).collect();
        nodes.sort_by_cached_key(|status| (status.is_lost, status.node.name.clone(), status.node.id));
        nodes
    }
}

async fn check<E: fmt::Display>(
    part: &'static str,
    request: impl Future<Output = Result<(), E>>,
) -> Reachability {
    let began = Instant::now();
    match timeout(DEADLINE, request).await {
        Ok(Ok(())) => Reachability::Answered(began.elapsed()),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the status page cannot reach {part}");
            Reachability::Failed
        }
        Err(_) => {
            tracing::warn!(deadline = ?DEADLINE, "the status page got no answer from {part}");
            Reachability::TimedOut
        }
    }
}

async fn in_time<T>(what: &'static str, request: impl Future<Output = Result<T, CatalogError>>) -> Option<T> {
    match timeout(DEADLINE, request).await {
        Ok(Ok(value)) => Some(value),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the status page could not read {what}");
            None
        }
        Err(_) => {
            tracing::warn!(deadline = ?DEADLINE, "the status page could not read {what} in time");
            None
        }
    }
}
