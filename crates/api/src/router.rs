//! All routes, and the layers around them.

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use http::header::CACHE_CONTROL;
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::Value;
use tonearm_domain::{Ambient, ErrorCode};
use tonearm_service::{Purpose, Refusal, act_for, in_request};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::openapi::{ComponentsBuilder, OpenApiBuilder};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use crate::accept::require_json;
use crate::app::{ApiSettings, App};
use crate::cors::cors;
use crate::endpoint::{
    api_key, collection, creator, import_bucket, job, organization, play, play_session, quota, signing_key,
    stream, track, upload, upload_session, usage, variant, webhook,
};
use crate::error::ApiError;
use crate::rate_limit::{Limiter, limit_rate};
use crate::repeat::repeat;
use crate::request_id::identify;
use crate::{docs, openapi};

/// Everything under `/v1` and `/upload`. Any other path returns an error in the same format.
pub fn router(app: App) -> Router {
    let elsewhere = around(Router::new().fallback(not_found), &app.ambient);
    routes(app).fallback_service(elsewhere)
}

/// Everything under `/v1` and `/upload`, `/openapi.json` and `/docs`, without a fallback, to be merged with other
/// routers.
pub fn routes(app: App) -> Router {
    let limiter = Arc::new(Limiter::new(app.settings.rate_limits));
    let limited = |router: Router| router.layer(middleware::from_fn_with_state(limiter.clone(), limit_rate));
    let description = docs::routes().merge(openapi::routes());
    let v1 = Router::from(v1())
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .route_layer(middleware::from_fn_with_state(app.ambient.clone(), acting))
        .route_layer(middleware::from_fn_with_state(app.clone(), repeat))
        .route_layer(middleware::from_fn_with_state(app.clone(), time_out))
        .route_layer(middleware::from_fn(require_json));
    // These routes have no common limit of size or time: each endpoint has its own.
    let uploads = Router::from(uploads())
        .route_layer(middleware::from_fn(require_json))
        .merge(Router::from(tus()).route_layer(middleware::from_fn(upload::tus::speak)))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::disable());
    let announced = middleware::from_fn_with_state(app.clone(), upload::tus::announce);
    let shares = Router::from(shares()).method_not_allowed_fallback(method_not_allowed);
    Router::new()
        .merge(around(description, &app.ambient))
        .merge(around(limited(shares.with_state(app.clone())), &app.ambient))
        .nest("/v1", around(limited(v1.with_state(app.clone())), &app.ambient))
        .nest("/upload", around(limited(uploads.with_state(app.clone())), &app.ambient).layer(announced))
}

/// The OpenAPI document of all endpoints. It is built from the same lists as the routes.
pub fn document() -> Value {
    let endpoints = OpenApiRouter::with_openapi(openapi::empty())
        .merge(shares())
        .nest("/v1", v1())
        .nest("/upload", uploads().merge(tus()));
    openapi::document(endpoints.into_openapi())
}

/// Share links are requested more often than all other routes together, and their responses have no body to store. They
/// have as few layers as possible.
fn shares() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(stream::redirect::redirect))
}

fn v1() -> OpenApiRouter<App> {
    let sessions = routed_as("/play_session/collection", routes!(play_session::create::for_collection))
        .route("/play_session/track", post(play_session::create::for_track));
    let (schemas, paths, session) = routes!(play_session::read::read, play_session::end::end);
    sessions
        .routes((schemas, paths, session.fallback(play_session::create::elsewhere)))
        .routes(routes!(play_session::list::list))
        .routes(routes!(play::describe::describe))
        .routes(routes!(play::track::track))
        .routes(routes!(play::download::download))
        .routes(routes!(play::captions::captions))
        .routes(routes!(track::find::find, track::create::create))
        .routes(routes!(track::read::read, track::update::update, track::delete::delete))
        .routes(routes!(track::add_variant::add_variant))
        .routes(routes!(track::retry::retry))
        .routes(routes!(
            track::source::create::create,
            track::source::read::read,
            track::source::cancel::cancel
        ))
        .routes(routes!(track::source::undo::undo))
        .routes(routes!(track::progress::progress))
        .routes(routes!(track::renew_cover_upload::renew_cover_upload, track::remove_cover::remove_cover))
        .routes(routes!(track::list::list))
        .routes(routes!(upload_session::list::list, upload_session::create::create))
        .routes(routes!(upload_session::read::read, upload_session::end::end))
        .routes(routes!(upload_session::create_track::create_track))
        .routes(routes!(organization::read::read, organization::update::update))
        .routes(routes!(organization::remove_cover::remove_cover))
        .routes(routes!(collection::list::list, collection::create::create))
        .routes(routes!(collection::read::read, collection::update::update, collection::delete::delete))
        .routes(routes!(
            collection::renew_cover_upload::renew_cover_upload,
            collection::remove_cover::remove_cover
        ))
        .routes(routes!(collection::order::order))
        .routes(routes!(creator::list::list, creator::create::create))
        .routes(routes!(creator::read::read, creator::update::update, creator::delete::delete))
        .routes(routes!(job::read::read))
        .routes(routes!(usage::read::read))
        .routes(routes!(usage::listens::listens))
        .routes(routes!(quota::read::read))
        .merge(management())
}

