//! Limits the listeners of one network, so that nobody fills the memory with made-up user agents.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::ListenerId;
use super::listeners::IDLE_SECONDS;
use crate::client_address::ClientAddress;
use crate::timestamp::Timestamp;

/// Maximum number of listeners of a network in a window.
const MOST_LISTENERS: usize = 64;

/// Maximum number of files that they begin to take in a window.
const MOST_FILES: usize = 2048;

/// Maximum number of networks that are remembered. With more, new ones are not limited.
const MOST_NETWORKS: usize = 65_536;

/// The networks whose listeners are counted.
#[derive(Default)]
pub(super) struct Networks(Mutex<Windows>);

#[derive(Default)]
struct Windows {
    windows: HashMap<IpAddr, Window>,
    swept_at: Option<Timestamp>,
}

/// What a network has had since the beginning of a window, which lasts for [`IDLE_SECONDS`].
struct Window {
    since: Timestamp,
    listeners: Vec<ListenerId>,
    files: usize,
}

impl Window {
    fn is_over(&self, now: Timestamp) -> bool {
        now < self.since || now >= self.since.plus_seconds(IDLE_SECONDS)
    }

    fn admit(&mut self, listener: ListenerId) -> bool {
        if self.files >= MOST_FILES {
            return false;
        }
        if !self.listeners.contains(&listener) {
            if self.listeners.len() >= MOST_LISTENERS {
                return false;
            }
            self.listeners.push(listener);
        }
        self.files += 1;
        true
    }
}

impl Networks {
    /// Whether a listener with this address may begin to take another file. The loopback address is that of a proxy, which
    /// all listeners share, so it is not limited.
    pub(super) fn admit(&self, address: IpAddr, listener: ListenerId, now: Timestamp) -> bool {
        let network = ClientAddress::from(address).network();
        if network.is_loopback() {
            return true;
        }
        // After a panic the counts are still consistent.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.windows.contains_key(&network) && !known.make_room(now) {
            return true;
        }
        let begin = || Window { since: now, listeners: Vec::new(), files: 0 };
        let window = known.windows.entry(network).or_insert_with(begin);
        if window.is_over(now) {
            *window = begin();
        }
        window.admit(listener)
    }
}

impl Windows {
    /// Forgets networks whose window is over, at most once a minute.
    fn make_room(&mut self, now: Timestamp) -> bool {
        let is_due = self.swept_at.is_none_or(|at| now < at || now >= at.plus_seconds(60));
        if self.windows.len() >= MOST_NETWORKS && is_due {
            self.swept_at = Some(now);
            self.windows.retain(|_, window| !window.is_over(now));
        }
        self.windows.len() < MOST_NETWORKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_networks_are_bounded() {
        let networks = Networks::default();
        let now = Timestamp::from_unix_seconds(1_900_000_000).unwrap();
        let admit = |address: u32, now| {
            networks.admit(std::net::Ipv4Addr::from_bits(address).into(), ListenerId::from_hash(1), now)
        };
        assert_eq!((0..5000).filter(|_| admit(1, now)).count(), MOST_FILES);
        for address in 0..MOST_NETWORKS as u32 + 1000 {
            admit(address, now);
        }
        let known = || networks.0.lock().unwrap().windows.len();
        assert_eq!(known(), MOST_NETWORKS);
        assert!(admit(u32::MAX, now), "a network that is not remembered is not limited");
        let loopback = std::net::Ipv4Addr::LOCALHOST.to_bits();
        assert!((0..5000).all(|_| admit(loopback, now)));
        assert!(admit(u32::MAX, now.plus_seconds(IDLE_SECONDS)));
        assert_eq!(known(), 1);
    }
}
