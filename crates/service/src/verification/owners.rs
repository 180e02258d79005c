//! Verifying covers of collections and organizations.

use tonearm_catalog::{NamedObject, NamedOwner};
use tonearm_domain::{CollectionId, CoverOwner, OrganizationId};

use super::finding::{Finding, FindingKind};
use super::{Run, VerifyError};
use crate::inventory::HeadOutcome;

/// Owners that are read at once.
const PAGE: u64 = 200;

impl Run<'_> {
    pub(super) async fn check_owners(&mut self) -> Result<(), VerifyError> {
        let mut after: Option<OrganizationId> = None;
        loop {
            let page = self.all.catalog.covered_organizations(after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.organization_id);
            self.look_at_covers(&page).await?;
        }
        let mut after: Option<CollectionId> = None;
        loop {
            let page = self.all.catalog.covered_collections(after, PAGE).await?;
            let Some(CoverOwner::Collection(last)) = page.last().map(|last| last.owner) else { break };
            after = Some(last);
            self.look_at_covers(&page).await?;
        }
        Ok(())
    }

    async fn look_at_covers(&mut self, owners: &[NamedOwner]) -> Result<(), VerifyError> {
        for owner in owners {
            for object in &owner.objects {
                self.objects.take(1).await;
                let Some((kind, found_size)) = self.damage_of(object).await? else { continue };
                if self.all.catalog.object_is_known(&object.key).await? {
                    self.report(&Finding::of_cover(kind, object, found_size, owner.owner));
                }
            }
        }
        Ok(())
    }

    /// The damage of an object, and its length if that is what is wrong.
    async fn damage_of(
        &self,
        object: &NamedObject,
    ) -> Result<Option<(FindingKind, Option<u64>)>, VerifyError> {
        match self.heads.head(&object.key).await? {
            HeadOutcome::Missing => return Ok(Some((FindingKind::MissingObject, None))),
            HeadOutcome::Unreadable => return Ok(Some((FindingKind::UnreadableObject, None))),
            HeadOutcome::Found(meta) if object.size.is_some_and(|size| size != meta.size) => {
                return Ok(Some((FindingKind::WrongLength, Some(meta.size))));
            }
            HeadOutcome::Found(_) if !self.terms.is_deep => return Ok(None),
            HeadOutcome::Found(_) => {}
        }
        Ok(self.damage_read(object).await?)
    }
}
