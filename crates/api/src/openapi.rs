//! The interface described by itself, at `/openapi.json`.

use std::sync::LazyLock;

use axum::Json;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Content, PathItem, Ref, ResponseBuilder, ResponsesBuilder};
use utoipa::{Modify, OpenApi};

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
        endpoint::play_session::create::create,
        endpoint::play_session::read::read,
        endpoint::stream::redirect::redirect,
        endpoint::track::add_variant::add_variant,
        endpoint::track::create::create,
        endpoint::track::delete::delete,
        endpoint::track::list::list,
        endpoint::track::read::read,
        endpoint::track::renew_cover_upload::renew_cover_upload,
        endpoint::track::update::update,
        endpoint::upload::collection_cover::collection_cover,
        endpoint::upload::cover::cover,
        endpoint::upload::source::source,
        endpoint::upload_session::create::create,
        endpoint::upload_session::create_track::create_track,
        endpoint::upload_session::read::read,
        endpoint::variant::list::list,
        endpoint::variant::read::read,
    ),
    components(schemas(ErrorBody)),
    modifiers(&ApiKeys, &Errors),
)]
struct Interface;

/// `Authorization: Bearer <API_KEY>`.
struct ApiKeys;

impl Modify for ApiKeys {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        openapi.components.get_or_insert_default().add_security_scheme("api_key", scheme);
    }
}

/// Every endpoint may answer with an error, and all errors look alike.
struct Errors;

impl Modify for Errors {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let body = Content::new(Some(Ref::from_schema_name("ErrorBody")));
        let error = ResponseBuilder::new().description("An error.").content("application/json", body).build();
        let errors = ResponsesBuilder::new().response("default", error).build();
        for operation in openapi.paths.paths.values_mut().flat_map(operations) {
            operation.responses.responses.extend(errors.responses.clone());
        }
    }
}

fn operations(path: &mut PathItem) -> impl Iterator<Item = &mut utoipa::openapi::path::Operation> {
    [&mut path.get, &mut path.put, &mut path.post, &mut path.delete].into_iter().flatten()
}

/// `GET /openapi.json`
pub(crate) async fn serve() -> Response {
    static DOCUMENT: LazyLock<utoipa::openapi::OpenApi> = LazyLock::new(Interface::openapi);
    Json(&*DOCUMENT).into_response()
}
