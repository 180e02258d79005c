//! `GET /v1/track/{track_id}/progress`

use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use serde::Serialize;
use tonearm_domain::{Making, TrackId, TrackStatus, VariantIndex};
use tonearm_service::{Access, Library, Streams, TrackProgressView};
use utoipa::ToSchema;

use super::progress_events::ProgressEvents;
use crate::accept::takes_events;
use crate::error::ApiError;
use crate::extract::{ManageKey, PathId, bearer};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// The processing progress of a track.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::progress::Progress)]
pub(crate) struct Progress {
    track_id: TrackId,
    track_status_id: TrackStatus,
    /// Why the track failed or is incomplete, or what its processing is waiting for.
    status_reason: Option<String>,
    /// Progress of all variants together, in percent.
    #[schema(maximum = 100)]
    percent: u8,
    variants: Vec<VariantState>,
}

/// The progress of one variant.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::progress::VariantState)]
pub(crate) struct VariantState {
    index: VariantIndex,
    status: VariantStatus,
    /// How much of it is done. Null if it failed.
    #[schema(maximum = 100)]
    percent: Option<u8>,
    /// Why it failed.
    reason: Option<String>,
}

/// What is done for a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = track::progress::VariantStatus)]
pub(crate) enum VariantStatus {
    Waiting,
    Running,
    Made,
    Failed,
}

impl From<Making> for VariantStatus {
    fn from(making: Making) -> Self {
        match making {
            Making::Waiting => Self::Waiting,
            Making::Running { .. } => Self::Running,
            Making::Made => Self::Made,
            Making::Failed => Self::Failed,
        }
    }
}

impl From<&TrackProgressView> for Progress {
    fn from(view: &TrackProgressView) -> Self {
        let variants = view.variants.iter().map(|variant| {
            let failed = view.failed.iter().find(|failed| failed.index == variant.index);
            let has_failed = variant.making == Making::Failed;
            VariantState {
                index: variant.index.clone(),
                status: variant.making.into(),
                percent: (!has_failed).then(|| variant.making.percent()),
                reason: failed.filter(|_| has_failed).map(|failed| failed.reason.clone()),
            }
        });
        let waits_for = view.waits_for.map(|outage| outage.sentence().to_owned());
        Self {
            track_id: view.track_id,
            track_status_id: view.status,
            status_reason: waits_for.or_else(|| view.reason.clone()),
            percent: view.percent,
            variants: variants.collect(),
        }
    }
}

/// The key of a request for events, none where JSON is asked for.
pub(crate) struct EventKey(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for EventKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        if !takes_events(&parts.headers) {
            return Ok(Self(None));
        }
        bearer(&parts.headers).map(|key| Self(Some(key.to_owned())))
    }
}

/// Returns how far the processing of a track is.
///
/// With `Accept: text/event-stream`, the response is a stream of server-sent events: `progress`, with the progress as JSON, at
/// the beginning and after each change. The stream ends after the final status, or after half an hour; if it ends
/// earlier, request it again. An event `error` with `code` and `message` says why a stream ended early.
#[utoipa::path(
    get,
    path = "/track/{track_id}/progress",
    tag = "Tracks",
    operation_id = "read_track_progress",
    params(("track_id" = TrackId, Path)),
    responses((
        status = 200,
        description = "The progress.",
        content((Answer<Progress> = "application/json"), (String = "text/event-stream")),
    )),
    security(("api_key" = [])),
)]
pub(crate) async fn progress(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    EventKey(key): EventKey,
    request: CurrentRequest,
    State(library): State<Library>,
    State(access): State<Access>,
    State(streams): State<Streams>,
) -> Result<Response, ApiError> {
    match key {
        Some(key) => {
            let place = ProgressEvents::place(&streams, &caller)?;
            let track = library.follow_track(&caller, track_id).await?;
            Ok(ProgressEvents::new(track, place, access, key).into_response())
        }
        None => {
            let progress = Progress::from(&library.track_progress(&caller, track_id).await?);
            Ok(Answer::traced(request, progress).into_response())
        }
    }
}
