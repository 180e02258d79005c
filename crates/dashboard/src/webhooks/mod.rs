//! Webhooks: their endpoints and deliveries.

mod deliveries;
mod endpoints;
mod status;

use axum::Router;
use axum::routing::{get, post};

use crate::app::Dashboard;
use crate::purpose::ends;

/// Routes below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/webhooks", get(endpoints::page))
        .route("/webhooks/{kind}/set", post(endpoints::set))
        .route("/webhooks/{kind}/remove", ends(endpoints::remove))
        .route("/webhooks/{kind}/secret", post(endpoints::reveal))
        .route("/webhooks/{kind}/rotate", post(endpoints::rotate))
        .route("/webhooks/{kind}/test", post(endpoints::test))
        .route("/webhooks/{kind}/replay-failed", post(endpoints::replay_failed))
        .route("/webhooks/deliveries/{delivery_id}", get(deliveries::page))
        .route("/webhooks/deliveries/{delivery_id}/replay", post(deliveries::replay))
}
