//! Seals the tickets with which clients resume TLS sessions, so that every node opens those of the others.

use std::fmt;
use std::sync::Arc;

use hkdf::Hkdf;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;
use tonearm_domain::Timestamp;

use crate::secrets::Secrets;

/// Bytes of the name of a key in a ticket.
const NAME_LEN: usize = 16;

/// Keys for session tickets, derived from the master secrets and the time: every 12 hours there is a new one. Tickets
/// are sealed under the current key of the first master secret, and opened under the current and the previous key of
/// all master secrets.
///
/// A ticket is the name of its key, a nonce, the ciphertext and the tag (ChaCha20-Poly1305, RFC 8439). The name is
/// authenticated with the text.
#[derive(Clone)]
pub struct TicketKeys(Arc<[Hkdf<Sha256>]>);

impl TicketKeys {
    /// Seconds for which a key seals. It opens for as long again, so that a ticket lasts at least this long.
    pub const WINDOW: u32 = 12 * 3600;

    /// Keys from these master secrets.
    pub fn new(secrets: &Secrets) -> Self {
        Self(secrets.iter().map(|secret| Hkdf::new(None, secret)).collect())
    }

    /// Seals a ticket with this content. The nonce is random and used only once.
    pub fn seal(&self, now: Timestamp, nonce: [u8; NONCE_LEN], plain: &[u8]) -> Option<Vec<u8>> {
        let (name, key) = key(self.0.first()?, window(now));
        let mut text = plain.to_vec();
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(name), &mut text).ok()?;
        Some([&name[..], &nonce, &text].concat())
    }

    /// The content of a ticket. None if it was changed, is too old, or was sealed under another secret.
    pub fn open(&self, now: Timestamp, ticket: &[u8]) -> Option<Vec<u8>> {
        let (named, rest) = ticket.split_first_chunk::<NAME_LEN>()?;
        let (nonce, text) = rest.split_first_chunk::<NONCE_LEN>()?;
        let windows = [window(now), window(now) - 1];
        let keys = self.0.iter().flat_map(|secret| windows.map(|window| key(secret, window)));
        // The names are not secret: each ticket shows the name of its key.
        let (name, key) = keys.into_iter().find(|(name, _)| name == named)?;
        let mut text = text.to_vec();
        let plain = key.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(name), &mut text);
        let length = plain.ok()?.len();
        text.truncate(length);
        Some(text)
    }
}

impl fmt::Debug for TicketKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TicketKeys({})", self.0.len())
    }
}

fn window(now: Timestamp) -> i64 {
    now.unix_seconds().div_euclid(TicketKeys::WINDOW.into())
}

/// The key of a window and its name.
fn key(secret: &Hkdf<Sha256>, window: i64) -> ([u8; NAME_LEN], LessSafeKey) {
    let derive = |label: &[u8], output: &mut [u8]| {
        secret
            .expand_multi_info(&[label, &window.to_be_bytes()], output)
            .expect("32 bytes are within what HKDF-SHA256 gives");
    };
    let (mut name, mut key) = ([0; NAME_LEN], [0; 32]);
    derive(b"tonearm/v1/tls-ticket-name/", &mut name);
    derive(b"tonearm/v1/tls-ticket-key/", &mut key);
    let key = UnboundKey::new(&CHACHA20_POLY1305, &key).expect("the key has the cipher's length");
    (name, LessSafeKey::new(key))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WINDOW: i64 = TicketKeys::WINDOW as i64;
    const NONCE: [u8; NONCE_LEN] = [7; NONCE_LEN];

    fn keys(text: &str) -> TicketKeys {
        let secrets: Vec<String> = text.chars().map(|letter| letter.to_string().repeat(32)).collect();
        TicketKeys::new(&Secrets::parse(&secrets.join(",")).unwrap())
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds).unwrap()
    }

    #[test]
    fn tickets_open_under_any_master_secret_and_are_sealed_under_the_first() {
        let ticket = keys("a").seal(at(0), NONCE, b"state").unwrap();
        for (secrets, opens) in [("a", true), ("ab", true), ("ba", true), ("b", false)] {
            assert_eq!(keys(secrets).open(at(0), &ticket).is_some(), opens, "{secrets}");
        }
        let ticket = keys("ba").seal(at(0), NONCE, b"state").unwrap();
        assert_eq!(keys("b").open(at(0), &ticket).as_deref(), Some(&b"state"[..]));
        assert_eq!(keys("a").open(at(0), &ticket), None);
        assert_eq!(format!("{:?}", keys("ab")), "TicketKeys(2)");
    }

    proptest! {
        #[test]
        fn a_ticket_lasts_for_its_window_and_the_next(sealed in 0..10 * WINDOW, opened in 0..14 * WINDOW) {
            let ticket = keys("a").seal(at(sealed), NONCE, b"state").unwrap();
            let windows = opened / WINDOW - sealed / WINDOW;
            prop_assert_eq!(keys("a").open(at(opened), &ticket).is_some(), (0..=1).contains(&windows));
        }

        #[test]
        fn a_ticket_that_was_changed_does_not_open(plain: Vec<u8>, nonce: [u8; 12], at_byte: prop::sample::Index, bit in 0..8_u8) {
            let keys = keys("a");
            let ticket = keys.seal(at(0), nonce, &plain).unwrap();
            prop_assert_eq!(keys.open(at(0), &ticket), Some(plain));
            let at_byte = at_byte.index(ticket.len());
            let mut spoiled = ticket.clone();
            spoiled[at_byte] ^= 1 << bit;
            prop_assert_eq!(keys.open(at(0), &spoiled), None);
            prop_assert_eq!(keys.open(at(0), &ticket[..at_byte]), None);
            spoiled = [&ticket[..], &[0]].concat();
            prop_assert_eq!(keys.open(at(0), &spoiled), None);
        }

        #[test]
        fn anything_may_be_tried(ticket: Vec<u8>, now in -WINDOW..WINDOW) {
            prop_assert_eq!(keys("ab").open(at(now), &ticket), None);
        }
    }
}
