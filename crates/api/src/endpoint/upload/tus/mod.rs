//! Uploads by the tus protocol, version 1.0.0 (<https://tus.io/protocols/resumable-upload>), with the extensions that
//! [`EXTENSIONS`] lists.

pub(crate) mod append;
mod checksum;
pub(crate) mod create;
mod fields;
mod metadata;
pub(crate) mod offset;
mod permit;
pub(crate) mod terminate;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::ACCEPT;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use tonearm_domain::ErrorCode;

use super::resumable::fields::{PARTIAL_UPLOAD, UPLOAD_LIMIT, limits};
use crate::app::App;
use crate::error::ApiError;

const TUS_RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const ACCEPT_PATCH: HeaderName = HeaderName::from_static("accept-patch");
const VERSION: &str = "1.0.0";
const EXTENSIONS: &str =
    "creation,creation-with-upload,creation-defer-length,expiration,checksum,termination,concatenation";

/// Refuses other versions of the protocol, and adds the supported version to every response.
pub(crate) async fn speak(mut request: Request, next: Next) -> Response {
    let version = request.headers().get(TUS_RESUMABLE);
    let mut response = if version.is_some_and(|version| version == VERSION) {
        // `Accept` is ignored, because the responses that matter have no body.
        request.headers_mut().remove(ACCEPT);
        next.run(request).await
    } else {
        let message = "this endpoint requires the tus protocol; send the header `Tus-Resumable: 1.0.0`";
        let error = ApiError::new(StatusCode::PRECONDITION_FAILED, ErrorCode::UnsupportedTusVersion, message);
        let mut response = error.into_response();
        response.headers_mut().insert("tus-version", HeaderValue::from_static(VERSION));
        response
    };
    response.headers_mut().insert(TUS_RESUMABLE, HeaderValue::from_static(VERSION));
    response
}

/// Adds the capabilities and limits of both upload protocols to responses to `OPTIONS`.
pub(crate) async fn announce(State(app): State<App>, request: Request, next: Next) -> Response {
    let is_question = request.method() == Method::OPTIONS;
    let mut response = next.run(request).await;
    if is_question {
        let most = app.uploads.max_source_bytes();
        let headers = response.headers_mut();
        headers.insert(TUS_RESUMABLE, HeaderValue::from_static(VERSION));
        headers.insert("tus-version", HeaderValue::from_static(VERSION));
        headers.insert("tus-extension", HeaderValue::from_static(EXTENSIONS));
        headers.insert("tus-checksum-algorithm", HeaderValue::from_static(checksum::ALGORITHMS));
        headers.insert("tus-max-size", most.into());
        headers.insert(ACCEPT_PATCH, HeaderValue::from_static(PARTIAL_UPLOAD));
        if let Ok(limit) = HeaderValue::try_from(limits(most, tonearm_domain::Upload::MOST_SECONDS)) {
            headers.insert(UPLOAD_LIMIT, limit);
        }
    }
    response
}
