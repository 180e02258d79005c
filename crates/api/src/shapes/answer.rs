//! What every successful answer has.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tonearm_domain::RequestId;
use utoipa::ToSchema;

use crate::request_id::CurrentRequest;

/// A successful answer: `ok: true`, the request's id where the interface promises it, and the rest.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answer<T> {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_request_id: Option<RequestId>,
    #[serde(flatten)]
    body: T,
}

impl<T> Answer<T> {
    /// Without the request's id.
    pub(crate) fn plain(body: T) -> Self {
        Self { ok: true, api_request_id: None, body }
    }

    /// With the request's id.
    pub(crate) fn traced(CurrentRequest(id): CurrentRequest, body: T) -> Self {
        Self { ok: true, api_request_id: Some(id), body }
    }
}

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}
