//! What an organization may have at most, to be read and set.

use tonearm_domain::{AuditAction, Patch, QuotaUsage, Quotas};

use super::Library;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// What an organization may have at most, and what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaView {
    /// The most.
    pub quotas: Quotas,
    /// What there is.
    pub used: QuotaUsage,
}

/// Quotas to change; cleared, there is no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct UpdateQuotas {
    /// Bytes of sources, files and covers.
    pub bytes: Patch<u64>,
    /// Tracks.
    pub tracks: Patch<u64>,
    /// Minutes of sound.
    pub minutes: Patch<u64>,
}

impl UpdateQuotas {
    /// Whether nothing is to change.
    pub fn is_empty(&self) -> bool {
        [self.bytes, self.tracks, self.minutes].iter().all(|patch| matches!(patch, Patch::Keep))
    }
}

impl Library {
    /// What the caller's organization may have at most, and what it has.
    pub async fn quotas(&self, caller: &Caller) -> Result<QuotaView, Refusal> {
        caller.require_whole_organization()?;
        let catalog = &self.catalog;
        let quotas = catalog.quotas(caller.organization_id).await?;
        Ok(QuotaView { quotas, used: catalog.quota_usage(caller.organization_id).await? })
    }

    /// Changes what an organization may have at most. This is for the operator: neither keys nor members may.
    pub async fn set_quotas(&self, caller: &Caller, update: UpdateQuotas) -> Result<Quotas, Refusal> {
        let id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let mut quotas = tx.quotas(id).await?;
        let organization = tx.organization(id).await?.ok_or(Refusal::NotFound(Resource::Organization))?;
        update.bytes.apply(&mut quotas.bytes);
        update.tracks.apply(&mut quotas.tracks);
        update.minutes.apply(&mut quotas.minutes);
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
