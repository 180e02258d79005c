//! `POST /upload/{organization_id}/{track_id}/cover`

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use tonearm_domain::{CoverOwner, TrackId};
use tonearm_service::Uploads;

use super::picture::{Permit, accept};
use crate::extract::CoverUpload;
use crate::request_id::CurrentRequest;
use crate::{ApiError, ApiSettings};

#[derive(Debug, Serialize)]
struct Accepted {
    track_id: TrackId,
}

/// Takes a track's cover, as the field `file` of a form or as the body itself.
pub(crate) async fn cover(
    upload: Result<CoverUpload, ApiError>,
    current: CurrentRequest,
    State(uploads): State<Uploads>,
    State(settings): State<ApiSettings>,
    request: Request,
) -> Response {
    let permit = upload.map(|CoverUpload { organization_id, track_id }| Permit {
        organization_id,
        owner: CoverOwner::Track(track_id),
        answer: Accepted { track_id },
    });
    accept(permit, current, uploads, settings, request).await
}
