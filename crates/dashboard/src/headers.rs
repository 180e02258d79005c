//! Headers that every page carries.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue};
use tonearm_domain::OrganizationId;

use crate::app::Dashboard;

/// Adds the headers. Headers that a page has set itself are kept, such as the caching of immutable files.
pub(crate) async fn protect(State(app): State<Dashboard>, request: Request, next: Next) -> Response {
    let organization = request.uri().path().split('/').nth(1).and_then(|text| text.parse().ok());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(CONTENT_SECURITY_POLICY).or_insert_with(|| policy(&app, organization));
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Our own pages frame each other during playback.
        (X_FRAME_OPTIONS, "SAMEORIGIN"),
        // The addresses of sign-in links must not leak to other sites.
        (REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Allows only our own files, and the organization's media and uploads at their origins.
fn policy(app: &Dashboard, organization: Option<OrganizationId>) -> HeaderValue {
    let media = organization.map(|id| app.links.delivery_origin(id)).unwrap_or_default();
    let api = origin(app.links.public_url());
    let text = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: {media}; \
         media-src 'self' blob: {media}; connect-src 'self' {api} {media}; font-src 'self'; form-action 'self'; \
         frame-src 'self'; frame-ancestors 'self'; base-uri 'none'"
    );
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
}

/// Scheme and host of a URL that was validated before.
fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find('/').map_or(url.len(), |at| start + at);
    &url[..end]
}
