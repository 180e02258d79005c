//! Metrics of requests that are not for objects, by route.

use std::time::Duration;

use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use tonearm_telemetry::{RunningUpload, Stopwatch, requested};

/// The route label of requests that match no route: all of them form one series.
const UNKNOWN: &str = "unknown";

/// Middleware around the router of a node that counts and times requests.
pub async fn measure(request: Request, next: Next) -> Response {
    let watch = Stopwatch::start();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(UNKNOWN, MatchedPath::as_str);
    let _upload = is_upload(route, request.method()).then(RunningUpload::begin);
    let response = next.run(request).await;
    requested(route, surface_of(route), response.status().as_u16(), watch.elapsed());
    response
}

/// Counts a request that is answered before it reaches a router.
pub(crate) fn count_unrouted(status: StatusCode) {
    let elapsed = tonearm_telemetry::is_on().then_some(Duration::ZERO);
    requested(UNKNOWN, surface_of(UNKNOWN), status.as_u16(), elapsed);
}

fn is_upload(route: &str, method: &Method) -> bool {
    route.starts_with("/upload") && matches!(*method, Method::PUT | Method::POST | Method::PATCH)
}

/// The part of the service that a route belongs to.
fn surface_of(route: &str) -> &'static str {
    let is_in = |prefix: &str| {
        route.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match route {
        "/healthz" | "/readyz" => "health",
        UNKNOWN => UNKNOWN,
        _ if is_in("/v1/stream") => "share",
        _ if is_in("/v1") => "api",
        _ if is_in("/upload") => "upload",
        _ if is_in("/dashboard") => "dashboard",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_belong_to_parts() {
        for (route, surface) in [
            ("/v1/track/{track_id}", "api"),
            ("/v1/stream/{track_id}/{api_key}", "share"),
            ("/upload/{organization_id}/{id}/source", "upload"),
            ("/dashboard", "dashboard"),
            ("/dashboardish", "other"),
            ("/readyz", "health"),
            (UNKNOWN, UNKNOWN),
        ] {
            assert_eq!(surface_of(route), surface, "{route}");
        }
        assert!(is_upload("/upload/{organization_id}/{id}/source", &Method::PUT));
        assert!(!is_upload("/upload/{organization_id}/{id}/source", &Method::HEAD));
    }
}
