//! What people see when a page cannot be shown.

use askama::Template;
use axum::Json;
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use tonearm_domain::Role;
use tonearm_service::Refusal;

use crate::form::said_alone;
use crate::page::{Frame, Section, render_with};

/// Why a page is not shown.
#[derive(Debug)]
pub(crate) enum PageError {
    /// Nobody is signed in.
    SignInFirst {
        /// Where to go afterwards.
        next: Option<String>,
        /// Whether a form was sent, which was not saved.
        sent_form: bool,
    },
    /// The sign-in of the page whose script asks has ended. Scripts are told so in JSON, and not led to another page.
    SignedOut,
    /// The request does not come from a page of ours.
    Forged,
    /// The member may not do this.
    RoleTooLow(Role),
    /// A form that is too large.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// A form with a file that is larger than such files may be.
    FileTooLarge,
    /// A form that none of our pages has.
    BadForm,
    /// A selection that nothing can be done with, and why.
    Selection(String),
    /// There is no such page.
    NoPage,
    /// A use case said no.
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
    heading: &'static str,
    message: String,
}

impl PageError {
    /// The status, and what is told to a script that shows it to people.
    pub(crate) fn into_sentence(self) -> (StatusCode, String) {
        let (status, heading, message) = self.told();
        (status, if message.is_empty() { format!("{heading}.") } else { message })
    }

    fn told(self) -> (StatusCode, &'static str, String) {
        let text = str::to_owned;
        match self {
            Self::SignInFirst { .. } => (StatusCode::UNAUTHORIZED, "Sign in first", String::new()),
            Self::SignedOut => (
                StatusCode::UNAUTHORIZED,
                "Signed out",
                text("Your sign-in has ended. Sign in again to continue."),
            ),
            Self::Forged => (
                StatusCode::FORBIDDEN,
                "Form expired",
                text(
                    "It was opened before you signed in, or on another site. Go back, reload the page and try again.",
                ),
            ),
            Self::RoleTooLow(role) => (
                StatusCode::FORBIDDEN,
                "Access denied",
                text(match role {
                    Role::Owner => "Only owners can open this. Ask an owner for access.",
                    Role::Editor => "Only editors and owners can open this. Ask an owner for access.",
                    Role::Viewer => "Only members can open this. Ask an owner for access.",
                }),
            ),
            Self::TooLarge { limit } => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "Form too large",
                format!("The limit is {} kB.", limit / 1_000),
            ),
            Self::FileTooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "File too large",
                text("The file exceeds the size limit. Go back and choose a smaller file."),
            ),
            Self::BadForm => (
                StatusCode::BAD_REQUEST,
                "This form is incomplete",
                text("Go back, reload the page and try again."),
            ),
            Self::Selection(message) => (StatusCode::BAD_REQUEST, "Change the selection", sentence(&message)),
            Self::NoPage => (
                StatusCode::NOT_FOUND,
                "Page not found",
                text("The URL is wrong, or the page no longer exists."),
            ),
            Self::Refused(refusal) => refused(refusal),
        }
    }
}

fn refused(refusal: Refusal) -> (StatusCode, &'static str, String) {
    let said = match &refusal {
        Refusal::Invalid { field, message } => sentence(&said_alone(field, message)),
        other => sentence(&other.to_string()),
    };
    match refusal {
        Refusal::NotFound(noun) => (
            StatusCode::NOT_FOUND,
            "Page not found",
            format!("This {} does not exist, or you do not have access to it.", noun.as_str()),
        ),
        Refusal::Invalid { .. } => (StatusCode::BAD_REQUEST, "Invalid input", said),
        Refusal::Unauthenticated { .. } | Refusal::Forbidden { .. } => {
            (StatusCode::FORBIDDEN, "Access denied", said)
        }
        Refusal::Conflict { .. } => (StatusCode::CONFLICT, "Not possible right now", said),
        Refusal::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "File too large", said),
        Refusal::Interrupted(_) => (StatusCode::BAD_REQUEST, "Upload interrupted", said),
        Refusal::Unprocessable { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "Not possible", said),
        Refusal::QuotaExceeded(_) => (StatusCode::FORBIDDEN, "Quota exceeded", said),
        Refusal::Busy => (StatusCode::SERVICE_UNAVAILABLE, "Too many uploads at the moment", said),
        Refusal::Full(error) => {
            tracing::warn!(%error, "there is too little free space");
            (StatusCode::INSUFFICIENT_STORAGE, "Not enough storage", said)
        }
        Refusal::Unavailable(error) | Refusal::UnknownOutcome(error) => {
            tracing::warn!(%error, "a page could not be shown");
            (StatusCode::SERVICE_UNAVAILABLE, "Temporarily unavailable", said)
        }
        Refusal::Internal(error) => {
            tracing::error!(%error, "a page could not be shown");
            let message = "An internal error occurred. See the server log for details.".to_owned();
            (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong", message)
        }
    }
}

/// With a capital letter and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let rest = characters.as_str();
    let end = if rest.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{rest}{end}")
}

/// A sentence for a script, which shows it to people.
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
        let (status, heading, message) = self.told();
        render_with(status, &ErrorPage { frame: Frame::new(heading, Section::None), heading, message })
    }
}
