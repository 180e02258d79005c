//! Streams of events that are open: how many there may be, and that they end with the node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use tonearm_domain::PersonId;

/// Most streams of a node.
const MOST: usize = 512;
/// Most streams of one person: as many tabs as anybody looks at.
const MOST_OF_ONE: usize = 8;

/// The open streams of a node. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Streams {
    open: Arc<Mutex<HashMap<PersonId, usize>>>,
    shutdown: CancellationToken,
}

/// The place of one stream, given back when dropped.
pub(crate) struct StreamSlot {
    streams: Streams,
    person: PersonId,
}

impl Streams {
    /// None yet; all of them end when `shutdown` is cancelled, as a node could not stop before.
    pub fn until(shutdown: CancellationToken) -> Self {
        Self { open: Arc::default(), shutdown }
    }

    /// A place for one more, unless there are too many.
    pub(crate) fn enter(&self, person: PersonId) -> Option<StreamSlot> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = open.values().sum();
        let own = open.get(&person).copied().unwrap_or_default();
        if all >= MOST || own >= MOST_OF_ONE {
            return None;
        }
        open.insert(person, own + 1);
        Some(StreamSlot { streams: self.clone(), person })
    }
}

impl StreamSlot {
    /// Returns once the node stops.
    pub(crate) async fn stopped(&self) {
        self.streams.shutdown.cancelled().await;
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = open.get_mut(&self.person) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.person);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bounded_and_given_back() {
        let streams = Streams::default();
        let person = |number: u128| PersonId::from_uuid(uuid::Uuid::from_u128(number));
        let own: Vec<_> = (0..MOST_OF_ONE).map(|_| streams.enter(person(0)).unwrap()).collect();
        assert!(streams.enter(person(0)).is_none());
        drop(own);
        let all: Vec<_> =
            (0..MOST).map(|number| streams.enter(person(number as u128 / 2)).unwrap()).collect();
        assert!(streams.enter(person(9999)).is_none());
        drop(all);
        assert!(streams.open.lock().unwrap().is_empty());
    }
}
