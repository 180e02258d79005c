//! Listeners in memory: the bytes that each has taken today, so that a node counts the same bytes only once.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::net::IpAddr;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::coverage::Coverage;
use super::listener::{ListenerEntry, ListenerId, ListenerKey, ListenerOrigin, TakenBytes};
use super::networks::Networks;
use super::{Day, Played, Segments, is_bot};
use crate::OrganizationId;
use crate::country::CountryCode;
use crate::object_key::{ObjectFile, ObjectKey};
use crate::referrer::Referrer;
use crate::timestamp::Timestamp;

/// Shards reduce lock contention between threads.
const SHARDS: usize = 32;

/// Maximum number of listeners per shard: 131,072 in total, which use about 50 MB.
const MOST_PER_SHARD: usize = 4096;

/// A listener who takes no bytes for this many seconds is forgotten when a shard is full.
pub(super) const IDLE_SECONDS: i64 = 600;

/// When a shard is full, idle listeners are searched for at most once in this many seconds.
const SWEEP_SECONDS: i64 = 10;

/// Maximum number of files that an organization with more than its share gives up at once.
const MOST_GIVEN_UP: usize = 256;

/// Maximum number of origins that are held until the next report.
const MOST_ORIGINS: usize = 20_000;

/// What is known about the sender of a request.
#[derive(Debug, Clone, Copy)]
pub struct Visitor<'a> {
    /// The listener.
    pub listener: ListenerId,
    /// The network address. It is kept in memory only, for some minutes.
    pub address: IpAddr,
    /// The value of `User-Agent`.
    pub agent: Option<&'a [u8]>,
    /// The value of `Referer` or `Origin`.
    pub referrer: Option<&'a [u8]>,
    /// The value of `Host`, because the service's own pages do not count as referrers.
    pub host: Option<&'a [u8]>,
}

impl Visitor<'_> {
    /// Whether it is a bot, which fetches without a listener.
    pub fn is_bot(&self) -> bool {
        is_bot(self.agent)
    }

    /// The site that embeds the player.
    pub fn referrer(&self) -> Option<Referrer> {
        let own = self.host.and_then(Referrer::from_authority);
        self.referrer.and_then(Referrer::from_header).filter(|host| own.as_ref() != Some(host))
    }
}

/// A listener and one file, for counting the bytes that the listener takes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ListenedFile(Arc<File>);

#[derive(Debug)]
struct File {
    place: ListenerKey,
    file: ObjectFile,
    size: u64,
    referrer: Option<Referrer>,
    country: Option<CountryCode>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    coverage: Coverage,
    /// New bytes since the last report.
    bytes: u64,
    segments: Segments,
    /// The milliseconds that were played since the last report.
    played: Played,
    /// Whether it is queued for the next report.
    is_waiting: bool,
    last: Timestamp,
}

impl File {
    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }
}

#[derive(Default)]
struct Shard {
    known: Mutex<FilesByListener>,
    waiting: Mutex<Vec<Arc<File>>>,
}

#[derive(Default)]
struct FilesByListener {
    /// The files of each listener. A listener takes few files of one track.
    files: HashMap<ListenerKey, Vec<Arc<File>>>,
    count: usize,
    /// The number of files of the listeners of each organization.
    shares: HashMap<OrganizationId, usize>,
    swept_at: Option<Timestamp>,
}

impl FilesByListener {
    /// Makes room for a listener of an organization; `false` if there is none. First idle listeners are forgotten, then
    /// listeners of the organization that has the most, if it has more than this one.
    fn make_room(&mut self, organization_id: OrganizationId, now: Timestamp) -> bool {
        if self.count < MOST_PER_SHARD {
            return true;
        }
        if self.swept_at.is_none_or(|at| now < at || now >= at.plus_seconds(SWEEP_SECONDS)) {
            self.swept_at = Some(now);
            let idle_since = now.plus_seconds(-IDLE_SECONDS);
            self.retain(|file| Arc::strong_count(file) > 1 || file.state().last > idle_since);
        }
        if self.count >= MOST_PER_SHARD {
            self.take_from_largest(organization_id);
        }
        self.count < MOST_PER_SHARD
    }

