//! Incoming bytes: cut into batches, counted and hashed.

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use md5::Md5;
use sha2::{Digest, Sha256};

use crate::error::PutError;
use crate::object::{PutTerms, Stored};
use crate::store::Incoming;

/// Chunks below this size, in bytes, are copied together.
const SMALL: usize = 4 * 1024;
/// The size, in bytes, at which chunks that were copied together become one.
const GATHERED: usize = 64 * 1024;

/// A body, cut into batches of one size, so that each can be written and hashed in one go off the reactor.
pub(crate) struct Intake<'a> {
    body: Incoming<'a>,
    terms: PutTerms,
    limit: u64,
    seen: u64,
    /// Bytes that were received for the last batch but did not fit.
    rest: Bytes,
}

/// Chunks in order. Small ones are copied together: a body that comes byte by byte would otherwise take many
/// times its size, as each chunk also keeps the buffer that it was received in.
#[derive(Default)]
pub(crate) struct Batch {
    chunks: Vec<Bytes>,
    gathered: BytesMut,
}

/// The digests of the bytes so far.
pub(crate) struct Digests {
    size: u64,
    sha256: Sha256,
    md5: Option<Md5>,
}

impl<'a> Intake<'a> {
    pub(crate) fn new(body: Incoming<'a>, terms: PutTerms) -> Self {
        let limit = terms.max_bytes.min(terms.expected_size.unwrap_or(u64::MAX));
        Self { body, terms, limit, seen: 0, rest: Bytes::new() }
    }

    /// Fails if the announced size is too large, before a byte is read.
    pub(crate) fn check_announced(&self) -> Result<(), PutError> {
        match self.terms.expected_size {
            Some(size) if size > self.terms.max_bytes => {
                Err(PutError::TooLarge { limit: self.terms.max_bytes })
            }
            _ => Ok(()),
        }
    }

    /// The next `size` bytes, in chunks. Fewer, or none, only at the end of the body.
    pub(crate) async fn next_batch(&mut self, size: usize) -> Result<Vec<Bytes>, PutError> {
        let mut batch = Batch::default();
        let mut missing = size;
        while missing > 0 {
            if self.rest.is_empty() {
                match self.next_chunk().await? {
                    Some(chunk) => self.rest = chunk,
                    None => break,
                }
            }
            let chunk = self.rest.split_to(self.rest.len().min(missing));
            missing -= chunk.len();
            batch.push(chunk);
        }
        Ok(batch.finish())
    }

    async fn next_chunk(&mut self) -> Result<Option<Bytes>, PutError> {
        let Some(chunk) = self.body.next().await else {
            return self.ended().map(|()| None);
        };
        let chunk = chunk.map_err(PutError::Interrupted)?;
        self.seen = self.seen.saturating_add(chunk.len() as u64);
        if self.seen > self.limit {
            return Err(PutError::TooLarge { limit: self.limit });
        }
        Ok(Some(chunk))
    }

    fn ended(&mut self) -> Result<(), PutError> {
        // A stream must not be polled after its end.
        self.body = futures::stream::empty().boxed();
        match self.terms.expected_size {
            Some(expected) if self.seen < expected => {
                Err(PutError::Interrupted(format!("received {} of {expected} bytes", self.seen).into()))
            }
            _ => Ok(()),
        }
    }
}

impl Batch {
    pub(crate) fn push(&mut self, chunk: Bytes) {
        if chunk.len() >= SMALL {
            self.seal();
            self.chunks.push(chunk);
        } else {
            self.gathered.extend_from_slice(&chunk);
            if self.gathered.len() >= GATHERED {
                self.seal();
            }
        }
    }

    fn seal(&mut self) {
        if !self.gathered.is_empty() {
            self.chunks.push(self.gathered.split().freeze());
        }
    }

    /// The chunks so far; more may follow.
    pub(crate) fn chunks(&mut self) -> &[Bytes] {
        self.seal();
        &self.chunks
    }

    fn finish(mut self) -> Vec<Bytes> {
        self.seal();
        self.chunks
    }
}

impl Digests {
    pub(crate) fn new(terms: &PutTerms) -> Self {
        Self { size: 0, sha256: Sha256::new(), md5: terms.expected_md5.map(|_| Md5::new()) }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.sha256.update(bytes);
        if let Some(md5) = &mut self.md5 {
            md5.update(bytes);
        }
    }

    /// Compares the digests with the announced ones.
    pub(crate) fn finish(self, terms: &PutTerms) -> Result<Stored, PutError> {
        let sha256: [u8; 32] = self.sha256.finalize().into();
        let md5: Option<[u8; 16]> = self.md5.map(|md5| md5.finalize().into());
        if terms.expected_sha256.is_some_and(|expected| expected != sha256) || terms.expected_md5 != md5 {
            return Err(PutError::DigestMismatch);
        }
        Ok(Stored { size: self.size, sha256 })
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use proptest::prelude::*;

    use super::*;
    use crate::error::BoxError;

    fn body(chunks: Vec<Vec<u8>>) -> Incoming<'static> {
        stream::iter(chunks.into_iter().map(|c| Ok::<_, BoxError>(Bytes::from(c)))).boxed()
    }

    /// Small chunks, and some larger ones.
    fn chunk() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..20),
            (any::<u8>(), 4_000..9_000_usize).prop_map(|(byte, size)| vec![byte; size]),
        ]
    }

    async fn batches(chunks: Vec<Vec<u8>>, size: usize) -> Vec<Vec<u8>> {
        let mut intake = Intake::new(body(chunks), PutTerms::default());
        let mut batches = Vec::new();
        loop {
            let batch = intake.next_batch(size).await.unwrap().concat();
            if batch.is_empty() {
                return batches;
            }
            batches.push(batch);
        }
    }

    proptest! {
        #[test]
        fn batches_are_full_and_lose_nothing(
            chunks in prop::collection::vec(chunk(), 0..20),
            size in prop_oneof![1..30_usize, 5_000..30_000_usize],
        ) {
            let whole = chunks.concat();
            let batches = futures::executor::block_on(batches(chunks, size));
            for full in batches.iter().rev().skip(1) {
                prop_assert_eq!(full.len(), size);
            }
            prop_assert_eq!(batches.concat(), whole);
        }
    }

    #[test]
    fn a_body_in_single_bytes_is_gathered() {
        let bytes: Vec<_> = (0..200_000_u32).map(|at| vec![at as u8]).collect();
        let whole = bytes.concat();
        let mut intake = Intake::new(body(bytes), PutTerms::default());
        let batch = futures::executor::block_on(intake.next_batch(1_000_000)).unwrap();
        assert!(batch.len() < 5, "{} chunks", batch.len());
        assert_eq!(batch.concat(), whole);
    }

    #[test]
    fn announced_sizes_hold() {
        let terms = |expected_size, max_bytes| PutTerms { expected_size, max_bytes, ..PutTerms::default() };
        let take = |terms| {
            let mut intake = Intake::new(body(vec![vec![1; 5], vec![2; 5]]), terms);
            intake.check_announced()?;
            futures::executor::block_on(intake.next_batch(100))
        };
        assert!(take(terms(Some(10), 10)).is_ok());
        assert!(matches!(take(terms(Some(11), 20)), Err(PutError::Interrupted(_))));
        assert!(matches!(take(terms(Some(9), 20)), Err(PutError::TooLarge { limit: 9 })));
        assert!(matches!(take(terms(Some(20), 10)), Err(PutError::TooLarge { limit: 10 })));
        assert!(matches!(take(terms(None, 9)), Err(PutError::TooLarge { limit: 9 })));
    }
}
