//! `/healthz` and `/readyz`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_media::Media;
use tonearm_service::Space;

/// What readiness depends on; what a node does not use is left out.
#[derive(Clone)]
pub(crate) struct Health {
    pub(crate) catalog: Option<Catalog>,
    pub(crate) blobs: Blobs,
    pub(crate) media: Option<Media>,
    pub(crate) space: Space,
    /// Set where the store turned out to belong to another database after the start.
    pub(crate) is_other_store: Arc<AtomicBool>,
}

impl Health {
    pub(crate) fn router(self) -> Router {
        let ready = move || {
            let health = self.clone();
            async move { health.ready().await }
        };
        Router::new().route("/healthz", get(async || Json(json!({"ok": true})))).route("/readyz", get(ready))
    }

    /// 200 where everything is reachable and has free space, else 503; each part by name.
    async fn ready(&self) -> Response {
        let catalog = async {
            match &self.catalog {
                Some(catalog) => report("catalog", catalog.ping().await),
                None => "not used",
            }
        };
        let media = async {
            match &self.media {
                Some(media) => report("ffmpeg", media.check().await),
                None => "not used",
            }
        };
        let store = async {
            match self.is_other_store.load(Ordering::Relaxed) {
                true => "unavailable",
                false => report("store", self.blobs.check().await),
            }
        };
        let space = async { report("space", self.space.shortage().await.map_or(Ok(()), Err)) };
        let (catalog, store, ffmpeg, space) = futures::join!(catalog, store, media, space);
        let ok = [catalog, store, ffmpeg, space].iter().all(|part| *part != "unavailable");
        let status = if ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        (
            status,
            Json(json!({"ok": ok, "database": catalog, "store": store, "ffmpeg": ffmpeg, "space": space})),
        )
            .into_response()
    }
}

fn report<T, E: std::fmt::Display>(part: &str, result: Result<T, E>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(error) => {
            tracing::warn!(part, %error, "not ready");
            "unavailable"
        }
    }
}
