//! Creators.

use tonearm_domain::{AuditAction, Creator, CreatorId, ListPart, ListWindow, Metadata, Patch};

use super::Library;
use super::find_tracks::require_ids_only;
use super::texts::{check_changed_index, check_index, set_required};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// Parameters of a new creator.
#[derive(Debug, Clone)]
pub struct CreateCreator {
    /// The caller's own external id, not empty.
    pub organization_index: String,
    /// The caller's own data.
    pub metadata: Metadata,
}

/// Changes to a creator.
#[derive(Debug, Clone, Default)]
pub struct UpdateCreator {
    /// The caller's own external id; cannot be cleared.
    pub organization_index: Patch<String>,
    /// The caller's own data. Clearing it leaves it empty.
    pub metadata: Patch<Metadata>,
}

impl Library {
    /// One page of the organization's creators, and the total number.
    pub async fn creators(&self, caller: &Caller, window: ListWindow) -> Result<ListPart<Creator>, Refusal> {
        caller.require_whole_organization()?;
        let organization_id = caller.organization_id;
        match window {
            ListWindow::Offset(page) => {
                Ok(ListPart::by_offset(self.catalog.creators(organization_id, page).await?))
            }
            ListWindow::After { position, limit } => {
                require_ids_only(position.as_ref())?;
                Ok(self.catalog.creators_after(organization_id, (position.as_ref(), limit)).await?)
            }
        }
    }

    /// One creator.
    pub async fn creator(&self, caller: &Caller, id: CreatorId) -> Result<Creator, Refusal> {
        caller.require_whole_organization()?;
        self.catalog.creator(caller.organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Creator))
    }

    /// Creates a creator.
    pub async fn create_creator(&self, caller: &Caller, create: CreateCreator) -> Result<Creator, Refusal> {
        caller.require_whole_organization()?;
        let mut organization_index = String::new();
        set_required("organization_index", Patch::Set(create.organization_index), &mut organization_index)?;
        check_index(Some(&organization_index))?;
        let now = self.ambient.now();
        let creator = Creator {
            id: self.ambient.record_id(),
            organization_id: caller.organization_id,
            folder: self.ambient.short_id(),
            organization_index,
            metadata: create.metadata,
            created_at: now,
            updated_at: now,
        };
        let tx = self.catalog.begin().await?;
        tx.insert_creator(&creator).await?;
        let done = AuditedAction {
            action: AuditAction::CreatorCreate,
            subject_id: creator.id.uuid(),
            title: &creator.organization_index,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(creator)
    }

    /// Changes a creator.
    pub async fn update_creator(
        &self,
        caller: &Caller,
        id: CreatorId,
        update: UpdateCreator,
    ) -> Result<Creator, Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let mut creator =
            tx.creator(caller.organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Creator))?;
        let before = creator.clone();
        check_changed_index(&update.organization_index, Some(&creator.organization_index))?;
        set_required("organization_index", update.organization_index, &mut creator.organization_index)?;
        update.metadata.apply_or(&mut creator.metadata, Metadata::default())?;
        if creator != before {
            creator.updated_at = self.ambient.now();
        }
        tx.update_creator(&creator).await?;
        let done = AuditedAction {
            action: AuditAction::CreatorUpdate,
            subject_id: creator.id.uuid(),
            title: &creator.organization_index,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(creator)
    }

    /// Deletes a creator. Its content stays, without a creator.
    pub async fn delete_creator(&self, caller: &Caller, id: CreatorId) -> Result<Creator, Refusal> {
        caller.require_whole_organization()?;
        self.catalog.detach_creator(caller.organization_id, id).await?;
        let tx = self.catalog.begin().await?;
        let deleted = tx.delete_creator(caller.organization_id, id).await?;
        let creator = deleted.ok_or(Refusal::NotFound(Resource::Creator))?;
        let done = AuditedAction {
            action: AuditAction::CreatorDelete,
            subject_id: creator.id.uuid(),
            title: &creator.organization_index,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(creator)
    }

    /// Refuses a creator that does not belong to the caller's organization.
    pub(super) async fn require_creator(
        &self,
        caller: &Caller,
        id: Option<CreatorId>,
    ) -> Result<(), Refusal> {
        let Some(id) = id else { return Ok(()) };
        match self.catalog.creator(caller.organization_id, id).await? {
            Some(_) => Ok(()),
            None => Err(Refusal::NotFound(Resource::Creator)),
        }
    }
}
