//! Counters on the path of each delivered object.
//!
//! Threads count in shards, each with cache lines of its own, which are added up on request. A count is then one atomic
//! addition that no other thread waits for.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::cache::Cache;
use crate::labels::Protocol;
use crate::recording::is_on;

/// More shards than most machines have delivery threads. With more threads, some share a shard.
const SHARDS: usize = 32;

/// The statuses of deliveries. Any other status is counted as the last one.
const STATUSES: [u16; 13] = [200, 204, 206, 304, 400, 401, 404, 405, 412, 416, 500, 503, 0];

/// Upper limits of the time until the head of a delivery is ready, in seconds.
pub const DELIVERY_BUCKETS: [f64; 15] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

const CACHES: usize = Cache::ALL.len();
const PROTOCOLS: usize = Protocol::ALL.len();
const BUCKETS: usize = DELIVERY_BUCKETS.len() + 1;

/// The counters of a few threads. Processors fetch cache lines in pairs, so a shard begins a pair.
#[repr(align(128))]
struct Shard {
    answers: [AtomicU64; STATUSES.len()],
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
    hits: [AtomicU64; CACHES],
    misses: [AtomicU64; CACHES],
    /// Each counts the answers that took longer than the limit of the previous bucket.
    times: [AtomicU64; BUCKETS],
    nanoseconds: AtomicU64,
    /// A connection may end on another thread than it began on, so that a shard may be below zero.
    connections: [AtomicI64; PROTOCOLS],
    uploads: AtomicI64,
}

impl Shard {
    const fn new() -> Self {
        Self {
            answers: [const { AtomicU64::new(0) }; STATUSES.len()],
            bytes_sent: AtomicU64::new(0),
            bytes_received: AtomicU64::new(0),
            hits: [const { AtomicU64::new(0) }; CACHES],
            misses: [const { AtomicU64::new(0) }; CACHES],
            times: [const { AtomicU64::new(0) }; BUCKETS],
            nanoseconds: AtomicU64::new(0),
            connections: [const { AtomicI64::new(0) }; PROTOCOLS],
            uploads: AtomicI64::new(0),
        }
    }
}

static ALL: [Shard; SHARDS] = [const { Shard::new() }; SHARDS];

/// The shard of this thread.
fn own() -> &'static Shard {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: Cell<Option<&'static Shard>> = const { Cell::new(None) };
    }
    OWN.with(|own| match own.get() {
        Some(shard) => shard,
        None => {
            let shard = &ALL[NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS];
            own.set(Some(shard));
            shard
        }
    })
}

