//! Webhooks: endpoints that events are sent to, deliveries, and their retries.

use serde::Serialize;
use uuid::Uuid;

use crate::event::{EventKind, WebhookKind};
use crate::timestamp::Timestamp;
use crate::trace_context::TraceContext;
use crate::{ApiKeyId, LeaseId, OrganizationId, WebhookDeliveryId, WebhookId};

/// Seconds for which a secret also signs after a rotation has replaced it.
pub const OLD_SECRET_SECONDS: i64 = 24 * 3600;

/// Seconds to wait after each failed attempt. The last wait is followed by the last attempt.
const WAITS: [i64; 7] = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 10 * 3600];

/// Seconds after which a delivery is given up if it could not be attempted because its endpoint was paused; longer than
/// all the waits together.
pub const GIVE_UP_SECONDS: i64 = 36 * 3600;

/// Failures after which an event no longer holds up later ones about the same record. By then it was attempted for about
/// five minutes, and it may be retried for a day.
pub const FAILURES_IN_ORDER: u32 = 3;

/// How many attempts of a delivery are kept. It can be replayed any number of times.
pub const MOST_ATTEMPTS_KEPT: u32 = 50;

/// Failures in a row, over all deliveries, after which an endpoint is paused.
const FAILURES_BEFORE_PAUSE: u32 = 5;

/// The first and the longest pause of a failing endpoint, in seconds.
const PAUSES: (i64, i64) = (10, 5 * 60);

/// An endpoint that events are sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The kind of events that it receives.
    pub kind: WebhookKind,
    /// The URL that events are sent to.
    pub url: String,
    /// The secret that events are signed with, sealed.
    pub secret: Vec<u8>,
    /// The secrets that were replaced lately, sealed together.
    pub old_secrets: Option<Vec<u8>>,
    /// When the secret was last replaced.
    pub rotated_at: Option<Timestamp>,
    /// Its recent health.
    pub health: EndpointHealth,
    /// When it was created.
    pub created_at: Timestamp,
    /// When events are no longer sent to it, if ever.
    pub expires_at: Option<Timestamp>,
    /// The API key that made it, or that last changed its URL; none: a person did, or the command line.
    pub made_by: Option<ApiKeyId>,
}

impl Webhook {
    /// Whether events are sent to it at this moment.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|at| now < at)
    }
}

/// The recent health of an endpoint: the state of a circuit breaker that avoids useless requests to a failing endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndpointHealth {
    /// Failures in a row.
    pub failures: u32,
    /// Until when it is paused.
    pub paused_until: Option<Timestamp>,
}

impl EndpointHealth {
    /// The health after a success: no failures, no pause.
    pub fn after_success() -> Self {
        Self::default()
    }

    /// The health after a failure at `now`. From the fifth failure in a row, the endpoint is paused: for 10 s, then
    /// twice as long each time, at most 5 min. Deliveries that become due wait during a pause and lose no attempt.
    /// Failures of requests that were in flight when the pause began are ignored, so that many simultaneous failures do
    /// not extend the pause.
    pub fn after_failure(self, now: Timestamp) -> Self {
        if self.paused_until.is_some_and(|until| now < until) {
            return self;
        }
        let failures = self.failures.saturating_add(1);
        let (first, longest) = PAUSES;
        let pause =
            failures.checked_sub(FAILURES_BEFORE_PAUSE).map(|more| (first << more.min(10)).min(longest));
        Self { failures, paused_until: pause.map(|seconds| now.plus_seconds(seconds)) }
    }

    /// Ends the pause, because the endpoint was changed or a delivery was requested. One more failure pauses it again.
    pub fn resumed(self) -> Self {
        Self { failures: self.failures.min(FAILURES_BEFORE_PAUSE - 1), paused_until: None }
    }
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It waits for its first attempt or a retry.
    Pending,
    /// The receiver accepted it.
    Delivered,
    /// It was given up.
    Failed,
}

impl DeliveryState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Failed];

    /// The state as text, as in SQL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }
}

impl std::str::FromStr for DeliveryState {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, &'static str> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or("must be pending, delivered or failed")
    }
}

/// The place of an event among those about the same record, which are sent one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventPlace {
    /// The id of the track or collection. Events about files are events about their track.
    pub record_id: Uuid,
    /// The `version` in the payload.
    pub version: i64,
}