    /// Forgets listeners of the organization that has the most: those without a request first, then the longest idle.
    fn take_from_largest(&mut self, newcomer: OrganizationId) {
        let own = self.shares.get(&newcomer).copied().unwrap_or(0);
        let Some((&largest, &held)) = self.shares.iter().max_by_key(|(id, held)| (**held, **id)) else {
            return;
        };
        let excess = held.saturating_sub(own + 1);
        if excess == 0 {
            return;
        }
        let of_largest = self.files.iter().filter(|(key, _)| key.organization_id == largest);
        let mut files: Vec<_> = of_largest.flat_map(|(_, files)| files).collect();
        files.sort_by_key(|file| (Arc::strong_count(file) > 1, file.state().last));
        files.truncate(excess.div_ceil(2).min(MOST_GIVEN_UP));
        let given_up: HashSet<*const File> = files.into_iter().map(Arc::as_ptr).collect();
        self.retain(|file| !given_up.contains(&Arc::as_ptr(file)));
    }

    fn add(&mut self, file: Arc<File>) {
        *self.shares.entry(file.place.organization_id).or_default() += 1;
        self.count += 1;
        self.files.entry(file.place).or_default().push(file);
    }

    fn retain(&mut self, stays: impl Fn(&Arc<File>) -> bool) {
        self.shares.clear();
        self.files.retain(|key, files| {
            files.retain(&stays);
            if !files.is_empty() {
                *self.shares.entry(key.organization_id).or_default() += files.len();
            }
            !files.is_empty()
        });
        self.count = self.shares.values().sum();
    }
}

/// How many listeners were not counted, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UncountedListeners {
    /// Their network already had as many as are counted.
    pub of_network: u64,
    /// The node had no room for more.
    pub without_room: u64,
}

/// All listeners that a node knows.
#[derive(Default)]
pub(super) struct Listeners {
    shards: [Shard; SHARDS],
    origins: Mutex<HashMap<ListenerKey, ListenerOrigin>>,
    networks: Networks,
    beyond_network: AtomicU64,
    without_room: AtomicU64,
}

