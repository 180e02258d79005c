//! Usage counts in memory.

use std::collections::HashMap;
use std::mem;
use std::net::IpAddr;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::listeners::Listeners;
use super::{
    Day, ListenedFile, ListenerKey, ListenerOrigin, Played, UncountedListeners, UsageBatch, UsageCounts,
    UsageEntry, Visitor,
};
use crate::OrganizationId;
use crate::ambient::Ambient;
use crate::country::CountryCode;
use crate::object_key::ObjectKey;
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;
use crate::variant_index::VariantIndex;

/// Shards reduce lock contention between threads. Counting holds the lock of one shard for some dozens of nanoseconds.
const SHARDS: usize = 32;

/// The key of counts, without the variant.
type CountKey = (OrganizationId, ShortId, Day);

/// The variants of one key, few enough for a linear search. So counting a known variant allocates no memory.
type Variants = Vec<(Option<VariantIndex>, UsageCounts)>;

type Shard = Mutex<HashMap<CountKey, Variants>>;

/// Counts usage until a caller takes the counts and stores them. Cheap to clone; clones share their counts.
#[derive(Clone, Default)]
pub struct Meter(Arc<Inner>);

#[derive(Default)]
struct Inner {
    counts: [Shard; SHARDS],
    listeners: Listeners,
}

impl Meter {
    /// A meter with no counts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds counts.
    pub fn count(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
        variant: Option<&VariantIndex>,
        counts: UsageCounts,
        now: Timestamp,
    ) {
        if counts.is_empty() {
            return;
        }
        let mut shard = self.shard(folder);
        let variants = shard.entry((organization_id, folder, Day::of(now))).or_default();
        match variants.iter_mut().find(|(known, _)| known.as_ref() == variant) {
            Some((_, sum)) => *sum += counts,
            None => variants.push((variant.cloned(), counts)),
        }
    }

    /// Returns the counter for the bytes that a visitor takes of a file of `size` bytes. None for bots, and if there
    /// are more listeners of the visitor's network, or more at all, than a node distinguishes at the same time: then
    /// deliveries are counted, but not the listeners. `locate` returns the country of the visitor, and is called only when the visitor starts with the
    /// file.
    pub fn listen(
        &self,
        key: &ObjectKey,
        size: u64,
        visitor: &Visitor<'_>,
        now: Timestamp,
        locate: impl FnOnce() -> Option<CountryCode>,
    ) -> Option<ListenedFile> {
        self.0.listeners.enter(key, size, visitor, now, locate)
    }

    /// Counts a range of a file that was delivered to a listener. Bytes that the listener has taken before are not
    /// counted again.
    pub fn take_range(&self, file: &ListenedFile, range: Range<u64>, now: Timestamp) {
        self.0.listeners.take(file, range, now);
    }

    /// Records the milliseconds of a file that a listener's player has played.
    pub fn play(&self, file: &ListenedFile, played: &Played, now: Timestamp) {
        self.0.listeners.play(file, played, now);
    }

    /// Records how a listener reached a track.
    pub fn note_origin(&self, place: ListenerKey, address: IpAddr, origin: &ListenerOrigin, now: Timestamp) {
        self.0.listeners.note_origin(place, address, origin, now);
    }

    /// How many listeners were not counted since the last call, because there were too many.
    pub fn take_uncounted(&self) -> UncountedListeners {
        self.0.listeners.take_uncounted()
    }

    /// Takes the counts since the last call; `None` if there are none. The caller must make sure that the batch is not
    /// lost.
    pub fn take(&self, ambient: &Ambient) -> Option<UsageBatch> {
        let mut entries = Vec::new();
        for shard in &self.0.counts {
            let places = mem::take(&mut *locked(shard));
            for ((organization_id, folder, day), variants) in places {
                entries.extend(variants.into_iter().map(|(variant, counts)| UsageEntry {
                    organization_id,
                    day,
                    folder,
                    variant,
                    counts,
                }));
            }
        }
        let listeners = self.0.listeners.take_entries();
        if entries.is_empty() && listeners.is_empty() {
            return None;
        }
        entries.sort_unstable_by(|a, b| place_of(a).cmp(&place_of(b)));
        Some(UsageBatch { id: ambient.record_id(), taken_at: ambient.now(), entries, listeners })
    }

