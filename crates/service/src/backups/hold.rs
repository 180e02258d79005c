//! Keeps the objects that the rows of a backup name in the store.

use std::time::Duration;

use tokio::task::JoinHandle;
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{Ambient, RemovalHold, RemovalHoldId};

/// A hold on removals, which is renewed until it is released or dropped. If it is dropped, it expires after a while.
pub(super) struct Hold {
    catalog: Catalog,
    id: RemovalHoldId,
    renewing: JoinHandle<()>,
}

impl Hold {
    /// Begins to hold removals.
    pub(super) async fn begin(catalog: &Catalog, ambient: &Ambient) -> Result<Self, CatalogError> {
        let id = ambient.record_id();
        catalog.hold_removals(id, ambient.now()).await?;
        let renewing = tokio::spawn(renew(catalog.clone(), ambient.clone(), id));
        Ok(Self { catalog: catalog.clone(), id, renewing })
    }

    /// Whether no other backup of this database runs.
    pub(super) async fn is_only_one(&self, ambient: &Ambient) -> Result<bool, CatalogError> {
        Ok(!self.catalog.others_hold_removals(self.id, ambient.now()).await?)
    }

    /// Allows removals again.
    pub(super) async fn release(self) {
        self.renewing.abort();
        if let Err(error) = self.catalog.release_removals(self.id).await {
            tracing::warn!(%error, "could not record the end of the backup; deleted objects will be removed some minutes later");
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

async fn renew(catalog: Catalog, ambient: Ambient, id: RemovalHoldId) {
    loop {
        tokio::time::sleep(Duration::from_secs(RemovalHold::RENEWED_SECONDS)).await;
        if let Err(error) = catalog.hold_removals(id, ambient.now()).await {
            tracing::warn!(%error, "could not extend the hold on deleted objects; those deleted during the backup may be missing from it");
        }
    }
}
