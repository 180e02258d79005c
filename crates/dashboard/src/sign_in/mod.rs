//! Signing in and out, and the links that let somebody in.

mod link;
mod password;

use axum::Router;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http::header::SET_COOKIE;
use tonearm_domain::SignIn;
use tonearm_signing::Token;

use crate::{Dashboard, cookie};

pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/sign-in", get(password::page).post(password::sign_in))
        .route("/sign-out", post(password::sign_out))
        .route("/link/{token}", get(link::page).post(link::use_link))
}

/// Sends a browser on that has just been let in.
fn let_in(app: &Dashboard, token: &Token, address: &str) -> Response {
    let mut response = Redirect::to(address).into_response();
    let is_https = app.is_https();
    let cookie = cookie::set(cookie::sign_in_name(is_https), &token.reveal(), SignIn::MOST, is_https);
    response.headers_mut().append(SET_COOKIE, cookie);
    response
}
