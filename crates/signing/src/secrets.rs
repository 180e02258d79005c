//! Master secrets: what every other key is derived from.

use std::fmt;
use std::sync::Arc;

use hkdf::Hkdf;
use sha2::Sha256;

/// The fewest characters a master secret may have.
const SHORTEST_SECRET: usize = 32;

/// One or more master secrets. The first signs, all verify, so that a secret can be replaced without breaking
/// what was signed before: put the new one first and drop the old one when its last signature has expired.
///
/// Cloning shares the secrets. `Debug` shows only how many there are.
#[derive(Clone)]
pub struct Secrets(Arc<[Box<[u8]>]>);

/// Text that is not a list of master secrets. Never holds any of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretsError {
    /// There is none.
    #[error("no secret is given; at least {SHORTEST_SECRET} characters are required")]
    Empty,
    /// One is too short to be a secret.
    #[error(
        "secret number {position} has only {length} characters; at least {SHORTEST_SECRET} are required, \
         for example 64 random hex digits"
    )]
    TooShort {
        /// Which one, counted from 1.
        position: usize,
        /// How many characters it has.
        length: usize,
    },
}

impl Secrets {
    /// Secrets separated by commas or line ends, each of at least 32 characters. White space around each and
    /// empty entries are ignored. The text of a secret is used as it stands: hex digits are not decoded.
    pub fn parse(text: &str) -> Result<Self, SecretsError> {
        let mut secrets = Vec::new();
        for secret in text.split([',', '\n', '\r']).map(str::trim).filter(|s| !s.is_empty()) {
            let length = secret.chars().count();
            if length < SHORTEST_SECRET {
                return Err(SecretsError::TooShort { position: secrets.len() + 1, length });
            }
            secrets.push(secret.as_bytes().into());
        }
        if secrets.is_empty() {
            return Err(SecretsError::Empty);
        }
        Ok(Self(secrets.into()))
    }

    /// A single secret of 32 random bytes.
    pub fn from_bytes(secret: [u8; 32]) -> Self {
        Self(Arc::new([secret.into()]))
    }

    /// Fingerprints that distinguish secrets without revealing them, in order: for backups, which must not be restored
    /// with other secrets.
    pub fn fingerprints(&self) -> Vec<String> {
        let derive = |secret: &[u8]| {
            let mut fingerprint = [0; 16];
            Hkdf::<Sha256>::new(None, secret)
                .expand(b"tonearm/v1/fingerprint", &mut fingerprint)
                .expect("HKDF-SHA256 gives up to 8160 bytes");
            hex::encode(fingerprint)
        };
        self.iter().map(derive).collect()
    }

    /// The same secrets with the last one first: it signs from now on.
    pub fn with_last_first(&self) -> Self {
        let mut secrets = self.0.to_vec();
        secrets.rotate_right(1);
        Self(secrets.into())
    }

    /// The secrets as they are written to a file, one per line. Anyone who has the text can sign everything.
    pub fn reveal(&self) -> String {
        self.iter().map(|secret| format!("{}\n", String::from_utf8_lossy(secret))).collect()
    }

    /// The secrets, the signing one first; at least one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(AsRef::as_ref)
    }
}

impl std::str::FromStr for Secrets {
    type Err = SecretsError;
    fn from_str(text: &str) -> Result<Self, SecretsError> {
        Self::parse(text)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_parsed() {
        let (a, b) = ("a".repeat(32), "b".repeat(40));
        let both = [a.as_bytes(), b.as_bytes()];
        for text in [format!("{a},{b}"), format!("\n {a}\r\n\r\n{b}\n"), format!("{a} , ,{b},")] {
            assert_eq!(Secrets::parse(&text).unwrap().iter().collect::<Vec<_>>(), both);
        }
        assert_eq!(Secrets::from_bytes([7; 32]).iter().collect::<Vec<_>>(), [[7; 32]]);
    }

    #[test]
    fn fingerprints_tell_secrets_apart() {
        let (a, b) = ("a".repeat(32), "b".repeat(32));
        let both = Secrets::parse(&format!("{a},{b}")).unwrap();
        let [first, second] = both.fingerprints().try_into().unwrap();
        assert!(first.len() == 32 && first != second && !first.contains("aaaa"));
        let other = both.with_last_first();
        assert_eq!(other.fingerprints(), [second, first]);
        assert_eq!(other.reveal(), format!("{b}\n{a}\n"));
        assert_eq!(Secrets::parse(&other.reveal()).unwrap().fingerprints(), other.fingerprints());
    }

    #[test]
    fn errors_and_debug_never_echo_a_secret() {
        for text in ["", " \n,", ",\r\n,"] {
            assert_eq!(Secrets::parse(text).unwrap_err(), SecretsError::Empty);
        }
        let long = "x".repeat(32);
        let error = Secrets::parse(&format!("{long}\nhunter2")).unwrap_err();
        assert_eq!(error, SecretsError::TooShort { position: 2, length: 7 });
        assert!(!format!("{error} {error:?}").contains("hunter2"));
        assert_eq!(format!("{:?}", Secrets::parse(&long).unwrap()), "Secrets(1)");
    }
}
