//! Errors, and the HTTP responses to refusals.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use tonearm_domain::{ErrorCode, RequestId, error_with_causes};
use tonearm_service::Refusal;
use utoipa::ToSchema;

/// Default `Retry-After` in seconds while the service is unavailable.
const RETRY_AFTER_SECONDS: u64 = 5;

/// `Retry-After` in seconds while uploads are not admitted. It is longer, because a queue shrinks and space is freed
/// more slowly.
const UPLOADS_RETRY_AFTER_SECONDS: u64 = 60;

/// An error response.
///
/// As a response, it has only the status, with the error in the extensions. The layer that knows the request id writes
/// the body, so that all errors have the same format, wherever they occur.
#[derive(Debug, Clone)]
pub struct ApiError {
    status: StatusCode,
    code: ErrorCode,
    message: String,
    field: Option<String>,
    wants_key: bool,
    retry_after: Option<u64>,
    cause: Option<Cause>,
}

/// The cause, for the log. It is never sent to the client.
#[derive(Debug, Clone)]
struct Cause(Arc<dyn Error + Send + Sync>);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&error_with_causes(&*self.0))
    }
}

/// The body of every error.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    ok: bool,
    /// A human-readable description of the error.
    message: String,
    code: ErrorCode,
    api_request_id: RequestId,
    /// The field, parameter or header at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

