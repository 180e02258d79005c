//! `Idempotency-Key`: a POST that is retried within a day receives the response of the first request, and is executed
//! only once.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use sha2::{Digest, Sha256};
use tonearm_domain::{OrganizationId, RequestId, RequestOrganization, UploadSessionId};
use tonearm_service::{Access, AttemptOutcome, IdempotentRequest, Refusal, RequestAttempt};
use tracing::Instrument;
use uuid::Uuid;

use crate::app::App;
use crate::bearer::bearer;
use crate::error::ApiError;
use crate::extract::{origin, read};
use crate::request_id::CurrentRequest;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Marks a replayed response.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

const LONGEST_KEY: usize = 255;

/// Seconds after which a client may retry while the first request is still in progress.
const RETRY_AFTER_SECONDS: u64 = 2;

/// Maximum size in bytes of a response that is stored: a play session of tens of thousands of tracks.
const LARGEST_ANSWER: usize = 32 << 20;

/// Length in bytes of the request id (a UUID) that is stored with a response.
const ID_LEN: usize = 16;

/// Executes the first request with a key. Other requests with the key wait for its response and receive the same one.
///
/// The request is executed in a separate task, so it continues if the client disconnects or receives a timeout. Only
/// successful responses are stored: a refused request changed nothing and may be retried with the same key. Callers who
/// are not, or no longer, authorized receive no stored responses.
pub(crate) async fn repeat(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST || !request.headers().contains_key(IDEMPOTENCY_KEY) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let (credential, organization_id) = match credential(&app, &parts.headers, &parts.uri).await {
        Ok(Some(credential)) => credential,
        Ok(None) => return next.run(Request::from_parts(parts, body)).await,
        Err(refusal) => return refuse(refusal),
    };
    RequestOrganization::note(parts.extensions.get(), organization_id);
    let key = match key(&parts.headers) {
        Ok(key) => key,
        Err(error) => return error.into_response(),
    };
    let body = match read(&parts, body, app.settings.max_json_bytes).await {
        Ok(body) => body,
        Err(error) => return error.into_response(),
    };
    let repeatable = IdempotentRequest {
        caller: Sha256::digest(&credential).into(),
        organization_id,
        key,
        fingerprint: fingerprint(&parts.uri, &body),
    };
    let request = Request::from_parts(parts, Body::from(body));
    let answered = tokio::spawn(answer(app, repeatable, credential, request, next).in_current_span());
    match answered.await {
        Ok(response) => response,
        Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
        // The runtime is shutting down.
        Err(_) => ApiError::timed_out().into_response(),
    }
}

async fn answer(
    app: App,
    repeatable: IdempotentRequest,
    credential: String,
    request: Request,
    next: Next,
) -> Response {
    // Shorter than the timeout: the client must learn that the first request is still in progress, not that its own
    // request timed out.
    let wait = app.settings.request_timeout.mul_f64(0.9);
    let claim = match app.repeats.begin(&repeatable, &credential, wait).await {
        Ok(RequestAttempt::First(claim)) => claim,
        Ok(RequestAttempt::Again(kept)) => {
            // The credential may have ended while the body or the response to the first request was awaited. Then the
            // endpoint refuses the request.
            return match self::credential(&app, request.headers(), request.uri()).await {
                Ok(Some(_)) => replay(&kept),
                Ok(None) => next.run(request).await,
                Err(refusal) => refuse(refusal),
            };
        }
        Err(refusal) => return refuse(refusal),
    };
    let id = request.extensions().get::<CurrentRequest>().copied();
    let work = async { collect(id, next.run(request).await).await };
    app.repeats.work(&claim, &credential, work).await.unwrap_or_else(refuse)
}

fn refuse(refusal: Refusal) -> Response {
    let is_in_progress = matches!(refusal, Refusal::Conflict { .. });
    let error = ApiError::from(refusal);
    if is_in_progress { error.after(RETRY_AFTER_SECONDS) } else { error }.into_response()
}

/// The valid credential of the caller and its organization, if there is one. An error means that this is not known: the
/// request must not be executed, as it might have been before.
async fn credential(
    app: &App,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<Option<(String, OrganizationId)>, Refusal> {
    match identified(app, headers, uri).await {
        // The endpoint refuses it as well.
        Err(refusal) if !refusal.is_failure() => Ok(None),
        identified => identified,
    }
}

/// A key that may be used from the page that sends the request, or the upload session in the path.
async fn identified(
    app: &App,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<Option<(String, OrganizationId)>, Refusal> {
    if let Ok(text) = bearer(headers) {
        let key = app.access.bearer(text).await?;
        Access::require_origin(&key, origin(headers))?;
        return Ok(Some((text.to_owned(), key.organization_id)));
    }
    // Nested routers see the path without `/v1`.
    let mut segments = uri.path().split('/').skip_while(|segment| *segment != "upload").skip(1);
    let session = segments.next().and_then(|segment| segment.parse::<UploadSessionId>().ok());
    let Some(session) = session else { return Ok(None) };
    let view = app.uploads.upload_session(session).await?;
    Ok(Some((session.to_string(), view.session.organization_id)))
}

fn key(headers: &HeaderMap) -> Result<String, ApiError> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    match (values.next().and_then(|value| value.to_str().ok()), values.next()) {
        (Some(key), None) if (1..=LONGEST_KEY).contains(&key.len()) => Ok(key.to_owned()),
        _ => Err(ApiError::invalid(
            "Idempotency-Key",
            "must be a single value of 1 to 255 printable ASCII characters",
        )),
    }
}

fn fingerprint(uri: &Uri, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(uri.to_string());
    hash.update([0]);
    hash.update(body);
    hash.finalize().into()
}

/// The response of a request, and the part of it to store: the request id and the body, if the request was successful.
async fn collect(id: Option<CurrentRequest>, response: Response) -> AttemptOutcome<Response> {
    let Some(CurrentRequest(id)) = id.filter(|_| response.status() == StatusCode::OK) else {
        return AttemptOutcome { answer: response, kept: None };
    };
    let (parts, body) = response.into_parts();
    match to_bytes(body, LARGEST_ANSWER).await {
        Ok(body) => {
            let kept = [id.uuid().as_bytes().as_slice(), &body].concat();
            AttemptOutcome { answer: Response::from_parts(parts, Body::from(body)), kept: Some(kept) }
        }
        Err(error) => {
            let error = ApiError::from(Refusal::Internal(error.into()));
            AttemptOutcome { answer: error.into_response(), kept: None }
        }
    }
}

fn replay(kept: &[u8]) -> Response {
    let Some((id, body)) = kept.split_first_chunk::<ID_LEN>() else {
        return ApiError::from(Refusal::Internal("a stored response is too short".into())).into_response();
    };
    let mut response = Bytes::copy_from_slice(body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    // The body contains the id of the first request, so the header must contain it, too.
    response.extensions_mut().insert(CurrentRequest(RequestId::from_uuid(Uuid::from_bytes(*id))));
    response
}
