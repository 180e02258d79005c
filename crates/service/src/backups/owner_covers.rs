//! Covers of collections and organizations: objects that no track names.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use tonearm_catalog::{NamedObject, NamedOwner, Snapshot};
use tonearm_domain::{CollectionId, CoverOwner, ObjectKey, OrganizationId};

use super::error::BackupError;
use crate::inventory::StoredObject;

/// The number of owners per page.
const PAGE: u64 = 200;
/// The number of objects per query.
const BATCH: usize = 1000;

/// The covers of owners that are in the store.
#[derive(Default)]
pub(super) struct OwnerCovers {
    hasher: RandomState,
    /// Hashes of their keys. They take only eight bytes each, as there are three covers for every collection.
    stored: HashSet<u64>,
}

/// The covers that are missing in the store, a page of owners at a time.
pub(super) struct Missing<'a> {
    covers: OwnerCovers,
    snapshot: &'a Snapshot,
    after: After,
}

/// The owner after which the next page begins.
enum After {
    Organization(Option<OrganizationId>),
    Collection(Option<CollectionId>),
    End,
}

impl OwnerCovers {
    /// Adds the recorded length and hash to the covers among the listed objects. Returns those whose length differs.
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

    /// The covers that no call of [`OwnerCovers::describe`] has seen.
    pub(super) fn missing(self, snapshot: &Snapshot) -> Missing<'_> {
        Missing { covers: self, snapshot, after: After::Organization(None) }
    }
}

impl Missing<'_> {
    /// The missing covers of the next page of owners; `None` at the end.
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
