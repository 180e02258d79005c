//! What was played of one track lately.

use tonearm_domain::{KeyScope, Track, UsageCounts};
use tonearm_service::{Caller, UsagePeriod};

use crate::amount::{bytes, count};
use crate::app::Dashboard;
use crate::error::PageError;

/// The last 30 days of a track.
pub(super) struct TrackUsage {
    pub(super) plays: String,
    pub(super) downloads: String,
    pub(super) delivered: String,
    /// The days on which something was delivered, the last one first.
    pub(super) days: Vec<UsageDay>,
}

/// One day.
pub(super) struct UsageDay {
    pub(super) day: String,
    pub(super) plays: String,
    pub(super) downloads: String,
    pub(super) bytes: String,
}

impl TrackUsage {
    pub(super) async fn of(app: &Dashboard, caller: Caller, track: &Track) -> Result<Self, PageError> {
        let scope = KeyScope::new(Some(track.collection_id), Some(track.id)).unwrap_or(caller.scope);
        let period = UsagePeriod::new(None, None, app.usage.today())?;
        let days = app.usage.daily(&Caller { scope, ..caller }, period).await?;
        let sum = |of: fn(UsageCounts) -> u64| days.iter().map(|day| of(day.counts)).sum::<u64>();
        let told = days.iter().rev().filter(|day| !day.counts.is_empty()).map(|day| UsageDay {
            day: day.day.to_string(),
            plays: count(plays(day.counts)),
            downloads: count(day.counts.downloads),
            bytes: bytes(day.counts.bytes),
        });
        Ok(Self {
            plays: count(sum(plays)),
            downloads: count(sum(|counts| counts.downloads)),
            delivered: bytes(sum(|counts| counts.bytes)),
            days: told.collect(),
        })
    }
}

/// A share link that led to the file, or the track fetched in a session.
fn plays(counts: UsageCounts) -> u64 {
    counts.stream_redirects + counts.track_fetches
}
