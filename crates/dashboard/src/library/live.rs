//! The progress of tracks, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use http::header::{HeaderName, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tonearm_domain::{Actor, Language, TrackId, VariantIndex, VariantProgress};
use tonearm_service::{Caller, ProgressWatch, Refusal, StreamHolder, StreamSlot, TrackProgressView};
use tonearm_signing::Token;

use super::listed::status_label;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::path::Query;
use crate::session::{Member, Viewer};
use crate::text::{current, in_language, t};

/// How often the permission to listen is checked. A comment is sent then too, so that a broken connection is noticed.
const CHECK: Duration = Duration::from_secs(15);

/// How often tracks that the organization's list does not have are looked up.
const LOOK: Duration = Duration::from_secs(1);
/// The most tracks of one stream. Their ids fit into the shortest request line that proxies accept.
const MOST: usize = 100;

/// The tracks that a page shows.
#[derive(Deserialize)]
pub(super) struct Named {
    /// Their ids, separated by commas.
    tracks: String,
}

/// What has changed.
#[derive(Default, PartialEq, Serialize)]
struct Told {
    /// Those that are being imported or processed.
    making: Vec<TrackEvent>,
    /// Those that are not, or not any more.
    over: Vec<TrackId>,
}

/// The progress of one track.
#[derive(PartialEq, Serialize)]
struct TrackEvent {
    id: TrackId,
    status: String,
    percent: u8,
    /// Whether it waits in the queue, so that no work has been done on it.
    is_queued: bool,
    files: Vec<FileEvent>,
}

#[derive(PartialEq, Serialize)]
struct FileEvent {
    index: VariantIndex,
    state: &'static str,
    percent: u8,
}

/// One event stream.
struct Live {
    app: Dashboard,
    caller: Caller,
    /// The tracks that have not been reported as over.
    named: Vec<TrackId>,
    watch: ProgressWatch,
    told: Told,
    place: StreamSlot,
    token: Token,
    language: Language,
    look: Interval,
    beat: Interval,
}

/// Sends the progress of the named tracks until none of them is being processed, or until the person may no longer
/// listen. What is not reported as over is not over.
pub(super) async fn progress(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Query(named): Query<Named>,
) -> Result<Response, PageError> {
    let named: Result<Vec<TrackId>, _> = named.tracks.split(',').map(str::parse).collect();
    let named = named.ok().filter(|named| named.len() <= MOST).ok_or(PageError::NoPage)?;
    let holder = StreamHolder::Person(member.signed_in.person().id);
    let Ok(place) = app.streams.enter(member.organization.id, holder) else {
        return Ok((StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "15")]).into_response());
    };
    let caller = member.caller();
    let mut look = interval_at(Instant::now() + LOOK, LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let live = Live {
        named,
        watch: app.library.watch_progress(&caller).await?,
        told: Told::default(),
        place,
        token: member.signed_in.session.token.clone(),
        language: current(),
        look,
        beat: interval_at(Instant::now() + CHECK, CHECK),
        app,
        caller,
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
        while !self.named.is_empty() {
            let making = self.watch.current();
            if let Some(event) = self.news(&making).await {
                return Some(event);
            }
            let is_listed = |id: &TrackId| making.iter().any(|track| track.track_id == *id);
            let is_all_listed = self.named.iter().all(is_listed);
            tokio::select! {
                biased;
                () = self.place.stopped() => return None,
                // Checked before new progress, which may arrive every second.
                _ = self.beat.tick() => {
                    // What is not known now is judged at the next beat.
                    let may_listen = self.may_listen().await.unwrap_or(true);
                    return may_listen.then(|| Event::default().comment(""));
                }
                _ = self.watch.changed() => {}
                _ = self.look.tick(), if !is_all_listed => {}
            }
        }
        None
    }

    /// What has changed since the last event.
    async fn news(&mut self, making: &[TrackProgressView]) -> Option<Event> {
        let unlisted = |id: &&TrackId| !making.iter().any(|track| track.track_id == **id);
        let unlisted: Vec<TrackId> = self.named.iter().filter(unlisted).copied().collect();
        let looked_up = match unlisted.as_slice() {
            [] => Vec::new(),
            // Nothing is said of tracks that cannot be looked up now.
            unlisted => self.app.library.progress_of_tracks(&self.caller, unlisted).await.ok()?,
        };
        let is_over = |id: &TrackId| !looked_up.iter().any(|track| track.track_id == *id);
        let over: Vec<TrackId> = unlisted.into_iter().filter(is_over).collect();
        self.named.retain(|id| !over.contains(id));
        let named = making.iter().chain(&looked_up).filter(|track| self.named.contains(&track.track_id));
        let making = in_language(self.language, || named.map(TrackEvent::of).collect());
        let told = Told { making, over };
        if told.over.is_empty() && told.making == self.told.making {
            return None;
        }
        let event = Event::default().json_data(&told).unwrap_or_default();
        self.told = told;
        Some(event)
    }

    /// Whether the sign-in and the membership are still valid.
    async fn may_listen(&self) -> Result<bool, Refusal> {
        let resumed = self.app.people.resume(&self.token).await?;
        let Some(resumed) =
            resumed.filter(|resumed| self.caller.origin.actor == Actor::Person(resumed.person.id))
        else {
            return Ok(false);
        };
        let organizations = self.app.people.organizations_of(&resumed.person).await?;
        Ok(organizations.iter().any(|(organization, _)| organization.id == self.caller.organization_id))
    }
}

impl TrackEvent {
    fn of(track: &TrackProgressView) -> Self {
        let file = |variant: &VariantProgress| FileEvent {
            index: variant.index.clone(),
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
            id: track.track_id,
            status: status.to_string(),
            percent: track.percent,
            is_queued,
            files: track.variants.iter().map(file).collect(),
        }
    }
}
