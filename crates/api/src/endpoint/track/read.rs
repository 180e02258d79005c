//! `GET /v1/track/{track_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{TrackId, VariantIndex};
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, FullTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::read::Found)]
pub(crate) struct Found {
    track_id: TrackId,
    track: FullTrack,
    /// The variants that could not be made. `POST /v1/track/{track_id}/retry` tries them again.
    failed_variants: Vec<FailedVariant>,
}

/// A variant that could not be made.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::read::FailedVariant)]
pub(crate) struct FailedVariant {
    /// Its index.
    variant: VariantIndex,
    /// Why, as a sentence for people.
    reason: String,
}

/// One track, in full.
#[utoipa::path(
    get,
    path = "/v1/track/{track_id}",
    tag = "Tracks",
    operation_id = "read_track",
    params(("track_id" = TrackId, Path)),
    responses((status = 200, body = Answer<Found>, description = "The full record.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Found>, ApiError> {
    let view = library.track(&caller, track_id).await?;
    let failed = library.failed_variants(&view.track).await?.into_iter();
    let failed_variants =
        failed.map(|failed| FailedVariant { variant: failed.index, reason: failed.reason }).collect();
    let track = FullTrack::new(view, library.links());
    Ok(Answer::traced(request, Found { track_id, track, failed_variants }))
}
