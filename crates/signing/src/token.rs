//! Secrets of people: in the cookies of sign-ins, and in links that let a person in once.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::base62;

const WIDTH: usize = 43;

/// 32 random bytes; as text 43 characters in base 62. Only [`hash`](Self::hash) is stored. There is no `Display`,
/// and `Debug` leaves the secret out.
#[derive(Clone)]
pub struct Token([u8; 32]);

/// Text that is not a token. Never holds any of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a token")]
pub struct TokenError;

impl Token {
    /// From 32 fresh random bytes.
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// What is stored and looked up. A plain hash is enough, as the token has 256 random bits.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    /// The token, for its holder.
    pub fn reveal(&self) -> String {
        let mut text = String::with_capacity(WIDTH);
        base62::encode::<32, WIDTH>(self.0, &mut text);
        text
    }

    /// The secret in a form of this token's holder, so that pages of other sites cannot submit the form. It is derived
    /// from the token and differs with every `mask` (32 random bytes), so that compression reveals nothing about it.
    pub fn form_secret(&self, mask: [u8; 32]) -> String {
        let mut masked = self.form_mac();
        masked.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        let mut text = String::with_capacity(2 * WIDTH);
        base62::encode::<32, WIDTH>(mask, &mut text);
        base62::encode::<32, WIDTH>(masked, &mut text);
        text
    }

    /// Whether a form was made for this token's holder.
    pub fn is_form_secret(&self, text: &str) -> bool {
        let parts = text.split_at_checked(WIDTH).filter(|(_, masked)| masked.len() == WIDTH);
        let decoded = parts
            .and_then(|(mask, masked)| Some((base62::decode::<32>(mask)?, base62::decode::<32>(masked)?)));
        let Some((mask, mut masked)) = decoded else { return false };
        masked.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        masked.ct_eq(&self.form_mac()).into()
    }

    fn form_mac(&self) -> [u8; 32] {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            unreachable!("HMAC takes keys of any length")
        };
        mac.update(b"tonearm/v1/form");
        mac.finalize().into_bytes().into()
    }
}

impl FromStr for Token {
    type Err = TokenError;
    fn from_str(text: &str) -> Result<Self, TokenError> {
        if text.len() != WIDTH {
            return Err(TokenError);
        }
        base62::decode(text).map(Self).ok_or(TokenError)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// The hash under which something is counted, so that the stored data identifies no one: SHA-256 of kind and name.
pub fn subject_hash(kind: &str, name: &str) -> [u8; 32] {
    Sha256::new().chain_update(kind).chain_update([0]).chain_update(name).finalize().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn tokens_are_read_back(secret: [u8; 32]) {
            let token = Token::new(secret);
            let read: Token = token.reveal().parse().unwrap();
            prop_assert_eq!(read.hash(), token.hash());
        }

        #[test]
        fn form_secrets_are_of_one_token(secret: [u8; 32], other: [u8; 32], mask: [u8; 32], at in 0..86_usize) {
            let token = Token::new(secret);
            let text = token.form_secret(mask);
            prop_assert!(token.is_form_secret(&text));
            prop_assert_eq!(Token::new(other).is_form_secret(&text), other == secret);
            let mut spoiled = text.into_bytes();
            spoiled[at] = if spoiled[at] == b'1' { b'2' } else { b'1' };
            prop_assert!(!token.is_form_secret(&String::from_utf8(spoiled).unwrap()));
        }

        #[test]
        fn any_text_is_read_without_panic(text in "\\PC{0,90}") {
            prop_assert!(!Token::new([1; 32]).is_form_secret(&text));
            let _ = text.parse::<Token>();
        }
    }
}
