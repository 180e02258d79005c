//! Responses with a public page.

use askama::Template;
use axum::response::{Html, IntoResponse, Response};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, StatusCode};

use super::policy::{Framing, policy};

const EMBEDDER_POLICY: HeaderName = HeaderName::from_static("cross-origin-embedder-policy");
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// A rendered page. It is never cached, because the key may be revoked. Its address holds the key, so the page sends no
/// referrer to other sites, and asks search engines not to index it.
pub(super) fn answer(
    status: StatusCode,
    page: &impl Template,
    style: &str,
    delivery_origin: &str,
    framing: Framing,
) -> Response {
    let html = match page.render() {
        Ok(html) => html,
        Err(error) => {
            tracing::error!(%error, "a public page could not be rendered");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let headers = [
        (CACHE_CONTROL, "no-store".to_owned()),
        (CONTENT_SECURITY_POLICY, policy(style, delivery_origin, framing)),
        (REFERRER_POLICY, "same-origin".to_owned()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (ROBOTS, "noindex".to_owned()),
    ];
    let mut response = (status, headers, Html(html)).into_response();
    if framing == Framing::Open {
        // Pages that are cross-origin isolated frame only pages that require it, too.
        response.headers_mut().insert(EMBEDDER_POLICY, HeaderValue::from_static("require-corp"));
    }
    response
}
