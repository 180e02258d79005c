//! The progress of tracks, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use http::header::{HeaderName, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use tokio::time::{Instant, Interval, interval_at};
use tonearm_domain::{Language, OrganizationId, PersonId};
use tonearm_service::{ProgressWatch, StreamHolder, StreamSlot, TrackProgressView};
use tonearm_signing::Token;

use super::listed::status_label;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::session::{Member, Viewer};
use crate::text::{current, in_language, t};

/// How often the permission to listen is checked. A comment is sent then too, so that a broken connection is noticed.
const CHECK: Duration = Duration::from_secs(15);

/// The progress of one track.
#[derive(Serialize)]
struct TrackEvent<'a> {
    id: String,
    status: String,
    percent: u8,
    /// Whether it waits in the queue, so that no work has been done on it.
    is_queued: bool,
    files: Vec<FileEvent<'a>>,
}

#[derive(Serialize)]
struct FileEvent<'a> {
    index: &'a str,
    state: &'static str,
    percent: u8,
}

/// One event stream.
struct Live {
    app: Dashboard,
    watch: ProgressWatch,
    place: StreamSlot,
    token: Token,
    person_id: PersonId,
    organization_id: OrganizationId,
    language: Language,
    step: Step,
    beat: Interval,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin,
    GoOn,
    Over,
}

/// Sends the progress of the organization's tracks until no track is being processed (event `done`), or until the
/// person may no longer listen.
pub(super) async fn progress(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
) -> Result<Response, PageError> {
    let person_id = member.signed_in.person().id;
    let holder = StreamHolder::Person(person_id);
    let Ok(place) = app.streams.enter(member.organization.id, holder) else {
        return Ok((StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "15")]).into_response());
    };
    let watch = app.library.watch_progress(&member.caller()).await?;
    let live = Live {
        watch,
        place,
        token: member.signed_in.session.token.clone(),
        person_id,
        organization_id: member.organization.id,
        language: current(),
        step: Step::Begin,
        beat: interval_at(Instant::now() + CHECK, CHECK),
        app,
    };
    let mut response = Sse::new(live.events()).into_response();
    // Proxies would otherwise buffer the events.
    let unbuffered = HeaderName::from_static("x-accel-buffering");
    response.headers_mut().insert(unbuffered, HeaderValue::from_static("no"));
    Ok(response)
}

impl Live {
    fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        futures::stream::unfold(self, |mut live| async move {
            let event = live.next().await?;
            Some((Ok(event), live))
        })
    }

    async fn next(&mut self) -> Option<Event> {
        let tracks = match self.step {
            Step::Over => return None,
            Step::Begin => self.watch.current(),
            Step::GoOn => tokio::select! {
                biased;
                () = self.place.stopped() => return None,
                // Checked before new progress, which may arrive every second.
                _ = self.beat.tick() => {
                    return if self.may_listen().await { Some(Event::default().comment("")) } else { None };
                }
                tracks = self.watch.changed() => tracks,
            },
        };
        self.step = if tracks.is_empty() { Step::Over } else { Step::GoOn };
        Some(in_language(self.language, || progress_event(&tracks)))
    }

    /// Whether the sign-in and the membership are still valid.
    async fn may_listen(&self) -> bool {
        let resumed = self.app.people.resume(&self.token).await.ok().flatten();
        let Some(resumed) = resumed.filter(|resumed| resumed.person.id == self.person_id) else {
            return false;
        };
        let organizations = self.app.people.organizations_of(&resumed.person).await.unwrap_or_default();
        organizations.iter().any(|(organization, _)| organization.id == self.organization_id)
    }
}

fn progress_event(tracks: &[TrackProgressView]) -> Event {
    if tracks.is_empty() {
        // Browsers do not dispatch an event without data.
        return Event::default().event("done").data("{}");
    }
    let events: Vec<TrackEvent<'_>> = tracks.iter().map(TrackEvent::of).collect();
    Event::default().json_data(events).unwrap_or_default()
}

impl<'a> TrackEvent<'a> {
    fn of(track: &'a TrackProgressView) -> Self {
        let file = |variant: &'a tonearm_domain::VariantProgress| FileEvent {
            index: variant.index.as_str(),
            state: variant.making.as_str(),
            percent: variant.making.percent(),
        };
        // A run reports all files that it renders as soon as it begins.
        let is_queued = !track.is_importing && track.variants.is_empty();
        let status = if is_queued {
            t("track-status-queued")
        } else {
            status_label(track.status, track.is_importing).0
        };
        Self {
            id: track.track_id.to_string(),
            status: status.to_string(),
            percent: track.percent,
            is_queued,
            files: track.variants.iter().map(file).collect(),
        }
    }
}
