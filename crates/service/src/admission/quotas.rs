//! Quotas of organizations. They are checked before bytes are accepted, and enforced in the transaction that adds
//! something.
//!
//! If an organization has a quota, these transactions run one after another. Each checks the quotas before it locks
//! anything else.

use tonearm_catalog::{Catalog, CatalogError, Transaction};
use tonearm_domain::{Ambient, ObjectKey, OrganizationId, QuotaExceeded, QuotaUsage, Quotas, Source};

use crate::refusal::Refusal;
use crate::removal::remove_later;

/// The maximum size of a source in bytes. Refuses a source whose announced size exceeds it, or if nothing may be
/// uploaded at all. `counted` are the bytes of it that are counted already.
pub(crate) async fn source_allowance(
    catalog: &Catalog,
    organization_id: OrganizationId,
    announced: Option<u64>,
    counted: u64,
) -> Result<QuotaAllowance, Refusal> {
    catalog.record_limits().admit(catalog.record_usage(organization_id).await?)?;
    let quotas = catalog.quotas(organization_id).await?;
    if quotas.is_unlimited() {
        return Ok(QuotaAllowance(None));
    }
    let used = without(catalog.quota_usage(organization_id).await?, counted);
    quotas.admit_source(used, announced.unwrap_or(1).max(1))?;
    Ok(QuotaAllowance(quotas.remaining_bytes(used).map(|bytes| (bytes, quotas.out_of_bytes(used)))))
}

fn without(used: QuotaUsage, counted: u64) -> QuotaUsage {
    QuotaUsage { bytes: used.bytes.saturating_sub(counted), ..used }
}

/// The number of bytes that an upload may have before it exceeds a quota. `None` if there is no quota of bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuotaAllowance(Option<(u64, QuotaExceeded)>);

impl QuotaAllowance {
    pub(super) fn is_limited(self) -> bool {
        self.0.is_some()
    }

    /// The maximum number of bytes to accept. `limit` applies without a quota.
    pub(crate) fn at_most(self, limit: u64) -> u64 {
        self.0.map_or(limit, |(bytes, _)| bytes.min(limit))
    }

    /// The error for an upload of more than `limit` bytes.
    pub(crate) fn refusal(self, limit: u64) -> Refusal {
        match self.0 {
            Some((bytes, exceeded)) if bytes <= limit => exceeded.into(),
            _ => Refusal::TooLarge { limit },
        }
    }
}

/// Refuses a cover that would exceed the quota, or any if there is no room for its records, before it is received.
/// [`claim_covers`] decides.
pub(crate) async fn admit_cover(
    catalog: &Catalog,
    organization_id: OrganizationId,
    bytes: u64,
) -> Result<(), Refusal> {
    catalog.record_limits().admit(catalog.record_usage(organization_id).await?)?;
    let quotas = catalog.quotas(organization_id).await?;
    if quotas.bytes.is_some() {
        quotas.admit_bytes(catalog.quota_usage(organization_id).await?, bytes)?;
    }
    Ok(())
}

/// Counts the objects of covers, with their sizes in bytes, before they are stored. A job records those that are in use;
/// others are removed after a day. Refuses covers that would exceed the quota.
pub(crate) async fn claim_covers(
    catalog: &Catalog,
    ambient: &Ambient,
    organization_id: OrganizationId,
    objects: &[(ObjectKey, u64)],
) -> Result<(), Refusal> {
    let tx = catalog.begin().await?;
    admit_stored(&tx, organization_id, objects.iter().map(|(_, bytes)| bytes).sum(), 0).await?;
    remove_later(&tx, ambient, organization_id, objects).await?;
    Ok(tx.commit().await?)
}

/// Refuses a new track if the organization's quota is used up. Call it before anything else is locked.
pub(crate) async fn admit_track(tx: &Transaction, organization_id: OrganizationId) -> Result<(), Refusal> {
    let quotas = tx.quotas(organization_id).await?;
    if !quotas.is_unlimited() {
        quotas.admit_track(tx.quota_usage(organization_id).await?)?;
    }
    Ok(())
}

/// Refuses bytes of a source that have arrived and would exceed a quota. `counted` are the bytes of it that are counted
/// already. Call it before anything else is locked.
pub(crate) async fn admit_stored(
    tx: &Transaction,
    organization_id: OrganizationId,
    bytes: u64,
    counted: u64,
) -> Result<(), Refusal> {
    match exceeded_by(tx, organization_id, bytes, counted).await? {
        Some(exceeded) => Err(exceeded.into()),
        None => Ok(()),
    }
}

/// The quota that a source of `bytes` would exceed, of which `counted` are counted already. What is made from it adds
/// records, so there must be room for some. Call it before anything else is locked.
pub(crate) async fn exceeded_by(
    tx: &Transaction,
    organization_id: OrganizationId,
    bytes: u64,
    counted: u64,
) -> Result<Option<QuotaExceeded>, CatalogError> {
    let quotas = tx.quotas(organization_id).await?;
    if let Some(exceeded) = tx.record_exceeds(organization_id, 1).await? {
        return Ok(Some(exceeded));
    }
    if quotas.bytes.is_none() {
        return Ok(None);
    }
    let used = without(tx.quota_usage(organization_id).await?, counted);
    Ok(quotas.admit_bytes(used, bytes).err())
}

/// The quota that a former source would exceed as the source of a track again. As long as it is kept it is counted, but not
/// once for each track that had it. Call it before anything else is locked.
pub(crate) async fn exceeded_by_former(
    tx: &Transaction,
    organization_id: OrganizationId,
    former: &Source,
) -> Result<Option<QuotaExceeded>, CatalogError> {
    let counted = tx.replaced_bytes(&former.key).await?.unwrap_or(0);
    exceeded_by(tx, organization_id, former.size, counted).await
}

/// The bytes that may be added; `None` without a quota. Call it before anything else is locked.
pub(crate) async fn room(
    tx: &Transaction,
    organization_id: OrganizationId,
) -> Result<Option<u64>, CatalogError> {
    let quotas = tx.quotas(organization_id).await?;
    match quotas.bytes {
        Some(_) => Ok(quotas.remaining_bytes(tx.quota_usage(organization_id).await?)),
        None => Ok(None),
    }
}

/// Refuses to undo a deletion if the restored items exceed a quota. The caller has read the quotas before anything else
/// was locked.
pub(crate) async fn admit_restored(
    tx: &Transaction,
    organization_id: OrganizationId,
    quotas: Quotas,
) -> Result<(), Refusal> {
    if quotas.tracks.is_some() || quotas.minutes.is_some() {
        quotas.admit_restored(tx.quota_usage(organization_id).await?)?;
    }
    Ok(())
}
