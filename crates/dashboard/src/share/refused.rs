//! The response if a link gives no access.

use askama::Template;
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, RETRY_AFTER};
use serde_json::json;
use tonearm_domain::ErrorCode;
use tonearm_service::Refusal;

use super::page::answer;
use super::policy::Framing;
use crate::embed::address;
use crate::text::{Message, t};

#[derive(Template)]
#[template(path = "share/refused.html")]
struct RefusedPage {
    stylesheet: String,
    heading: Message,
    sentence: Message,
    is_framed: bool,
}

/// A link that is unknown, revoked, expired or out of scope, which all look alike; or a service that is unavailable.
pub(super) struct Refused {
    status: StatusCode,
    code: ErrorCode,
    /// The ids of its messages.
    heading: &'static str,
    sentence: &'static str,
}

impl Refused {
    /// There is nothing behind the link.
    pub(super) const NOTHING: Self = Self {
        status: StatusCode::NOT_FOUND,
        code: ErrorCode::NotFound,
        heading: "share-dead",
        sentence: "share-dead-text",
    };

    /// The service is unavailable, or has too much to do.
    pub(super) const AWAY: Self = Self {
        status: StatusCode::SERVICE_UNAVAILABLE,
        code: ErrorCode::Unavailable,
        heading: "share-away",
        sentence: "share-away-text",
    };

    pub(super) fn page(&self, framing: Framing) -> Response {
        let page = RefusedPage {
            stylesheet: address("share.css"),
            heading: t(self.heading),
            sentence: t(self.sentence),
            is_framed: framing == Framing::Open,
        };
        self.retried_later(answer(self.status, &page, "", "", framing))
    }

    pub(super) fn json(&self) -> Response {
        let headers = [(CACHE_CONTROL, "no-store"), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
        let body = Json(json!({"ok": false, "code": self.code, "message": t(self.sentence).to_string()}));
        self.retried_later((self.status, headers, body).into_response())
    }

    fn retried_later(&self, mut response: Response) -> Response {
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, http::HeaderValue::from_static("5"));
        }
        response
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unavailable(error) | Refusal::UnknownOutcome(error) | Refusal::Internal(error) => {
                tracing::error!(%error, "a shared track could not be shown");
                Self::AWAY
            }
            _ => Self::NOTHING,
        }
    }
}
