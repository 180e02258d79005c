//! Signing in with the OpenID Connect provider: the way there, and the way back.

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

/// Sends a browser to the provider. It changes nothing, and a link leads there: pages forbid forms that end on other sites.
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

/// Takes a browser back from the provider.
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
    // The cookie stays: it may be of an attempt in another tab.
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

/// Whoever is new has taken the invitation up, whose page then says nothing any more.
fn after(attempt: &ProviderAttempt, is_new: bool) -> &str {
    match next_page(attempt.next()) {
        next if is_new && next.starts_with("/dashboard/link/") => "/dashboard",
        next => next,
    }
}

/// What a browser holds until it is back.
pub(crate) fn attempt_cookie(app: &Dashboard, begun: &Begun) -> HeaderValue {
    let is_https = app.is_https();
    cookie::set(cookie::attempt_name(is_https), &begun.sealed, PersonIdentity::ATTEMPT, is_https)
}
