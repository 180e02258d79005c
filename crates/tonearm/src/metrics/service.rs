//! Metrics of certificates and backups. The database is queried for them at most once in ten seconds.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{CertificateNames, Timestamp};
use tonearm_service::{CertificateEnd, LastBackup};

use super::text::Text;

/// How long a result of the database is cached.
const FRESH: Duration = Duration::from_secs(10);

/// How long the database may take to respond.
const DEADLINE: Duration = Duration::from_secs(3);

/// The state of certificates and backups in the database.
#[derive(Debug, Clone, Copy, Default)]
struct CertificateAndBackup {
    backup: Option<LastBackup>,
    /// When the certificate that nodes order expires.
    ordered: Option<Timestamp>,
}

/// Reports when certificates expire, and when the last backup was made.
pub(super) struct Service {
    catalog: Option<Catalog>,
    names: Option<CertificateNames>,
    in_files: Option<CertificateEnd>,
    last: Mutex<Option<(Instant, CertificateAndBackup)>>,
}

impl Service {
    pub(super) fn new(
        catalog: Option<Catalog>,
        names: Option<CertificateNames>,
        in_files: Option<CertificateEnd>,
    ) -> Self {
        Self { catalog, names, in_files, last: Mutex::default() }
    }

    pub(super) async fn write(&self, text: &mut Text) {
        let found = self.cached().await;
        let in_files = self.in_files.as_ref().and_then(|ends_at| ends_at());
        let mut samples = text.family("tonearm_certificate_expiry_timestamp_seconds");
        for (source, end) in [("files", in_files), ("acme", found.ordered)] {
            if let Some(end) = end {
                samples.sample(&[("source", source)], seconds(end));
            }
        }
        let mut samples = text.family("tonearm_backup_last_success_timestamp_seconds");
        if let Some(backup) = found.backup {
            samples.sample(&[], seconds(backup.finished_at));
        }
    }

    /// A result that was read less than [`FRESH`] ago, or is read now. Of several concurrent requests, one queries the
    /// database and the others wait for it.
    async fn cached(&self) -> CertificateAndBackup {
        let Some(catalog) = &self.catalog else { return CertificateAndBackup::default() };
        let mut last = self.last.lock().await;
        if let Some((made_at, found)) = &*last
            && made_at.elapsed() < FRESH
        {
            return *found;
        }
        let found = match timeout(DEADLINE, self.query(catalog)).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::warn!(%error, "could not read certificates and backups for metrics");
                CertificateAndBackup::default()
            }
            Err(_) => {
                tracing::warn!(deadline = ?DEADLINE, "reading certificates and backups for metrics timed out");
                CertificateAndBackup::default()
            }
        };
        *last = Some((Instant::now(), found));
        found
    }

    async fn query(&self, catalog: &Catalog) -> Result<CertificateAndBackup, CatalogError> {
        let backup = catalog.last_backup().await?;
        let state = match &self.names {
            Some(names) => catalog.certificate(names).await?,
            None => None,
        };
        let ordered = state.and_then(|state| state.issued).map(|issued| issued.not_after);
        Ok(CertificateAndBackup { backup, ordered })
    }
}

fn seconds(at: Timestamp) -> f64 {
    at.unix_millis() as f64 / 1000.0
}
