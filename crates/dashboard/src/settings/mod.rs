//! What owners decide about an organization.

mod organization;

use axum::Router;
use axum::routing::{get, post};

use crate::Dashboard;

/// Below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/organization", get(organization::page).post(organization::save))
        .route("/organization/cover", post(organization::save_cover))
}
