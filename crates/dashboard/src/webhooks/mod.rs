//! Webhooks: their endpoints and deliveries.

mod deliveries;
mod endpoints;
mod status;

use axum::Router;
use axum::routing::get;

use crate::app::Dashboard;
use crate::purpose::{adds, ends};

/// Routes below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/webhooks", get(endpoints::page))
        .route("/webhooks/{kind}/set", adds(endpoints::set))
        .route("/webhooks/{kind}/remove", ends(endpoints::remove))
        .route("/webhooks/{kind}/secret", adds(endpoints::reveal))
        .route("/webhooks/{kind}/rotate", adds(endpoints::rotate))
        .route("/webhooks/{kind}/test", adds(endpoints::test))
        .route("/webhooks/{kind}/replay-failed", adds(endpoints::replay_failed))
        .route("/webhooks/deliveries/{delivery_id}", get(deliveries::page))
        .route("/webhooks/deliveries/{delivery_id}/replay", adds(deliveries::replay))
}
