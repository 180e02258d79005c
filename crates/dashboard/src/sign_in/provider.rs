//! Signing in with the OpenID Connect provider: the redirect there and the return.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use serde::Deserialize;
use tonearm_domain::PersonIdentity;
use tonearm_service::{Begun, ProviderAnswer, ProviderAttempt, ProviderSignInError, Returned};

use super::entry::proceed;
use super::next_page::next_page;
use super::provider_refused::refuse;
use crate::app::Dashboard;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::path::Query;
use crate::session::{RequestDevice, SignedIn};

#[derive(Deserialize)]
pub(super) struct BeginQuery {
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub(super) struct ReturnQuery {
    #[serde(default)]
    state: String,
    code: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// Redirects a browser to the provider. This is a link and changes nothing, because our pages forbid forms that
/// redirect to other sites.
pub(super) async fn begin(
    State(app): State<Dashboard>,
    signed_in: Result<SignedIn, PageError>,
    Query(query): Query<BeginQuery>,
) -> Result<Response, PageError> {
    let next = next_page(&query.next);
    if signed_in.is_ok() {
        return Ok(Redirect::to(next).into_response());
    }
    match app.people.begin_provider_sign_in(next).await {
        Ok(begun) => {
            let mut response = Redirect::to(&begun.url).into_response();
            response.headers_mut().append(SET_COOKIE, attempt_cookie(&app, &begun));
            Ok(response)
        }
        Err(error) => refuse(&app, error, None),
    }
}

/// Handles the browser's return from the provider.
pub(super) async fn finish(
    State(app): State<Dashboard>,
    headers: HeaderMap,
    signed_in: Result<SignedIn, PageError>,
    RequestDevice(device): RequestDevice,
    Query(answer): Query<ReturnQuery>,
) -> Result<Response, PageError> {
    let name = cookie::attempt_name(app.is_https());
    let sealed = cookie::read(&headers, name);
    let attempt = sealed.and_then(|sealed| app.people.open_attempt(sealed, &answer.state));
    // The cookie is kept: it may belong to an attempt in another tab.
    let Some(attempt) = attempt else { return refuse(&app, ProviderSignInError::Over, None) };
    let answer = ProviderAnswer { code: answer.code, error: answer.error, issuer: answer.iss };
    let resumed = signed_in.ok().map(|signed_in| signed_in.session.resumed);
    let returned = app.people.return_from_provider(&attempt, answer, resumed.as_ref(), device).await;
    let mut response = match returned {
        Ok(Returned::Entered { entry, is_new }) => proceed(&app, &entry, after(&attempt, is_new)),
        Ok(Returned::Linked) => Flash::IdentityLinked.then(next_page(attempt.next())),
        Err(error) => refuse(&app, error, Some(&attempt))?,
    };
    response.headers_mut().append(SET_COOKIE, cookie::clear(name, app.is_https()));
    Ok(response)
}

/// A new person has already accepted the invitation, so its page has nothing more to show.
fn after(attempt: &ProviderAttempt, is_new: bool) -> &str {
    match next_page(attempt.next()) {
        next if is_new && next.starts_with("/dashboard/link/") => "/dashboard",
        next => next,
    }
}

/// The cookie that a browser holds until it returns.
pub(crate) fn attempt_cookie(app: &Dashboard, begun: &Begun) -> HeaderValue {
    let is_https = app.is_https();
    cookie::set(cookie::attempt_name(is_https), &begun.sealed, PersonIdentity::ATTEMPT, is_https)
}
