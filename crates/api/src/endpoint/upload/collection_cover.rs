//! `POST /upload/{organization_id}/{collection_id}/collection_cover`

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use tonearm_domain::{CollectionId, CoverOwner};
use tonearm_service::Uploads;

use super::picture::{Permit, accept};
use crate::extract::CollectionCoverUpload;
use crate::request_id::CurrentRequest;
use crate::{ApiError, ApiSettings};

#[derive(Debug, Serialize)]
struct Accepted {
    collection_id: CollectionId,
}

/// Takes a collection's cover, as the field `file` of a form or as the body itself.
pub(crate) async fn collection_cover(
    upload: Result<CollectionCoverUpload, ApiError>,
    current: CurrentRequest,
    State(uploads): State<Uploads>,
    State(settings): State<ApiSettings>,
    request: Request,
) -> Response {
    let permit = upload.map(|CollectionCoverUpload { organization_id, collection_id }| Permit {
        organization_id,
        owner: CoverOwner::Collection(collection_id),
        answer: Accepted { collection_id },
    });
    accept(permit, current, uploads, settings, request).await
}