/// The configuration of an organization.
fn management() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(variant::list::list, variant::create::create))
        .routes(routes!(variant::order::order))
        .routes(routes!(variant::read::read, variant::update::update, variant::delete::delete))
        .routes(routes!(variant::rendering::read::read, variant::rendering::create::create))
        .routes(routes!(api_key::list::list, api_key::create::create))
        .routes(routes!(api_key::read::read, api_key::delete::delete))
        // It asks for room itself, unless it only narrows a right.
        .routes(ends(routes!(api_key::update::update)))
        .routes(routes!(signing_key::list::list, signing_key::create::create))
        .routes(routes!(signing_key::read::read, signing_key::delete::delete))
        .routes(routes!(import_bucket::list::list))
        .routes(routes!(import_bucket::set::set, import_bucket::delete::delete))
        .routes(routes!(webhook::list::list, webhook::create::create))
        .routes(routes!(webhook::read::read, webhook::update::update, webhook::delete::delete))
        .routes(routes!(webhook::rotate_secret::rotate_secret))
        .routes(routes!(webhook::test::test))
        .routes(routes!(webhook::list_deliveries::list_deliveries))
        .routes(routes!(webhook::read_delivery::read_delivery))
        .routes(routes!(webhook::replay::replay))
        .routes(routes!(webhook::replay_failed::replay_failed))
}

fn uploads() -> OpenApiRouter<App> {
    // The router allows one parameter name per position of a path: this id belongs to a track or a collection.
    let source = routes!(
        upload::source::source,
        upload::resumable::offset::offset,
        upload::resumable::append::append,
        upload::resumable::cancel::cancel
    );
    routed_as("/{organization_id}/{id}/source", source)
        .merge(routed_as("/{organization_id}/{id}/cover", routes!(upload::cover::cover)))
        .merge(routed_as(
            "/{organization_id}/{id}/collection_cover",
            routes!(upload::collection_cover::collection_cover),
        ))
}

fn tus() -> OpenApiRouter<App> {
    use upload::tus;
    let (schemas, paths, upload) =
        routes!(tus::offset::offset, tus::append::append, tus::terminate::terminate);
    OpenApiRouter::new().routes(routes!(tus::create::create)).routes((
        schemas,
        paths,
        upload.post(tus::append::overridden),
    ))
}

/// An endpoint whose path in the document has other parameters than its path in the router.
fn routed_as(path: &str, (schemas, paths, methods): UtoipaMethodRouter<App>) -> OpenApiRouter<App> {
    let components = ComponentsBuilder::new().schemas_from_iter(schemas).build();
    let described = OpenApiBuilder::new().paths(paths).components(Some(components)).build();
    OpenApiRouter::with_openapi(described).route(path, methods)
}

/// Pages of other origins that are cross-origin isolated play a share link only if its redirect has this header.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Adds the layers for all responses, the outermost first. All responses may contain credentials, so none may be
/// stored.
fn around(router: Router, ambient: &Ambient) -> Router {
    router.layer(
        ServiceBuilder::new()
            .layer(middleware::from_fn_with_state(ambient.clone(), identify))
            .layer(SetResponseHeaderLayer::overriding(CACHE_CONTROL, HeaderValue::from_static("no-store")))
            .layer(SetResponseHeaderLayer::overriding(
                RESOURCE_POLICY,
                HeaderValue::from_static("cross-origin"),
            ))
            .layer(cors())
            .layer(CatchPanicLayer::custom(panicked)),
    )
}

async fn not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, "there is no endpoint at this path")
}

async fn method_not_allowed() -> ApiError {
    ApiError::method_not_allowed()
}

fn panicked(panic: Box<dyn Any + Send>) -> Response {
    ApiError::from(Refusal::panicked(&*panic)).into_response()
}

/// Endpoints that remove something or end a right, although their method is not `DELETE`.
fn ends((schemas, paths, methods): UtoipaMethodRouter<App>) -> UtoipaMethodRouter<App> {
    async fn end(request: Request, next: Next) -> Response {
        act_for(Purpose::End);
        next.run(request).await
    }
    (schemas, paths, methods.route_layer(middleware::from_fn(end)))
}

/// Inside of [`repeat`], which runs requests in tasks of their own.
async fn acting(State(ambient): State<Ambient>, request: Request, next: Next) -> Response {
    in_request(ambient, request, |request| next.clone().run(request)).await
}

/// Ends requests that take too long. Their database transactions are rolled back, except those of requests with an
/// idempotency key (see [`repeat`]), which continue without the client.
async fn time_out(State(settings): State<ApiSettings>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(settings.request_timeout, next.run(request)).await {
        Ok(response) => response,
        Err(_) => ApiError::timed_out().into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use tower::ServiceExt;

    use super::*;

    async fn fails() -> ApiError {
        panic!("with a secret in it")
    }

    #[tokio::test]
    async fn a_panic_is_an_error_like_any_other() {
        let (ambient, _) = tonearm_fixtures::ambient();
        let router = around(Router::new().route("/", axum::routing::get(fails)), &ambient);
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
        let body = to_bytes(response.into_body(), 10_000).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((&body["code"], &body["api_request_id"]), (&"internal_error".into(), &id.into()));
        assert!(!body.to_string().contains("secret"));
    }
}
