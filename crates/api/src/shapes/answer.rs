//! The fields that every successful response has.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tonearm_domain::RequestId;
use utoipa::ToSchema;

use crate::request_id::CurrentRequest;

/// A successful response: `ok: true`, the request id, and the fields of the endpoint.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answer<T> {
    ok: bool,
    /// The same value as in the header `X-Request-Id`.
    api_request_id: RequestId,
    #[serde(flatten)]
    body: T,
}

impl<T> Answer<T> {
    /// The response to a request.
    pub(crate) fn traced(CurrentRequest(id): CurrentRequest, body: T) -> Self {
        Self { ok: true, api_request_id: id, body }
    }
}

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}
