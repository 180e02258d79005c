//! A SHA-256 whose calculation another process can continue.

use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest, Sha256};

/// The digest of the bytes so far.
#[derive(Clone, Default)]
pub(crate) struct RunningDigest(Sha256);

impl RunningDigest {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// The intermediate state. It is not a digest, and only the same version of the implementation can restore it.
    pub(crate) fn save(&self) -> Vec<u8> {
        self.0.serialize().to_vec()
    }

    /// `None` if another version has saved the state.
    pub(crate) fn restore(saved: &[u8]) -> Option<Self> {
        let state = SerializedState::<Sha256>::try_from(saved).ok()?;
        Sha256::deserialize(&state).ok().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_digest_is_continued_at_any_byte(
            bytes in prop::collection::vec(any::<u8>(), 0..500),
            at in any::<prop::sample::Index>(),
        ) {
            let at = at.index(bytes.len() + 1);
            let mut first = RunningDigest::default();
            first.update(&bytes[..at]);
            let mut second = RunningDigest::restore(&first.save()).unwrap();
            second.update(&bytes[at..]);
            prop_assert_eq!(second.finish(), <[u8; 32]>::from(Sha256::digest(&bytes)));
        }

        #[test]
        fn other_bytes_are_no_state(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            // It must not panic. Some bytes happen to be a valid state.
            let _ = RunningDigest::restore(&bytes);
        }
    }
}
