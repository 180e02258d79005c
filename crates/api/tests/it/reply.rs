//! Responses, and what all of them have in common.

use std::collections::BTreeSet;

use axum::body::Body;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Null if the body is empty, and for captions.
    pub(crate) json: Value,
}

impl Reply {
    pub(crate) async fn of(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let json = match &bytes[..] {
            [] => Value::Null,
            captions if captions.starts_with(b"WEBVTT") => Value::Null,
            bytes => serde_json::from_slice(bytes).unwrap(),
        };
        let reply = Self { status: parts.status, headers: parts.headers, json };
        reply.check();
        reply
    }

    /// Does not parse the body, for responses that are not JSON.
    pub(crate) async fn raw(response: Response<Body>) -> (StatusCode, HeaderMap, Vec<u8>) {
        let (parts, body) = response.into_parts();
        (parts.status, parts.headers, body.collect().await.unwrap().to_bytes().to_vec())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The fields of the response, or of an object in it.
    #[track_caller]
    pub(crate) fn keys(&self, pointer: &str) -> BTreeSet<&str> {
        let object = self.json.pointer(pointer).unwrap_or_else(|| panic!("no {pointer} in {}", self.json));
        keys(object)
    }

    #[track_caller]
    pub(crate) fn expect_ok(self) -> Self {
        assert_eq!(self.status, 200, "{}", self.json);
        assert_eq!(self.json["ok"], true);
        self
    }

    /// An error with this status and code.
    #[track_caller]
    pub(crate) fn expect_error(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status.as_u16(), &self.json["code"]), (status, &Value::from(code)), "{}", self.json);
        self
    }

    /// A 400 that names the field.
    #[track_caller]
    pub(crate) fn expect_field(self, field: &str) -> Self {
        let told = (self.status.as_u16(), &self.json["code"], &self.json["field"]);
        assert_eq!(told, (400, &Value::from("invalid_parameter"), &Value::from(field)), "{}", self.json);
        self
    }

    fn check(&self) {
        // Decisions, conventions: every response has X-Request-Id, and where the body names it, it is the same.
        let id = self.header("x-request-id").expect("every response has a request id");
        assert_eq!(id.len(), 36);
        if let Some(named) = self.json.get("api_request_id") {
            assert_eq!(named, id);
        }
        assert_eq!(self.header(CACHE_CONTROL.as_str()), Some("no-store"));
        if self.json.is_null() {
            return;
        }
        assert_eq!(self.header(CONTENT_TYPE.as_str()), Some("application/json"));
        // Interface 1: every successful JSON response carries `ok: true`.
        assert_eq!(self.json["ok"], self.status.is_success(), "{}", self.json);
        if !self.status.is_success() {
            let mut expected = BTreeSet::from(["ok", "message", "code", "api_request_id"]);
            if self.json.get("field").is_some() {
                expected.insert("field");
            }
            assert_eq!(keys(&self.json), expected, "{}", self.json);
            assert!(self.json["message"].as_str().unwrap().len() > 10);
        }
        let says_when = matches!(
            self.status,
            StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::TOO_MANY_REQUESTS
                | StatusCode::INSUFFICIENT_STORAGE
        ) || self.json["code"] == "idempotency_key_in_progress";
        assert_eq!(says_when, self.headers.contains_key(RETRY_AFTER));
    }
}

#[track_caller]
pub(crate) fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap_or_else(|| panic!("no object: {object}")).keys().map(String::as_str).collect()
}

/// A set of names, separated by spaces.
pub(crate) fn names(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}
