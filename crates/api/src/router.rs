//! All routes, and what is around them.

use std::any::Any;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use http::header::CACHE_CONTROL;
use http::{HeaderValue, StatusCode};
use tonearm_domain::Ambient;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::accept::require_json;
use crate::cors::cors;
use crate::endpoint::{
    api_key, collection, creator, organization, play, play_session, stream, track, upload, upload_session,
    usage, variant,
};
use crate::rate_limit::{Limiter, limit_rate};
use crate::repeat::repeat;
use crate::request_id::identify;
use crate::{ApiError, ApiSettings, App, docs, openapi};

/// Everything under `/v1` and `/upload`, and for any other path an error in the same form.
pub fn router(app: App) -> Router {
    let elsewhere = around(Router::new().fallback(not_found), &app.ambient);
    routes(app).fallback_service(elsewhere)
}

/// Everything under `/v1` and `/upload`, `/openapi.json` and `/docs`; nothing else, to be merged with other routers.
pub fn routes(app: App) -> Router {
    let limiter = Arc::new(Limiter::new(app.settings.rate_limits));
    let limited = |router: Router| router.layer(middleware::from_fn_with_state(limiter.clone(), limit_rate));
    let v1 = v1()
        .route_layer(middleware::from_fn_with_state(app.clone(), repeat))
        .route_layer(middleware::from_fn_with_state(app.clone(), time_out))
        .route_layer(middleware::from_fn(require_json));
    let description = Router::new().route("/openapi.json", get(openapi::serve)).merge(docs::routes());
    let shares = shares().with_state(app.clone());
    Router::new()
        .merge(around(description, &app.ambient))
        .merge(around_light(limited(shares), &app.ambient))
        .nest("/v1", around(limited(v1.with_state(app.clone())), &app.ambient))
        .nest(
            "/upload",
            around(
                limited(uploads().route_layer(middleware::from_fn(require_json)).with_state(app.clone())),
                &app.ambient,
            ),
        )
}

/// Followed more often than all else together, and without a body to compress or to repeat: each layer less counts.
fn shares() -> Router<App> {
    Router::new()
        .route("/v1/stream/{track_id}/{api_key}", get(stream::redirect::redirect))
        .method_not_allowed_fallback(method_not_allowed)
}

fn v1() -> Router<App> {
    Router::new()
        .route("/play_session/collection", post(play_session::create::for_collection))
        .route("/play_session/track", post(play_session::create::for_track))
        .route(
            "/play_session/{play_session_id}",
            get(play_session::read::read).fallback(play_session::create::elsewhere),
        )
        .route("/play/{play_session_id}/{play_track_id}", get(play::track::track))
        .route(
            "/play/{play_session_id}/{play_track_id}/{variant_index}/download",
            get(play::download::download),
        )
        .route("/track", post(track::create::create))
        .route(
            "/track/{track_id}",
            get(track::read::read).put(track::update::update).delete(track::delete::delete),
        )
        .route("/track/{track_id}/variant", post(track::add_variant::add_variant))
        .route("/track/{track_id}/retry", post(track::retry::retry))
        .route("/track/{track_id}/cover", post(track::renew_cover_upload::renew_cover_upload))
        .route("/upload_session", post(upload_session::create::create))
        .route("/upload_session/{upload_session_id}", get(upload_session::read::read))
        .route("/upload/{upload_session_id}/track", post(upload_session::create_track::create_track))
        .route(
            "/organization/{organization_id}",
            get(organization::read::read).put(organization::update::update),
        )
        .route("/collection", get(collection::list::list).post(collection::create::create))
        .route(
            "/collection/{collection_id}",
            get(collection::read::read).put(collection::update::update).delete(collection::delete::delete),
        )
        .route("/collection/{collection_id}/track", get(track::list::list))
        .route("/collection/{collection_id}/cover", post(collection::renew_cover_upload::renew_cover_upload))
        .route("/creator", get(creator::list::list).post(creator::create::create))
        .route(
            "/creator/{creator_id}",
            get(creator::read::read).put(creator::update::update).delete(creator::delete::delete),
        )
        .route("/variant", get(variant::list::list))
        .route("/variant/{variant_id}", get(variant::read::read))
        .route("/api_key", post(api_key::create::create))
        .route("/usage", get(usage::read::read))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
}

/// No limit of size or time is around these: each endpoint has its own.
fn uploads() -> Router<App> {
    Router::new()
        // A router has one name for one place: the id is a track's or a collection's.
        .route("/{organization_id}/{id}/source", put(upload::source::source))
        .route("/{organization_id}/{id}/cover", post(upload::cover::cover))
        .route("/{organization_id}/{id}/collection_cover", post(upload::collection_cover::collection_cover))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::disable())
}

/// What answers with a body go through.
fn around(router: Router, ambient: &Ambient) -> Router {
    around_light(router, ambient).layer(CompressionLayer::new())
}

/// What every answer goes through, the outermost first. All of them carry credentials, so none is to be stored.
fn around_light(router: Router, ambient: &Ambient) -> Router {
    router.layer(
        ServiceBuilder::new()
            .layer(middleware::from_fn_with_state(ambient.clone(), identify))
            .layer(SetResponseHeaderLayer::overriding(CACHE_CONTROL, HeaderValue::from_static("no-store")))
            .layer(cors())
            .layer(CatchPanicLayer::custom(panicked)),
    )
}

async fn not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address")
}

pub(crate) async fn method_not_allowed() -> ApiError {
    let message = "this address does not have that method; the Allow header names those it has";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}

fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    ApiError::panicked(text.unwrap_or_else(|| "of an unknown kind".to_owned())).into_response()
}

/// Gives a request up that takes too long; what it had begun in the database is rolled back, unless it can be repeated (see
/// [`repeat`]): then it goes on without its client.
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
        let router = around(Router::new().route("/", get(fails)), &ambient);
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
        let body = to_bytes(response.into_body(), 10_000).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((&body["code"], &body["api_request_id"]), (&"internal_error".into(), &id.into()));
        assert!(!body.to_string().contains("secret"));
    }
}
