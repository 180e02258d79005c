//! Reading and setting the quotas of an organization.

use tonearm_domain::{AuditAction, Patch, QuotaUsage, Quotas, RecordLimits, RecordUsage};

use super::Library;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// An organization's quotas and its current usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaView {
    /// The limits.
    pub quotas: Quotas,
    /// The current usage.
    pub used: QuotaUsage,
    /// The limits of records, which are those of every organization.
    pub record_limits: RecordLimits,
    /// The current number of records.
    pub records: RecordUsage,
}

/// Changes to quotas. A cleared quota means no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct UpdateQuotas {
    /// Bytes of sources, files and covers.
    pub bytes: Patch<u64>,
    /// Tracks.
    pub tracks: Patch<u64>,
    /// Minutes of audio.
    pub minutes: Patch<u64>,
}

impl UpdateQuotas {
    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        [self.bytes, self.tracks, self.minutes].iter().all(|patch| matches!(patch, Patch::Keep))
    }
}

impl Library {
    /// The quotas of the caller's organization and its current usage.
    pub async fn quotas(&self, caller: &Caller) -> Result<QuotaView, Refusal> {
        caller.require_whole_organization()?;
        let (catalog, organization) = (&self.catalog, caller.organization_id);
        Ok(QuotaView {
            quotas: catalog.quotas(organization).await?,
            used: catalog.quota_usage(organization).await?,
            record_limits: catalog.record_limits(),
            records: catalog.record_usage(organization).await?,
        })
    }

    /// Changes an organization's quotas. Only the operator may do this, neither keys nor members.
    pub async fn set_quotas(&self, caller: &Caller, update: UpdateQuotas) -> Result<Quotas, Refusal> {
        let id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let mut quotas = tx.quotas(id).await?;
        let organization = tx.organization(id).await?.ok_or(Refusal::NotFound(Resource::Organization))?;
        update.bytes.apply(&mut quotas.bytes)?;
        update.tracks.apply(&mut quotas.tracks)?;
        update.minutes.apply(&mut quotas.minutes)?;
        tx.set_quotas(id, quotas).await?;
        let done = AuditedAction {
            action: AuditAction::OrganizationUpdate,
            subject_id: id.uuid(),
            title: &organization.name,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(quotas)
    }
}
