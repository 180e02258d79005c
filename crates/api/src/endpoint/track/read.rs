//! `GET /v1/track/{track_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{TrackId, VariantIndex};
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, FullTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::read::Found)]
pub(crate) struct TrackResponse {
    track_id: TrackId,
    track: FullTrack,
    /// The variants that failed. Retry them with `POST /v1/track/{track_id}/retry`.
    failed_variants: Vec<FailedVariant>,
}

/// A variant that failed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::read::FailedVariant)]
pub(crate) struct FailedVariant {
    /// The index of the variant.
    variant: VariantIndex,
    /// The reason for the failure, as a sentence.
    reason: String,
}

/// Returns the full record of a track.
#[utoipa::path(
    get,
    path = "/track/{track_id}",
    tag = "Tracks",
    operation_id = "read_track",
    params(("track_id" = TrackId, Path)),
    responses((status = 200, body = Answer<TrackResponse>, description = "The full record.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<TrackResponse>, ApiError> {
    let view = library.track(&caller, track_id).await?;
    let failed = library.failed_variants(&view.track).await?.into_iter();
    let failed_variants =
        failed.map(|failed| FailedVariant { variant: failed.index, reason: failed.reason }).collect();
    let track = FullTrack::new(view, library.links());
    Ok(Answer::traced(request, TrackResponse { track_id, track, failed_variants }))
}
