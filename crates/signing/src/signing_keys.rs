//! Keys that organizations sign delivery URLs with by themselves.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use tonearm_domain::{OrganizationId, ShortId};

use crate::keys::KeyRing;

/// Which key of which organization.
pub type SigningKeyName = (OrganizationId, ShortId);

/// The signing keys whose URLs are honoured now. There are none until somebody says which, and a node that does not
/// know any more says that there are none. Cheap to clone; clones say the same.
#[derive(Clone, Default)]
pub struct LiveKeys(Arc<RwLock<KeysByOrganization>>);

type KeysByOrganization = HashMap<OrganizationId, Vec<(ShortId, Arc<KeyRing>)>>;

/// How many keys of an organization a URL is tried against that names none.
const MOST_TRIED: usize = 8;

impl LiveKeys {
    pub(crate) fn get(&self, (organization, id): SigningKeyName) -> Option<Arc<KeyRing>> {
        let live = self.0.read().unwrap_or_else(PoisonError::into_inner);
        live.get(&organization)?.iter().find(|(own, _)| *own == id).map(|(_, ring)| Arc::clone(ring))
    }

    /// The keys that a URL without `kid` is tried against: at most eight of the organization's, by id.
    pub(crate) fn tried(&self, organization: OrganizationId) -> Vec<(ShortId, Arc<KeyRing>)> {
        let live = self.0.read().unwrap_or_else(PoisonError::into_inner);
        live.get(&organization).into_iter().flatten().take(MOST_TRIED).cloned().collect()
    }

    /// From now on these and no others. Keys that were live before need not be derived again.
    pub(crate) fn replace(&self, names: &[SigningKeyName], derive: impl Fn(SigningKeyName) -> KeyRing) {
        let mut live: HashMap<OrganizationId, Vec<_>> = HashMap::new();
        for name in names {
            let ring = self.get(*name).unwrap_or_else(|| Arc::new(derive(*name)));
            live.entry(name.0).or_default().push((name.1, ring));
        }
        // Every node tries the same keys, in whatever order it was given their names.
        live.values_mut().for_each(|keys| keys.sort_by_key(|(id, _)| *id));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = live;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for LiveKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LiveKeys({})", self.len())
    }
}
