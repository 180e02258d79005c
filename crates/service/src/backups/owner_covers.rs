//! Covers of collections and organizations: objects that no track names.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use tonearm_catalog::{NamedObject, NamedOwner, Snapshot};
use tonearm_domain::{CollectionId, CoverOwner, ObjectKey, OrganizationId};

use super::error::BackupError;
use crate::inventory::StoredObject;

/// Owners that are read at once.
const PAGE: u64 = 200;
/// Objects that are asked for at once.
const BATCH: usize = 1000;

/// Which of these covers the store has.
#[derive(Default)]
pub(super) struct OwnerCovers {
    hasher: RandomState,
    /// Hashes of their names: eight bytes each, as there are three for every collection.
    stored: HashSet<u64>,
}

/// The covers that the store does not have, a page of owners at a time.
pub(super) struct Missing<'a> {
    covers: OwnerCovers,
    snapshot: &'a Snapshot,
    after: After,
}

/// Behind which owner the next page begins.
enum After {
    Organization(Option<OrganizationId>),
    Collection(Option<CollectionId>),
    End,
}

impl OwnerCovers {
    /// Says of the covers among some objects what is recorded of them, and gives those that have another length.
    pub(super) async fn describe(
        &mut self,
        snapshot: &Snapshot,
        listed: &mut [StoredObject],
    ) -> Result<Vec<NamedObject>, BackupError> {
        let mut wrong = Vec::new();
        for batch in listed.chunks_mut(BATCH) {
            let unnamed = batch.iter().filter(|stored| stored.is_known && stored.named.is_none());
            let keys: Vec<ObjectKey> = unnamed.map(|stored| stored.key.clone()).collect();
            for object in snapshot.owner_covers(&keys).await? {
                self.stored.insert(self.hasher.hash_one(&object.key));
                let Some(stored) = batch.iter_mut().find(|stored| stored.key == object.key) else { continue };
                stored.has_other_length = object.size.is_some_and(|size| size != stored.meta.size);
                stored.recorded_sha256 = object.sha256;
                wrong.extend(Some(object).filter(|_| stored.has_other_length));
            }
        }
        Ok(wrong)
    }

    /// Those that were not among any objects.
    pub(super) fn missing(self, snapshot: &Snapshot) -> Missing<'_> {
        Missing { covers: self, snapshot, after: After::Organization(None) }
    }
}

impl Missing<'_> {
    /// Those of the next page of owners; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<NamedObject>>, BackupError> {
        let page = match self.after {
            After::Organization(after) => self.snapshot.covered_organizations(after, PAGE).await?,
            After::Collection(after) => self.snapshot.covered_collections(after, PAGE).await?,
            After::End => return Ok(None),
        };
        self.after = match (page.last().map(|last| (last.owner, last.organization_id)), &self.after) {
            (Some((CoverOwner::Collection(id), _)), _) => After::Collection(Some(id)),
            (Some((_, organization)), _) => After::Organization(Some(organization)),
            (None, After::Organization(_)) => After::Collection(None),
            (None, _) => After::End,
        };
        let objects = page.into_iter().flat_map(|owner: NamedOwner| owner.objects);
        let is_missing =
            |object: &NamedObject| !self.covers.stored.contains(&self.covers.hasher.hash_one(&object.key));
        Ok(Some(objects.filter(is_missing).collect()))
    }
}
