//! Messages of the protocol, which are those of JSON-RPC 2.0.

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId};
use serde_json::{Value, json};
use tonearm_domain::is_plain_json;

/// What is no message, and the answer to it.
pub(super) struct NoMessage {
    /// The id of the request, if it can be read.
    pub(super) id: Option<RequestId>,
    pub(super) error: ErrorData,
    /// Notifications have no answer.
    pub(super) is_notification: bool,
}

impl NoMessage {
    pub(super) fn invalid(sentence: &'static str) -> Self {
        Self { id: None, error: ErrorData::invalid_request(sentence, None), is_notification: false }
    }

    fn unreadable(sentence: &'static str) -> Self {
        Self { error: ErrorData::parse_error(sentence, None), ..Self::invalid(sentence) }
    }
}

/// An answer that is an error. Its id is null if that of the request is not known.
pub(super) fn error_answer(id: Option<RequestId>, error: &ErrorData) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// Reads a message.
pub(super) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, NoMessage> {
    let text = str::from_utf8(bytes).map_err(|_| NoMessage::unreadable("the message is not UTF-8"))?;
    if !is_plain_json(text) {
        return Err(NoMessage::unreadable("the message is not JSON that every program can read"));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|_| NoMessage::unreadable("the message is not valid JSON"))?;
    if value.is_array() {
        return Err(NoMessage::invalid("batches are not supported; send one message at a time"));
    }
    let id = value.get("id").map(|id| serde_json::from_value::<RequestId>(id.clone()));
    let Ok(id) = id.transpose() else {
        return Err(NoMessage::invalid("id: must be a string or a whole number"));
    };
    let is_notification = id.is_none() && value.get("method").is_some_and(Value::is_string);
    serde_json::from_value(value).map_err(|_| {
        let refused =
            NoMessage::invalid("this is not a message of the Model Context Protocol (JSON-RPC 2.0)");
        NoMessage { id, is_notification, ..refused }
    })
}
