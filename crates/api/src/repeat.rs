//! `Idempotency-Key`: a POST that is repeated within a day gets the first answer again, and nothing is done twice.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use sha2::{Digest, Sha256};
use tonearm_domain::{RequestId, UploadSessionId};
use tonearm_service::{AttemptOutcome, IdempotentRequest, Refusal, RequestAttempt};
use tracing::Instrument;
use uuid::Uuid;

use crate::app::App;
use crate::bearer::bearer;
use crate::error::ApiError;
use crate::request_id::CurrentRequest;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Tells a repeated answer from a first one.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

const LONGEST_KEY: usize = 255;

/// Seconds after which a request whose first one is still at work may be asked again.
const RETRY_AFTER_SECONDS: u64 = 2;

/// Most bytes of an answer that are kept: a play session of tens of thousands of tracks.
const LARGEST_ANSWER: usize = 32 << 20;

/// Bytes of a UUID, which an answer is kept with.
const ID_LEN: usize = 16;

/// Lets the first request with a key through and answers the others as it was answered, which they wait for.
///
/// The request is worked off in a task of its own: it goes on when the client goes away, or is told that it took too long.
/// Only successes are kept: whatever was refused changed nothing and may be tried again under the same key. Whoever is not
/// let in (any more) gets no kept answers either.
pub(crate) async fn repeat(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST || !request.headers().contains_key(IDEMPOTENCY_KEY) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Some(credential) = credential(&app, &parts.headers, &parts.uri).await else {
        return next.run(Request::from_parts(parts, body)).await;
    };
    let key = match key(&parts.headers) {
        Ok(key) => key,
        Err(error) => return error.into_response(),
    };
    let Ok(body) = to_bytes(body, app.settings.max_json_bytes).await else {
        return ApiError::too_large(app.settings.max_json_bytes as u64).into_response();
    };
    let repeatable = IdempotentRequest {
        caller: Sha256::digest(&credential).into(),
        key,
        fingerprint: fingerprint(&parts.uri, &body),
    };
    let request = Request::from_parts(parts, Body::from(body));
    let answered = tokio::spawn(answer(app, repeatable, credential, request, next).in_current_span());
    match answered.await {
        Ok(response) => response,
        Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
        // The runtime is going down.
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
    // The client is to read that the first is still at work, and not that its own request took too long.
    let wait = app.settings.request_timeout.mul_f64(0.9);
    let claim = match app.repeats.begin(&repeatable, &credential, wait).await {
        Ok(RequestAttempt::First(claim)) => claim,
        Ok(RequestAttempt::Again(kept)) => return replay(&kept),
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

/// What the caller is let in by, if it is: a key, or the upload session in the path.
async fn credential(app: &App, headers: &HeaderMap, uri: &Uri) -> Option<String> {
    if let Ok(text) = bearer(headers) {
        return app.access.bearer(text).await.is_ok().then(|| text.to_owned());
    }
    // Nested routers see the path without `/v1`.
    let mut segments = uri.path().split('/').skip_while(|segment| *segment != "upload").skip(1);
    let session: UploadSessionId = segments.next()?.parse().ok()?;
    app.uploads.upload_session(session).await.is_ok().then(|| session.to_string())
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

/// The answer of a request, and what is kept of it: the id of the request and the body, where it is a success.
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
    // The answer speaks of the first request, and so does its header.
    response.extensions_mut().insert(CurrentRequest(RequestId::from_uuid(Uuid::from_bytes(*id))));
    response
}
