//! `POST /v1/track/{track_id}/retry`

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use tonearm_domain::{TrackId, VariantIndex};
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId, query};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, FullTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::retry::Retried)]
pub(crate) struct Retried {
    track_id: TrackId,
    track: FullTrack,
}

/// The variant to render; `None` for all missing variants.
pub(crate) struct VariantQuery(Option<VariantIndex>);

#[derive(Debug, Deserialize)]
struct VariantQueryText {
    variant: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for VariantQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let text: VariantQueryText = query(parts)?;
        let index = text.variant.as_deref().map(str::parse).transpose();
        index.map(Self).map_err(|error| ApiError::invalid("variant", error))
    }
}

/// Processes a track again.
///
/// Possible in every final status, if the track has a source file. Finished variants are kept; all failed and missing
/// variants are made, or only `variant`.
#[utoipa::path(
    post,
    path = "/track/{track_id}/retry",
    tag = "Tracks",
    operation_id = "retry_track",
    params(
        ("track_id" = TrackId, Path),
        ("variant" = Option<VariantIndex>, Query, description = "The index of a failed variant. Default: all failed and missing variants."),
    ),
    responses((status = 200, body = Answer<Retried>, description = "The track, which is being processed again.")),
    security(("api_key" = [])),
)]
pub(crate) async fn retry(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
    VariantQuery(only): VariantQuery,
) -> Result<Answer<Retried>, ApiError> {
    let retried = library.retry_track(&caller, track_id, only.as_ref()).await?;
    let track = FullTrack::new(retried, library.links());
    Ok(Answer::traced(request, Retried { track_id, track }))
}
