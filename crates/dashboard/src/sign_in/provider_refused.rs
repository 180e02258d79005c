//! The page shown if a sign-in with the provider fails: the reason, and what to do.

use askama::Template;
use axum::response::Response;
use http::StatusCode;
use http::header::RETRY_AFTER;
use tonearm_service::{ProviderAttempt, ProviderError, ProviderSignInError, SignInError};

use super::next_page::next_page;
use crate::app::Dashboard;
use crate::error::PageError;
use crate::page::{Frame, Section, render_with};
use crate::refusal_text::sentence;
use crate::text::{Message, t};

#[derive(Template)]
#[template(path = "sign_in/refused.html")]
struct RefusedPage {
    frame: Frame,
    heading: Message,
    message: String,
    back: Message,
    address: String,
}

/// Shows why the sign-in failed. Problems that only operators can solve are logged.
pub(crate) fn refuse(
    app: &Dashboard,
    error: ProviderSignInError,
    attempt: Option<&ProviderAttempt>,
) -> Result<Response, PageError> {
    if let ProviderSignInError::SignIn(SignInError::Refusal(refusal)) = error {
        return Err(refusal.into());
    }
    let Some(provider) = app.people.provider_name() else { return Err(PageError::NoPage) };
    match &error {
        ProviderSignInError::Provider(error) => tracing::warn!(%error, "a sign-in with the provider failed"),
        error => tracing::debug!(%error, "a sign-in with the provider was refused"),
    }
    let (back, address) = match attempt {
        Some(attempt) if attempt.is_link() => (t("sign-in-back-to-profile"), next_page(attempt.next())),
        _ => (t("sign-in-back"), "/dashboard/sign-in"),
    };
    let heading = t("sign-in-provider-failed").with("provider", provider.to_owned());
    let frame = Frame::new(heading.clone(), Section::None);
    let (message, address) = (message(&error, provider), address.to_owned());
    let page = RefusedPage { frame, heading, message, back, address };
    let mut response = render_with(status(&error), &page);
    if let ProviderSignInError::SignIn(SignInError::TooMany(seconds)) = error {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    Ok(response)
}

fn status(error: &ProviderSignInError) -> StatusCode {
    match error {
        ProviderSignInError::Provider(error) if error.is_outage() => StatusCode::SERVICE_UNAVAILABLE,
        ProviderSignInError::SignIn(SignInError::TooMany(_)) => StatusCode::TOO_MANY_REQUESTS,
        ProviderSignInError::Taken | ProviderSignInError::TooManyIdentities => StatusCode::CONFLICT,
        ProviderSignInError::Over | ProviderSignInError::Provider(_) => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::FORBIDDEN,
    }
}

fn message(error: &ProviderSignInError, provider: &str) -> String {
    let named = |id| t(id).with("provider", provider.to_owned());
    match error {
        ProviderSignInError::SignIn(error) => return sentence(&error.to_string()),
        ProviderSignInError::NoAccount(email) => {
            t("sign-in-provider-no-account").with("email", email.to_string())
        }
        ProviderSignInError::PasswordFirst(email) => {
            named("sign-in-provider-password-first").with("email", email.to_string())
        }
        ProviderSignInError::Claimed(email) => {
            named("sign-in-provider-claimed").with("email", email.to_string())
        }
        ProviderSignInError::TooManyIdentities => t("sign-in-provider-many"),
        ProviderSignInError::Over | ProviderSignInError::NoProvider => t("sign-in-provider-over"),
        ProviderSignInError::Provider(error) => named(message_of_provider(error)),
        ProviderSignInError::Denied => named("sign-in-provider-denied"),
        ProviderSignInError::Unverified => named("sign-in-provider-unverified"),
        ProviderSignInError::ForeignDomain => named("sign-in-provider-domain"),
        ProviderSignInError::Taken => named("sign-in-provider-taken"),
    }
    .to_string()
}

const fn message_of_provider(error: &ProviderError) -> &'static str {
    match error {
        ProviderError::Away(_) => "sign-in-provider-away",
        ProviderError::Misconfigured(_) => "sign-in-provider-misconfigured",
        ProviderError::WrongIssuer(_) => "sign-in-provider-issuer",
        ProviderError::Refused(_) | ProviderError::BadToken(_) => "sign-in-provider-refused",
    }
}
