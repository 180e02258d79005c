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
pub struct LiveKeys(Arc<RwLock<HashMap<SigningKeyName, Arc<KeyRing>>>>);

impl LiveKeys {
    pub(crate) fn get(&self, name: SigningKeyName) -> Option<Arc<KeyRing>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&name).cloned()
    }

    /// From now on these and no others. Keys that were live before need not be derived again.
    pub(crate) fn replace(&self, names: &[SigningKeyName], derive: impl Fn(SigningKeyName) -> KeyRing) {
        let ring = |name| self.get(name).unwrap_or_else(|| Arc::new(derive(name)));
        let live = names.iter().map(|name| (*name, ring(*name))).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = live;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
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
