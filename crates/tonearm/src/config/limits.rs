//! Sizes, rates, timeouts and caches.

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use tonearm_api::RateLimits;
use tonearm_blobs::{CacheTerms, StorageUrl};
use tonearm_domain::RecordLimits;
use tonearm_service::{SharedCaches, UploadLimits};

use super::ByteSize;
use super::error::{ConfigError, positive};
use super::file::{EdgeSettings, LimitSettings, MediaSettings, ShutdownSettings};
use tonearm_server::ServerLimits;

/// Time after which a cached object that is delivered is checked again for existence.
const RECHECK: Duration = Duration::from_secs(30);

/// Time in which every cached object is checked once. An object that was checked for a listener in the last quarter of
/// that time is skipped, so deleted objects are gone within an hour.
const RECHECK_ALL: Duration = Duration::from_secs(40 * 60);

/// How long the bucket may take to begin a response before the request is retried once. Both attempts fit into the time
/// after which a client is told that the store is unavailable.
const FETCH_DEADLINE: Duration = Duration::from_secs(5);

pub(super) fn upload_limits(settings: &LimitSettings) -> Result<UploadLimits, ConfigError> {
    Ok(UploadLimits {
        max_source_bytes: bytes("limits.max_upload_bytes", settings.max_upload_bytes, 8 << 30)?,
        max_cover_bytes: bytes("limits.max_cover_bytes", settings.max_cover_bytes, 20 << 20)?,
    })
}

pub(super) fn max_json_bytes(settings: &LimitSettings) -> Result<usize, ConfigError> {
    let most = bytes("limits.max_json_bytes", settings.max_json_bytes, 1 << 20)?;
    Ok(usize::try_from(most).unwrap_or(usize::MAX))
}

pub(super) fn media_memory(settings: &MediaSettings) -> Result<u64, ConfigError> {
    bytes("media.memory", settings.memory, tonearm_media::memory_for_processes())
}

fn bytes(name: &str, setting: Option<ByteSize>, default: u64) -> Result<u64, ConfigError> {
    let bytes = setting.map_or(default, |size| size.0);
    positive(name, bytes).map(|()| bytes)
}

/// Zero turns a limit off.
pub(super) fn record_limits(settings: &LimitSettings) -> RecordLimits {
    let chosen = |setting: Option<u64>, default| Some(setting.unwrap_or(default)).filter(|limit| *limit > 0);
    RecordLimits {
        records: chosen(settings.max_records, 50_000_000),
        metadata: chosen(settings.max_metadata.map(|size| size.0), 32 << 30),
    }
}

pub(super) fn rate_limits(settings: &LimitSettings) -> RateLimits {
    let default = RateLimits::default();
    // Zero turns a limit off.
    let chosen = |setting: Option<u32>, default| setting.map_or(default, NonZeroU32::new);
    RateLimits {
        per_key: chosen(settings.requests_per_minute_per_key, default.per_key),
        per_address: chosen(settings.requests_per_minute_per_address, default.per_address),
    }
}

pub(super) fn server_limits(
    settings: &LimitSettings,
    edge: &EdgeSettings,
    shutdown: &ShutdownSettings,
) -> Result<ServerLimits, ConfigError> {
    let seconds = |name: &str, setting: Option<u32>, default| {
        let seconds = setting.unwrap_or(default);
        positive(name, seconds).map(|()| Duration::from_secs(seconds.into()))
    };
    let max_connections = settings.max_connections.unwrap_or(20_000);
    positive("limits.max_connections", max_connections as u64)?;
    positive("edge.threads", edge.threads.unwrap_or(1))?;
    Ok(ServerLimits {
        max_connections,
        header_timeout: seconds("limits.header_timeout_seconds", settings.header_timeout_seconds, 30)?,
        min_bytes_per_second: settings.min_bytes_per_second.unwrap_or(500),
        send_timeout: seconds("limits.send_timeout_seconds", settings.send_timeout_seconds, 60)?,
        drain: Duration::from_secs(shutdown.drain_seconds.unwrap_or(30).into()),
        delivery_threads: edge.threads.and_then(|threads| NonZeroUsize::new(threads as usize)),
    })
}

/// The shortest and the longest window, in seconds. With a shorter one, no clients would share a URL; with a longer
/// one, URLs would be valid for weeks.
const CACHE_WINDOW: RangeInclusive<u32> = 60..=604_800;

pub(super) fn shared_caches(
    policy: Option<String>,
    window_seconds: Option<u32>,
) -> Result<SharedCaches, ConfigError> {
    let usual = SharedCaches::default();
    let policy = policy.map_or(Ok(usual.policy), |text| text.parse());
    let window_seconds = window_seconds.unwrap_or(usual.window_seconds);
    if !CACHE_WINDOW.contains(&window_seconds) {
        let problem =
            format!("must be a number of seconds from {} to {}", CACHE_WINDOW.start(), CACHE_WINDOW.end());
        return Err(ConfigError::new("delivery_cache_window_seconds", problem));
    }
    Ok(SharedCaches {
        policy: policy.map_err(|error| ConfigError::new("delivery_cache", error))?,
        window_seconds,
    })
}

pub(super) fn cache_terms(
    settings: &EdgeSettings,
    store: &StorageUrl,
    data_dir: &Path,
) -> Option<CacheTerms> {
    let memory_bytes = settings.memory_cache.map_or(128 << 20, |size| size.0);
    let disk_bytes = settings.disk_cache.map_or(4 << 30, |size| size.0);
    let disk = (disk_bytes > 0).then(|| (data_dir.join("cache"), disk_bytes));
    (store.is_bucket() && memory_bytes > 0).then_some(CacheTerms {
        memory_bytes,
        disk,
        recheck: RECHECK,
        recheck_all: RECHECK_ALL,
        deadline: FETCH_DEADLINE,
    })
}
