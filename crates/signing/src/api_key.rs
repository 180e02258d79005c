//! The text of an API key, which only its holder has.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};
use tonearm_domain::{KeyType, OrganizationId};
use uuid::Uuid;

use crate::base62;

const ORGANIZATION_WIDTH: usize = 22;
const SECRET_WIDTH: usize = 43;

/// `<organization id, base 62>_<type letter><secret, base 62>`: 22 characters, an underscore, the letter of
/// [`KeyType`], 43 characters. Base 62 has the digits `0-9A-Za-z`, most significant first, padded with `0`.
///
/// Shown to its holder once; only [`hash`](Self::hash) is stored. There is no `Display`, and `Debug` leaves
/// the secret out.
#[derive(Clone)]
pub struct ApiKeyText {
    text: String,
    organization_id: OrganizationId,
    key_type: KeyType,
}

/// Text that is not an API key. Never holds any of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an API key")]
pub struct ApiKeyTextError;

impl ApiKeyText {
    /// Characters of an API key.
    pub const LEN: usize = ORGANIZATION_WIDTH + 2 + SECRET_WIDTH;

    /// Creates a key with this secret, which is 32 fresh random bytes.
    pub fn new(organization_id: OrganizationId, key_type: KeyType, secret: [u8; 32]) -> Self {
        let mut text = String::with_capacity(Self::LEN);
        base62::encode::<16, ORGANIZATION_WIDTH>(organization_id.uuid().into_bytes(), &mut text);
        text.push('_');
        text.push(key_type.letter());
        base62::encode::<32, SECRET_WIDTH>(secret, &mut text);
        Self { text, organization_id, key_type }
    }

    /// The organization that the key claims to belong to.
    pub fn organization_id(&self) -> OrganizationId {
        self.organization_id
    }

    /// The type that the key claims to have.
    pub fn key_type(&self) -> KeyType {
        self.key_type
    }

    /// SHA-256 of the whole text: what is stored and looked up. A plain hash is enough, as the secret has 256
    /// random bits.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.text).into()
    }

    /// The whole key, for its holder.
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl FromStr for ApiKeyText {
    type Err = ApiKeyTextError;
    fn from_str(text: &str) -> Result<Self, ApiKeyTextError> {
        let parse = || {
            let (organization, rest) = text.split_at_checked(ORGANIZATION_WIDTH)?;
            let (letter, secret) = rest.strip_prefix('_')?.split_at_checked(1)?;
            let key_type = letter.chars().next().and_then(KeyType::from_letter)?;
            let organization_id = OrganizationId::from_uuid(Uuid::from_bytes(base62::decode(organization)?));
            if secret.len() != SECRET_WIDTH {
                return None;
            }
            base62::decode::<32>(secret)?;
            Some(Self { text: text.to_owned(), organization_id, key_type })
        };
        parse().ok_or(ApiKeyTextError)
    }
}

impl fmt::Debug for ApiKeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKeyText({}, {})", self.organization_id, self.key_type.as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn organization(bytes: [u8; 16]) -> OrganizationId {
        OrganizationId::from_uuid(Uuid::from_bytes(bytes))
    }

    #[test]
    fn the_form_is_fixed() {
        let id = "018f0000-0000-7000-8000-000000000001".parse().unwrap();
        let key = ApiKeyText::new(id, KeyType::Share, [0xFF; 32]);
        assert_eq!(key.reveal(), "02wLIRxqmq3AUo6vl2OW37_syhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1");
        assert_eq!(key.reveal().len(), ApiKeyText::LEN);
        assert_eq!(key.hash()[..], Sha256::digest(key.reveal())[..]);
        assert_eq!(format!("{key:?}"), "ApiKeyText(018f0000-0000-7000-8000-000000000001, share)");
    }

    #[test]
    fn only_the_form_is_a_key() {
        let key = ApiKeyText::new(organization([0; 16]), KeyType::Api, [0; 32]);
        let text = key.reveal();
        for bad in [
            String::new(),
            "_a".to_owned(),
            format!("{text}0"),
            format!("0{text}"),
            text[1..].to_owned(),
            text[..text.len() - 1].to_owned(),
            format!(" {text}"),
            text.replace('_', "-"),
            text.replace("_a", "_x"),
            text.replace("_a", "_A"),
            text.replace("_a0", "_az"),
            text.replacen('0', "8", 1),
            text.replacen("00", "ü", 1),
        ] {
            assert!(bad.parse::<ApiKeyText>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn keys_are_read_back(id: [u8; 16], secret: [u8; 32], of_type in 0..KeyType::ALL.len()) {
            let key = ApiKeyText::new(organization(id), KeyType::ALL[of_type], secret);
            let read: ApiKeyText = key.reveal().parse().unwrap();
            prop_assert_eq!(read.organization_id(), key.organization_id());
            prop_assert_eq!(read.key_type(), key.key_type());
            prop_assert_eq!(read.hash(), key.hash());
        }

        #[test]
        fn any_text_is_read_without_panic(text in "\\PC{0,80}") {
            if let Ok(key) = text.parse::<ApiKeyText>() {
                prop_assert_eq!(key.reveal(), text);
            }
        }
    }
}
