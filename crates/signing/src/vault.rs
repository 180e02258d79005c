//! Seals secrets of others at rest: secrets shared with receivers of webhooks, and keys to other services.

use std::sync::Arc;

use hkdf::Hkdf;
use sha2::Sha256;

use crate::seal::{seal, unseal};
use crate::secrets::Secrets;

/// Seals secrets under keys derived from the master secrets, so that a copy of the database alone does not reveal them.
/// The first master secret seals, all open: what is still sealed under one that is dropped is lost.
///
/// `context` states what a secret is for, such as `webhook/<id>`. A secret that is moved to another context does not
/// open: the context is part of what its key is derived from.
#[derive(Clone)]
pub struct Vault {
    keys: Arc<[String]>,
}

impl Vault {
    /// A vault with these master secrets.
    pub fn new(secrets: &Secrets) -> Self {
        let derive = |secret: &[u8]| {
            let mut key = [0; 32];
            Hkdf::<Sha256>::new(None, secret)
                .expand(b"tonearm/v1/vault", &mut key)
                .expect("HKDF-SHA256 gives up to 8160 bytes");
            hex::encode(key)
        };
        Self { keys: secrets.iter().map(derive).collect() }
    }

    /// Seals a secret for a context. The nonce is random and used only once.
    pub fn seal(&self, context: &str, nonce: [u8; 12], secret: &[u8]) -> Vec<u8> {
        seal(&credential(&self.keys[0], context), nonce, secret)
    }

    /// Whether there are master secrets besides the first.
    pub fn has_older(&self) -> bool {
        self.keys.len() > 1
    }

    /// Whether it was sealed for a context under the first master secret.
    pub fn is_under_first(&self, context: &str, sealed: &[u8]) -> bool {
        unseal(&credential(&self.keys[0], context), sealed).is_some()
    }

    /// How many master secrets there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The master secret, counted from 0, under which something was sealed for a context.
    pub fn sealed_under(&self, context: &str, sealed: &[u8]) -> Option<usize> {
        self.keys.iter().position(|key| unseal(&credential(key, context), sealed).is_some())
    }

    /// Opens what was sealed for a context under any of the master secrets.
    pub fn open(&self, context: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        self.keys.iter().find_map(|key| unseal(&credential(key, context), sealed))
    }
}

fn credential(key: &str, context: &str) -> String {
    format!("{key}/{context}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_context_opens_under_any_master_secret() {
        let (old, new) = ("o".repeat(32), "n".repeat(32));
        let vault = |text: &str| Vault::new(&Secrets::parse(text).unwrap());
        let sealed = vault(&old).seal("webhook/1", [7; 12], b"secret");
        let rotated = vault(&format!("{new},{old}"));
        assert_eq!(rotated.open("webhook/1", &sealed).as_deref(), Some(&b"secret"[..]));
        assert_eq!(rotated.open("webhook/2", &sealed), None);
        assert_eq!(vault(&new).open("webhook/1", &sealed), None);
        assert!(rotated.has_older() && !rotated.is_under_first("webhook/1", &sealed));
        assert_eq!((rotated.len(), rotated.sealed_under("webhook/1", &sealed)), (2, Some(1)));
        assert_eq!(rotated.sealed_under("webhook/2", &sealed), None);
        let resealed = rotated.seal("webhook/1", [8; 12], b"secret");
        assert!(rotated.is_under_first("webhook/1", &resealed));
        assert_eq!(vault(&new).open("webhook/1", &resealed).as_deref(), Some(&b"secret"[..]));
    }
}
