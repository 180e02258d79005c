//! Refusals of requests, as the protocol has errors.

use std::borrow::Cow;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use rmcp::model::{ErrorData, RequestId};

use crate::cli::mcp::message::{NoMessage, error_answer};

/// A request that is not let in.
pub(super) struct Refused {
    status: StatusCode,
    id: Option<RequestId>,
    error: ErrorData,
}

impl Refused {
    pub(super) fn new(status: StatusCode, sentence: impl Into<Cow<'static, str>>) -> Self {
        let error = match status.is_server_error() {
            true => ErrorData::internal_error(sentence, None),
            false => ErrorData::invalid_request(sentence, None),
        };
        Self { status, id: None, error }
    }

    /// The refusal of the request with this id.
    pub(super) fn of(self, id: RequestId) -> Self {
        Self { id: Some(id), ..self }
    }
}

impl From<NoMessage> for Refused {
    fn from(NoMessage { id, error, .. }: NoMessage) -> Self {
        Self { status: StatusCode::BAD_REQUEST, id, error }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, Json(error_answer(self.id, &self.error))).into_response()
    }
}
