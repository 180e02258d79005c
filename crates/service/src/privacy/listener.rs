//! The data about a listener, who is identified by a hash of a day, an address and a user agent.

use std::net::IpAddr;

use tonearm_catalog::{KeptListening, KeptSighting};
use tonearm_domain::{Day, ListenerId, ListenerKey, Origin};

use super::Privacy;
use crate::refusal::Refusal;

/// A reference to a listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenerReference {
    /// The listener with this address and user agent, on any day of which hashes are kept.
    Visitor {
        /// The address.
        address: IpAddr,
        /// The `User-Agent`, exactly as it was sent; `None` if none was sent.
        agent: Option<String>,
    },
    /// The hash for one day.
    Hash(ListenerId),
}

/// The data about a listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptListener {
    /// The hashes of the listener, by day.
    pub hashes: Vec<(Day, ListenerId)>,
    /// What the listener received of each track.
    pub listening: Vec<KeptListening>,
    /// The statistics in which the listener was counted.
    pub sightings: Vec<KeptSighting>,
}

impl KeptListener {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.listening.is_empty() && self.sightings.is_empty()
    }
}

impl Privacy {
    /// The hashes of a listener, for each day of which hashes are kept.
    fn hashes(&self, listener: &ListenerReference) -> Vec<(Day, ListenerId)> {
        let now = self.ambient.now();
        // One day more on both sides: rows are deleted some hours after their time, and other clocks may be ahead.
        let days = ListenerKey::KEPT_SECONDS / 86_400 + 1;
        let days = (-1..=days).map(|ago| Day::of(now.plus_seconds(-ago * 86_400)));
        let of_day = |day: Day| match listener {
            ListenerReference::Hash(hash) => vec![(day, *hash)],
            ListenerReference::Visitor { address, agent } => {
                let agent = agent.as_deref().map(str::as_bytes);
                let hash = |hasher: &tonearm_signing::ListenerHasher| hasher.listener(day, *address, agent);
                self.hashers.iter().map(|hasher| (day, hash(hasher))).collect()
            }
        };
        days.flat_map(of_day).collect()
    }

    /// The data about a listener.
    pub async fn listener(&self, listener: &ListenerReference) -> Result<KeptListener, Refusal> {
        let hashes = self.hashes(listener);
        let listening = self.catalog.kept_listening(&hashes).await?;
        let sightings = self.catalog.kept_sightings(&hashes).await?;
        Ok(KeptListener { hashes, listening, sightings })
    }

    /// Erases a listener. Anonymous totals stay. Returns the number of deleted rows.
    pub async fn erase_listener(&self, by: Origin, listener: &ListenerReference) -> Result<u64, Refusal> {
        let hashes = self.hashes(listener);
        let tx = self.catalog.begin().await?;
        let rows = tx.forget_listeners(&hashes).await?;
        tx.audit(&self.erasure(by, None)).await?;
        tx.commit().await?;
        self.catalog.empty_log().await?;
        Ok(rows)
    }
}
