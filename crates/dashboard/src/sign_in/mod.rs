//! Signing in and out, and one-time links.

mod code;
mod current;
mod entry;
mod link;
mod next_page;
mod password;
mod provider;
mod provider_link;
mod provider_refused;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, post};

use crate::app::Dashboard;
use crate::purpose::{end, ends};

pub(crate) use entry::device_cookie;
pub(crate) use provider::attempt_cookie;
pub(crate) use provider_refused::refuse;

pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/sign-in", get(password::page).merge(ends(password::sign_in)))
        .route("/sign-in/code", get(code::page).merge(ends(code::enter)))
        .route("/sign-in/oidc", get(provider::begin).route_layer(from_fn(end)))
        .route("/sign-in/oidc/return", get(provider::finish).route_layer(from_fn(end)))
        .route("/sign-out", ends(password::sign_out))
        .route("/session.json", get(current::session))
        .route("/link/{token}", get(link::page).merge(post(link::use_link)))
}
