//! Signing in and out, and the links that let somebody in.

mod code;
mod current;
mod link;
mod password;
mod provider;
mod provider_refused;

use axum::Router;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http::HeaderValue;
use http::header::SET_COOKIE;
use tonearm_domain::{KnownDevice, SignIn};
use tonearm_service::SignedIn;
use tonearm_signing::Token;

use crate::app::Dashboard;
use crate::cookie;

pub(crate) use provider::attempt_cookie;
pub(crate) use provider_refused::refuse;

pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/sign-in", get(password::page).post(password::sign_in))
        .route("/sign-in/code", get(code::page).post(code::enter))
        .route("/sign-in/oidc", get(provider::begin))
        .route("/sign-in/oidc/return", get(provider::finish))
        .route("/sign-out", post(password::sign_out))
        .route("/session.json", get(current::session))
        .route("/link/{token}", get(link::page).post(link::use_link))
}

/// Sends a browser on that has just been let in.
fn let_in(app: &Dashboard, signed_in: &SignedIn, address: &str) -> Response {
    let mut response = Redirect::to(address).into_response();
    let is_https = app.is_https();
    let token = signed_in.token.reveal();
    let cookie = cookie::set(cookie::sign_in_name(is_https), &token, SignIn::MOST, is_https);
    response.headers_mut().append(SET_COOKIE, cookie);
    response.headers_mut().append(SET_COOKIE, device_cookie(app, &signed_in.device));
    response
}

/// The cookie by which a browser stays known after the sign-in has ended.
pub(crate) fn device_cookie(app: &Dashboard, token: &Token) -> HeaderValue {
    let is_https = app.is_https();
    cookie::set(cookie::device_name(is_https), &token.reveal(), KnownDevice::LIFETIME, is_https)
}
