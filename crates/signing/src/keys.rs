//! Keys of organizations, derived from the master secrets and kept ready for use.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};
use tonearm_domain::{ObjectKey, OrganizationId, ShortId};

use crate::secrets::Secrets;

/// Bytes of a MAC.
pub(crate) const MAC_LEN: usize = 32;

/// The most derived keys in the cache; each takes about 200 bytes per master secret.
const MOST_CACHED: usize = 4096;

/// The info of the key that listeners are hashed with.
const LISTENERS: &[u8] = b"tonearm/v1/listeners";

/// The purpose of a key. Keys of different purposes have nothing in common, so that a URL signed for one can never
/// serve as the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    Delivery,
    Upload,
    /// Messages that nodes exchange through the store.
    Nodes,
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Delivery => "delivery",
            Self::Upload => "upload",
            Self::Nodes => "nodes",
        }
    }
}

/// The keys of one organization for one purpose: one for each master secret, the signing one first.
pub(crate) struct KeyRing {
    signing: Hmac<Sha256>,
    retired: Box<[Hmac<Sha256>]>,
}

impl KeyRing {
    fn derive(extracts: &Extracts, purpose: Purpose, organization: OrganizationId) -> Self {
        Self::of_info(extracts, &info(purpose, organization))
    }

    fn of_info(extracts: &Extracts, info: &str) -> Self {
        let keyed = |extract| keyed(&derive_text(extract, info));
        Self { signing: keyed(&extracts.first), retired: extracts.rest.iter().map(keyed).collect() }
    }

    /// The MAC of the parts, concatenated.
    pub(crate) fn mac(&self, parts: &[&str]) -> [u8; MAC_LEN] {
        mac_of(&self.signing, parts)
    }

    /// Whether any of the keys made the MAC. Takes the same time wherever a difference is.
    pub(crate) fn verifies(&self, parts: &[&str], mac: &[u8; MAC_LEN]) -> bool {
        std::iter::once(&self.signing)
            .chain(&self.retired)
            .fold(Choice::from(0), |found, key| found | mac_of(key, parts).ct_eq(mac))
            .into()
    }
}

fn mac_of(key: &Hmac<Sha256>, parts: &[&str]) -> [u8; MAC_LEN] {
    let mut mac = key.clone();
    for part in parts {
        mac.update(part.as_bytes());
    }
    mac.finalize().into_bytes().into()
}

fn keyed(key: &str) -> Hmac<Sha256> {
    Hmac::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length")
}

fn info(purpose: Purpose, organization: OrganizationId) -> String {
    format!("tonearm/v1/{}/{organization}", purpose.as_str())
}

/// Unlike any of the others: no purpose has this name, and none has a third part.
fn signing_key_info(organization: OrganizationId, id: ShortId) -> String {
    format!("tonearm/v1/signing-key/{organization}/{id}")
}

fn derive_text(extract: &Hkdf<Sha256>, info: &str) -> String {
    let mut key = [0; 32];
    extract.expand(info.as_bytes(), &mut key).expect("HKDF-SHA256 gives up to 8160 bytes");
    hex::encode(key)
}

/// The master secrets after HKDF's extract step.
struct Extracts {
    first: Hkdf<Sha256>,
    rest: Box<[Hkdf<Sha256>]>,
}

/// Derives keys and caches those in use.
pub(crate) struct Keys {
    extracts: Extracts,
    cache: RwLock<HashMap<(Purpose, OrganizationId), Arc<KeyRing>>>,
}

impl Keys {
    pub(crate) fn new(secrets: &Secrets) -> Self {
        let mut extracts = secrets.iter().map(|secret| Hkdf::new(None, secret));
        let first = extracts.next().expect("Secrets holds at least one");
        Self { extracts: Extracts { first, rest: extracts.collect() }, cache: RwLock::default() }
    }

    /// The text of the key that signs for an organization.
    pub(crate) fn signing_text(&self, purpose: Purpose, organization: OrganizationId) -> String {
        derive_text(&self.extracts.first, &info(purpose, organization))
    }

    /// The text of a key that an organization signs with by itself.
    pub(crate) fn signing_key_text(&self, organization: OrganizationId, id: ShortId) -> String {
        derive_text(&self.extracts.first, &signing_key_info(organization, id))
    }

    /// The keys that verify URLs signed with such a key, whichever master secret it was derived from.
    pub(crate) fn signing_key_ring(&self, organization: OrganizationId, id: ShortId) -> KeyRing {
        KeyRing::of_info(&self.extracts, &signing_key_info(organization, id))
    }

