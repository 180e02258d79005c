//! The OpenAPI document of the interface, at `/openapi.json`.

mod events;
mod modify;
mod parameters;
mod rules;
mod text;
mod webhooks;

use std::sync::LazyLock;

use axum::Router;
use axum::routing::get;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value, json};
use tonearm_domain::UploadId;
use utoipa::openapi::OpenApi;
use utoipa::{Modify, OpenApi as _};

use self::events::{CollectionEvent, TestEvent, TrackFileEvent, TrackStatusChanged};
use self::modify::{Credentials, Errors, OptionalBodies, SOURCE_URL};
use self::parameters::IdempotencyKey;
pub(crate) use self::rules::{add_body, with_rules};
pub(crate) use self::text::NotBlank;
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
        (name = "Variants", description = "Recipes belong to the organization: each makes a variant of every track. See docs/recipes.md."),
        (name = "Jobs"),
        (name = "Usage"),
        (name = "Creators"),
        (name = "Organizations"),
        (name = "API keys"),
        (name = "Signing keys"),
        (name = "Webhooks", description = "docs/webhooks.md has the events with their bodies, and how to verify signatures."),
        (name = "Import buckets"),
    ),
    components(schemas(ErrorBody, UploadId, TrackStatusChanged, TrackFileEvent, CollectionEvent, TestEvent)),
)]
struct Interface;

/// A document without endpoints.
pub(crate) fn empty() -> OpenApi {
    Interface::openapi()
}

/// The document for these endpoints.
pub(crate) fn document(mut endpoints: OpenApi) -> Value {
    let shared: [&dyn Modify; 4] = [&Credentials, &OptionalBodies, &Errors, &IdempotencyKey];
    for part in shared {
        part.modify(&mut endpoints);
    }
    let mut document = serde_json::to_value(endpoints).expect("a description has nothing that JSON has not");
    require_name_or_url(&mut document);
    add_answers(&mut document);
    document["webhooks"] = webhooks::webhooks();
    document
}

/// Adds an answer of a test to each operation (`make answers`).
fn add_answers(document: &mut Value) {
    let answers: Map<String, Value> =
        serde_json::from_str(include_str!("answers.json")).expect("a test wrote it as JSON");
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let answer = operation["operationId"].as_str().and_then(|id| answers.get(id)).cloned();
        let content = operation.pointer_mut("/responses/200/content/application~1json");
        if let (Some(Value::Object(content)), Some(answer)) = (content, answer) {
            content.insert("example".to_owned(), answer);
        }
    }
}

/// Requires `file_name`, `source_url` or both to create a track.
fn require_name_or_url(document: &mut Value) {
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for (_, schema) in schemas.into_iter().flatten() {
        if schema["properties"].get(SOURCE_URL).is_some() {
            schema["anyOf"] = json!([{ "required": ["file_name"] }, { "required": [SOURCE_URL] }]);
        }
    }
}

/// The document as text, generated at the first request.
static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| crate::document().to_string().into());

/// `GET /openapi.json`
pub(crate) fn routes() -> Router {
    Router::new()
        .route("/openapi.json", get(async || ([(CONTENT_TYPE, "application/json")], DOCUMENT.clone())))
}
