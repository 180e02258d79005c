//! What a transaction changed, told to this process once it is committed.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tonearm_domain::{CollectionId, OrganizationId, TrackId};

/// Something that reads may give another answer about than before.
///
/// What is only added is told where it belongs to something that could be read before: a file to its track, a
/// recipe to its organization. A new organization, collection, track, session or key is no change: nobody can have
/// read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// The record of an organization.
    Organization(OrganizationId),
    /// The recipes of an organization, or those of one of its tracks.
    Recipes(OrganizationId),
    /// The API keys of an organization.
    ApiKeys(OrganizationId),
    /// The record of a collection.
    Collection(CollectionId),
    /// The record of a track, or its files.
    Track(TrackId),
    /// Which tracks of a collection are listed, or how.
    TracksOf(CollectionId),
}

type Observer = Arc<dyn Fn(&[Change]) + Send + Sync>;

/// Those who are notified of changes.
#[derive(Clone, Default)]
pub(crate) struct Observers(Arc<RwLock<Vec<Observer>>>);

impl Observers {
    pub(crate) fn add(&self, observer: Observer) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(observer);
    }

    /// Notifies everyone, one after another.
    pub(crate) fn notify(&self, changes: &[Change]) {
        if changes.is_empty() {
            return;
        }
        for observer in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            observer(changes);
        }
    }
}

/// The changes of one transaction.
#[derive(Default)]
pub(crate) struct Changes(Mutex<Vec<Change>>);

impl Changes {
    pub(crate) fn note(&self, change: Change) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A transaction is mostly about one thing; those that are about thousands name each once by themselves.
        if noted.last() != Some(&change) {
            noted.push(change);
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Change> {
        mem::take(self.0.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}
