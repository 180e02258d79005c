//! URLs that many listeners share, so that a CDN serves all of them from one copy.

use tonearm_domain::{CachePolicy, Timestamp};

/// Terms of URLs whose responses shared caches may store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedCaches {
    /// The policy that applies to all objects, even those whose recipe says `private`.
    pub policy: CachePolicy,
    /// The length of a window in seconds. URLs of the same object are equal within a window. Above 0.
    pub window_seconds: u32,
}

impl Default for SharedCaches {
    /// The private policy, with a window of one hour.
    fn default() -> Self {
        Self { policy: CachePolicy::Private, window_seconds: 3600 }
    }
}

impl SharedCaches {
    /// The issue time and the lifetime in seconds of a URL that is valid for at least `ttl` seconds from now. Both are
    /// the same for all requests with this `ttl` in the same window.
    pub(crate) fn round_up(&self, now: Timestamp, ttl: u32) -> (Timestamp, u32) {
        let window = i64::from(self.window_seconds.max(1));
        let now_seconds = now.unix_seconds();
        let start = now_seconds.div_euclid(window) * window;
        let end = ((now_seconds + i64::from(ttl)).div_euclid(window) + 1) * window;
        let issued = Timestamp::from_unix_seconds(start).unwrap_or(now);
        (issued, u32::try_from(end - issued.unix_seconds()).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_a_window_end_together() {
        let shared = SharedCaches { window_seconds: 3600, ..SharedCaches::default() };
        let at = |seconds: i64| Timestamp::from_unix_seconds(1_700_002_800 + seconds).unwrap();
        for seconds in [0, 1, 1800, 3599] {
            assert_eq!(shared.round_up(at(seconds), 3600), (at(0), 7200), "{seconds}");
        }
        assert_eq!(shared.round_up(at(3600), 3600), (at(3600), 7200));
        // Sessions that end at different moments of the same window.
        assert_eq!(shared.round_up(at(10), 600), shared.round_up(at(1000), 1200));
    }

    proptest::proptest! {
        #[test]
        fn a_rounded_url_is_valid_for_long_enough(now in 1_000_000_000_i64..4_000_000_000, ttl in 1..86_400_u32, window_seconds in 60..604_800_u32) {
            let shared = SharedCaches { window_seconds, ..SharedCaches::default() };
            let asked = Timestamp::from_unix_seconds(now).unwrap();
            let (issued, rounded) = shared.round_up(asked, ttl);
            let end = issued.unix_seconds() + i64::from(rounded);
            proptest::prop_assert!(issued <= asked && asked.unix_seconds() - issued.unix_seconds() < i64::from(window_seconds));
            proptest::prop_assert!(end >= now + i64::from(ttl));
            proptest::prop_assert!(end <= now + i64::from(ttl) + i64::from(window_seconds));
        }
    }
}