    /// The folder is random, so any of its characters is distributed evenly enough.
    fn shard(&self, folder: ShortId) -> MutexGuard<'_, HashMap<CountKey, Variants>> {
        let bytes = folder.as_str().as_bytes();
        locked(&self.0.counts[usize::from(bytes[0] ^ bytes[1].rotate_left(3)) % SHARDS])
    }
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Meter")
    }
}

/// Ignores poisoning: the sums stay consistent if a thread panics.
fn locked(shard: &Shard) -> MutexGuard<'_, HashMap<CountKey, Variants>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Rows are written in this order, so that nodes cannot deadlock on each other's rows.
fn place_of(entry: &UsageEntry) -> (OrganizationId, Day, ShortId, Option<&VariantIndex>) {
    (entry.organization_id, entry.day, entry.folder, entry.variant.as_ref())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::RecordId;
    use crate::ambient::{Clock, Entropy};

    struct Fixed;
    impl Clock for Fixed {
        fn now(&self) -> Timestamp {
            moment(1_900_000_000)
        }
    }
    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    fn ambient() -> Ambient {
        Ambient::new(Arc::new(Fixed), Arc::new(Fixed))
    }

    fn moment(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds).unwrap()
    }

    fn organization(n: u8) -> OrganizationId {
        OrganizationId::from_parts(moment(0), [n; 10])
    }

    fn folder(n: u8) -> ShortId {
        ShortId::from_random([n; 8])
    }

    #[test]
    fn what_is_counted_is_taken_once() {
        let meter = Meter::new();
        assert_eq!(meter.take(&ambient()), None);
        let hq = VariantIndex::from_static("hq");
        let noon = moment(86_400 / 2);
        let again = meter.clone();
        meter.count(organization(1), folder(1), Some(&hq), UsageCounts::START, noon);
        again.count(organization(1), folder(1), Some(&hq), UsageCounts::bytes(10), noon);
        meter.count(organization(1), folder(1), None, UsageCounts::TRACK_FETCH, noon);
        meter.count(organization(1), folder(1), Some(&hq), UsageCounts::bytes(5), noon.plus_seconds(86_400));
        meter.count(organization(1), folder(1), Some(&hq), UsageCounts::bytes(0), noon);
        let batch = meter.take(&ambient()).unwrap();
        let seen: Vec<_> = batch
            .entries
            .iter()
            .map(|entry| (entry.day.number(), entry.variant.is_some(), entry.counts))
            .collect();
        let started = UsageCounts { bytes: 10, ..UsageCounts::START };
        assert_eq!(
            seen,
            [(0, false, UsageCounts::TRACK_FETCH), (0, true, started), (1, true, UsageCounts::bytes(5))]
        );
        assert_eq!(meter.take(&ambient()), None);
        let json = serde_json::to_string(&batch).unwrap();
        assert_eq!(serde_json::from_str::<UsageBatch>(&json).unwrap(), batch);
    }

    #[test]
    fn threads_lose_nothing() {
        let meter = Meter::new();
        let taken: u64 = std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for n in 0..5_000_u32 {
                        let place = folder((n % 50) as u8);
                        meter.count(organization(1), place, None, UsageCounts::bytes(1), moment(0));
                    }
                });
            }
            let sum = |batch: UsageBatch| batch.entries.iter().map(|entry| entry.counts.bytes).sum::<u64>();
            (0..100).filter_map(|_| meter.take(&ambient()).map(sum)).sum()
        });
        let rest: u64 =
            meter.take(&ambient()).map_or(0, |batch| batch.entries.iter().map(|e| e.counts.bytes).sum());
        assert_eq!(taken + rest, 20_000);
    }

    proptest! {
        #[test]
        fn sums_are_those_of_one_count_after_another(
            counted in proptest::collection::vec((0..3_u8, 0..3_u8, 0..3_i64, 0..4_u64), 0..60)
        ) {
            let meter = Meter::new();
            let mut expected: HashMap<(OrganizationId, ShortId, Day), u64> = HashMap::new();
            for (o, f, day, bytes) in counted {
                let now = moment(day * 86_400);
                meter.count(organization(o), folder(f), None, UsageCounts::bytes(bytes), now);
                if bytes > 0 {
                    *expected.entry((organization(o), folder(f), Day::of(now))).or_default() += bytes;
                }
            }
            let entries = meter.take(&ambient()).map_or_else(Vec::new, |batch| batch.entries);
            prop_assert!(entries.is_sorted_by(|a, b| place_of(a) < place_of(b)));
            let found: HashMap<_, _> =
                entries.iter().map(|e| ((e.organization_id, e.folder, e.day), e.counts.bytes)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