impl Listeners {
    /// Returns the counter for the bytes that a visitor takes of a file; none for bots, and if there are too many
    /// listeners at the same time, of the visitor's network or at all. `locate` is called once for each listener and
    /// file, not for each range, because it takes longer than everything else here.
    pub(super) fn enter(
        &self,
        key: &ObjectKey,
        size: u64,
        visitor: &Visitor<'_>,
        now: Timestamp,
        locate: impl FnOnce() -> Option<CountryCode>,
    ) -> Option<ListenedFile> {
        let place = ListenerKey {
            organization_id: key.organization_id,
            day: Day::of(now),
            listener: visitor.listener,
            folder: key.folder,
        };
        let mut known = locked(&self.shard(place.listener).known);
        if let Some(files) = known.files.get(&place)
            && let Some(file) = files.iter().find(|known| known.file == key.file)
        {
            return Some(ListenedFile(Arc::clone(file)));
        }
        if visitor.is_bot() {
            return None;
        }
        if !self.admits(visitor.address, place.listener, now) {
            return None;
        }
        if !known.make_room(place.organization_id, now) {
            self.without_room.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let state = State {
            coverage: Coverage::default(),
            bytes: 0,
            segments: Segments::default(),
            played: Played::default(),
            is_waiting: false,
            last: now,
        };
        let (file, referrer, country) = (key.file.clone(), visitor.referrer(), locate());
        let file = Arc::new(File { place, file, size, referrer, country, state: Mutex::new(state) });
        known.add(Arc::clone(&file));
        Some(ListenedFile(file))
    }

    /// Counts a range that was delivered.
    pub(super) fn take(&self, file: &ListenedFile, range: Range<u64>, now: Timestamp) {
        let mut state = file.0.state();
        state.last = now;
        let new = state.coverage.add(range.clone());
        if new == 0 {
            return;
        }
        state.bytes = state.bytes.saturating_add(new);
        state.segments |= Segments::of_bytes(&range, file.0.size);
        self.await_report(file, state);
    }

    /// Records the milliseconds of a file that its player has played.
    pub(super) fn play(&self, file: &ListenedFile, played: &Played, now: Timestamp) {
        let mut state = file.0.state();
        state.last = now;
        for range in played.ranges() {
            state.played.add(range.clone());
        }
        self.await_report(file, state);
    }

    fn await_report(&self, file: &ListenedFile, mut state: MutexGuard<'_, State>) {
        if !mem::replace(&mut state.is_waiting, true) {
            drop(state);
            locked(&self.shard(file.0.place.listener).waiting).push(Arc::clone(&file.0));
        }
    }

    /// Records how a listener reached a track.
    pub(super) fn note_origin(
        &self,
        place: ListenerKey,
        address: IpAddr,
        origin: &ListenerOrigin,
        now: Timestamp,
    ) {
        let mut origins = locked(&self.origins);
        let is_known = origins.contains_key(&place);
        if is_known || (origins.len() < MOST_ORIGINS && self.admits(address, place.listener, now)) {
            origins.entry(place).or_default().complete(origin);
        }
    }

    /// Whether the network of an address may have this listener, too.
    fn admits(&self, address: IpAddr, listener: ListenerId, now: Timestamp) -> bool {
        let is_admitted = self.networks.admit(address, listener, now);
        if !is_admitted {
            self.beyond_network.fetch_add(1, Ordering::Relaxed);
        }
        is_admitted
    }

    /// Takes the entries since the last call.
    pub(super) fn take_entries(&self) -> Vec<ListenerEntry> {
        let origins = mem::take(&mut *locked(&self.origins));
        let entry = |place: ListenerKey, origin, taken| ListenerEntry {
            organization_id: place.organization_id,
            day: place.day,
            listener: place.listener,
            folder: place.folder,
            origin,
            taken,
        };
        let mut entries: Vec<_> =
            origins.into_iter().map(|(place, origin)| entry(place, origin, None)).collect();
        for shard in &self.shards {
            for file in mem::take(&mut *locked(&shard.waiting)) {
                let mut state = file.state();
                state.is_waiting = false;
                let (bytes, segments) = (mem::take(&mut state.bytes), mem::take(&mut state.segments));
                let played = mem::take(&mut state.played);
                let taken = TakenBytes { file: file.file.clone(), size: file.size, bytes, segments, played };
                let (referrer, country) = (file.referrer.clone(), file.country);
                let origin = ListenerOrigin { referrer, country, ..ListenerOrigin::default() };
                entries.push(entry(file.place, origin, Some(taken)));
            }
        }
        let order =
            |entry: &ListenerEntry| (entry.place(), entry.taken.as_ref().map(|taken| taken.file.to_string()));
        entries.sort_by_cached_key(order);
        entries
    }

    /// How many listeners were not counted since the last call.
    pub(super) fn take_uncounted(&self) -> UncountedListeners {
        UncountedListeners {
            of_network: self.beyond_network.swap(0, Ordering::Relaxed),
            without_room: self.without_room.swap(0, Ordering::Relaxed),
        }
    }

    /// Any bits of a hash are evenly distributed.
    fn shard(&self, listener: ListenerId) -> &Shard {
        &self.shards[listener.hash() as usize % SHARDS]
    }
}

/// Ignores poisoning: the counts stay consistent if a thread panics.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::RecordId;
    use crate::random::random;

    const AGENT: &[u8] = b"Mozilla/5.0 Firefox/120.0";

    fn now() -> Timestamp {
        Timestamp::from_unix_seconds(1_900_000_000).unwrap()
    }

