//! What follows a correct password, code or provider sign-in: a session, or the page that asks for a code.

use axum::response::{IntoResponse, Redirect, Response};
use http::HeaderValue;
use http::header::SET_COOKIE;
use tonearm_domain::{KnownDevice, SecondFactor, SignIn};
use tonearm_service::{Entry, SignedIn};
use tonearm_signing::Token;

use crate::app::Dashboard;
use crate::cookie;

/// Continues a sign-in: signs the browser in, or sends it to the page that asks for a code.
pub(super) fn proceed(app: &Dashboard, entry: &Entry, next: &str) -> Response {
    match entry {
        Entry::SignedIn(signed_in) => sign_in(app, signed_in, next),
        Entry::CodeNeeded(challenge) => {
            let query = serde_urlencoded::to_string([("next", next)]).unwrap_or_default();
            let mut response = Redirect::to(&format!("/dashboard/sign-in/code?{query}")).into_response();
            let (is_https, seconds) = (app.is_https(), SecondFactor::CHALLENGE);
            let cookie = cookie::set(cookie::challenge_name(is_https), challenge.reveal(), seconds, is_https);
            response.headers_mut().append(SET_COOKIE, cookie);
            response
        }
    }
}

/// Signs a browser in and redirects it to an address.
pub(super) fn sign_in(app: &Dashboard, signed_in: &SignedIn, address: &str) -> Response {
    let mut response = Redirect::to(address).into_response();
    let is_https = app.is_https();
    let token = signed_in.token.reveal();
    let cookie = cookie::set(cookie::sign_in_name(is_https), &token, SignIn::MOST, is_https);
    response.headers_mut().append(SET_COOKIE, cookie);
    response.headers_mut().append(SET_COOKIE, device_cookie(app, &signed_in.device));
    response
}

/// The cookie that identifies a browser after its sign-in has ended.
pub(crate) fn device_cookie(app: &Dashboard, token: &Token) -> HeaderValue {
    let is_https = app.is_https();
    cookie::set(cookie::device_name(is_https), &token.reveal(), KnownDevice::LIFETIME, is_https)
}
