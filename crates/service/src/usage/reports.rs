//! A cache for reports that take long.

use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use moka::Expiry;
use moka::future::Cache;
use tonearm_catalog::{CatalogError, SubjectListens, TrackUsage, UsageTracks};

use crate::refusal::Refusal;

/// A report is cached for this multiple of the time that it took: the database spends at most a hundredth of its time
/// on it.
const TIMES: u32 = 100;
/// Reports about fewer tracks are never cached: they are fast, and always up to date.
const MANY: u64 = 5000;
/// The longest time for which a report is cached.
const LONGEST: Duration = Duration::from_secs(300);
/// The most reports that are cached, each of one page.
const MOST: u64 = 1000;

/// A report that may be about many tracks.
pub(super) trait AboutTracks {
    /// How many tracks it is about.
    fn tracks(&self) -> u64;
}

impl AboutTracks for (UsageTracks, Vec<TrackUsage>) {
    fn tracks(&self) -> u64 {
        self.0.total
    }
}

impl AboutTracks for (u64, Vec<SubjectListens>) {
    fn tracks(&self) -> u64 {
        self.0
    }
}

/// Reports of one kind.
pub(super) struct Reports<K, T>(Arc<dyn ReportCache<K, T>>);

impl<K, T> Clone for Reports<K, T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The cache operations in use, behind a pointer, so that moka is compiled here and not in each crate that awaits a
/// report.
trait ReportCache<K, T>: Send + Sync {
    fn get_or_load<'a>(
        &'a self,
        key: K,
        load: BoxFuture<'a, Result<CachedReport<T>, CatalogError>>,
    ) -> BoxFuture<'a, Result<CachedReport<T>, Arc<CatalogError>>>;
}

impl<K, T> ReportCache<K, T> for Cache<K, CachedReport<T>>
where
    K: Hash + Eq + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    fn get_or_load<'a>(
        &'a self,
        key: K,
        load: BoxFuture<'a, Result<CachedReport<T>, CatalogError>>,
    ) -> BoxFuture<'a, Result<CachedReport<T>, Arc<CatalogError>>> {
        Box::pin(self.try_get_with(key, load))
    }
}

struct CachedReport<T> {
    report: Arc<T>,
    until_gone: Duration,
}

impl<T> Clone for CachedReport<T> {
    fn clone(&self) -> Self {
        Self { report: Arc::clone(&self.report), until_gone: self.until_gone }
    }
}

struct ReportExpiry;

impl<K, T> Expiry<K, CachedReport<T>> for ReportExpiry {
    fn expire_after_create(&self, _: &K, kept: &CachedReport<T>, _: Instant) -> Option<Duration> {
        Some(kept.until_gone)
    }
}

fn kept_for(tracks: u64, took: Duration) -> Duration {
    if tracks < MANY { Duration::ZERO } else { took.saturating_mul(TIMES).min(LONGEST) }
}

impl<K, T> Reports<K, T>
where
    K: Hash + Eq + Send + Sync + 'static,
    T: AboutTracks + Send + Sync + 'static,
{
    pub(super) fn new() -> Self {
        Self(Arc::new(Cache::builder().max_capacity(MOST).expire_after(ReportExpiry).build()))
    }

    /// The cached report, or else the result of `load`. If several callers request it at the same time, only one of
    /// them loads it.
    pub(super) async fn get(
        &self,
        key: K,
        load: impl Future<Output = Result<T, CatalogError>> + Send,
    ) -> Result<Arc<T>, Refusal> {
        let begun = Instant::now();
        let load = async {
            let report = load.await?;
            let until_gone = kept_for(report.tracks(), begun.elapsed());
            Ok::<_, CatalogError>(CachedReport { report: Arc::new(report), until_gone })
        };
        let kept = self.0.get_or_load(key, Box::pin(load)).await;
        Ok(kept?.report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_kept_for_long() {
        let kept = |tracks, millis| kept_for(tracks, Duration::from_millis(millis)).as_millis();
        assert_eq!(
            [0, 20, 450, 3000, 60_000].map(|took| kept(5000, took)),
            [0, 2000, 45_000, 300_000, 300_000]
        );
        assert_eq!([20, 60_000].map(|took| kept(4999, took)), [0, 0]);
    }
}
