//! The places for connections, and who loses one when there are too few.
//!
//! As long as places are free, everybody gets one. Otherwise a newcomer takes the place of a connection from a network
//! that has more of them. So nobody keeps others out by holding many connections.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use futures::task::AtomicWaker;
use tokio::sync::Notify;
use tokio::time::Instant;
use tonearm_domain::{ClientAddress, StoredAddresses};

/// A warning is logged at most once in this time.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// All places for connections.
pub struct Places {
    most: usize,
    /// How much of an address is logged.
    stored_addresses: StoredAddresses,
    table: Mutex<Table>,
    freed: Notify,
}

#[derive(Default)]
struct Table {
    /// The taken places, by number.
    seats: HashMap<u64, Arc<Seat>>,
    /// How many places each holder has.
    held: HashMap<Holder, usize>,
    /// The number of the next connection.
    next: u64,
    warned_at: Option<Instant>,
}

/// Whose connections are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    /// An address, or the /48 of an IPv6 address.
    Site(IpAddr),
    /// Each connection of a trusted proxy is counted alone, because the clients behind it are many.
    Proxied(u64),
}

/// A place, until it is dropped.
pub(crate) struct Place {
    places: Arc<Places>,
    seat: Arc<Seat>,
}

/// What is known of the connection in a place.
#[derive(Debug)]
pub(crate) struct Seat {
    number: u64,
    holder: Holder,
    is_idle: AtomicBool,
    idle_millis: AtomicU64,
    is_displaced: AtomicBool,
    waker: AtomicWaker,
}

impl Places {
    /// At most `most` connections at a time.
    pub fn new(most: usize, stored_addresses: StoredAddresses) -> Arc<Self> {
        Arc::new(Self { most, stored_addresses, table: Mutex::default(), freed: Notify::new() })
    }

    /// Whether no place is free.
    pub fn is_full(&self) -> bool {
        self.table().seats.len() >= self.most
    }

    /// A place for a connection from this address; `None` if none is free, and no network has more than this one.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr, is_proxy: bool) -> Option<Place> {
        let mut table = self.table();
        let number = table.next;
        table.next += 1;
        let site = ClientAddress::from(address).site();
        let holder = if is_proxy { Holder::Proxied(number) } else { Holder::Site(site) };
        if table.seats.len() >= self.most {
            let displaced = table.displace_for(holder);
            self.warn(&mut table, displaced.as_deref());
            displaced?;
        }
        let seat = Arc::new(Seat {
            number,
            holder,
            is_idle: AtomicBool::new(true),
            idle_millis: AtomicU64::new(0),
            is_displaced: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        });
        table.seats.insert(number, Arc::clone(&seat));
        *table.held.entry(holder).or_default() += 1;
        drop(table);
        Some(Place { places: Arc::clone(self), seat })
    }

    /// Completes when a place has become free since the last call.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn warn(&self, table: &mut Table, displaced: Option<&Seat>) {
        let now = Instant::now();
        if table.warned_at.is_some_and(|at| now < at + WARN_EVERY) {
            return;
        }
        table.warned_at = Some(now);
        let most = self.most;
        let largest = table.held.iter().max_by_key(|(_, held)| **held);
        let (network, held) = match largest {
            Some((Holder::Site(network), held)) => (self.stored_addresses.of(*network).to_string(), *held),
            Some((Holder::Proxied(_), held)) => ("a trusted proxy".to_owned(), *held),
            None => return,
        };
        match displaced {
            Some(_) => tracing::warn!(
                most,
                network,
                held,
                "all connections are taken; closing those of the network that has most of them (limits.max_connections)"
            ),
            None => tracing::warn!(
                most,
                network,
                held,
                "all connections are taken; new ones wait (limits.max_connections)"
            ),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // After a panic the table is still consistent.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Takes a place from a network that has more of them than `newcomer`. First come networks with more than an equal
    /// share, then idle connections, the largest network, and the connection that has been idle longest.
    fn displace_for(&mut self, newcomer: Holder) -> Option<Arc<Seat>> {
        let own = self.held.get(&newcomer).copied().unwrap_or(0);
        // Cheap in the usual case: one network has most of the places, and goes on asking for more.
        if self.held.values().all(|held| *held <= own) {
            return None;
        }
        let share = self.seats.len() / self.held.len().max(1);
        let rank = |seat: &Arc<Seat>| {
            let (held, is_idle) = (self.held.get(&seat.holder).copied().unwrap_or(0), seat.is_idle());
            // A connection that is in use makes room only if its network keeps more than the newcomer's then has.
            let may_go = held > own + usize::from(!is_idle);
            let idle_millis = seat.idle_millis.load(Ordering::Relaxed);
            may_go.then_some((held > share, is_idle, held, idle_millis, Reverse(seat.number)))
        };
        let ranked = self.seats.values().filter_map(|seat| Some((rank(seat)?, seat)));
        let (_, seat) = ranked.max_by_key(|(rank, _)| *rank)?;
        let seat = Arc::clone(seat);
        self.remove(&seat);
        seat.displace();
        Some(seat)
    }

    /// Whether the seat had a place.
    fn remove(&mut self, seat: &Seat) -> bool {
        let had_one = self.seats.remove(&seat.number).is_some();
        if had_one && let Some(held) = self.held.get_mut(&seat.holder) {
            *held -= 1;
            if *held == 0 {
                self.held.remove(&seat.holder);
            }
        }
        had_one
    }
}

