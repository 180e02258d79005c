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

/// How many times as much all networks of a site have together.
const TIMES_OF_SITE: usize = 8;

/// Maximum number of networks and sites that are remembered. With more, new ones are not limited.
const MOST_NETWORKS: usize = 65_536;

/// The networks and sites whose listeners are counted.
#[derive(Default)]
pub(super) struct Networks(Mutex<Windows>);

#[derive(Default)]
struct Windows {
    windows: HashMap<Range, Window>,
    swept_at: Option<Timestamp>,
}

/// Addresses that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Range {
    Network(IpAddr),
    Site(IpAddr),
}

/// What a range has had since the beginning of a window, which lasts for [`IDLE_SECONDS`].
struct Window {
    since: Timestamp,
    listeners: Vec<ListenerId>,
    files: usize,
}

impl Range {
    const fn times(self) -> usize {
        match self {
            Self::Network(_) => 1,
            Self::Site(_) => TIMES_OF_SITE,
        }
    }
}

impl Window {
    fn begin(since: Timestamp) -> Self {
        Self { since, listeners: Vec::new(), files: 0 }
    }

    fn is_over(&self, now: Timestamp) -> bool {
        now < self.since || now >= self.since.plus_seconds(IDLE_SECONDS)
    }

    fn has_room(&self, listener: ListenerId, times: usize) -> bool {
        let is_known = self.listeners.contains(&listener);
        self.files < MOST_FILES * times && (is_known || self.listeners.len() < MOST_LISTENERS * times)
    }

    fn add(&mut self, listener: ListenerId) {
        if !self.listeners.contains(&listener) {
            self.listeners.push(listener);
        }
        self.files += 1;
    }
}

impl Networks {
    /// Whether a listener with this address may begin to take another file. The loopback address is that of a proxy, which
    /// all listeners share, so it is not limited.
    pub(super) fn admit(&self, address: IpAddr, listener: ListenerId, now: Timestamp) -> bool {
        let client = ClientAddress::from(address);
        let network = client.network();
        if network.is_loopback() {
            return true;
        }
        let site = network.is_ipv6().then(|| Range::Site(client.site()));
        let ranges = || site.into_iter().chain([Range::Network(network)]);
        // After a panic the counts are still consistent.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = ranges().all(|range| known.has_room(range, listener, now));
        if has_room {
            ranges().for_each(|range| known.add(range, listener, now));
        }
        has_room
    }
}

impl Windows {
    fn has_room(&self, range: Range, listener: ListenerId, now: Timestamp) -> bool {
        let window = self.windows.get(&range).filter(|window| !window.is_over(now));
        window.is_none_or(|window| window.has_room(listener, range.times()))
    }

    fn add(&mut self, range: Range, listener: ListenerId, now: Timestamp) {
        if !self.windows.contains_key(&range) && !self.make_room(now) {
            return;
        }
        let window = self.windows.entry(range).or_insert_with(|| Window::begin(now));
        if window.is_over(now) {
            *window = Window::begin(now);
        }
        window.add(listener);
    }

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
    fn the_networks_of_a_site_have_a_share_together() {
        let networks = Networks::default();
        let now = Timestamp::from_unix_seconds(1_900_000_000).unwrap();
        let admit = |site: u128, network: u128, listener: u64| {
            let bits = (0x2001_0db8_u128 << 96) | (site << 80) | (network << 64) | 1;
            networks.admit(std::net::Ipv6Addr::from_bits(bits).into(), ListenerId::from_hash(listener), now)
        };
        let admitted = (0..60_000).filter(|listener| admit(0, u128::from(*listener), *listener)).count();
        assert_eq!(admitted, TIMES_OF_SITE * MOST_LISTENERS);
        assert!(networks.0.lock().unwrap().windows.len() <= admitted + 1, "nothing is kept for the others");
        assert!(admit(0, 7, 7), "who is known goes on");
        let elsewhere = (0..1000).filter(|listener| admit(1, 0, *listener)).count();
        assert_eq!(elsewhere, MOST_LISTENERS);
    }

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
