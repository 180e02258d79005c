//! Covers of collections and organizations.

use tonearm_catalog::NamedOwner;
use tonearm_domain::{CollectionId, CoverOwner, ObjectKey, OrganizationId};

use super::finding::{Finding, FindingKind};
use super::reading::Read;
use super::{Run, VerifyError};
use crate::unreadable::Look;

/// Owners that are read at once.
const PAGE: u64 = 200;

impl Run<'_> {
    pub(super) async fn look_at_owners(&mut self) -> Result<(), VerifyError> {
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
                if let Some(kind) = self.damage_of(&object.key).await?
                    && self.is_used(owner, &object.key).await?
                {
                    self.tell(&Finding::of_cover(kind, &object.key, owner.owner));
                }
            }
        }
        Ok(())
    }

    /// What is wrong with an object of which nothing is recorded.
    async fn damage_of(&self, key: &ObjectKey) -> Result<Option<FindingKind>, VerifyError> {
        match self.looks.look(key).await? {
            Look::Missing => return Ok(Some(FindingKind::MissingObject)),
            Look::Unreadable => return Ok(Some(FindingKind::UnreadableObject)),
            Look::Found(_) if !self.terms.is_deep => return Ok(None),
            Look::Found(_) => {}
        }
        Ok(match self.read(key).await? {
            Read::Whole { .. } => None,
            Read::Missing => Some(FindingKind::MissingObject),
            Read::Short | Read::Unreadable => Some(FindingKind::UnreadableObject),
        })
    }

    /// Whether the owner still has the cover.
    async fn is_used(&self, owner: &NamedOwner, key: &ObjectKey) -> Result<bool, VerifyError> {
        let (catalog, organization) = (&self.all.catalog, owner.organization_id);
        let cover = match owner.owner {
            CoverOwner::Collection(id) => {
                catalog.collection_even_deleted(organization, id).await?.and_then(|it| it.cover)
            }
            CoverOwner::Organization => catalog.organization(organization).await?.and_then(|it| it.cover),
            CoverOwner::Track(_) => None,
        };
        Ok(cover.is_some_and(|cover| cover.version == key.file.version))
    }
}
