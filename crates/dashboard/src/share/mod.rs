//! Public pages: the page of a share link, its embedded form, and the player data of both.
//!
//! If the link's key gives no access, for whatever reason, the same page says that there is nothing.

mod captions;
mod collection;
mod cover;
mod download;
mod page;
mod policy;
mod refused;
mod snippet;
mod track;
mod turns;

use std::any::Any;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::get;
use http::{HeaderName, HeaderValue};
use tonearm_domain::Ambient;
use tonearm_service::{Playback, Refusal};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;

use self::policy::Framing;
use self::refused::Refused;
use crate::router::without_slash;
use crate::{embed, request_id, text};

pub(crate) use snippet::{EmbedOptions, Size, Snippets, Theme};

/// Pages of other origins that are cross-origin isolated embed only what has this header.
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const FROM_ANYWHERE: HeaderValue = HeaderValue::from_static("cross-origin");

/// The services behind the public pages. Cheap to clone.
#[derive(Clone)]
pub struct PublicPages {
    /// Opens share links.
    pub playback: Playback,
    /// The public URL of the service, without a trailing slash.
    pub public_url: String,
    /// Generates request ids.
    pub ambient: Ambient,
}

/// `/share/…` and `/embed/…`, to be merged with other routers. None of them uses cookies.
pub fn public_routes(pages: PublicPages) -> Router {
    let routes = Router::new()
        .route("/share/{first}", get(collection::page))
        .route("/share/{first}/{share_key}", get(track::page))
        .route("/share/{first}/{share_key}/cover", get(cover::redirect))
        .route("/share/{first}/{share_key}/download", get(download::redirect))
        .route("/share/{first}/", get(without_slash))
        .route("/share/{first}/{share_key}/", get(without_slash))
        .route("/embed/{first}/", get(without_slash))
        .route("/embed/{first}/{share_key}/", get(without_slash))
        .route("/embed/{first}", get(collection::framed))
        .route("/embed/{first}/player.json", get(collection::data))
        .route("/embed/{first}/{share_key}", get(track::framed))
        .route("/embed/{first}/{share_key}/player.json", get(track::data))
        .route("/embed/{first}/{share_key}/captions.vtt", get(captions::captions));
    let in_turn = from_fn_with_state((turns::turns(), pages.clone()), turns::in_turn);
    around(routes.layer(in_turn), &pages.ambient)
        .merge(embed::routes())
        .layer(SetResponseHeaderLayer::overriding(CROSS_ORIGIN_RESOURCE_POLICY, FROM_ANYWHERE))
        .with_state(pages)
}

/// The middleware of every page, the outermost layer first.
fn around<S: Clone + Send + Sync + 'static>(routes: Router<S>, ambient: &Ambient) -> Router<S> {
    routes.layer(
        ServiceBuilder::new()
            .layer(from_fn_with_state(ambient.clone(), request_id::identify))
            .layer(from_fn(text::negotiate))
            .layer(CatchPanicLayer::custom(panicked)),
    )
}

/// The requested page is no longer known here; the error page is the same with or without a frame.
fn panicked(panic: Box<dyn Any + Send>) -> Response {
    Refused::from(Refusal::panicked(&*panic)).page(Framing::Open)
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use http::{Request, StatusCode};
    use tower::ServiceExt;

    use super::*;

    async fn fails() -> &'static str {
        panic!("with a secret in it")
    }

    #[tokio::test]
    async fn a_panic_is_a_page_like_any_other() {
        let (ambient, _) = tonearm_fixtures::ambient();
        let router = around(Router::new().route("/share/{first}", get(fails)), &ambient);
        let request = Request::get("/share/a").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        let body = to_bytes(response.into_body(), 100_000).await.unwrap();
        let page = String::from_utf8(body.to_vec()).unwrap();
        assert!(page.contains("</html>") && !page.contains("secret"), "{page}");
    }
}
