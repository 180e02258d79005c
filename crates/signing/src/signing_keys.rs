//! Keys that organizations sign delivery URLs with by themselves.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use tonearm_domain::{OrganizationId, ShortId, Timestamp};

use crate::keys::KeyRing;

/// The organization and the id of a signing key.
pub type SigningKeyName = (OrganizationId, ShortId);

/// The signing keys whose URLs are accepted now. There are none until they are set, and none after the time for which
/// they were set. Cheap to clone; clones share the keys.
#[derive(Clone, Default)]
pub struct LiveKeys(Arc<RwLock<CurrentKeys>>);

/// The keys that were set last.
#[derive(Default)]
struct CurrentKeys {
    keys: KeysByOrganization,
    /// From when on it is not known which keys are live. `None`: they are valid until others are set.
    until: Option<Timestamp>,
    /// Keys that were made a moment ago, which whoever sets the keys may not know yet.
    new: Vec<NewKey>,
}

struct NewKey {
    name: SigningKeyName,
    ring: Arc<KeyRing>,
    until: Timestamp,
}

impl CurrentKeys {
    fn are_valid_at(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    fn new_at(&self, now: Timestamp) -> impl Iterator<Item = &NewKey> {
        self.new.iter().filter(move |new| now < new.until)
    }
}

type KeysByOrganization = HashMap<OrganizationId, Vec<(ShortId, Arc<KeyRing>)>>;

/// The most keys of an organization that are tried for a URL without `kid`.
const MOST_TRIED: usize = 8;

impl LiveKeys {
    pub(crate) fn get(&self, name: SigningKeyName, now: Timestamp) -> Option<Arc<KeyRing>> {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = find(&current.keys, name).filter(|_| current.are_valid_at(now));
        found.or_else(|| current.new_at(now).find(|new| new.name == name).map(|new| Arc::clone(&new.ring)))
    }

    /// The keys that a URL without `kid` is tried against: at most eight of the organization's, by id.
    pub(crate) fn tried(&self, organization: OrganizationId, now: Timestamp) -> Vec<(ShortId, Arc<KeyRing>)> {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let live = current.keys.get(&organization).filter(|_| current.are_valid_at(now));
        let new = current.new_at(now).filter(|new| new.name.0 == organization);
        let new = new.map(|new| (new.name.1, Arc::clone(&new.ring)));
        live.into_iter().flatten().cloned().chain(new).take(MOST_TRIED).collect()
    }

    /// Adds a key that was just made, until it is known to whoever sets the keys.
    pub(crate) fn add_new(&self, name: SigningKeyName, ring: KeyRing, now: Timestamp, until: Timestamp) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        current.new.retain(|new| now < new.until);
        current.new.push(NewKey { name, ring: Arc::new(ring), until });
    }

    /// Takes back a key that was just made.
    pub(crate) fn remove_new(&self, name: SigningKeyName) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).new.retain(|new| new.name != name);
    }

    /// Replaces the live keys. Keys that were live before are not derived again.
    pub(crate) fn replace(
        &self,
        names: &[SigningKeyName],
        until: Option<Timestamp>,
        derive: impl Fn(SigningKeyName) -> KeyRing,
    ) {
        let existing = |name| find(&self.0.read().unwrap_or_else(PoisonError::into_inner).keys, name);
        let mut keys: KeysByOrganization = HashMap::new();
        for name in names {
            let ring = existing(*name).unwrap_or_else(|| Arc::new(derive(*name)));
            keys.entry(name.0).or_default().push((name.1, ring));
        }
        // Every node tries the same keys, in whatever order it received their names.
        keys.values_mut().for_each(|keys| keys.sort_by_key(|(id, _)| *id));
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        (current.keys, current.until) = (keys, until);
    }

    /// Keeps the same keys until `until`.
    pub(crate) fn extend(&self, until: Timestamp) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).until = Some(until);
    }

    /// Whether it is known at this moment which keys are live.
    pub(crate) fn are_known(&self, now: Timestamp) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).are_valid_at(now)
    }

    /// Whether URLs signed with this key are honoured at this moment.
    pub fn contains(&self, name: SigningKeyName, now: Timestamp) -> bool {
        self.get(name, now).is_some()
    }

    /// The number of keys, whether or not their time is over.
    pub fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).keys.values().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn find(keys: &KeysByOrganization, (organization, id): SigningKeyName) -> Option<Arc<KeyRing>> {
    keys.get(&organization)?.iter().find(|(own, _)| *own == id).map(|(_, ring)| Arc::clone(ring))
}

impl fmt::Debug for LiveKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LiveKeys({})", self.len())
    }
}
