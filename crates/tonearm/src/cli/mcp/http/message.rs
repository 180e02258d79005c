//! Messages of the protocol, which are those of JSON-RPC 2.0.

use std::borrow::Cow;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId};
use serde_json::{Value, json};
use tonearm_domain::is_plain_json;

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

    fn invalid(sentence: &'static str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, sentence)
    }

    fn unreadable(sentence: &'static str) -> Self {
        Self { error: ErrorData::parse_error(sentence, None), ..Self::invalid(sentence) }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let body = json!({ "jsonrpc": "2.0", "id": self.id, "error": self.error });
        (self.status, Json(body)).into_response()
    }
}

/// Reads the message in a body.
pub(super) fn read(body: &[u8]) -> Result<ClientJsonRpcMessage, Refused> {
    let text = str::from_utf8(body).map_err(|_| Refused::unreadable("the body is not UTF-8"))?;
    if !is_plain_json(text) {
        return Err(Refused::unreadable("the body is not JSON that every program can read"));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|_| Refused::unreadable("the body is not valid JSON"))?;
    if value.is_array() {
        return Err(Refused::invalid("batches are not supported; send one message in each request"));
    }
    let id = value.get("id").map(|id| serde_json::from_value::<RequestId>(id.clone()));
    let Ok(id) = id.transpose() else {
        return Err(Refused::invalid("id: must be a string or a whole number"));
    };
    serde_json::from_value(value).map_err(|_| {
        let refused =
            Refused::invalid("the body is not a message of the Model Context Protocol (JSON-RPC 2.0)");
        Refused { id, ..refused }
    })
}
