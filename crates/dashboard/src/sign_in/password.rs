//! The sign-in page.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use http::header::{RETRY_AFTER, SET_COOKIE};
use serde::Deserialize;
use tonearm_service::SignInError;

use super::entry::proceed;
use super::next_page::next_page;
use super::provider_link::ProviderLink;
use crate::app::Dashboard;
use crate::cookie;
use crate::error::PageError;
use crate::form::Fields;
use crate::page::{Frame, Section, render, render_with};
use crate::path::Query;
use crate::refusal_text::sentence;
use crate::session::{RequestDevice, SignedIn};
use crate::t;

#[derive(Template)]
#[template(path = "sign_in/sign_in.html")]
struct SignInPage {
    frame: Frame,
    email: String,
    next: String,
    /// Whether a form was not saved because no person was signed in.
    has_unsaved: bool,
    problem: Option<String>,
    /// Whether there are no accounts yet.
    is_unclaimed: bool,
    /// The other way to sign in.
    provider: Option<ProviderLink>,
}

#[derive(Deserialize)]
pub(super) struct SignInQuery {
    #[serde(default)]
    next: String,
    #[serde(default)]
    unsaved: String,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    signed_in: Result<SignedIn, PageError>,
    Query(query): Query<SignInQuery>,
) -> Result<Response, PageError> {
    let next = next_page(&query.next);
    if signed_in.is_ok() {
        return Ok(Redirect::to(next).into_response());
    }
    let is_unclaimed = app.people.is_unclaimed().await?;
    let (next, has_unsaved) = (next.to_owned(), !query.unsaved.is_empty());
    let (email, provider) = (String::new(), ProviderLink::to(&app, &next));
    Ok(render(&SignInPage {
        frame: frame(),
        email,
        next,
        has_unsaved,
        problem: None,
        is_unclaimed,
        provider,
    }))
}

pub(super) async fn sign_in(
    State(app): State<Dashboard>,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let (email, next) = (fields.text("email"), next_page(fields.raw("next")));
    match app.people.sign_in(email, fields.raw("password").to_owned(), device).await {
        Ok(entry) => Ok(proceed(&app, &entry, next)),
        Err(SignInError::Refusal(refusal)) => Err(refusal.into()),
        Err(error) => {
            let wait = match error {
                SignInError::TooMany(seconds) => Some(seconds),
                _ => None,
            };
            let status = wait.map_or(StatusCode::UNPROCESSABLE_ENTITY, |_| StatusCode::TOO_MANY_REQUESTS);
            let (email, next) = (email.to_owned(), next.to_owned());
            let problem = Some(sentence(&error.to_string()));
            let page = SignInPage::retrying(&app, email, next, problem);
            let mut response = render_with(status, &page);
            if let Some(seconds) = wait {
                response.headers_mut().insert(RETRY_AFTER, seconds.into());
            }
            Ok(response)
        }
    }
}

pub(super) async fn sign_out(
    State(app): State<Dashboard>,
    signed_in: SignedIn,
    RequestDevice(device): RequestDevice,
    fields: Fields,
) -> Result<Response, PageError> {
    let resumed = &signed_in.session.resumed;
    app.people.sign_out(&resumed.person, resumed.sign_in.id, device.address).await?;
    // If the person opened an invitation with the wrong account, redirects back to it.
    let next = Some(next_page(fields.raw("next"))).filter(|next| next.starts_with("/dashboard/link/"));
    let mut response = Redirect::to(next.unwrap_or("/dashboard/sign-in")).into_response();
    let is_https = app.is_https();
    let cookie = cookie::clear(cookie::sign_in_name(is_https), is_https);
    response.headers_mut().append(SET_COOKIE, cookie);
    Ok(response)
}

/// Shows the page again if a sign-in has to be restarted.
pub(super) fn page_with_problem(app: &Dashboard, problem: String, next: &str) -> Response {
    let page = SignInPage::retrying(app, String::new(), next.to_owned(), Some(problem));
    render_with(StatusCode::UNPROCESSABLE_ENTITY, &page)
}

impl SignInPage {
    fn retrying(app: &Dashboard, email: String, next: String, problem: Option<String>) -> Self {
        let provider = ProviderLink::to(app, &next);
        Self { frame: frame(), email, next, has_unsaved: false, problem, is_unclaimed: false, provider }
    }
}

fn frame() -> Frame {
    Frame::new(t("sign-in-button"), Section::None)
}