    /// The key that listeners are hashed with.
    pub(crate) fn listener_key(&self) -> [u8; 16] {
        let mut key = [0; 16];
        self.extracts.first.expand(LISTENERS, &mut key).expect("HKDF-SHA256 gives up to 8160 bytes");
        key
    }

    /// The same under each master secret, the first one first.
    pub(crate) fn listener_keys(&self) -> Vec<[u8; 16]> {
        let derive = |extract: &Hkdf<Sha256>| {
            let mut key = [0; 16];
            extract.expand(LISTENERS, &mut key).expect("HKDF-SHA256 gives up to 8160 bytes");
            key
        };
        std::iter::once(&self.extracts.first).chain(&self.extracts.rest).map(derive).collect()
    }

    /// The MAC of a message of this node.
    pub(crate) fn sign_text(&self, text: &str) -> [u8; MAC_LEN] {
        self.get_or_derive(Purpose::Nodes, ObjectKey::RESERVED).mac(&[text])
    }

    /// Whether a node with one of the master secrets sent this message.
    pub(crate) fn verifies_text(&self, text: &str, mac: &[u8; MAC_LEN]) -> bool {
        self.verify(Purpose::Nodes, ObjectKey::RESERVED, &[text], mac)
    }

    /// Keys of an organization that is known to exist. They are cached.
    pub(crate) fn get_or_derive(&self, purpose: Purpose, organization: OrganizationId) -> Arc<KeyRing> {
        self.cached(purpose, organization).unwrap_or_else(|| {
            let ring = Arc::new(KeyRing::derive(&self.extracts, purpose, organization));
            self.keep(purpose, organization, &ring);
            ring
        })
    }

    /// Whether the MAC is one of the organization's. Keys are cached only if it is: a stranger who makes up
    /// organizations cannot evict those in use.
    pub(crate) fn verify(
        &self,
        purpose: Purpose,
        organization: OrganizationId,
        parts: &[&str],
        mac: &[u8; MAC_LEN],
    ) -> bool {
        if let Some(ring) = self.cached(purpose, organization) {
            return ring.verifies(parts, mac);
        }
        let ring = Arc::new(KeyRing::derive(&self.extracts, purpose, organization));
        let genuine = ring.verifies(parts, mac);
        if genuine {
            self.keep(purpose, organization, &ring);
        }
        genuine
    }

    fn cached(&self, purpose: Purpose, organization: OrganizationId) -> Option<Arc<KeyRing>> {
        // The map contains only complete keys, so it is intact even if another thread panicked.
        let cache = self.cache.read().unwrap_or_else(PoisonError::into_inner);
        cache.get(&(purpose, organization)).cloned()
    }

    fn keep(&self, purpose: Purpose, organization: OrganizationId, ring: &Arc<KeyRing>) {
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        // Deriving again takes microseconds, so starting over is cheaper than tracking the order of use.
        if cache.len() >= MOST_CACHED {
            cache.clear();
        }
        cache.insert((purpose, organization), Arc::clone(ring));
    }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::{RecordId, Timestamp};

    use super::*;

    fn organization(n: u64) -> OrganizationId {
        let mut random = [0; 10];
        random[2..].copy_from_slice(&n.to_be_bytes());
        OrganizationId::from_parts(Timestamp::from_unix_millis(0).unwrap(), random)
    }

    #[test]
    fn what_is_kept_is_bounded_and_strangers_leave_nothing() {
        let keys = Keys::new(&Secrets::from_bytes([1; 32]));
        let cached = || keys.cache.read().unwrap().len();
        assert!(!keys.verify(Purpose::Delivery, organization(0), &["text"], &[0; MAC_LEN]));
        assert_eq!(cached(), 0);
        let first = keys.get_or_derive(Purpose::Delivery, organization(0)).mac(&["text"]);
        for n in 0..=MOST_CACHED as u64 {
            keys.get_or_derive(Purpose::Delivery, organization(n));
            assert!(cached() <= MOST_CACHED);
        }
        assert!(keys.verify(Purpose::Delivery, organization(0), &["te", "xt"], &first));
    }

    #[test]
    fn purposes_and_organizations_have_their_own_keys() {
        let keys = Keys::new(&Secrets::from_bytes([1; 32]));
        let mac = keys.get_or_derive(Purpose::Delivery, organization(1)).mac(&["text"]);
        assert!(!keys.verify(Purpose::Upload, organization(1), &["text"], &mac));
        assert!(!keys.verify(Purpose::Delivery, organization(2), &["text"], &mac));
    }
}
