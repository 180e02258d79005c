//! `/healthz` and `/readyz`.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Json, Router};
use futures::TryFutureExt;
use serde_json::json;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout};
use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_domain::{ClientAddress, error_with_causes};
use tonearm_service::Space;

/// How long a report is reused: frequent health checks must not load what they check.
const CACHE_FOR: Duration = Duration::from_secs(5);

/// How long the check of one part may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// What readiness depends on; what a node does not use is left out.
pub(crate) struct Health {
    pub(crate) catalog: Option<Catalog>,
    pub(crate) blobs: Blobs,
    /// Becomes true when the check of ffmpeg at the start has passed.
    pub(crate) media: Option<watch::Receiver<bool>>,
    pub(crate) space: Space,
    /// Set if the store turns out, after the start, to belong to another database.
    pub(crate) is_other_store: Arc<AtomicBool>,
    /// Set once the node stops.
    pub(crate) is_stopping: Arc<AtomicBool>,
}

/// The state of each part: `ok`, `unavailable` or `not used`.
#[derive(Debug, Clone, Copy)]
struct Report {
    database: &'static str,
    store: &'static str,
    ffmpeg: &'static str,
    space: &'static str,
}

impl Report {
    fn is_ok(self) -> bool {
        [self.database, self.store, self.ffmpeg, self.space].iter().all(|part| *part != UNAVAILABLE)
    }
}

const OK: &str = "ok";
const UNAVAILABLE: &str = "unavailable";
const NOT_USED: &str = "not used";

/// The last report and when it was made.
type Last = Mutex<Option<(Instant, Report)>>;

impl Health {
    pub(crate) fn router(self) -> Router {
        let (health, last) = (Arc::new(self), Arc::new(Last::default()));
        let ready = async move |Extension(client): Extension<ClientAddress>| {
            // Runs in a separate task. Otherwise, a client that disconnects would leave no report for the next one.
            let report = tokio::spawn({
                let health = Arc::clone(&health);
                async move { health.cached_report(&last).await }
            });
            health.respond(report.await.ok(), client.ip().is_loopback())
        };
        Router::new().route("/healthz", get(async || Json(json!({"ok": true})))).route("/readyz", get(ready))
    }

    /// Responds with 200 if everything is reachable and has free space, else with 503. Only clients on this machine
    /// learn which part is unavailable.
    fn respond(&self, report: Option<Report>, is_local: bool) -> Response {
        if self.is_stopping.load(Ordering::Relaxed) {
            return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"ok": false, "stopping": true})))
                .into_response();
        }
        let Some(report) = report else {
            return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"ok": false}))).into_response();
        };
        let status = if report.is_ok() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        let mut body = json!({"ok": report.is_ok()});
        if is_local {
            let Report { database, store, ffmpeg, space } = report;
            body = json!({
                "ok": report.is_ok(), "database": database, "store": store, "ffmpeg": ffmpeg, "space": space,
            });
        }
        (status, Json(body)).into_response()
    }

    /// A recent report. Of several concurrent requests, one runs the checks and the others wait for it.
    async fn cached_report(&self, last: &Last) -> Report {
        let mut last = last.lock().await;
        if let Some((made_at, report)) = *last
            && made_at.elapsed() < CACHE_FOR
        {
            return report;
        }
        let report = self.check().await;
        *last = Some((Instant::now(), report));
        report
    }

    async fn check(&self) -> Report {
        let database = async {
            match &self.catalog {
                Some(catalog) => {
                    part("catalog", catalog.ping().map_err(|error| error_with_causes(&error))).await
                }
                None => NOT_USED,
            }
        };
        let store = async {
            match self.is_other_store.load(Ordering::Relaxed) {
                true => UNAVAILABLE,
                false => part("store", self.blobs.check()).await,
            }
        };
        let ffmpeg = async {
            match self.media.clone() {
                Some(mut works) => part("ffmpeg", works.wait_for(|works| *works)).await,
                None => NOT_USED,
            }
        };
        let space = part("space", async { self.space.shortage().map_or(Ok(()), Err) });
        let (database, store, ffmpeg, space) = futures::join!(database, store, ffmpeg, space);
        Report { database, store, ffmpeg, space }
    }
}

async fn part<T, E: Display>(name: &str, checked: impl Future<Output = Result<T, E>>) -> &'static str {
    match timeout(CHECK_TIMEOUT, checked).await {
        Ok(Ok(_)) => OK,
        Ok(Err(error)) => {
            tracing::warn!(part = name, %error, "not ready");
            UNAVAILABLE
        }
        Err(_) => {
            tracing::warn!(part = name, "not ready: the check timed out");
            UNAVAILABLE
        }
    }
}
