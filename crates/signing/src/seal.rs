//! Seals data that only the bearer of a credential may read.

use hkdf::Hkdf;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;

/// Seals bytes under a credential that is not stored itself, so that they can be kept at rest: ChaCha20-Poly1305 (RFC
/// 8439) under a key derived from the credential's text by HKDF-SHA256. The result is the nonce, then the ciphertext,
/// then the tag. A nonce is random and used only once.
pub fn seal(credential: &str, nonce: [u8; NONCE_LEN], plain: &[u8]) -> Vec<u8> {
    let mut sealed = nonce.to_vec();
    let mut text = plain.to_vec();
    // Fails only for texts of 256 GiB.
    let tag = key(credential)
        .seal_in_place_separate_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut text)
        .expect("what is sealed fits into memory, so it is below the cipher's limit");
    sealed.append(&mut text);
    sealed.extend_from_slice(tag.as_ref());
    sealed
}

/// Opens what [`seal`] sealed under the same credential. `None` under another credential, or if a bit has changed.
pub fn unseal(credential: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
    let mut text = text.to_vec();
    let plain = key(credential).open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::empty(), &mut text);
    let length = plain.ok()?.len();
    text.truncate(length);
    Some(text)
}

fn key(credential: &str) -> LessSafeKey {
    let mut bytes = [0; 32];
    Hkdf::<Sha256>::new(None, credential.as_bytes())
        .expand(b"tonearm/v1/seal", &mut bytes)
        .expect("32 bytes are within what HKDF-SHA256 gives");
    let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).expect("the key has the cipher's length");
    LessSafeKey::new(key)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn only_the_same_credential_opens(plain: Vec<u8>, nonce: [u8; NONCE_LEN], at: prop::sample::Index) {
            let mut sealed = seal("credential", nonce, &plain);
            prop_assert_eq!(unseal("credential", &sealed), Some(plain));
            prop_assert_eq!(unseal("another", &sealed), None);
            let at = at.index(sealed.len());
            sealed[at] ^= 1;
            prop_assert_eq!(unseal("credential", &sealed), None);
        }

        #[test]
        fn anything_may_be_tried(sealed: Vec<u8>) {
            prop_assert_eq!(unseal("credential", &sealed), None);
        }
    }
}
