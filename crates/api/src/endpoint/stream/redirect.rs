//! `GET /v1/stream/{track_id}/{api_key}`

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;
use tonearm_domain::TrackId;
use tonearm_service::Playback;

use crate::error::ApiError;
use crate::extract::{PathId, PathText, RequestVisit};

/// Redirects a share link to a newly signed URL. The response must not be cached.
#[utoipa::path(
    get,
    path = "/v1/stream/{track_id}/{api_key}",
    tag = "Share links",
    operation_id = "redirect_share",
    params(("track_id" = TrackId, Path), ("api_key" = String, Path, description = "A share key.")),
    responses((status = 302, description = "Redirect to a signed URL, valid for one hour.")),
)]
pub(crate) async fn redirect(
    PathId(track_id): PathId<TrackId>,
    PathText(key): PathText,
    visit: RequestVisit,
    State(playback): State<Playback>,
) -> Result<Response, ApiError> {
    let url = playback.redirect_share(track_id, &key, visit.counted().as_ref()).await?;
    Ok((StatusCode::FOUND, [(LOCATION, url)]).into_response())
}
