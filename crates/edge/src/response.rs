//! The headers of responses.

use std::ops::Range;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use tonearm_domain::{CachePolicy, ContentType, ObjectKey, RequestId};

use crate::body::Content;
use crate::disposition;
use crate::validators::Validators;

/// The methods allowed for an object.
pub(crate) const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// The name of the header with the id of a request.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Lets pages of other origins embed the object, including those that require this header for isolation.
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Content-Range, Accept-Ranges, Content-Length, ETag, Location, Retry-After, X-Request-Id",
);

const ALLOWED_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, Content-Type, Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, X-Request-Id",
);

/// How long a browser may remember a preflight, in seconds: a day.
const PREFLIGHT_MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

/// Adds the headers that every response has.
pub(crate) fn finish(headers: &mut HeaderMap, request_id: RequestId) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    let id = HeaderValue::try_from(request_id.to_string()).expect("a UUID is ASCII");
    headers.insert(X_REQUEST_ID, id);
}

/// The response to OPTIONS, whether or not it is a CORS preflight.
pub(crate) fn preflight() -> Response<Content> {
    let mut response = status(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(header::ALLOW, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE);
    response
}

/// 304, with the headers from which a cache updates its copy.
pub(crate) fn not_modified(validators: &Validators) -> Response<Content> {
    let mut response = status(StatusCode::NOT_MODIFIED);
    caching(response.headers_mut(), validators);
    response
}

/// 200, still without a body.
pub(crate) fn whole(key: &ObjectKey, validators: &Validators, size: u64) -> Response<Content> {
    let mut response = status(StatusCode::OK);
    let headers = response.headers_mut();
    describe(headers, validators, size);
    headers.insert(header::CONTENT_TYPE, mime(key.file.content_type));
    response
}

/// 206 of one range, still without a body.
pub(crate) fn partial(
    key: &ObjectKey,
    validators: &Validators,
    range: &Range<u64>,
    size: u64,
) -> Response<Content> {
    let mut response = status(StatusCode::PARTIAL_CONTENT);
    let headers = response.headers_mut();
    describe(headers, validators, range.end - range.start);
    headers.insert(header::CONTENT_TYPE, mime(key.file.content_type));
    let range = HeaderValue::try_from(content_range(range, size)).expect("digits are ASCII");
    headers.insert(header::CONTENT_RANGE, range);
    response
}

/// 206 of several ranges, still without a body. `content_type` is the multipart type, with its boundary.
pub(crate) fn multipart(
    content_type: HeaderValue,
    validators: &Validators,
    length: u64,
) -> Response<Content> {
    let mut response = status(StatusCode::PARTIAL_CONTENT);
    let headers = response.headers_mut();
    describe(headers, validators, length);
    headers.insert(header::CONTENT_TYPE, content_type);
    response
}

/// Tells caches that clients that accept other types may get another form.
pub(crate) fn varies(headers: &mut HeaderMap) {
    headers.insert(header::VARY, HeaderValue::from_static("Accept"));
}

/// How long a cache may assume that a path still leads to the same object, in seconds.
const SHORT_SECONDS: i64 = 60;

/// Makes caches check after a minute, by the entity tag, whether the path still leads to the same object: a durable name,
/// or that of a cover whose smaller form may not have been made yet.
pub(crate) fn short_lived(headers: &mut HeaderMap, cache: CachePolicy, seconds_left: i64) {
    let value = match cache {
        CachePolicy::Private => format!("private, max-age={SHORT_SECONDS}"),
        CachePolicy::Public => {
            format!("public, max-age={SHORT_SECONDS}, s-maxage={}", seconds_left.clamp(0, SHORT_SECONDS))
        }
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::try_from(value).expect("digits are ASCII"));
}

/// Lets shared caches store the response until its URL expires. After that they would deliver what this node refuses.
pub(crate) fn shared(headers: &mut HeaderMap, seconds_left: i64) {
    let value = format!("public, max-age=31536000, s-maxage={}, immutable", seconds_left.max(0));
    headers.insert(header::CACHE_CONTROL, HeaderValue::try_from(value).expect("digits are ASCII"));
}

/// Makes browsers save the object as a file.
pub(crate) fn save_as(headers: &mut HeaderMap, name: &str) {
    headers.insert(header::CONTENT_DISPOSITION, disposition::attachment(name));
}

/// The value of `Content-Range` for a range that is not empty.
pub(crate) fn content_range(range: &Range<u64>, size: u64) -> String {
    format!("bytes {}-{}/{size}", range.start, range.end - 1)
}

pub(crate) fn status(status: StatusCode) -> Response<Content> {
    let mut response = Response::new(Content::Empty);
    *response.status_mut() = status;
    response
}

fn mime(content_type: ContentType) -> HeaderValue {
    HeaderValue::from_static(content_type.mime())
}

fn describe(headers: &mut HeaderMap, validators: &Validators, length: u64) {
    // One allocation for all headers that follow.
    headers.reserve(16);
    caching(headers, validators);
    headers.insert(header::CONTENT_LENGTH, length.into());
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

fn caching(headers: &mut HeaderMap, validators: &Validators) {
    headers.insert(header::ETAG, validators.etag_header());
    headers.insert(header::LAST_MODIFIED, validators.date_header());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(ObjectKey::CACHE_CONTROL));
}
