//! Error responses, all with the same form of body.

use http::header::{self, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use serde::Serialize;
use tonearm_domain::{ErrorCode, RequestId};
use tonearm_signing::VerifyError;

use crate::body::Content;
use crate::response::METHODS;

/// Why an object is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The path is not that of an object, or the object does not exist.
    NotFound,
    /// The signature of the URL is not valid.
    Signature(VerifyError),
    /// An organization may have signed the URL, and it is not known now which of its keys are live.
    KeysUnknown {
        /// Seconds after which the client may retry.
        retry_after: u64,
    },
    /// Not GET, HEAD or OPTIONS, nor a report of what was played.
    Method,
    /// The ranges of such a report cannot be parsed.
    Played,
    /// `If-Match` or `If-Unmodified-Since` does not hold.
    Precondition,
    /// No requested range contains a byte of the object.
    Range {
        /// Bytes of the whole object.
        size: u64,
    },
    /// The store is unavailable.
    Storage {
        /// Seconds after which the client may retry.
        retry_after: u64,
    },
}

/// The body of every error.
#[derive(Serialize)]
struct ErrorBody {
    ok: bool,
    message: &'static str,
    code: ErrorCode,
    api_request_id: RequestId,
}

impl Refusal {
    fn describe(self) -> (StatusCode, ErrorCode, &'static str) {
        match self {
            Self::NotFound => (StatusCode::NOT_FOUND, ErrorCode::NotFound, "There is no file at this URL."),
            Self::Signature(VerifyError::Malformed) => (
                StatusCode::UNAUTHORIZED,
                ErrorCode::SignatureInvalid,
                "The URL must have a complete signature.",
            ),
            Self::Signature(VerifyError::BadSignature) => (
                StatusCode::UNAUTHORIZED,
                ErrorCode::SignatureInvalid,
                "The signature does not match the URL.",
            ),
            Self::Signature(VerifyError::Expired) => {
                (StatusCode::UNAUTHORIZED, ErrorCode::UrlExpired, "The URL has expired; request a new one.")
            }
            Self::Signature(VerifyError::KeysUnknown) | Self::KeysUnknown { .. } => (
                StatusCode::SERVICE_UNAVAILABLE,
                ErrorCode::SigningKeysUnavailable,
                "The signature cannot be checked at the moment; try again shortly.",
            ),
            Self::Method => (
                StatusCode::METHOD_NOT_ALLOWED,
                ErrorCode::MethodNotAllowed,
                "Only GET, HEAD and OPTIONS are allowed.",
            ),
            Self::Played => (
                StatusCode::BAD_REQUEST,
                ErrorCode::InvalidParameter,
                "The parameter played must list up to 100 ranges of seconds, such as 0-15.2,30-45.",
            ),
            Self::Precondition => (
                StatusCode::PRECONDITION_FAILED,
                ErrorCode::PreconditionFailed,
                "The file does not match the precondition of the request.",
            ),
            Self::Range { .. } => (
                StatusCode::RANGE_NOT_SATISFIABLE,
                ErrorCode::RangeNotSatisfiable,
                "The requested range is outside the file.",
            ),
            Self::Storage { .. } => (
                StatusCode::SERVICE_UNAVAILABLE,
                ErrorCode::StorageUnavailable,
                "The storage is temporarily unavailable; try again shortly.",
            ),
        }
    }

    /// The header that the status requires.
    fn own_header(self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Self::NotFound | Self::Played | Self::Precondition => None,
            Self::Signature(_) => Some((header::WWW_AUTHENTICATE, HeaderValue::from_static("SignedUrl"))),
            Self::Method => Some((header::ALLOW, METHODS)),
            Self::Range { size } => {
                let value = format!("bytes */{size}");
                Some((header::CONTENT_RANGE, HeaderValue::try_from(value).expect("digits are ASCII")))
            }
            Self::KeysUnknown { retry_after } | Self::Storage { retry_after } => {
                Some((header::RETRY_AFTER, retry_after.into()))
            }
        }
    }

    /// The response to the request with this id.
    pub(crate) fn into_response(self, request_id: RequestId) -> Response<Content> {
        let (status, code, message) = self.describe();
        let body = ErrorBody { ok: false, message, code, api_request_id: request_id };
        let body = serde_json::to_vec(&body).expect("texts and a bool are JSON");
        let mut response = Response::new(Content::Empty);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::CONTENT_LENGTH, body.len().into());
        headers.extend(self.own_header());
        *response.body_mut() = Content::Text(body.into());
        response
    }
}