/// A delivery of one event to one endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// Its id, the same in every attempt.
    pub id: WebhookDeliveryId,
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The event.
    pub event: EventKind,
    /// The id of the track, file or collection.
    pub subject_id: Uuid,
    /// Its place; none: it is about no record, or was queued by a version without places.
    pub place: Option<EventPlace>,
    /// The JSON, except that files have no `url` yet: URLs are signed for each attempt.
    pub payload: String,
    /// Its state.
    pub state: DeliveryState,
    /// Total attempts.
    pub attempts: u32,
    /// Failures since it was queued or replayed. They determine the wait until the next attempt.
    pub failures: u32,
    /// When the next attempt is due.
    pub due_at: Option<Timestamp>,
    /// When the event happened.
    pub created_at: Timestamp,
    /// When it was queued, or last replayed.
    pub queued_at: Timestamp,
    /// When it was delivered or given up.
    pub finished_at: Option<Timestamp>,
}

impl WebhookDelivery {
    /// A new delivery, due immediately.
    pub fn new(
        id: WebhookDeliveryId,
        webhook: &Webhook,
        event: EventKind,
        subject_id: Uuid,
        place: Option<EventPlace>,
        payload: String,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            webhook_id: webhook.id,
            organization_id: webhook.organization_id,
            event,
            subject_id,
            place,
            payload,
            state: DeliveryState::Pending,
            attempts: 0,
            failures: 0,
            due_at: Some(now),
            created_at: now,
            queued_at: now,
            finished_at: None,
        }
    }

    /// When to retry after the `failures`-th failure (from 1); none after the last. `jitter` is random, 0..=255, and
    /// adds up to a tenth, so that deliveries that failed together are not retried together.
    pub fn retry_at(failures: u32, jitter: u8, now: Timestamp) -> Option<Timestamp> {
        let wait = WAITS.get(failures.checked_sub(1)? as usize)? * 1000;
        Some(now.plus_millis(wait + wait / 10 * i64::from(jitter) / 255))
    }
}

/// A delivery that a worker has claimed, for one attempt before its lease expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The delivery; its `attempts` counts this one.
    pub delivery: WebhookDelivery,
    /// The lease it is held under.
    pub lease: LeaseId,
    /// The trace of the event.
    pub trace: Option<TraceContext>,
}

/// The result of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// The delivery.
    pub delivery_id: WebhookDeliveryId,
    /// The number of the attempt, from 1.
    pub number: u32,
    /// The URL that it was sent to.
    pub url: String,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took, in milliseconds.
    pub duration_ms: u32,
    /// The status of the response.
    pub status: Option<u16>,
    /// The first 64 KiB of the response, as text.
    pub response: String,
    /// What went wrong, as a sentence for people.
    pub error: Option<String>,
}

impl DeliveryAttempt {
    /// Whether the receiver accepted it.
    pub fn is_success(&self) -> bool {
        self.error.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(1_900_000_000 + seconds).unwrap()
    }

    #[test]
    fn the_schedule_is_the_published_one() {
        let waits: Vec<i64> = (1..)
            .map_while(|n| WebhookDelivery::retry_at(n, 0, at(0)))
            .map(|moment| moment.unix_seconds() - at(0).unix_seconds())
            .collect();
        assert_eq!(waits, [5, 300, 1800, 7200, 18_000, 36_000, 36_000]);
        assert_eq!(WebhookDelivery::retry_at(1, 255, at(0)), Some(at(0).plus_millis(5500)));
        assert_eq!(WebhookDelivery::retry_at(0, 0, at(0)), None);
        assert_eq!(WebhookDelivery::retry_at(u32::MAX, 255, at(0)), None);
    }

    #[test]
    fn endpoints_that_fail_are_left_alone_for_longer_and_longer() {
        let mut health = EndpointHealth::default();
        let mut pauses = Vec::new();
        let mut now = at(0);
        for _ in 0..12 {
            health = health.after_failure(now);
            assert!(health.paused_until.is_none() || health.after_failure(now) == health);
            pauses.push(health.paused_until.map(|until| until.unix_seconds() - now.unix_seconds()));
            now = health.paused_until.unwrap_or(now);
        }
        let ten_on = [10, 20, 40, 80, 160, 300, 300, 300].map(Some);
        assert_eq!(pauses[..4], [None; 4]);
        assert_eq!(pauses[4..], ten_on);
        let resumed = health.resumed();
        assert_eq!(resumed.paused_until, None);
        assert_eq!(resumed.after_failure(at(0)).paused_until, Some(at(10)));
        let saturated = EndpointHealth { failures: u32::MAX, paused_until: None }.after_failure(at(0));
        assert_eq!(saturated.paused_until, Some(at(300)));
        assert_eq!(EndpointHealth::after_success(), EndpointHealth::default());
    }
}
