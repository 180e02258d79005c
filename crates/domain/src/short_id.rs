//! Short ids for paths and URLs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Twelve characters of a-z and 0-9 (62 bits): a track's `index`, and the part of an object's name that makes each
/// version of a file new. Lower case only, so that ids stay unique on case-insensitive file systems.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ShortId([u8; Self::LEN]);

/// Text that is not a short id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a short id of twelve characters a-z and 0-9")]
pub struct ShortIdError;

impl ShortId {
    /// Characters in a short id.
    pub const LEN: usize = 12;

    /// From random bytes. The remainder's bias (2^64 mod 36^12) is below 2^-1 bit of the 62.
    pub fn from_random(random: [u8; 8]) -> Self {
        let mut rest = u64::from_be_bytes(random);
        let mut characters = [0; Self::LEN];
        for slot in &mut characters {
            *slot = ALPHABET[(rest % 36) as usize];
            rest /= 36;
        }
        Self(characters)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        // The characters come from ALPHABET or were checked against it, so this never falls back.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShortId({self})")
    }
}

impl FromStr for ShortId {
    type Err = ShortIdError;
    fn from_str(text: &str) -> Result<Self, ShortIdError> {
        let characters: [u8; Self::LEN] = text.as_bytes().try_into().map_err(|_| ShortIdError)?;
        if characters.iter().all(|c| ALPHABET.contains(c)) { Ok(Self(characters)) } else { Err(ShortIdError) }
    }
}

impl TryFrom<String> for ShortId {
    type Error = ShortIdError;
    fn try_from(text: String) -> Result<Self, ShortIdError> {
        text.parse()
    }
}

impl From<ShortId> for String {
    fn from(id: ShortId) -> String {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_its_own_text() {
        let id = ShortId::from_random([0xAB; 8]);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.to_string().len(), ShortId::LEN);
        for text in ["", "abc", "ABCDEFGHIJKL", "abcdefghijk/", "abcdefghijkl0"] {
            assert!(text.parse::<ShortId>().is_err(), "{text}");
        }
    }
}
