//! What organizations may have at most: asked before bytes are taken, and decided in the transaction that adds something.
//!
//! Where an organization has a quota, these transactions follow one another: each asks before it locks anything else.

use tonearm_catalog::{Catalog, CatalogError, Transaction};
use tonearm_domain::{OrganizationId, QuotaExceeded, Quotas};

use crate::refusal::Refusal;

/// How many bytes a source may have. Refuses one that is announced with more, or where nothing may be uploaded at all.
pub(crate) async fn source_allowance(
    catalog: &Catalog,
    organization_id: OrganizationId,
    announced: Option<u64>,
) -> Result<QuotaAllowance, Refusal> {
    let quotas = catalog.quotas(organization_id).await?;
    if quotas.is_unlimited() {
        return Ok(QuotaAllowance(None));
    }
    let used = catalog.quota_usage(organization_id).await?;
    quotas.admit_source(used, announced.unwrap_or(1).max(1))?;
    Ok(QuotaAllowance(quotas.remaining_bytes(used).map(|bytes| (bytes, quotas.out_of_bytes(used)))))
}

/// The bytes that an upload may have before it exceeds a quota; none: there is no quota of bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuotaAllowance(Option<(u64, QuotaExceeded)>);

impl QuotaAllowance {
    /// The most bytes to take in, where without a quota it would be `limit`.
    pub(crate) fn at_most(self, limit: u64) -> u64 {
        self.0.map_or(limit, |(bytes, _)| bytes.min(limit))
    }

    /// Why more than `limit` bytes were not taken in.
    pub(crate) fn refusal(self, limit: u64) -> Refusal {
        match self.0 {
            Some((bytes, exceeded)) if bytes <= limit => exceeded.into(),
            _ => Refusal::TooLarge { limit },
        }
    }
}

/// Refuses a cover for which there is no room. It is not counted before it is finished, so this is not decided in a
/// transaction: covers that come at once may pass the quota together.
pub(crate) async fn admit_cover(
    catalog: &Catalog,
    organization_id: OrganizationId,
    bytes: u64,
) -> Result<(), Refusal> {
    let quotas = catalog.quotas(organization_id).await?;
    if quotas.bytes.is_some() {
        quotas.admit_bytes(catalog.quota_usage(organization_id).await?, bytes)?;
    }
    Ok(())
}

/// Refuses a track more than the organization may have. To be asked before anything else is locked.
pub(crate) async fn admit_track(tx: &Transaction, organization_id: OrganizationId) -> Result<(), Refusal> {
    let quotas = tx.quotas(organization_id).await?;
    if !quotas.is_unlimited() {
        quotas.admit_track(tx.quota_usage(organization_id).await?)?;
    }
    Ok(())
}

/// Refuses a source, of which all bytes are there, where there is no room for them. To be asked before anything else is locked.
pub(crate) async fn admit_stored(
    tx: &Transaction,
    organization_id: OrganizationId,
    bytes: u64,
) -> Result<(), Refusal> {
    match exceeded_by(tx, organization_id, bytes).await? {
        Some(exceeded) => Err(exceeded.into()),
        None => Ok(()),
    }
}

/// The quota that a source of so many bytes would exceed. To be asked before anything else is locked.
pub(crate) async fn exceeded_by(
    tx: &Transaction,
    organization_id: OrganizationId,
    bytes: u64,
) -> Result<Option<QuotaExceeded>, CatalogError> {
    let quotas = tx.quotas(organization_id).await?;
    if quotas.bytes.is_none() {
        return Ok(None);
    }
    Ok(quotas.admit_bytes(tx.quota_usage(organization_id).await?, bytes).err())
}

/// Refuses what a deletion that was taken back brings, where the organization may not have it; its quotas were asked before
/// anything else was locked.
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
