//! Errors of requests. The messages are sentences for people, and never contain keys or upload URLs.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde::Deserialize;
use tonearm_domain::innermost_cause;

use crate::source_file::FileError;

/// The longest message of a server that is shown, in characters.
const LONGEST_MESSAGE: usize = 500;

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClientError {
    /// The service responded with an error.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// No response.
    #[error("{host} cannot be reached: {cause}")]
    Unreachable {
        /// Host and port.
        host: String,
        /// Why not.
        cause: String,
    },
    /// A URL that is longer than any server accepts.
    #[error("the request is too long to be sent; shorten its texts")]
    TooLong,
    /// A response that no Tonearm service sends.
    #[error("{host} does not respond as a Tonearm service does: {what}")]
    InvalidResponse {
        /// Host and port.
        host: String,
        /// What is wrong with it.
        what: String,
    },
    /// A problem with the file that was to be sent.
    #[error(transparent)]
    File(#[from] FileError),
}

/// An error response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status.
    pub status: u16,
    /// The code, for programs; empty if there is none.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// How long to wait before a retry.
    pub retry_after: Option<Duration>,
}

#[derive(Deserialize)]
struct Body {
    message: String,
    #[serde(default)]
    code: String,
}

impl Refusal {
    /// Reads an error response. It may come from a proxy.
    pub(crate) fn read(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let retry_after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let (message, code) = match serde_json::from_slice::<Body>(body) {
            Ok(body) => (printable(&body.message), body.code),
            Err(_) => (format!("the server responded with {status}"), String::new()),
        };
        Self { status: status.as_u16(), code, message, retry_after: retry_after.map(Duration::from_secs) }
    }

    /// Whether the same request may succeed later.
    fn is_transient(&self) -> bool {
        match self.status {
            408 | 423 | 425 | 429 | 500 | 502 | 503 | 504 | 507 => true,
            // The first request with this Idempotency-Key is still in progress.
            409 => self.retry_after.is_some(),
            400 => self.code == "upload_interrupted",
            _ => false,
        }
    }
}

/// Text from elsewhere, without control characters.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST_MESSAGE).collect()
}

impl ClientError {
    /// Whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_transient(),
            Self::Unreachable { .. } => true,
            Self::TooLong | Self::InvalidResponse { .. } | Self::File(_) => false,
        }
    }

    /// The status of the response, if there was one.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(refusal) => Some(refusal.status),
            _ => None,
        }
    }

    /// Whether the service itself responds with 404; error pages of proxies have no code.
    pub(crate) fn is_not_found(&self) -> bool {
        self.status() == Some(404) && !self.code().is_empty()
    }

    /// Whether the request may have taken effect nevertheless. Proxies also respond with 5xx if a response does not reach them.
    pub(crate) fn may_have_taken_effect(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.status >= 500,
            Self::Unreachable { .. } | Self::InvalidResponse { .. } => true,
            Self::TooLong | Self::File(_) => false,
        }
    }

    /// The code of the response; empty if there was none.
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(refusal) => &refusal.code,
            _ => "",
        }
    }

    /// Whether every other request would fail for the same reason: the credential, the collection, the service as a whole.
    pub fn affects_all(&self) -> bool {
        match self {
            Self::Refused(refusal) if refusal.code == "collection_not_found" => true,
            Self::Refused(refusal) if matches!(refusal.status, 401 | 403) => true,
            Self::InvalidResponse { .. } => true,
            _ => self.is_transient(),
        }
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(refusal) => refusal.retry_after,
            _ => None,
        }
    }

    pub(crate) fn invalid_response(host: &str, what: &str) -> Self {
        Self::InvalidResponse { host: host.to_owned(), what: what.to_owned() }
    }

    /// A request that got no response. The text of the error itself would contain the URL.
    pub(crate) fn unreachable(host: &str, error: &reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::TooLong;
        }
        let cause = match error.is_timeout() {
            true => "it does not respond in time".to_owned(),
            false => innermost_cause(error)
                .map_or_else(|| "the connection failed".to_owned(), |cause| printable(&cause.to_string())),
        };
        Self::Unreachable { host: host.to_owned(), cause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, body: &str, after: Option<&'static str>) -> ClientError {
        let mut headers = HeaderMap::new();
        after.map(|after| headers.insert(RETRY_AFTER, after.parse().unwrap()));
        ClientError::Refused(Refusal::read(StatusCode::from_u16(status).unwrap(), &headers, body.as_bytes()))
    }

    #[test]
    fn refusals_are_told_apart() {
        let full =
            refusal(507, r#"{"message": "too little space", "code": "insufficient_storage"}"#, Some("60"));
        assert!(full.is_transient() && full.affects_all());
        assert_eq!((full.to_string().as_str(), full.code()), ("too little space", "insufficient_storage"));
        assert_eq!(full.retry_after(), Some(Duration::from_secs(60)));
        let page = refusal(502, "<html>", Some("Wed, 21 Oct 2026 07:28:00 GMT"));
        assert_eq!(page.to_string(), "the server responded with 502 Bad Gateway");
        assert_eq!(page.retry_after(), None);
        let key = refusal(401, r#"{"message": "no\u001b[2J key"}"#, None);
        assert!(!key.is_transient() && key.affects_all());
        assert_eq!(key.to_string(), "no[2J key");
        let large = refusal(413, "", None);
        assert!(!large.is_transient() && !large.affects_all());
        assert!(!refusal(409, "", None).is_transient());
        assert!(refusal(409, "", Some("2")).is_transient());
        let gone = refusal(404, r#"{"message": "no such track", "code": "track_not_found"}"#, None);
        assert!(gone.is_not_found() && !gone.may_have_taken_effect());
        assert!(!refusal(404, "<html>", None).is_not_found());
        assert!(page.may_have_taken_effect() && !refusal(429, "", None).may_have_taken_effect());
    }
}
