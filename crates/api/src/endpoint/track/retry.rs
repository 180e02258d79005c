//! `POST /v1/track/{track_id}/retry`

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use tonearm_domain::{TrackId, VariantIndex};
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::ApiError;
use crate::extract::{ManageKey, PathId, query};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, FullTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::retry::Retried)]
pub(crate) struct Retried {
    track_id: TrackId,
    track: FullTrack,
}

/// The variant that is to be made, or all that are missing.
pub(crate) struct Wanted(Option<VariantIndex>);

#[derive(Debug, Deserialize)]
struct WantedText {
    variant: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Wanted {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let text: WantedText = query(parts)?;
        let index = text.variant.as_deref().map(str::parse).transpose();
        index.map(Self).map_err(|error| ApiError::invalid("variant", error))
    }
}

/// Processes a track once more.
///
/// Works for every final status as long as the upload is there. Variants that were made stay; those that failed or are
/// missing are made, or only the one that `variant` names.
#[utoipa::path(
    post,
    path = "/v1/track/{track_id}/retry",
    tag = "Tracks",
    operation_id = "retry_track",
    params(
        ("track_id" = TrackId, Path),
        ("variant" = Option<VariantIndex>, Query, description = "The index of one variant that failed. Default: all that are missing."),
    ),
    responses((status = 200, body = Answer<Retried>, description = "The track, back in processing.")),
    security(("api_key" = [])),
)]
pub(crate) async fn retry(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Wanted(only): Wanted,
) -> Result<Answer<Retried>, ApiError> {
    let retried = library.retry_track(&caller, track_id, only.as_ref()).await?;
    let track = FullTrack::new(retried, library.links());
    Ok(Answer::traced(request, Retried { track_id, track }))
}
