//! Error pages.

use askama::Template;
use axum::Json;
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use tonearm_domain::{ErrorCode, QuotaExceeded, QuotaKind, Role};
use tonearm_service::Refusal;

use crate::amount;
use crate::page::{Frame, Section, render_with};
use crate::refusal_text::{message_with_field, not_found, sentence};
use crate::text::{Message, t};

/// Why a page is not shown.
#[derive(Debug)]
pub(crate) enum PageError {
    /// No person is signed in.
    SignInFirst {
        /// The page to return to afterwards.
        next: Option<String>,
        /// Whether a form was sent and not saved.
        sent_form: bool,
    },
    /// The sign-in of the page whose script sends the request has ended. Scripts get JSON instead of a redirect.
    SignedOut,
    /// The request does not come from a page of ours.
    Forged,
    /// The member's role does not permit this.
    RoleTooLow(Role),
    /// A form that is too large.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// A form that did not arrive completely, or not in time.
    FormIncomplete,
    /// A form with a file that exceeds the limit for such files.
    FileTooLarge,
    /// A form that does not come from any of our pages.
    BadForm,
    /// A selection that cannot be used, and why.
    Selection(String),
    /// There is no such page.
    NoPage,
    /// A use case refused the request.
    Refused(Refusal),
}

impl From<Refusal> for PageError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    frame: Frame,
    heading: Message,
    message: String,
}

impl PageError {
    /// The status, and the sentence for a script to show.
    pub(crate) fn into_sentence(self) -> (StatusCode, String) {
        let (status, heading, message) = self.into_message();
        (status, if message.is_empty() { format!("{heading}.") } else { message })
    }

    /// The status, the heading and the sentence below it.
    fn into_message(self) -> (StatusCode, Message, String) {
        let (status, heading, message) = match self {
            Self::SignInFirst { .. } => {
                return (StatusCode::UNAUTHORIZED, t("error-sign-in-first"), String::new());
            }
            Self::Selection(message) => {
                return (StatusCode::BAD_REQUEST, t("error-selection"), sentence(&message));
            }
            Self::Refused(refusal) => return refused(refusal),
            Self::SignedOut => (StatusCode::UNAUTHORIZED, "error-signed-out", t("error-signed-out-text")),
            Self::Forged => (StatusCode::FORBIDDEN, "error-forged", t("error-forged-text")),
            Self::RoleTooLow(role) => (StatusCode::FORBIDDEN, "error-access-denied", role_needed(role)),
            Self::TooLarge { limit } => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "error-form-too-large",
                t("error-form-too-large-text").with("kilobytes", limit / 1_000),
            ),
            Self::FormIncomplete => {
                (StatusCode::REQUEST_TIMEOUT, "error-form-incomplete", t("error-form-incomplete-text"))
            }
            Self::FileTooLarge => {
                (StatusCode::PAYLOAD_TOO_LARGE, "error-file-too-large", t("error-file-too-large-text"))
            }
            Self::BadForm => (StatusCode::BAD_REQUEST, "error-bad-form", t("error-bad-form-text")),
            Self::NoPage => (StatusCode::NOT_FOUND, "error-no-page", t("error-no-page-text")),
        };
        (status, t(heading), message.to_string())
    }
}

fn role_needed(role: Role) -> Message {
    t(match role {
        Role::Owner => "error-role-owner",
        Role::Editor => "error-role-editor",
        Role::Viewer => "error-role-viewer",
    })
}

fn refused(refusal: Refusal) -> (StatusCode, Message, String) {
    let message = match &refusal {
        Refusal::Invalid { field, message } => sentence(&message_with_field(field, message)),
        Refusal::QuotaExceeded(exceeded) => quota_exceeded(*exceeded).to_string(),
        other => sentence(&other.to_string()),
    };
    let (status, heading) = match refusal {
        Refusal::NotFound(resource) => {
            return (StatusCode::NOT_FOUND, t("error-no-page"), t(not_found(resource)).to_string());
        }
        Refusal::Unauthenticated { code: ErrorCode::SignedOut, .. } => {
            let message = t("error-signed-out-text").to_string();
            return (StatusCode::UNAUTHORIZED, t("error-signed-out"), message);
        }
        Refusal::Invalid { .. } => (StatusCode::BAD_REQUEST, "error-invalid"),
        Refusal::Unauthenticated { .. } | Refusal::Forbidden { .. } => {
            (StatusCode::FORBIDDEN, "error-access-denied")
        }
        Refusal::Conflict { .. } => (StatusCode::CONFLICT, "error-conflict"),
        Refusal::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "error-file-too-large"),
        Refusal::Interrupted(_) => (StatusCode::BAD_REQUEST, "error-interrupted"),
        Refusal::Unprocessable { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "error-not-possible"),
        Refusal::QuotaExceeded(_) => (StatusCode::FORBIDDEN, "error-quota"),
        Refusal::Busy => (StatusCode::SERVICE_UNAVAILABLE, "error-busy"),
        Refusal::Full(error) => {
            tracing::warn!(%error, "there is too little free space");
            (StatusCode::INSUFFICIENT_STORAGE, "error-full")
        }
        Refusal::Unavailable(error) | Refusal::UnknownOutcome(error) => {
            tracing::warn!(%error, "a page could not be shown");
            (StatusCode::SERVICE_UNAVAILABLE, "error-unavailable")
        }
        Refusal::Internal(error) => {
            tracing::error!(%error, "a page could not be shown");
            let message = t("error-internal-text").to_string();
            return (StatusCode::INTERNAL_SERVER_ERROR, t("error-internal"), message);
        }
    };
    (status, t(heading), message)
}

fn quota_exceeded(exceeded: QuotaExceeded) -> Message {
    let QuotaExceeded { kind, limit, used } = exceeded;
    let (id, limit, used) = match kind {
        QuotaKind::Bytes => ("error-quota-bytes", amount::bytes(limit), amount::bytes(used)),
        QuotaKind::Tracks => ("error-quota-tracks", amount::count(limit), amount::count(used)),
        QuotaKind::Minutes => ("error-quota-minutes", amount::count(limit), amount::count(used)),
        QuotaKind::Records => ("error-quota-records", amount::count(limit), amount::count(used)),
        QuotaKind::Metadata => ("error-quota-metadata", amount::bytes(limit), amount::bytes(used)),
    };
    t(id).with("limit", limit).with("used", used)
}

/// A sentence for a script to show.
pub(crate) fn script_error(status: StatusCode, message: &str) -> Response {
    (status, Json(serde_json::json!({ "message": message }))).into_response()
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        if let Self::SignedOut = self {
            let (status, message) = self.into_sentence();
            return script_error(status, &message);
        }
        if let Self::SignInFirst { next, sent_form } = &self {
            let next = next.as_deref().map(|next| ("next", next));
            let query: Vec<_> = next.into_iter().chain(sent_form.then_some(("unsaved", "1"))).collect();
            let query = serde_urlencoded::to_string(query).unwrap_or_default();
            return Redirect::to(&format!("/dashboard/sign-in?{query}")).into_response();
        }
        let (status, heading, message) = self.into_message();
        render_with(
            status,
            &ErrorPage { frame: Frame::new(heading.clone(), Section::None), heading, message },
        )
    }
}