    fn key() -> ObjectKey {
        "018f0000-0000-7000-8000-000000000001/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3".parse().unwrap()
    }

    /// A visitor with an address of their own.
    fn visitor(hash: u64) -> Visitor<'static> {
        let address = std::net::Ipv4Addr::from_bits((hash ^ (hash >> 32)) as u32).into();
        let listener = ListenerId::from_hash(hash);
        Visitor { listener, address, agent: Some(AGENT), referrer: None, host: None }
    }

    fn enter(listeners: &Listeners, visitor: &Visitor<'_>, now: Timestamp) -> Option<ListenedFile> {
        listeners.enter(&key(), 1000, visitor, now, || None)
    }

    #[test]
    fn bytes_are_told_once() {
        let listeners = Listeners::default();
        let file = enter(&listeners, &visitor(1), now()).unwrap();
        listeners.take(&file, 0..100, now());
        listeners.take(&file, 50..150, now());
        let reported = |listeners: &Listeners| -> Vec<u64> {
            let entries = listeners.take_entries();
            entries.iter().map(|entry| entry.taken.as_ref().map_or(0, |taken| taken.bytes)).collect()
        };
        assert_eq!(reported(&listeners), [150]);
        listeners.take(&file, 0..150, now());
        assert_eq!(reported(&listeners), [0; 0]);
        // A later request of the same listener.
        let again = enter(&listeners, &visitor(1), now().plus_seconds(60)).unwrap();
        listeners.take(&again, 0..160, now());
        assert_eq!(reported(&listeners), [10]);
        // Another listener, and the same on another day.
        let other = enter(&listeners, &visitor(2), now()).unwrap();
        let tomorrow = enter(&listeners, &visitor(1), now().plus_seconds(86_400)).unwrap();
        listeners.take(&other, 0..10, now());
        listeners.take(&tomorrow, 0..20, now());
        assert_eq!(reported(&listeners), [10, 20]);
    }

    #[test]
    fn bots_are_nobody() {
        let listeners = Listeners::default();
        for agent in [None, Some(&b""[..]), Some(b"Googlebot/2.1")] {
            let bot = Visitor { agent, ..visitor(1) };
            assert!(enter(&listeners, &bot, now()).is_none());
        }
    }

    #[test]
    fn a_country_is_looked_up_once_for_a_listener_and_told_with_what_they_take() {
        let (listeners, asked) = (Listeners::default(), Cell::new(0));
        let locate = || {
            asked.set(asked.get() + 1);
            "DE".parse::<CountryCode>().ok()
        };
        for range in [0..100, 100..200] {
            let file = listeners.enter(&key(), 1000, &visitor(1), now(), locate).unwrap();
            listeners.take(&file, range, now());
        }
        let bot = Visitor { agent: None, ..visitor(2) };
        assert!(listeners.enter(&key(), 1000, &bot, now(), locate).is_none());
        assert_eq!(asked.get(), 1);
        let reported = listeners.take_entries();
        assert_eq!(reported.len(), 1);
        assert_eq!(reported[0].origin.country.map(String::from).as_deref(), Some("DE"));
    }

    #[test]
    fn memory_is_bounded_and_room_is_made() {
        let listeners = Listeners::default();
        let enter = |hash: u64, now| enter(&listeners, &visitor(hash * SHARDS as u64), now);
        for hash in 0..MOST_PER_SHARD as u64 {
            assert!(enter(hash, now()).is_some());
        }
        assert!(enter(u64::from(u32::MAX), now()).is_none());
        assert_eq!(listeners.take_uncounted(), UncountedListeners { of_network: 0, without_room: 1 });
        assert_eq!(listeners.take_uncounted(), UncountedListeners::default());
        assert!(enter(0, now()).is_some(), "who is known goes on");
        let later = now().plus_seconds(IDLE_SECONDS + 1);
        assert!(enter(u64::from(u32::MAX), later).is_some());
        assert_eq!(locked(&listeners.shards[0].known).count, 1);
    }

    #[test]
    fn one_address_does_not_take_the_room_of_others() {
        let listeners = Listeners::default();
        let address = "2001:db8::1".parse().unwrap();
        let stranger = |hash| Visitor { address, ..visitor(hash) };
        let counted = (0..200_000).filter(|hash| enter(&listeners, &stranger(*hash), now()).is_some());
        assert_eq!(counted.count(), 64);
        let neighbour = Visitor { address: "2001:db8::2".parse().unwrap(), ..visitor(200_000) };
        assert!(enter(&listeners, &neighbour, now()).is_none(), "it is the same network");
        assert_eq!(listeners.take_uncounted(), UncountedListeners { of_network: 199_937, without_room: 0 });
        assert!(enter(&listeners, &visitor(200_001), now()).is_some());
        assert!(enter(&listeners, &stranger(63), now()).is_some(), "who is known goes on");
        assert!(enter(&listeners, &stranger(300_000), now().plus_seconds(IDLE_SECONDS)).is_some());
        // The same for those who open a track.
        let place = |hash| ListenerKey {
            organization_id: key().organization_id,
            day: Day::of(now()),
            listener: ListenerId::from_hash(hash),
            folder: key().folder,
        };
        let later = now().plus_seconds(3 * IDLE_SECONDS);
        listeners.take_entries();
        for hash in 0..100 {
            listeners.note_origin(place(hash), address, &ListenerOrigin::default(), later);
        }
        assert_eq!(listeners.take_entries().len(), 64);
    }

    /// Organizations with many listeners or few, in random order. Whoever has less than an equal share is always
    /// counted, and the memory stays bounded.
    #[test]
    fn no_organization_takes_the_share_of_another() {
        for seed in 0..20_u64 {
            let mut random = random(seed);
            let mut next = move |below: usize| random(below as u64) as usize;
            let organizations = 2 + next(4);
            let mut files = FilesByListener::default();
            for step in 0..3 * MOST_PER_SHARD as u64 {
                // The first organization has most of the listeners.
                let number = if next(8) > 0 { 0 } else { next(organizations) };
                let organization_id = OrganizationId::from_parts(now(), [number as u8; 10]);
                let now = now().plus_seconds(step as i64 / 100);
                let held = files.shares.get(&organization_id).copied().unwrap_or(0);
                let has_room = files.make_room(organization_id, now);
                assert!(
                    has_room || held + 1 >= MOST_PER_SHARD / organizations,
                    "seed {seed}, step {step}: {number} of {organizations} has {held}"
                );
                if has_room {
                    let place = ListenerKey {
                        organization_id,
                        day: Day::of(now),
                        listener: ListenerId::from_hash(step),
                        folder: key().folder,
                    };
                    let state = State {
                        coverage: Coverage::default(),
                        bytes: 0,
                        segments: Segments::default(),
                        played: Played::default(),
                        is_waiting: false,
                        last: now,
                    };
                    let (file, state) = (key().file, Mutex::new(state));
                    files.add(Arc::new(File { place, file, size: 1, referrer: None, country: None, state }));
                }
                assert!(files.count <= MOST_PER_SHARD, "seed {seed}, step {step}");
            }
            let held: usize = files.files.values().map(Vec::len).sum();
            assert_eq!((files.count, files.shares.values().sum::<usize>()), (held, held), "seed {seed}");
        }
    }

    #[test]
    fn own_pages_are_not_referrers() {
        let visitor = Visitor {
            referrer: Some(b"https://blog.example.com/post"),
            host: Some(b"cdn.example.com"),
            ..visitor(1)
        };
        assert_eq!(visitor.referrer().unwrap().as_str(), "blog.example.com");
        assert_eq!(Visitor { host: Some(b"blog.example.com:8080"), ..visitor }.referrer(), None);
    }
}
