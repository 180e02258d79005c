//! The changes of a transaction. Observers in this process are notified of them once it is committed.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tonearm_domain::{CollectionId, OrganizationId, PlaySessionId, TrackId};

/// A change after which reads may return something else than before.
///
/// An addition is reported as a change of the record that it belongs to: a new file as a change of its track, a new
/// recipe as a change of its organization. A new organization, collection, track, session or key is not a change, since
/// nothing can have read it before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// The record of an organization.
    Organization(OrganizationId),
    /// The recipes of an organization, or those of one of its tracks.
    Recipes(OrganizationId),
    /// The API keys of an organization.
    ApiKeys(OrganizationId),
    /// A play session.
    PlaySession(PlaySessionId),
    /// Any number of play sessions.
    PlaySessions,
    /// The record of a collection.
    Collection(CollectionId),
    /// The record of a track, or its files.
    Track(TrackId),
    /// Which tracks of a collection are listed, or how.
    TracksOf(CollectionId),
}

type Observer = Arc<dyn Fn(&[Change]) + Send + Sync>;

/// The observers that are notified of changes.
#[derive(Clone, Default)]
pub(crate) struct Observers(Arc<RwLock<Vec<Observer>>>);

impl Observers {
    pub(crate) fn add(&self, observer: Observer) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(observer);
    }

    /// Notifies all observers, one after another.
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
        // Most transactions change one record repeatedly, so comparing with the last change is enough. Transactions
        // that change thousands of records note each only once.
        if noted.last() != Some(&change) {
            noted.push(change);
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Change> {
        mem::take(self.0.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}