/// A request for an object was answered or refused with this status, after this time. The time comes from a
/// [`Stopwatch`](crate::Stopwatch): none if nothing is recorded.
#[inline]
pub fn answered(status: u16, elapsed: Option<Duration>) {
    let Some(elapsed) = elapsed else { return };
    let shard = own();
    shard.answers[place_of(status)].fetch_add(1, Ordering::Relaxed);
    let seconds = elapsed.as_secs_f64();
    let bucket = DELIVERY_BUCKETS.iter().position(|most| seconds <= *most).unwrap_or(BUCKETS - 1);
    shard.times[bucket].fetch_add(1, Ordering::Relaxed);
    shard.nanoseconds.fetch_add(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// The same for an answer that waits for nothing. It takes a few microseconds, and reading the clock twice would add
/// noticeably to that, so it is counted in the first bucket, with a time of zero.
#[inline]
pub fn answered_at_once(status: u16) {
    if is_on() {
        let shard = own();
        shard.answers[place_of(status)].fetch_add(1, Ordering::Relaxed);
        shard.times[0].fetch_add(1, Ordering::Relaxed);
    }
}

fn place_of(status: u16) -> usize {
    STATUSES.iter().position(|known| *known == status).unwrap_or(STATUSES.len() - 1)
}

/// Bytes of an object were handed to a connection.
#[inline]
pub fn sent(bytes: u64) {
    if is_on() {
        own().bytes_sent.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Bytes of the body of a request arrived.
#[inline]
pub fn received(bytes: u64) {
    if is_on() {
        own().bytes_received.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A lookup in a cache was a hit or a miss.
#[inline]
pub fn looked_up(cache: Cache, is_hit: bool) {
    if is_on() {
        let shard = own();
        let counters = if is_hit { &shard.hits } else { &shard.misses };
        counters[cache as usize].fetch_add(1, Ordering::Relaxed);
    }
}

pub(crate) fn add_connections(protocol: Protocol, count: i64) {
    own().connections[protocol as usize].fetch_add(count, Ordering::Relaxed);
}

pub(crate) fn add_uploads(count: i64) {
    own().uploads.fetch_add(count, Ordering::Relaxed);
}

/// The lookups in a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookupCount {
    /// The cache.
    pub cache: Cache,
    /// The number of hits.
    pub hits: u64,
    /// The number of misses.
    pub misses: u64,
}

/// How long deliveries took until their heads were ready.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveryTimes {
    /// For each of [`DELIVERY_BUCKETS`], how many took no longer.
    pub within: Vec<u64>,
    /// The number of all deliveries.
    pub count: u64,
    /// The sum of their times.
    pub seconds: f64,
}

/// The sums over all threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// Answers for objects by status. 0 stands for all other statuses.
    pub answers: Vec<(u16, u64)>,
    /// Bytes of objects that were handed over.
    pub bytes_sent: u64,
    /// Bytes of bodies that arrived.
    pub bytes_received: u64,
    /// The lookups in every cache.
    pub lookups: Vec<LookupCount>,
    /// The times of deliveries.
    pub times: DeliveryTimes,
    /// Open connections, by protocol.
    pub connections: Vec<(Protocol, i64)>,
    /// Running uploads.
    pub uploads: i64,
}

impl Totals {
    /// Adds up what was counted so far. The latest counts may be missing in one place and not in another.
    pub fn now() -> Self {
        let sum = |counter: &dyn Fn(&Shard) -> &AtomicU64| -> u64 {
            ALL.iter().map(|shard| counter(shard).load(Ordering::Relaxed)).sum()
        };
        let level = |counter: &dyn Fn(&Shard) -> &AtomicI64| -> i64 {
            ALL.iter().map(|shard| counter(shard).load(Ordering::Relaxed)).sum::<i64>().max(0)
        };
        let lookups = |cache: Cache| LookupCount {
            cache,
            hits: sum(&|shard| &shard.hits[cache as usize]),
            misses: sum(&|shard| &shard.misses[cache as usize]),
        };
        let mut within: Vec<u64> = (0..BUCKETS).map(|place| sum(&|shard| &shard.times[place])).collect();
        for place in 1..BUCKETS {
            within[place] += within[place - 1];
        }
        let count = within.pop().unwrap_or(0);
        let seconds = sum(&|shard| &shard.nanoseconds) as f64 / 1e9;
        Self {
            answers: (0..STATUSES.len())
                .map(|place| (STATUSES[place], sum(&|shard| &shard.answers[place])))
                .collect(),
            bytes_sent: sum(&|shard| &shard.bytes_sent),
            bytes_received: sum(&|shard| &shard.bytes_received),
            lookups: Cache::ALL.into_iter().map(lookups).collect(),
            times: DeliveryTimes { within, count, seconds },
            connections: Protocol::ALL
                .into_iter()
                .map(|protocol| (protocol, level(&|shard| &shard.connections[protocol as usize])))
                .collect(),
            uploads: level(&|shard| &shard.uploads),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_count_together() {
        // All in one test, because the counters belong to the process.
        sent(1);
        answered_at_once(200);
        assert_eq!(Totals::now().bytes_sent, 0, "nothing is counted before it is turned on");
        crate::turn_on();
        std::thread::scope(|scope| {
            for _ in 0..2 * SHARDS {
                scope.spawn(|| {
                    sent(10);
                    answered_at_once(206);
                    answered(401, Some(Duration::from_millis(2)));
                    answered(418, Some(Duration::from_secs(3600)));
                    looked_up(Cache::Lookups, true);
                    add_connections(Protocol::Http2Tls, 1);
                });
            }
        });
        add_connections(Protocol::Http2Tls, -3);
        let (threads, totals) = (2 * SHARDS as u64, Totals::now());
        assert_eq!(totals.bytes_sent, 10 * threads);
        for status in [206, 401, 0] {
            assert!(totals.answers.contains(&(status, threads)), "{status}: {:?}", totals.answers);
        }
        assert_eq!(totals.times.within[..3], [threads, 2 * threads, 2 * threads]);
        assert_eq!((totals.times.within[14], totals.times.count), (2 * threads, 3 * threads));
        assert!(totals.times.seconds >= 3600.0 * threads as f64);
        let known = LookupCount { cache: Cache::Lookups, hits: threads, misses: 0 };
        assert!(totals.lookups.contains(&known));
        assert!(totals.connections.contains(&(Protocol::Http2Tls, threads as i64 - 3)));
    }
}
