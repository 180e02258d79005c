//! Whether an organization may add play sessions. The answer costs a query a second, however many sessions there are.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{OrganizationId, RecordLimits, RecordUsage};

/// How long the number of records is remembered. Sessions that this node adds meanwhile are counted.
const REMEMBERED: Duration = Duration::from_secs(1);
/// With more organizations than this, all are forgotten.
const MOST_ORGANIZATIONS: usize = 10_000;

/// What organizations keep in the database, as far as this node knows.
#[derive(Default)]
pub(super) struct RecordRoom(Mutex<HashMap<OrganizationId, Known>>);

#[derive(Clone, Copy)]
struct Known {
    used: RecordUsage,
    read_at: Instant,
}

impl RecordRoom {
    /// Refuses to add a session while there is too little free space, or for an organization that keeps as many records as
    /// it may.
    pub(super) async fn admit(
        &self,
        catalog: &Catalog,
        organization: OrganizationId,
    ) -> Result<(), CatalogError> {
        catalog.admit_to_disk()?;
        let limits = catalog.record_limits();
        if limits == RecordLimits::default() {
            return Ok(());
        }
        if let Some(used) = self.remembered(organization) {
            return Ok(limits.admit(used)?);
        }
        let used = catalog.record_usage(organization).await?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_ORGANIZATIONS {
            known.clear();
        }
        let counted = RecordUsage { records: used.records + 1, ..used };
        known.insert(organization, Known { used: counted, read_at: Instant::now() });
        Ok(limits.admit(used)?)
    }

    /// The records before this session. `None` if they have to be read: while one caller reads, the others go on with
    /// what was known before.
    fn remembered(&self, organization: OrganizationId) -> Option<RecordUsage> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_mut(&organization)?;
        if known.read_at.elapsed() >= REMEMBERED {
            known.read_at = Instant::now();
            return None;
        }
        let used = known.used;
        known.used.records += 1;
        Some(used)
    }
}
