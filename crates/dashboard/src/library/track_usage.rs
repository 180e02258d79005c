//! The recent listens of one track.

use tonearm_domain::{KeyScope, ListenCounts, Track};
use tonearm_service::{Caller, UsagePeriod};

use crate::amount::{bytes, count, duration};
use crate::app::Dashboard;
use crate::error::PageError;

/// The usage of a track in the last 30 days.
pub(super) struct TrackUsage {
    pub(super) listens: String,
    pub(super) heard: String,
    pub(super) delivered: String,
    /// The days with listens, the latest first.
    pub(super) days: Vec<UsageDay>,
}

/// One day.
pub(super) struct UsageDay {
    pub(super) day: String,
    pub(super) listens: String,
    pub(super) heard: String,
}

impl TrackUsage {
    pub(super) async fn of(app: &Dashboard, caller: Caller, track: &Track) -> Result<Self, PageError> {
        let scope = KeyScope::new(Some(track.collection_id), Some(track.id)).unwrap_or(caller.scope);
        let period = UsagePeriod::new(None, None, app.usage.today())?;
        let caller = Caller { scope, ..caller };
        let delivered = app.usage.daily(&caller, period).await?;
        let listens = app.usage.daily_listens(&caller, period).await?;
        let total: ListenCounts = listens.iter().map(|day| day.counts).sum();
        let days = listens.iter().rev().filter(|day| !day.counts.is_empty());
        let days = days.map(|day| UsageDay {
            day: day.day.to_string(),
            listens: count(day.counts.listens),
            heard: duration(day.counts.heard_millis),
        });
        Ok(Self {
            listens: count(total.listens),
            heard: duration(total.heard_millis),
            delivered: bytes(delivered.iter().map(|day| day.counts.bytes).sum()),
            days: days.collect(),
        })
    }
}
