//! The progress of a track as a stream of server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use http::header::HeaderName;
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use tokio::time::{Instant, Interval, interval_at};
use tonearm_domain::{Action, Actor, ErrorCode};
use tonearm_service::{Access, Caller, NoCapacity, StreamHolder, StreamSlot, Streams, TrackWatch};

use super::progress_record::Progress;
use crate::error::ApiError;

/// How often a comment is sent and the key is checked again. The comment makes broken connections noticeable.
const BEAT: Duration = Duration::from_secs(15);
/// Maximum duration of a stream.
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// Seconds after which a client that reached the limit of streams may retry.
const RETRY_AFTER_SECONDS: u64 = 15;

/// One stream.
pub(super) struct ProgressEvents {
    track: TrackWatch,
    place: StreamSlot,
    access: Access,
    /// The key that was sent. It may be revoked while the stream is open.
    key: String,
    step: Step,
    beat: Interval,
    end: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin,
    GoOn,
    Over,
}

#[derive(Serialize)]
struct ErrorEvent<'a> {
    code: ErrorCode,
    message: &'a str,
}

impl ProgressEvents {
    /// Reserves a slot for one more stream.
    pub(super) fn place(streams: &Streams, caller: &Caller) -> Result<StreamSlot, ApiError> {
        let full = |status, message| {
            ApiError::new(status, ErrorCode::TooManyStreams, message).after(RETRY_AFTER_SECONDS)
        };
        let of_node = || {
            full(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many progress streams are open, or too many of this organization; try again shortly",
            )
        };
        let Actor::Key(key) = caller.origin.actor else { return Err(of_node()) };
        streams.enter(caller.organization_id, StreamHolder::Key(key)).map_err(|full_of| match full_of {
            NoCapacity::OfNode => of_node(),
            NoCapacity::OfHolder => full(
                StatusCode::TOO_MANY_REQUESTS,
                "this API key has too many progress streams open; close one of them first",
            ),
        })
    }

    pub(super) fn new(track: TrackWatch, place: StreamSlot, access: Access, key: String) -> Self {
        let now = Instant::now();
        let (beat, end) = (interval_at(now + BEAT, BEAT), now + LONGEST);
        Self { track, place, access, key, step: Step::Begin, beat, end }
    }

    fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        futures::stream::unfold(self, |mut events| async move {
            let event = events.next().await?;
            Some((Ok(event), events))
        })
    }

    async fn next(&mut self) -> Option<Event> {
        match self.step {
            Step::Over => return None,
            Step::Begin => {}
            Step::GoOn => tokio::select! {
                biased;
                () = self.place.stopped() => return None,
                () = tokio::time::sleep_until(self.end) => return None,
                // Checked before changes of the track, which may occur every second.
                _ = self.beat.tick() => return Some(self.beat().await),
                changed = self.track.changed() => {
                    // Nothing more is sent to a key that has ended.
                    let still = match changed {
                        Ok(()) => self.access.key(&self.key, Action::Manage).await.map(drop),
                        refused => refused,
                    };
                    if let Err(refusal) = still {
                        return Some(self.refuse(refusal.into()));
                    }
                }
            },
        }
        self.step = if self.track.is_over() { Step::Over } else { Step::GoOn };
        Some(self.progress())
    }

    /// A comment, as long as the key is valid; otherwise the final error event.
    async fn beat(&mut self) -> Event {
        match self.access.key(&self.key, Action::Manage).await {
            Ok(_) => Event::default().comment(""),
            Err(refusal) => self.refuse(refusal.into()),
        }
    }

    fn progress(&self) -> Event {
        let event = Event::default().event("progress");
        event.json_data(Progress::from(self.track.progress())).unwrap_or_default()
    }

    /// Ends the stream with an event that contains the error.
    fn refuse(&mut self, error: ApiError) -> Event {
        self.step = Step::Over;
        error.log();
        let body = ErrorEvent { code: error.code(), message: error.message() };
        Event::default().event("error").json_data(body).unwrap_or_default()
    }
}

impl IntoResponse for ProgressEvents {
    fn into_response(self) -> Response {
        let mut response = Sse::new(self.events()).into_response();
        // Disables buffering in proxies, because events must arrive at once.
        let unbuffered = HeaderName::from_static("x-accel-buffering");
        response.headers_mut().insert(unbuffered, HeaderValue::from_static("no"));
        response
    }
}
