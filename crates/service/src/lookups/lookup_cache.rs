//! The cache of one kind of record.

use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use moka::Expiry;
use moka::future::Cache;
use tokio::time::Instant;
use tonearm_catalog::{CatalogError, sees_uncommitted};
use tonearm_telemetry::Cache as CacheName;

use super::weight::Weight;
use crate::refusal::Refusal;

/// The bytes that one entry takes in addition to its value: key, counters and links of the cache, allocations.
const OVERHEAD: usize = 300;

/// Caches values by key and generation, with a time to live and a memory limit.
pub(super) struct LookupCache<K, V> {
    entries: Arc<dyn Entries<(K, u64), Loaded<V>>>,
    ttl: Duration,
}

impl<K, V> Clone for LookupCache<K, V> {
    fn clone(&self) -> Self {
        Self { entries: Arc::clone(&self.entries), ttl: self.ttl }
    }
}

/// The operations of a cache, as a trait object. The compiler repeats the body of an `async fn` in every crate that
/// awaits it. With the bodies of moka's methods, it would repeat the cache itself for each pair of types, which was a
/// fifth of the code of `api`.
trait Entries<K, T>: Send + Sync {
    fn get<'a>(&'a self, key: &'a K) -> BoxFuture<'a, Option<T>>;

    fn remove<'a>(&'a self, key: &'a K) -> BoxFuture<'a, ()>;

    /// Returns the value of the key. On a miss, it runs `load` and caches the result. Of concurrent callers, only one
    /// runs its `load`.
    fn get_or_load<'a>(&'a self, key: K, load: Load<'a, T>) -> BoxFuture<'a, Result<T, Arc<Nothing>>>;

    #[cfg(test)]
    fn size(&self) -> BoxFuture<'_, (u64, u64)>;
}

type Load<'a, T> = BoxFuture<'a, Result<T, Nothing>>;

impl<K, T> Entries<K, T> for Cache<K, T>
where
    K: Hash + Eq + Send + Sync + 'static,
    T: Clone + Send + Sync + 'static,
{
    fn get<'a>(&'a self, key: &'a K) -> BoxFuture<'a, Option<T>> {
        Box::pin(Cache::get(self, key))
    }

    fn remove<'a>(&'a self, key: &'a K) -> BoxFuture<'a, ()> {
        Box::pin(self.invalidate(key))
    }

    fn get_or_load<'a>(&'a self, key: K, load: Load<'a, T>) -> BoxFuture<'a, Result<T, Arc<Nothing>>> {
        Box::pin(self.try_get_with(key, load))
    }

    #[cfg(test)]
    fn size(&self) -> BoxFuture<'_, (u64, u64)> {
        Box::pin(async {
            self.run_pending_tasks().await;
            (self.entry_count(), self.weighted_size())
        })
    }
}

struct Loaded<V> {
    value: Arc<V>,
    since: Instant,
}

impl<V> Clone for Loaded<V> {
    fn clone(&self) -> Self {
        Self { value: Arc::clone(&self.value), since: self.since }
    }
}

/// Why a load gave no value to cache. All callers that waited for the same load get it.
#[derive(Clone)]
enum Nothing {
    Missing,
    Failed(Arc<CatalogError>),
}

/// The time to live starts at the beginning of the load, because the record may have changed since then.
struct SinceLoad(Duration);

impl<K, V> Expiry<K, Loaded<V>> for SinceLoad {
    fn expire_after_create(&self, _: &K, loaded: &Loaded<V>, _: std::time::Instant) -> Option<Duration> {
        Some(self.0.saturating_sub(loaded.since.elapsed()))
    }
}

impl<K, V> LookupCache<K, V>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Weight + Send + Sync + 'static,
{
    /// `max_bytes` is accurate to within a few per cent: the weight of an entry is the memory that it uses.
    pub(super) fn new(max_bytes: u64, ttl: Duration) -> Self {
        let weigh = |_: &(K, u64), loaded: &Loaded<V>| {
            u32::try_from(OVERHEAD + size_of::<V>() + loaded.value.heap_bytes()).unwrap_or(u32::MAX)
        };
        let cache =
            Cache::builder().max_capacity(max_bytes).weigher(weigh).expire_after(SinceLoad(ttl)).build();
        Self { entries: Arc::new(cache), ttl }
    }

    /// Returns the cached value of the key. On a miss, it runs `load`; of concurrent callers, only one loads.
    ///
    /// Read `generation` before the call. Misses are not cached: the record may be created at any moment, and clients
    /// that make up keys would fill the cache.
    pub(super) async fn get<F>(
        &self,
        key: K,
        generation: u64,
        load: impl FnOnce() -> F,
    ) -> Result<Option<Arc<V>>, Refusal>
    where
        F: Future<Output = Result<Option<V>, CatalogError>> + Send,
    {
        // What the running work has not committed is for itself alone.
        if sees_uncommitted() {
            return Ok(Box::pin(load()).await?.map(Arc::new));
        }
        let key = (key, generation);
        let mut known = self.entries.get(&key).await;
        // The cache uses the system clock, which does not advance when a simulation moves the time.
        if known
            .as_ref()
            .is_some_and(|loaded| loaded.since.elapsed() >= self.ttl || loaded.value.is_empty_list())
        {
            self.entries.remove(&key).await;
            known = None;
        }
        tonearm_telemetry::looked_up(CacheName::Lookups, known.is_some());
        if let Some(loaded) = known {
            return Ok(Some(loaded.value));
        }
        // On the heap: a query's future takes kilobytes, which most calls never need.
        Box::pin(self.load(key, load())).await
    }

