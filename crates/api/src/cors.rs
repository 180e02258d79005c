//! Cross-origin requests are allowed from every origin. The credentials are keys and session ids, never cookies.

use std::time::Duration;

use http::{HeaderName, Method, header};
use tower_http::cors::{Any, CorsLayer};

const fn named(name: &'static str) -> HeaderName {
    HeaderName::from_static(name)
}

/// Allows every origin. A preflight response is valid for a day.
pub(crate) fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::ACCEPT,
            header::ACCEPT_LANGUAGE,
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::RANGE,
            named("content-digest"),
            named("content-md5"),
            named("repr-digest"),
            named("idempotency-key"),
            named("tus-resumable"),
            named("upload-checksum"),
            named("upload-complete"),
            named("upload-concat"),
            named("upload-defer-length"),
            named("upload-draft-interop-version"),
            named("upload-length"),
            named("upload-metadata"),
            named("upload-offset"),
            named("x-http-method-override"),
            named("x-request-id"),
            named("x-requested-with"),
        ])
        .expose_headers([
            header::CONTENT_RANGE,
            header::ACCEPT_RANGES,
            header::CONTENT_LENGTH,
            header::ETAG,
            header::LOCATION,
            header::RETRY_AFTER,
            named("tonearm-track-id"),
            named("tus-checksum-algorithm"),
            named("tus-extension"),
            named("tus-max-size"),
            named("tus-resumable"),
            named("tus-version"),
            named("upload-complete"),
            named("upload-concat"),
            named("upload-defer-length"),
            named("upload-expires"),
            named("upload-length"),
            named("upload-limit"),
            named("upload-metadata"),
            named("upload-offset"),
            named("x-request-id"),
        ])
        .max_age(Duration::from_secs(24 * 3600))
}
