//! A piece of an object in memory, whole or still arriving.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;

use crate::error::BlobError;

/// Bytes of memory that pieces take, including evicted ones that readers still hold.
#[derive(Debug, Clone, Default)]
pub(super) struct PieceMemory(Arc<AtomicU64>);

impl PieceMemory {
    pub(super) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn reserve(&self, bytes: u64) -> MemoryReservation {
        self.0.fetch_add(bytes, Ordering::Relaxed);
        MemoryReservation { memory: self.clone(), bytes }
    }
}

#[derive(Debug)]
struct MemoryReservation {
    memory: PieceMemory,
    bytes: u64,
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        self.memory.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A whole piece, counted until its last reader drops it.
struct Whole {
    bytes: Vec<u8>,
    _reservation: MemoryReservation,
}

impl AsRef<[u8]> for Whole {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A piece that one task fills and any number of readers wait for.
pub(super) struct Piece {
    size: u64,
    state: Mutex<State>,
    changed: Notify,
}

enum State {
    Arriving { chunks: Vec<Bytes>, length: u64, reservation: MemoryReservation },
    Whole(Bytes),
    Unfilled(Unfilled),
}

/// Why a piece was not filled.
#[derive(Debug, Clone)]
pub(super) enum Unfilled {
    /// The store has no such object.
    Gone,
    /// The store could not be asked, or its answer did not arrive.
    Failed(Arc<BlobError>),
}

impl Unfilled {
    pub(super) fn failed(error: BlobError) -> Self {
        Self::Failed(Arc::new(error))
    }

    pub(super) fn timed_out(deadline: Duration) -> Self {
        let cause = format!("no data within {deadline:?}");
        Self::failed(BlobError::unavailable("the object store does not respond in time", cause))
    }

    /// The task that was filling it has ended, for example because the process is ending.
    pub(super) fn stopped() -> Self {
        Self::failed(BlobError::unavailable("the object store was interrupted", "a fetch was dropped"))
    }
}

impl Piece {
    /// A piece without any bytes yet. Its size is not 0.
    pub(super) fn new(size: u64, memory: &PieceMemory) -> Self {
        let state = State::Arriving { chunks: Vec::new(), length: 0, reservation: memory.reserve(size) };
        Self { size, state: Mutex::new(state), changed: Notify::new() }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// How many of its bytes have arrived.
    pub(super) fn arrived(&self) -> u64 {
        match &*self.state() {
            State::Arriving { length, .. } => *length,
            State::Whole(_) => self.size,
            State::Unfilled(_) => 0,
        }
    }

    /// The whole piece, if it is complete.
    pub(super) fn whole(&self) -> Option<Bytes> {
        match &*self.state() {
            State::Whole(bytes) => Some(bytes.clone()),
            State::Arriving { .. } | State::Unfilled(_) => None,
        }
    }

    /// Some bytes from the position `place` on, as soon as there are any.
    pub(super) async fn bytes_from(&self, place: u64) -> Result<Bytes, Unfilled> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            if let Some(here) = self.here(place) {
                return here;
            }
            changed.await;
        }
    }

    fn here(&self, place: u64) -> Option<Result<Bytes, Unfilled>> {
        match &*self.state() {
            State::Whole(bytes) => Some(Ok(bytes.slice(place as usize..))),
            State::Unfilled(why) => Some(Err(why.clone())),
            State::Arriving { chunks, .. } => {
                let mut start = 0;
                for chunk in chunks {
                    let end = start + chunk.len() as u64;
                    if place < end {
                        return Some(Ok(chunk.slice((place - start) as usize..)));
                    }
                    start = end;
                }
                None
            }
        }
    }

    /// Adds bytes that have arrived. The last ones complete the piece.
    pub(super) fn add(&self, chunk: Bytes) {
        let mut state = self.state();
        if let State::Arriving { chunks, length, .. } = &mut *state {
            *length += chunk.len() as u64;
            chunks.push(chunk);
            if *length == self.size {
                self.complete(&mut state);
            }
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Concatenates the chunks, so that none of them keeps a larger buffer of the client that fetched it.
    fn complete(&self, state: &mut State) {
        if let State::Arriving { chunks, reservation, .. } =
            std::mem::replace(state, State::Whole(Bytes::new()))
        {
            *state =
                State::Whole(Bytes::from_owner(Whole { bytes: chunks.concat(), _reservation: reservation }));
        }
    }

    /// Reports the failure to all waiting readers, unless the piece is complete.
    pub(super) fn give_up(&self, why: Unfilled) {
        let mut state = self.state();
        if let State::Arriving { .. } = &*state {
            *state = State::Unfilled(why);
        }
        drop(state);
        self.changed.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is atomic, so the state is consistent even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bytes_are_there_as_they_arrive() {
        let memory = PieceMemory::default();
        let piece = Arc::new(Piece::new(5, &memory));
        let waiting = tokio::spawn({
            let piece = piece.clone();
            async move { piece.bytes_from(3).await }
        });
        piece.add(Bytes::from_static(b"ab"));
        assert_eq!(piece.bytes_from(1).await.unwrap(), "b");
        assert_eq!(piece.whole(), None);
        piece.add(Bytes::from_static(b"cde"));
        assert_eq!(waiting.await.unwrap().unwrap(), "de");
        let whole = piece.whole().unwrap();
        assert_eq!(whole, "abcde");
        piece.give_up(Unfilled::Gone);
        assert_eq!(piece.bytes_from(4).await.unwrap(), "e");
        drop(piece);
        assert_eq!(memory.bytes(), 5);
        drop(whole);
        assert_eq!(memory.bytes(), 0);
    }

    #[tokio::test]
    async fn who_waits_in_vain_is_told() {
        let memory = PieceMemory::default();
        let piece = Piece::new(5, &memory);
        piece.add(Bytes::from_static(b"ab"));
        piece.give_up(Unfilled::Gone);
        assert!(matches!(piece.bytes_from(0).await, Err(Unfilled::Gone)));
        assert_eq!(memory.bytes(), 0);
    }
}
