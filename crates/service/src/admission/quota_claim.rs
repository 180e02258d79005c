//! Bytes of sources that are arriving count for the quota before a row names them.

use tokio::runtime::Handle;
use tonearm_catalog::{Catalog, CatalogError, Transaction};
use tonearm_domain::{
    Ambient, ContentType, ObjectFile, ObjectKey, OrganizationId, ShortId, Timestamp, VariantIndex,
};

use super::quotas::{self, QuotaAllowance};
use crate::refusal::Refusal;

/// The fewest and the most bytes that are claimed before they arrive. In between, as many as have arrived.
const LEAST_AHEAD: u64 = 1 << 20;
const MOST_AHEAD: u64 = 32 << 20;

/// A source of unknown size claims at most one in this many of the bytes that are left of the quota, so that few are left for
/// others only if all are needed.
const SHARE_AHEAD: u64 = 16;

/// How many seconds a claim lasts without renewal. It is removed with replaced objects if its process dies.
const CLAIMED_SECONDS: i64 = 900;

/// A claim is renewed when less than this is left, in seconds.
const RENEWED_WITHIN_SECONDS: i64 = 600;

/// What a source that is arriving takes of the quota of bytes: what has arrived and is recorded nowhere else, and a little
/// of what comes next. Without such a quota, it does nothing.
pub(crate) struct QuotaClaim {
    catalog: Catalog,
    ambient: Ambient,
    /// It counts like an object that no row names. No object gets this name.
    name: ObjectKey,
    is_limited: bool,
    /// The bytes that are expected, if known.
    size: Option<u64>,
    claimed: u64,
    /// `None` if nothing is claimed.
    renew_at: Option<Timestamp>,
}

impl QuotaClaim {
    /// A claim for a source in this folder of an organization, or for a piece of it, of `size` bytes if known.
    pub(crate) fn new(
        (catalog, ambient): (&Catalog, &Ambient),
        (organization_id, folder): (OrganizationId, ShortId),
        allowance: QuotaAllowance,
        size: Option<u64>,
    ) -> Self {
        let label = VariantIndex::from_static("arriving");
        let file = ObjectFile { label, version: ambient.short_id(), content_type: ContentType::Binary };
        Self {
            name: ObjectKey { organization_id, folder, file },
            catalog: catalog.clone(),
            ambient: ambient.clone(),
            is_limited: allowance.is_limited(),
            size,
            claimed: 0,
            renew_at: None,
        }
    }

    /// The bytes that are claimed, and therefore counted.
    pub(crate) fn claimed(&self) -> u64 {
        self.claimed
    }

    /// Claims the bytes that have arrived, or refuses them.
    pub(crate) async fn cover(&mut self, arrived: u64) -> Result<(), Refusal> {
        let now = self.ambient.now();
        let is_covered = arrived <= self.claimed && self.renew_at.is_some_and(|at| now < at);
        if !self.is_limited || is_covered {
            return Ok(());
        }
        // On the heap: most chunks need no transaction, and its future takes kilobytes.
        Box::pin(self.claim(arrived, now)).await
    }

    async fn claim(&mut self, arrived: u64, now: Timestamp) -> Result<(), Refusal> {
        let organization_id = self.name.organization_id;
        let tx = self.catalog.begin().await?;
        quotas::admit_stored(&tx, organization_id, arrived, self.claimed).await?;
        let room = quotas::room(&tx, organization_id).await?.unwrap_or(u64::MAX);
        let left = room.saturating_add(self.claimed).saturating_sub(arrived);
        let ahead = match self.size {
            Some(size) => size.saturating_sub(arrived).min(left),
            None => left / SHARE_AHEAD,
        };
        let claimed = arrived + ahead.min(arrived.clamp(LEAST_AHEAD, MOST_AHEAD));
        tx.claim_bytes(&self.name, claimed, now.plus_seconds(CLAIMED_SECONDS)).await?;
        self.renew_at = Some(now.plus_seconds(CLAIMED_SECONDS - RENEWED_WITHIN_SECONDS));
        tx.commit().await?;
        self.claimed = claimed;
        Ok(())
    }

    /// Removes the claim in the transaction that records the bytes. [`Self::forget`] follows once it is committed.
    pub(crate) async fn release(&self, tx: &Transaction) -> Result<(), CatalogError> {
        match self.renew_at {
            Some(_) => tx.forget_replaced_objects(std::slice::from_ref(&self.name)).await,
            None => Ok(()),
        }
    }

    /// Notes that the claim was released.
    pub(crate) fn forget(&mut self) {
        (self.claimed, self.renew_at) = (0, None);
    }

    /// Ends a claim whose bytes are not kept.
    pub(crate) async fn end(&mut self) {
        if self.renew_at.is_some() {
            self.forget();
            release(&self.catalog, &self.name).await;
        }
    }
}

/// The client may go away at any time.
impl Drop for QuotaClaim {
    fn drop(&mut self) {
        if self.renew_at.is_some()
            && let Ok(runtime) = Handle::try_current()
        {
            let (catalog, name) = (self.catalog.clone(), self.name.clone());
            runtime.spawn(async move { release(&catalog, &name).await });
        }
    }
}

async fn release(catalog: &Catalog, name: &ObjectKey) {
    if let Err(error) = catalog.release_bytes(name).await {
        tracing::warn!(%error, "could not give back what an upload had claimed of a quota; it counts until it expires");
    }
}
