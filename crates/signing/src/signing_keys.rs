//! Keys that organizations sign delivery URLs with by themselves.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use tonearm_domain::{OrganizationId, ShortId, Timestamp};

use crate::keys::KeyRing;

/// Which key of which organization.
pub type SigningKeyName = (OrganizationId, ShortId);

/// The signing keys whose URLs are honoured now. There are none until they are set, and none any more when the
/// time is over for which they were set. Cheap to clone; clones share the keys.
#[derive(Clone, Default)]
pub struct LiveKeys(Arc<RwLock<CurrentKeys>>);

/// The keys that were set last.
#[derive(Default)]
struct CurrentKeys {
    keys: KeysByOrganization,
    /// From when on they are no longer valid; `None`: they are valid until others are set.
    until: Option<Timestamp>,
}

impl CurrentKeys {
    fn are_valid_at(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

type KeysByOrganization = HashMap<OrganizationId, Vec<(ShortId, Arc<KeyRing>)>>;

/// How many keys of an organization a URL is tried against that names none.
const MOST_TRIED: usize = 8;

impl LiveKeys {
    pub(crate) fn get(&self, name: SigningKeyName, now: Timestamp) -> Option<Arc<KeyRing>> {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        find(&current.keys, name).filter(|_| current.are_valid_at(now))
    }

    /// The keys that a URL without `kid` is tried against: at most eight of the organization's, by id.
    pub(crate) fn tried(&self, organization: OrganizationId, now: Timestamp) -> Vec<(ShortId, Arc<KeyRing>)> {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let live = current.keys.get(&organization).filter(|_| current.are_valid_at(now));
        live.into_iter().flatten().take(MOST_TRIED).cloned().collect()
    }

    /// From now on these and no others. Keys that were live before need not be derived again.
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
        // Every node tries the same keys, in whatever order it was given their names.
        keys.values_mut().for_each(|keys| keys.sort_by_key(|(id, _)| *id));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = CurrentKeys { keys, until };
    }

    /// The same keys until then.
    pub(crate) fn extend(&self, until: Timestamp) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).until = Some(until);
    }

    /// Whether URLs signed with this key are honoured at this moment.
    pub fn contains(&self, name: SigningKeyName, now: Timestamp) -> bool {
        self.get(name, now).is_some()
    }

    /// How many there are, whether or not their time is over.
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