impl ApiError {
    /// An error with a stable code and a message for people.
    pub(crate) fn new(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            field: None,
            wants_key: false,
            retry_after: None,
            cause: None,
        }
    }

    /// An invalid field, parameter or header.
    pub(crate) fn invalid(field: impl Into<String>, message: impl fmt::Display) -> Self {
        let field = field.into();
        let error =
            Self::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidParameter, format!("{field}: {message}"));
        Self { field: Some(field), ..error }
    }

    /// A body that exceeds the limit.
    pub(crate) fn too_large(limit: u64) -> Self {
        let message = format!("the body is larger than the limit of {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::TooLarge, message)
    }

    /// A method that the endpoint does not support. The router adds `Allow`.
    pub(crate) fn method_not_allowed() -> Self {
        let message = "this endpoint does not support this method; the Allow header lists those it supports";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed, message)
    }

    /// A request that timed out.
    pub(crate) fn timed_out() -> Self {
        let message = "the request timed out; try again shortly, with the same Idempotency-Key if it had one";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Timeout, message)
    }

    /// Too many requests. The client may retry after this many seconds.
    pub(crate) fn rate_limited(seconds: u64) -> Self {
        let message = format!("too many requests; try again in {seconds} seconds");
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, message);
        Self { retry_after: Some(seconds), ..error }
    }

    /// The same error, with this number of seconds in `Retry-After`.
    pub(crate) fn after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// The same error with another status.
    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The same error, with a header that requests an API key.
    pub(crate) fn asking_for_key(self) -> Self {
        Self { wants_key: true, ..self }
    }

    /// The status of the response.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The stable code for programs.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The message for people.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Logs internal errors.
    pub(crate) fn log(&self) {
        match &self.cause {
            Some(cause) if self.status == StatusCode::SERVICE_UNAVAILABLE => {
                tracing::warn!(%cause, "a part of the service is unavailable");
            }
            Some(cause) if self.status == StatusCode::INSUFFICIENT_STORAGE => {
                tracing::warn!(%cause, "not enough free space");
            }
            Some(cause) => tracing::error!(%cause, "the request failed"),
            None => {}
        }
    }

    /// The invalid field, parameter or header.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.to_string();
        let (status, code) = match &refusal {
            Refusal::Invalid { .. } => (StatusCode::BAD_REQUEST, ErrorCode::InvalidParameter),
            Refusal::Unauthenticated { code, .. } => (StatusCode::UNAUTHORIZED, *code),
            Refusal::Forbidden { code, .. } => (StatusCode::FORBIDDEN, *code),
            Refusal::NotFound(noun) => (StatusCode::NOT_FOUND, noun.not_found_code()),
            Refusal::Conflict { code, .. } => (StatusCode::CONFLICT, *code),
            Refusal::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::TooLarge),
            Refusal::Interrupted(_) => (StatusCode::BAD_REQUEST, ErrorCode::UploadInterrupted),
            Refusal::Unprocessable { code, .. } => (StatusCode::UNPROCESSABLE_ENTITY, *code),
            Refusal::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable),
            Refusal::UnknownOutcome(_) => (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::UnknownOutcome),
            Refusal::QuotaExceeded(_) => (StatusCode::FORBIDDEN, ErrorCode::QuotaExceeded),
            Refusal::Busy => (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::QueueFull),
            Refusal::Full(_) => (StatusCode::INSUFFICIENT_STORAGE, ErrorCode::InsufficientStorage),
            Refusal::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::InternalError),
        };
        let error = Self::new(status, code, message);
        match refusal {
            Refusal::Invalid { field, .. } => Self { field: Some(field.to_owned()), ..error },
            Refusal::Busy => error.after(UPLOADS_RETRY_AFTER_SECONDS),
            Refusal::Full(cause) => {
                Self { cause: Some(Cause(cause.into())), ..error.after(UPLOADS_RETRY_AFTER_SECONDS) }
            }
            Refusal::Unavailable(cause) | Refusal::UnknownOutcome(cause) | Refusal::Internal(cause) => {
                Self { cause: Some(Cause(cause.into())), ..error }
            }
            _ => error,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the body of an error response, keeps its headers (such as `Allow`), and logs internal errors.
pub(crate) fn write_out(mut response: Response, id: RequestId) -> Response {
    let Some(error) = response.extensions_mut().remove::<ApiError>() else {
        return response;
    };
    let statuses = error.code.statuses();
    debug_assert!(statuses.contains(&error.status.as_u16()), "{} with {}", error.code, error.status);
    error.log();
    let body = Json(ErrorBody {
        ok: false,
        message: error.message,
        code: error.code,
        api_request_id: id,
        field: error.field,
    });
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(CONTENT_TYPE);
    let unavailable = error.status == StatusCode::SERVICE_UNAVAILABLE;
    if let Some(seconds) = error.retry_after.or(unavailable.then_some(RETRY_AFTER_SECONDS)) {
        parts.headers.insert(RETRY_AFTER, seconds.into());
    }
    if error.status == StatusCode::UNAUTHORIZED && error.wants_key {
        parts.headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    (parts.status, parts.headers, body).into_response()
}

#[cfg(test)]
mod tests {
    use tonearm_domain::{QuotaExceeded, QuotaKind};
    use tonearm_service::Resource;

    use super::*;

    #[test]
    fn every_refusal_has_its_status() {
        let statuses = [
            (Refusal::invalid("title", "cannot be empty"), 400),
            (Refusal::Unauthenticated { code: ErrorCode::KeyType, message: "m" }, 401),
            (Refusal::Forbidden { code: ErrorCode::KeyType, message: "m" }, 403),
            (Refusal::NotFound(Resource::Track), 404),
            (Refusal::Conflict { code: ErrorCode::KeyType, message: "m".to_owned() }, 409),
            (Refusal::TooLarge { limit: 1 }, 413),
            (Refusal::Interrupted("x".into()), 400),
            (Refusal::Unprocessable { code: ErrorCode::KeyType, message: "m" }, 422),
            (Refusal::Unavailable("x".into()), 503),
            (Refusal::UnknownOutcome("x".into()), 503),
            (Refusal::Full("x".into()), 507),
            (Refusal::Busy, 503),
            (QuotaExceeded { kind: QuotaKind::Tracks, limit: 1, used: 1 }.into(), 403),
            (Refusal::Internal("x".into()), 500),
        ];
        for (refusal, status) in statuses {
            let text = refusal.to_string();
            assert_eq!(ApiError::from(refusal).status(), status, "{text}");
        }
    }

    #[test]
    fn causes_stay_in_the_log() {
        let error = ApiError::from(Refusal::Internal("SELECT secret FROM keys".into()));
        assert!(!error.message.contains("secret"));
        assert_eq!(error.cause.as_ref().map(ToString::to_string).as_deref(), Some("SELECT secret FROM keys"));
    }
}
