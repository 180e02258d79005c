//! Open event streams: their limits, and their end when the node stops.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use tonearm_domain::{ApiKeyId, Held, OrganizationId, PersonId, Shares};

/// The maximum number of streams per node, shared by organizations.
const MOST: u64 = 512;
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
    /// The limit of the node, or of the organization's share of it.
    OfNode,
}

/// The open streams of a node. Clones share the counts.
#[derive(Debug, Clone)]
pub struct Streams {
    open: Arc<Mutex<HashMap<StreamHolder, usize>>>,
    places: Shares,
    shutdown: CancellationToken,
}

/// The slot of one stream. It is released when dropped.
pub struct StreamSlot {
    streams: Streams,
    holder: StreamHolder,
    _place: Held,
}

impl Default for Streams {
    fn default() -> Self {
        Self::until(CancellationToken::new())
    }
}

impl Streams {
    /// No streams yet. All of them end when `shutdown` is cancelled, because the node cannot stop before they do.
    pub fn until(shutdown: CancellationToken) -> Self {
        Self { open: Arc::default(), places: Shares::new(MOST), shutdown }
    }

    /// Takes a slot for another stream about an organization, unless a limit is reached.
    pub fn enter(
        &self,
        organization_id: OrganizationId,
        holder: StreamHolder,
    ) -> Result<StreamSlot, NoCapacity> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let own = open.get(&holder).copied().unwrap_or_default();
        if own >= holder.most() {
            return Err(NoCapacity::OfHolder);
        }
        let place = self.places.take(organization_id).ok_or(NoCapacity::OfNode)?;
        open.insert(holder, own + 1);
        Ok(StreamSlot { streams: self.clone(), holder, _place: place })
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

    fn organization(number: u128) -> OrganizationId {
        OrganizationId::from_uuid(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn places_are_bounded_and_given_back() {
        let streams = Streams::default();
        let key = StreamHolder::Key(ApiKeyId::from_uuid(uuid::Uuid::from_u128(0)));
        for holder in [person(0), key] {
            let enter = || streams.enter(organization(0), holder);
            let own: Vec<_> = (0..holder.most()).map(|_| enter().ok().unwrap()).collect();
            assert_eq!(enter().err(), Some(NoCapacity::OfHolder));
            drop(own);
        }
        assert!(streams.open.lock().unwrap().is_empty());
    }

    #[test]
    fn an_organization_with_many_keys_leaves_places_to_others() {
        let streams = Streams::default();
        let key = |number| StreamHolder::Key(ApiKeyId::from_uuid(uuid::Uuid::from_u128(number)));
        let flood: Vec<_> =
            (0..9 * 64).map_while(|n| streams.enter(organization(1), key(n / 64)).ok()).collect();
        assert_eq!(flood.len(), 256);
        assert_eq!(streams.enter(organization(1), key(99)).err(), Some(NoCapacity::OfNode));
        let others: Vec<_> = (0..64).map_while(|_| streams.enter(organization(2), key(100)).ok()).collect();
        assert_eq!(others.len(), 64);
        drop((flood, others));
        assert!(streams.open.lock().unwrap().is_empty());
    }
}
