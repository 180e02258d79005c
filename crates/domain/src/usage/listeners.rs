//! Listeners in memory: the bytes that each has taken today, so that a node counts the same bytes only once.

use std::collections::HashMap;
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::coverage::Coverage;
use super::listener::{ListenerEntry, ListenerId, ListenerKey, ListenerOrigin, TakenBytes};
use super::{Day, Segments, is_bot};
use crate::country::CountryCode;
use crate::object_key::{ObjectFile, ObjectKey};
use crate::referrer::Referrer;
use crate::timestamp::Timestamp;

/// Shards reduce lock contention between threads.
const SHARDS: usize = 32;

/// Maximum number of listeners per shard: 131,072 in total, which use about 50 MB.
const MOST_PER_SHARD: usize = 4096;

/// A listener who takes no bytes for this many seconds is forgotten when a shard is full.
const IDLE_SECONDS: i64 = 600;

/// When a shard is full, idle listeners are searched for at most once in this many seconds.
const SWEEP_SECONDS: i64 = 10;

/// Maximum number of origins that are held until the next report.
const MOST_ORIGINS: usize = 20_000;

/// What is known about the sender of a request.
#[derive(Debug, Clone, Copy)]
pub struct Visitor<'a> {
    /// The listener.
    pub listener: ListenerId,
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
    swept_at: Option<Timestamp>,
}

impl FilesByListener {
    /// Makes room by forgetting idle listeners; `false` if the shard is still full.
    fn make_room(&mut self, now: Timestamp) -> bool {
        if self.count < MOST_PER_SHARD {
            return true;
        }
        if self.swept_at.is_some_and(|at| at <= now && now < at.plus_seconds(SWEEP_SECONDS)) {
            return false;
        }
        self.swept_at = Some(now);
        let idle_since = now.plus_seconds(-IDLE_SECONDS);
        for files in self.files.values_mut() {
            files.retain(|file| Arc::strong_count(file) > 1 || file.state().last > idle_since);
        }
        self.files.retain(|_, files| !files.is_empty());
        self.count = self.files.values().map(Vec::len).sum();
        self.count < MOST_PER_SHARD
    }
}

/// All listeners that a node knows.
#[derive(Default)]
pub(super) struct Listeners {
    shards: [Shard; SHARDS],
    origins: Mutex<HashMap<ListenerKey, ListenerOrigin>>,
    has_overflowed: AtomicBool,
}

impl Listeners {
    /// Returns the counter for the bytes that a visitor takes of a file; none for bots, and if there are too many
    /// listeners at the same time. `locate` is called once for each listener and file, not for each range, because it
    /// takes longer than everything else here.
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
        if !known.make_room(now) {
            self.has_overflowed.store(true, Ordering::Relaxed);
            return None;
        }
        let state = State {
            coverage: Coverage::default(),
            bytes: 0,
            segments: Segments::default(),
            is_waiting: false,
            last: now,
        };
        let (file, referrer, country) = (key.file.clone(), visitor.referrer(), locate());
        let file = Arc::new(File { place, file, size, referrer, country, state: Mutex::new(state) });
        known.files.entry(place).or_default().push(Arc::clone(&file));
        known.count += 1;
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
        if !mem::replace(&mut state.is_waiting, true) {
            drop(state);
            locked(&self.shard(file.0.place.listener).waiting).push(Arc::clone(&file.0));
        }
    }

    /// Records how a listener reached a track.
    pub(super) fn note_origin(&self, place: ListenerKey, origin: &ListenerOrigin) {
        let mut origins = locked(&self.origins);
        if origins.len() < MOST_ORIGINS || origins.contains_key(&place) {
            origins.entry(place).or_default().complete(origin);
        }
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
                let taken = TakenBytes { file: file.file.clone(), size: file.size, bytes, segments };
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

    /// Whether listeners were not counted since the last call, because there were too many.
    pub(super) fn take_overflow(&self) -> bool {
        self.has_overflowed.swap(false, Ordering::Relaxed)
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

    const AGENT: &[u8] = b"Mozilla/5.0 Firefox/120.0";

    fn now() -> Timestamp {
        Timestamp::from_unix_seconds(1_900_000_000).unwrap()
    }

    fn key() -> ObjectKey {
        "018f0000-0000-7000-8000-000000000001/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3".parse().unwrap()
    }

    fn visitor(hash: u64) -> Visitor<'static> {
        Visitor { listener: ListenerId::from_hash(hash), agent: Some(AGENT), referrer: None, host: None }
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
        assert!(listeners.take_overflow() && !listeners.take_overflow());
        assert!(enter(0, now()).is_some(), "who is known goes on");
        let later = now().plus_seconds(IDLE_SECONDS + 1);
        assert!(enter(u64::from(u32::MAX), later).is_some());
        assert_eq!(locked(&listeners.shards[0].known).count, 1);
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
