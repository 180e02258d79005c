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
use axum::routing::{get, post};

use crate::app::Dashboard;

pub(crate) use entry::device_cookie;
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
