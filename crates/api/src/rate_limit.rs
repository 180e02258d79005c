//! Rate limits for each key and each address.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::StatusCode;
use http::header::{CACHE_CONTROL, RETRY_AFTER};
use tonearm_domain::ClientAddress;

use crate::address::address;
use crate::bearer::bearer;
use crate::error::ApiError;

/// The rate limits. Requests from the loopback address are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    /// Requests per minute with one key; `None`: no limit.
    pub per_key: Option<NonZeroU32>,
    /// Requests per minute from one address; `None`: no limit.
    pub per_address: Option<NonZeroU32>,
}

impl Default for RateLimits {
    /// 1000 requests per second, with bursts of up to a minute's worth, because many listeners may come through one
    /// proxy.
    fn default() -> Self {
        let generous = NonZeroU32::new(60_000);
        Self { per_key: generous, per_address: generous }
    }
}

/// The number of requests after which the state of inactive keys and addresses is removed.
const CLEAN_UP_EVERY: u32 = 10_000;

/// Limits the requests to pages from one address. They are counted separately from requests to the API.
pub fn limit_pages(pages: Router, limits: RateLimits) -> Router {
    let limiter = Arc::new(Limiter::new(RateLimits { per_key: None, ..limits }));
    pages.route_layer(from_fn_with_state(limiter, limit_page_rate))
}

/// Counts requests. Keys are stored as a hash that is useless outside this process.
pub(crate) struct Limiter {
    keys: Option<DefaultKeyedRateLimiter<u64>>,
    addresses: Option<DefaultKeyedRateLimiter<IpAddr>>,
    hasher: RandomState,
    clock: DefaultClock,
    since_clean_up: AtomicU32,
}

impl Limiter {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            keys: limits.per_key.map(|n| RateLimiter::keyed(Quota::per_minute(n))),
            addresses: limits.per_address.map(|n| RateLimiter::keyed(Quota::per_minute(n))),
            hasher: RandomState::new(),
            clock: DefaultClock::default(),
            since_clean_up: AtomicU32::new(0),
        }
    }

    /// Counts a request. Returns the number of seconds to wait if the limit is exceeded.
    fn count(&self, address: Option<IpAddr>, key: Option<&str>) -> Result<(), u64> {
        self.clean_up();
        let now = self.clock.now();
        let wait = |until: governor::NotUntil<_>| until.wait_time_from(now).as_secs() + 1;
        if let (Some(limiter), Some(address)) = (&self.addresses, address) {
            limiter.check_key(&ClientAddress::from(address).network()).map_err(wait)?;
        }
        if let (Some(limiter), Some(key)) = (&self.keys, key) {
            limiter.check_key(&self.hasher.hash_one(key)).map_err(wait)?;
        }
        Ok(())
    }

    /// Counts a request, unless it comes from the loopback address.
    fn admit(&self, request: &Request) -> Result<(), u64> {
        let address = address(request.extensions());
        if address.is_some_and(|address| address.is_loopback()) {
            return Ok(());
        }
        self.count(address, bearer(request.headers()).ok())
    }

    fn clean_up(&self) {
        if self.since_clean_up.fetch_add(1, Ordering::Relaxed) < CLEAN_UP_EVERY {
            return;
        }
        self.since_clean_up.store(0, Ordering::Relaxed);
        if let Some(limiter) = &self.keys {
            limiter.retain_recent();
        }
        if let Some(limiter) = &self.addresses {
            limiter.retain_recent();
        }
    }
}

/// Refuses requests that exceed the limit, with 429 and the time to wait.
pub(crate) async fn limit_rate(
    State(limiter): State<Arc<Limiter>>,
    request: Request,
    next: Next,
) -> Response {
    match limiter.admit(&request) {
        Ok(()) => next.run(request).await,
        Err(seconds) => ApiError::rate_limited(seconds).into_response(),
    }
}

/// The same for pages, with a message for people.
async fn limit_page_rate(State(limiter): State<Arc<Limiter>>, request: Request, next: Next) -> Response {
    let Err(seconds) = limiter.admit(&request) else { return next.run(request).await };
    let headers = [(RETRY_AFTER, seconds.to_string()), (CACHE_CONTROL, "no-store".to_owned())];
    let sentence = format!("Too many requests. Try again in {seconds} seconds.\n");
    (StatusCode::TOO_MANY_REQUESTS, headers, sentence).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(per_key: u32, per_address: u32) -> Limiter {
        Limiter::new(RateLimits {
            per_key: NonZeroU32::new(per_key),
            per_address: NonZeroU32::new(per_address),
        })
    }

    #[test]
    fn keys_and_addresses_are_counted_apart() {
        let limiter = limiter(2, 3);
        let [a, b] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        assert_eq!(limiter.count(Some(a), Some("k")), Ok(()));
        assert_eq!(limiter.count(Some(a), Some("k")), Ok(()));
        assert!((1..=60).contains(&limiter.count(Some(a), Some("k")).unwrap_err()));
        assert!(limiter.count(Some(a), None).is_err(), "the address has had its three");
        assert_eq!(limiter.count(Some(b), None), Ok(()));
        assert!(limiter.count(Some(b), Some("k")).is_err(), "the key is the same from anywhere");
        assert_eq!(limiter.count(Some(b), Some("other")), Ok(()));
    }

    #[test]
    fn zero_means_no_limit() {
        let limiter = limiter(0, 0);
        for _ in 0..20_001 {
            assert_eq!(limiter.count(Some("192.0.2.1".parse().unwrap()), Some("k")), Ok(()));
        }
    }
}
