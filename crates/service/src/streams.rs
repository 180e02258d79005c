//! Open event streams: their limits, and their end when the node stops.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use tonearm_domain::{ApiKeyId, PersonId};

/// The maximum number of streams per node.
const MOST: usize = 512;
/// The maximum number of streams per person, one for each open tab.
const MOST_OF_A_PERSON: usize = 8;
/// The maximum number of streams per key, one for each upload that a program follows.
const MOST_OF_A_KEY: usize = 64;

/// The owner of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StreamHolder {
    /// A person in the dashboard.
    Person(PersonId),
    /// A program with a key.
    Key(ApiKeyId),
}

impl StreamHolder {
    const fn most(self) -> usize {
        match self {
            Self::Person(_) => MOST_OF_A_PERSON,
            Self::Key(_) => MOST_OF_A_KEY,
        }
    }
}

/// Which limit of open streams is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCapacity {
    /// The limit of the holder.
    OfHolder,
    /// The limit of the node.
    OfNode,
}

/// The open streams of a node. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct Streams {
    open: Arc<Mutex<HashMap<StreamHolder, usize>>>,
    shutdown: CancellationToken,
}

/// The slot of one stream. It is released when dropped.
pub struct StreamSlot {
    streams: Streams,
    holder: StreamHolder,
}

impl Streams {
    /// No streams yet. All of them end when `shutdown` is cancelled, because the node cannot stop before they do.
    pub fn until(shutdown: CancellationToken) -> Self {
        Self { open: Arc::default(), shutdown }
    }

    /// Takes a slot for another stream, unless a limit is reached.
    pub fn enter(&self, holder: StreamHolder) -> Result<StreamSlot, NoCapacity> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = open.values().sum();
        let own = open.get(&holder).copied().unwrap_or_default();
        if own >= holder.most() {
            return Err(NoCapacity::OfHolder);
        }
        if all >= MOST {
            return Err(NoCapacity::OfNode);
        }
        open.insert(holder, own + 1);
        Ok(StreamSlot { streams: self.clone(), holder })
    }
}

impl StreamSlot {
    /// Returns once the node stops.
    pub async fn stopped(&self) {
        self.streams.shutdown.cancelled().await;
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = open.get_mut(&self.holder) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(number: u128) -> StreamHolder {
        StreamHolder::Person(PersonId::from_uuid(uuid::Uuid::from_u128(number)))
    }

    #[test]
    fn places_are_bounded_and_given_back() {
        let streams = Streams::default();
        let key = StreamHolder::Key(ApiKeyId::from_uuid(uuid::Uuid::from_u128(0)));
        for holder in [person(0), key] {
            let own: Vec<_> = (0..holder.most()).map(|_| streams.enter(holder).ok().unwrap()).collect();
            assert_eq!(streams.enter(holder).err(), Some(NoCapacity::OfHolder));
            drop(own);
        }
        let all: Vec<_> =
            (0..MOST).map(|number| streams.enter(person(number as u128 / 2)).ok().unwrap()).collect();
        assert_eq!(streams.enter(person(9999)).err(), Some(NoCapacity::OfNode));
        drop(all);
        assert!(streams.open.lock().unwrap().is_empty());
    }
}
