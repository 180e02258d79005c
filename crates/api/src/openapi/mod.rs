//! The interface described by itself, at `/openapi.json`.

mod modify;
mod parameters;
mod text;

use std::sync::LazyLock;

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use utoipa::OpenApi;

use self::modify::{Credentials, Errors, OptionalBodies};
use self::parameters::{Defaults, IdempotencyKey};
pub(crate) use self::text::not_blank;
use crate::endpoint;
use crate::error::ErrorBody;

/// Every endpoint, with its request and its answers.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tonearm",
        description = "Audio delivery: takes audio in, makes it deliverable, and delivers it.",
    ),
    paths(
        endpoint::api_key::create::create,
        endpoint::collection::create::create,
        endpoint::collection::delete::delete,
        endpoint::collection::list::list,
        endpoint::collection::read::read,
        endpoint::collection::renew_cover_upload::renew_cover_upload,
        endpoint::collection::update::update,
        endpoint::creator::create::create,
        endpoint::creator::delete::delete,
        endpoint::creator::list::list,
        endpoint::creator::read::read,
        endpoint::creator::update::update,
        endpoint::organization::read::read,
        endpoint::organization::update::update,
        endpoint::play::download::download,
        endpoint::play::track::track,
        endpoint::play_session::create::for_collection,
        endpoint::play_session::read::read,
        endpoint::stream::redirect::redirect,
        endpoint::track::add_variant::add_variant,
        endpoint::track::create::create,
        endpoint::track::delete::delete,
        endpoint::track::list::list,
        endpoint::track::read::read,
        endpoint::track::renew_cover_upload::renew_cover_upload,
        endpoint::track::retry::retry,
        endpoint::track::update::update,
        endpoint::upload::collection_cover::collection_cover,
        endpoint::upload::cover::cover,
        endpoint::upload::source::source,
        endpoint::upload_session::create::create,
        endpoint::upload_session::create_track::create_track,
        endpoint::upload_session::read::read,
        endpoint::usage::read::read,
        endpoint::variant::list::list,
        endpoint::variant::read::read,
    ),
    tags(
        (name = "Tracks"),
        (name = "Collections"),
        (name = "Upload sessions"),
        (name = "Upload URLs"),
        (name = "Play sessions"),
        (name = "Share links"),
        (name = "Variants"),
        (name = "Usage"),
        (name = "Creators"),
        (name = "Organizations"),
        (name = "API keys"),
    ),
    components(schemas(ErrorBody)),
    modifiers(&Credentials, &OptionalBodies, &Errors, &Defaults, &IdempotencyKey),
)]
struct Interface;

/// `GET /openapi.json`
pub(crate) async fn serve() -> Response {
    Json(json()).into_response()
}

/// The document.
pub(crate) fn json() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        serde_json::to_value(Interface::openapi()).expect("a description has nothing that JSON has not")
    });
    &DOCUMENT
}
