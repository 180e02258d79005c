//! The interface described by itself, at `/openapi.json`.

mod modify;
mod parameters;
mod text;

use std::sync::Arc;

use axum::routing::get;
use axum::{Json, Router};
use serde_json::Value;
use utoipa::openapi::OpenApi;
use utoipa::{Modify, OpenApi as _};

use self::modify::{Credentials, Errors, OptionalBodies};
use self::parameters::IdempotencyKey;
pub(crate) use self::text::{any_object, not_blank};
use crate::error::ErrorBody;

/// What the description says beside the endpoints, which the router adds.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Tonearm",
        description = "Audio delivery: upload audio, and deliver streams, previews, waveforms and covers.",
    ),
    tags(
        (name = "Tracks"),
        (name = "Collections"),
        (name = "Upload sessions"),
        (name = "Upload URLs"),
        (name = "Play sessions"),
        (name = "Share links"),
        (name = "Variants"),
        (name = "Jobs"),
        (name = "Usage"),
        (name = "Creators"),
        (name = "Organizations"),
        (name = "API keys"),
        (name = "Signing keys"),
        (name = "Webhooks"),
    ),
    components(schemas(ErrorBody)),
)]
struct Interface;

/// A description without endpoints.
pub(crate) fn empty() -> OpenApi {
    Interface::openapi()
}

/// The document about these endpoints.
pub(crate) fn document(mut endpoints: OpenApi) -> Value {
    let shared: [&dyn Modify; 4] = [&Credentials, &OptionalBodies, &Errors, &IdempotencyKey];
    for part in shared {
        part.modify(&mut endpoints);
    }
    serde_json::to_value(endpoints).expect("a description has nothing that JSON has not")
}

/// `GET /openapi.json`
pub(crate) fn routes(document: Arc<Value>) -> Router {
    Router::new().route("/openapi.json", get(async move || Json(document)))
}
