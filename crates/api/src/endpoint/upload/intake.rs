//! Reads bodies of any size, chunk by chunk, with an idle timeout.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use http::header::CONNECTION;
use http::{HeaderMap, HeaderValue};

use crate::app::ApiSettings;
use crate::extract::drain;

/// Bytes of a refused upload that are read and discarded, so that the client can read the response.
const DRAINED_BYTES: usize = 1024 * 1024;

pub(super) type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// The sender sent no data for too long.
#[derive(Debug, thiserror::Error)]
#[error("no data was received for {} seconds", .0.as_secs())]
struct Stalled(Duration);

/// A body as it arrives. It ends with an error if no data arrives for `idle`.
pub(super) fn chunks(
    body: Body,
    idle: Duration,
) -> impl Stream<Item = Result<Bytes, BodyError>> + Send + Unpin {
    let next = move |body: Option<BodyDataStream>| async move {
        let mut body = body?;
        match tokio::time::timeout(idle, body.next()).await {
            Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(body))),
            Ok(Some(Err(error))) => Some((Err(error.into()), None)),
            Ok(None) => None,
            Err(_) => Some((Err(Stalled(idle).into()), None)),
        }
    };
    Box::pin(stream::unfold(Some(body.into_data_stream()), next).fuse())
}

/// Sends the response to a refused request whose body was not read at all.
pub(super) async fn refuse_unread(
    error: impl IntoResponse,
    settings: &ApiSettings,
    (headers, body): (&HeaderMap, Body),
) -> Response {
    refuse(error, headers, chunks(body, settings.upload_idle_timeout)).await
}

/// Sends the response to a refused request whose body may not have been read to its end. A little more of the body is
/// read (see [`drain`]). If that does not reach the end of the body, the connection is closed.
pub(super) async fn refuse<S, E>(error: impl IntoResponse, headers: &HeaderMap, rest: S) -> Response
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    let is_read = drain(headers, rest, DRAINED_BYTES).await;
    let mut response = error.into_response();
    if !is_read {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