impl Place {
    pub(crate) fn seat(&self) -> &Arc<Seat> {
        &self.seat
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.places.table().remove(&self.seat) {
            self.places.freed.notify_one();
        }
    }
}

impl Seat {
    /// Records whether the connection waits for a request.
    pub(crate) fn set_idle(&self, is_idle: bool) {
        self.is_idle.store(is_idle, Ordering::Relaxed);
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.is_idle.load(Ordering::Relaxed)
    }

    /// Records for how long it has been idle.
    pub(crate) fn set_idle_for(&self, duration: Duration) {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        self.idle_millis.store(millis, Ordering::Relaxed);
    }

    /// Completes when the connection has lost its place. Only one task waits at a time.
    pub(crate) async fn displaced(&self) {
        poll_fn(|context| {
            self.waker.register(context.waker());
            if self.is_displaced.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    fn displace(&self) {
        self.is_displaced.store(true, Ordering::Release);
        self.waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use tonearm_fixtures::Dice;

    use super::*;

    fn places(most: usize) -> Arc<Places> {
        Places::new(most, StoredAddresses::Whole)
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn is_displaced(place: &Place) -> bool {
        place.seat.displaced().now_or_never().is_some()
    }

    #[test]
    fn the_network_with_the_most_makes_room() {
        let places = places(5);
        let take = |text: &str| places.take(address(text), false);
        let flood: Vec<Place> = (1..=4).filter_map(|n| take(&format!("2001:db8:0:{n}::1"))).collect();
        let other = take("192.0.2.1").unwrap();
        flood[0].seat.set_idle(false);
        flood[2].seat.set_idle_for(Duration::from_secs(7));
        assert!(take("2001:db8:0:5::1").is_none(), "it has more than everybody else");
        let newcomer = take("192.0.2.2").unwrap();
        let displaced: Vec<bool> = flood.iter().map(is_displaced).collect();
        assert_eq!(displaced, [false, false, true, false], "the longest idle one");
        // The oldest of those that are equally long idle, and then one that is in use.
        let second = take("192.0.2.3").unwrap();
        let third = take("192.0.2.3");
        let displaced: Vec<bool> = flood.iter().map(is_displaced).collect();
        assert_eq!(displaced, [false, true, true, true]);
        assert!(![&other, &newcomer, &second, third.as_ref().unwrap()].into_iter().any(is_displaced));
        assert!(take("192.0.2.3").is_none());
        assert!(places.is_full());
        // Who lost a place does not free one.
        drop(flood);
        assert!(!places.is_full());
        assert_eq!(places.table().seats.len(), 4);
        drop((other, newcomer, second, third));
        assert!(places.table().held.is_empty());
    }

    #[test]
    fn connections_of_a_trusted_proxy_are_counted_apart() {
        let places = places(4);
        let proxied: Vec<Place> = (0..3).filter_map(|_| places.take(address("10.0.0.1"), true)).collect();
        let first = places.take(address("192.0.2.1"), false).unwrap();
        first.seat.set_idle(false);
        proxied.iter().for_each(|place| place.seat.set_idle(false));
        assert!(places.take(address("10.0.0.1"), true).is_none(), "nobody has more than another");
        proxied[1].seat.set_idle(true);
        assert!(places.take(address("192.0.2.2"), false).is_some());
        assert_eq!(proxied.iter().map(is_displaced).collect::<Vec<_>>(), [false, true, false]);
        assert!(!is_displaced(&first));
    }

    /// Networks that take and give up places in random order. Whoever has less than an equal share gets a place, and
    /// nobody below an equal share loses one that is in use.
    #[test]
    fn everybody_gets_an_equal_share() {
        for seed in 1..=20 {
            let mut dice = Dice(seed);
            let mut next = move |below| dice.below(below);
            let (most, networks) = (4 + next(30), 2 + next(3));
            let places = places(most);
            let mut held: Vec<(usize, Place)> = Vec::new();
            for step in 0..500 {
                held.retain(|(_, place)| !is_displaced(place));
                assert_eq!(held.len(), places.table().seats.len(), "seed {seed}, step {step}");
                if next(4) == 0 && !held.is_empty() {
                    held.swap_remove(next(held.len()));
                    continue;
                }
                let network = if next(4) > 0 { 0 } else { next(networks) };
                let own = held.iter().filter(|(number, _)| *number == network).count();
                let taken = places.take(IpAddr::from([192, 0, 2, network as u8]), false);
                assert!(
                    taken.is_some() || own + 1 >= most / networks,
                    "seed {seed}, step {step}: network {network} has {own} of {most}"
                );
                let lost: Vec<usize> =
                    held.iter().filter(|(_, place)| is_displaced(place)).map(|(number, _)| *number).collect();
                for number in lost {
                    let had = held.iter().filter(|(own, _)| *own == number).count();
                    assert!(
                        number != network && had > own,
                        "seed {seed}, step {step}: {number} lost one of {had}"
                    );
                }
                if let Some(place) = taken {
                    place.seat.set_idle(next(2) == 0);
                    held.push((network, place));
                }
            }
        }
    }
}
