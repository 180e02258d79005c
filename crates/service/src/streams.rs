//! Streams of events that are open: how many there may be, and that they end with the node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use tonearm_domain::{ApiKeyId, PersonId};

/// Most streams of a node.
const MOST: usize = 512;
/// Most streams of one person: as many tabs as anybody looks at.
const MOST_OF_A_PERSON: usize = 8;
/// Most streams that are opened with one key: as many uploads as a program follows at once.
const MOST_OF_A_KEY: usize = 64;

/// Who has a stream open.
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

/// Whose limit of open streams is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCapacity {
    /// The holder has as many as it may.
    OfHolder,
    /// The node has as many as it may.
    OfNode,
}

/// The open streams of a node. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Streams {
    open: Arc<Mutex<HashMap<StreamHolder, usize>>>,
    shutdown: CancellationToken,
}

/// The place of one stream, given back when dropped.
pub struct StreamSlot {
    streams: Streams,
    holder: StreamHolder,
}

impl Streams {
    /// None yet; all of them end when `shutdown` is cancelled, as a node could not stop before.
    pub fn until(shutdown: CancellationToken) -> Self {
        Self { open: Arc::default(), shutdown }
    }

    /// A place for one more, unless there are too many.
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