    async fn load(
        &self,
        key: (K, u64),
        load: impl Future<Output = Result<Option<V>, CatalogError>> + Send,
    ) -> Result<Option<Arc<V>>, Refusal> {
        let since = Instant::now();
        let load = Box::pin(async move {
            match load.await {
                Ok(Some(value)) => Ok(Loaded { value: Arc::new(value), since }),
                Ok(None) => Err(Nothing::Missing),
                Err(error) => Err(Nothing::Failed(Arc::new(error))),
            }
        });
        match self.entries.get_or_load(key, load).await {
            Ok(loaded) => Ok(Some(loaded.value)),
            Err(nothing) => match &*nothing {
                Nothing::Missing => Ok(None),
                Nothing::Failed(error) => Err(Arc::clone(error).into()),
            },
        }
    }

    /// The number of entries and their weight in bytes, after expired and excess entries are evicted.
    #[cfg(test)]
    async fn size(&self) -> (u64, u64) {
        self.entries.size().await
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Ready, ready};

    use tokio::sync::oneshot;
    use uuid::Uuid;

    use super::super::generations::Generations;
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    impl Weight for String {
        fn heap_bytes(&self) -> usize {
            self.len()
        }
    }

    fn found(text: &str) -> impl FnOnce() -> Ready<Result<Option<String>, CatalogError>> {
        || ready(Ok(Some(text.to_owned())))
    }

    async fn value(cache: &LookupCache<u32, String>, generation: u64, load: &str) -> String {
        cache.get(1, generation, found(load)).await.unwrap().unwrap().to_string()
    }

    #[tokio::test]
    async fn a_load_that_a_change_overtakes_is_not_used() {
        let (cache, generations, id) = (LookupCache::new(1_000_000, LONG), Generations::new(), Uuid::nil());
        let (began, has_begun) = oneshot::channel();
        let (finish, may_finish) = oneshot::channel();
        let before = generations.current(id);
        let early = tokio::spawn({
            let cache: LookupCache<u32, String> = cache.clone();
            async move {
                let load = async || {
                    began.send(()).unwrap();
                    may_finish.await.unwrap();
                    Ok(Some("old".to_owned()))
                };
                cache.get(1, before, load).await.unwrap().unwrap()
            }
        });
        has_begun.await.unwrap();
        generations.advance(id);
        // A lookup after the change neither waits for the load from before it, nor gets its value.
        assert_eq!(value(&cache, generations.current(id), "new").await, "new");
        finish.send(()).unwrap();
        assert_eq!(*early.await.unwrap(), "old");
        assert_eq!(value(&cache, generations.current(id), "not loaded").await, "new");
    }

    #[tokio::test]
    async fn a_thousand_who_ask_at_once_load_once() {
        let cache = LookupCache::<u32, String>::new(1_000_000, LONG);
        let loads = std::sync::atomic::AtomicU32::new(0);
        let ask = || {
            cache.get(1, 0, async || {
                loads.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                tokio::task::yield_now().await;
                Ok(Some("value".to_owned()))
            })
        };
        let answers = futures::future::join_all((0..1000).map(|_| ask())).await;
        assert!(answers.into_iter().all(|answer| *answer.unwrap().unwrap() == "value"));
        assert_eq!(loads.into_inner(), 1);
    }

    #[tokio::test]
    async fn what_is_missing_or_fails_is_not_kept() {
        let cache = LookupCache::<u32, String>::new(1_000_000, LONG);
        assert!(cache.get(1, 0, || ready(Ok(None))).await.unwrap().is_none());
        let away = CatalogError::Unavailable("gone".into());
        assert!(matches!(cache.get(1, 0, || ready(Err(away))).await, Err(Refusal::Unavailable(_))));
        assert_eq!(cache.size().await, (0, 0));
        assert_eq!(value(&cache, 0, "made").await, "made");
    }

    #[tokio::test]
    async fn memory_is_bounded() {
        let cache = LookupCache::<u32, String>::new(100_000, LONG);
        let large = "x".repeat(1000);
        for key in 0..2000 {
            cache.get(key, 0, found(&large)).await.unwrap();
        }
        let (entries, bytes) = cache.size().await;
        assert!(entries <= 100 && bytes <= 100_000, "{entries} entries of {bytes} bytes");
    }

    #[tokio::test]
    async fn nothing_is_kept_for_longer_than_it_lives() {
        let cache = LookupCache::<u32, String>::new(1_000_000, Duration::ZERO);
        assert_eq!(value(&cache, 0, "first").await, "first");
        assert_eq!(value(&cache, 0, "second").await, "second");
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_the_load_counts() {
        let since = Instant::now();
        let loaded = Loaded { value: Arc::new(String::new()), since };
        let left =
            || SinceLoad(Duration::from_secs(1)).expire_after_create(&(), &loaded, std::time::Instant::now());
        tokio::time::advance(Duration::from_millis(400)).await;
        assert_eq!(left(), Some(Duration::from_millis(600)));
        tokio::time::advance(Duration::from_millis(1100)).await;
        assert_eq!(left(), Some(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn time_that_a_simulation_moves_counts() {
        let cache = LookupCache::<u32, String>::new(1_000_000, LONG);
        assert_eq!(value(&cache, 0, "first").await, "first");
        tokio::time::advance(LONG - Duration::from_secs(1)).await;
        assert_eq!(value(&cache, 0, "second").await, "first");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(value(&cache, 0, "third").await, "third");
        assert_eq!(value(&cache, 0, "fourth").await, "third");
    }
}
