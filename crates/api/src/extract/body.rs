//! JSON bodies.

use std::time::Duration;

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use tonearm_domain::{BodyBudget, CollectError, ErrorCode};
use tonearm_service::{CollectedBody, without_turn};

use super::key::require_still_valid;
use super::sentence::sentence;
use crate::app::App;
use crate::error::ApiError;

/// Bytes of a refused JSON body that are read and discarded, so that the client can read the response.
const DRAINED_BYTES: usize = 16 * 1024 * 1024;

/// How long a refused body is read and discarded.
const DRAINING_TIME: Duration = Duration::from_secs(5);

/// Seconds after which a client may send a body for which there was no memory.
const RETRY_AFTER_SECONDS: u64 = 5;

/// A JSON object as the body. An empty body is an object without fields. Unknown fields are ignored.
pub(crate) struct Body<T>(pub(crate) T);

/// The value of a required field.
pub(crate) fn required<T>(field: &'static str, value: Option<T>) -> Result<T, ApiError> {
    value.ok_or_else(|| ApiError::invalid(field, "is required"))
}

impl<T: DeserializeOwned> FromRequest<App> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        if !may_be_json(request.headers()) {
            let message = "the body must be JSON; send it with `Content-Type: application/json`";
            return Err(ApiError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                ErrorCode::UnsupportedMediaType,
                message,
            ));
        }
        let (parts, body) = request.into_parts();
        let bytes = without_turn(read(&parts, body, app.settings.max_json_bytes)).await??;
        require_still_valid(&parts.extensions, app).await?;
        parse(&bytes).map(Self)
    }
}

/// Whether a body is JSON according to its type. Without a type, the body is assumed to be JSON.
fn may_be_json(headers: &HeaderMap) -> bool {
    let Some(content_type) = headers.get(CONTENT_TYPE) else {
        return true;
    };
    let essence = content_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Reads a body of at most `limit` bytes. Some more of a larger one is read and discarded: see [`drain`].
pub(crate) async fn read(
    Parts { headers, extensions, .. }: &Parts,
    body: axum::body::Body,
    limit: usize,
) -> Result<Bytes, ApiError> {
    let announced: Option<u64> =
        headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let mut chunks = body.into_data_stream();
    let collected = match announced {
        Some(length) if length > limit as u64 => Err(CollectError::TooLarge),
        _ => BodyBudget::collect(extensions.get(), limit, |context| chunks.poll_next_unpin(context)).await,
    };
    match collected {
        Ok(whole) => {
            let whole = Bytes::from(whole);
            if let Some(collected) = extensions.get::<CollectedBody>() {
                collected.keep(&whole);
            }
            Ok(whole)
        }
        Err(CollectError::NoMemory) => Err(too_many_bodies()),
        Err(CollectError::Interrupted(_)) => {
            let message = "the body was interrupted before it was complete";
            Err(ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::BodyInterrupted, message))
        }
        Err(CollectError::TooLarge) => {
            drain(headers, chunks, DRAINED_BYTES).await;
            Err(ApiError::too_large(limit as u64))
        }
    }
}

fn too_many_bodies() -> ApiError {
    let message = "too many requests from this network are still being sent; try again shortly";
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::TooManyBodies, message)
        .after(RETRY_AFTER_SECONDS)
}

/// Reads up to `most` more bytes of the body of a refused request, and returns whether that was all of it.
///
/// A client that is still sending does not read the response, and loses it if the connection is closed. A client that
/// waits for `100 Continue` does not receive it.
pub(crate) async fn drain<S, E>(headers: &HeaderMap, mut rest: S, most: usize) -> bool
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    let drain = async {
        let mut drained = 0;
        while let Some(chunk) = rest.next().await {
            match chunk {
                Ok(chunk) if drained + chunk.len() <= most => drained += chunk.len(),
                _ => return false,
            }
        }
        true
    };
    !headers.contains_key(EXPECT) && tokio::time::timeout(DRAINING_TIME, drain).await.unwrap_or(false)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let bytes = if bytes.trim_ascii().is_empty() { b"{}" } else { bytes };
    // Serde would also accept an array with the fields in order.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(malformed("the body must be a JSON object"));
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let field = error.path().to_string();
        let message = sentence(error.inner());
        match error.inner().classify() {
            Category::Data if field != "." => ApiError::invalid(field, message),
            Category::Data => malformed(&format!("the body is invalid: {message}")),
            _ => malformed(&format!("the body is not valid JSON: {}", error.inner())),
        }
    })?;
    json.end().map_err(|_| malformed("the body has extra data after the JSON object"))?;
    Ok(value)
}

fn malformed(message: &str) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::MalformedJson, message)
}

#[cfg(test)]
mod tests {
    use axum::body::Body as AnyBody;
    use serde::Deserialize;
    use tonearm_domain::{ByteBudget, Colour, ExpiresIn, Patch, REQUEST_BYTES, Text};

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Example {
        title: Option<Text<3>>,
        colour: Patch<Colour>,
        expires_in: Option<ExpiresIn>,
        nested: Option<Box<Example>>,
    }

    fn refusal_of(json: &[u8]) -> ApiError {
        parse::<Example>(json).unwrap_err()
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(refusal_of(br#"{"title":1}"#).field(), Some("title"));
        assert_eq!(refusal_of(br#"{"title":"long"}"#).field(), Some("title"));
        assert_eq!(refusal_of(br#"{"colour":"red"}"#).field(), Some("colour"));
        assert_eq!(refusal_of(br#"{"expires_in":59}"#).field(), Some("expires_in"));
        assert_eq!(refusal_of(br#"{"nested":{"title":[]}}"#).field(), Some("nested.title"));
    }

    #[test]
    fn only_an_object_is_a_body() {
        let deep = "{\"a\":".repeat(1000);
        for bad in ["{", "[]", "null", "1", "{} {}", "{\"title\":\"\u{1}\"}", &deep] {
            assert_eq!(refusal_of(bad.as_bytes()).code(), ErrorCode::MalformedJson, "{bad}");
        }
        assert_eq!(refusal_of(b"{\"title\":\"\xff\"}").code(), ErrorCode::MalformedJson);
    }

    #[test]
    fn what_is_not_said_is_left_out() {
        for json in ["", " ", "{}", r#"{"title":null,"file_size":7}"#] {
            assert_eq!(parse::<Example>(json.as_bytes()).unwrap(), Example::default(), "{json}");
        }
    }

    #[tokio::test]
    async fn a_network_with_its_share_is_told_to_come_back() {
        let (mut parts, _) = Request::new(()).into_parts();
        let (budget, site) = (ByteBudget::new(3 * REQUEST_BYTES / 2, || {}), "192.0.2.1".parse().unwrap());
        parts.extensions.insert(BodyBudget { budget, site });
        let stalls = AnyBody::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
        let mut stalled = Box::pin(read(&parts, stalls, 2000));
        assert!(futures::poll!(stalled.as_mut()).is_pending());
        let refused = read(&parts, AnyBody::from("{}"), 2000).await.unwrap_err();
        assert_eq!(refused.code(), ErrorCode::TooManyBodies);
        drop(stalled);
        assert!(read(&parts, AnyBody::from("{}"), 2000).await.is_ok());
    }

    #[test]
    fn types_of_bodies() {
        let accepts = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, value.parse().unwrap());
            may_be_json(&headers)
        };
        assert!(may_be_json(&HeaderMap::new()));
        assert!(accepts("application/json; charset=utf-8"));
        assert!(accepts("Application/vnd.example+json"));
        assert!(!accepts("text/plain"));
        assert!(!accepts("application/x-www-form-urlencoded"));
    }
}
