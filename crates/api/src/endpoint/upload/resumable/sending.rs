//! Appends the body of a request to an upload.

use axum::body::Body;
use axum::response::Response;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use tokio::task::JoinError;
use tonearm_domain::{Origin, UploadId};
use tonearm_service::{PieceCheck, Refusal, UploadPiece, UploadProgress, UploadRefusal, Uploads};
use tracing::{Instrument, Span};

use super::interim::Announcements;
use super::refusal::UploadError;
use crate::app::ApiSettings;
use crate::endpoint::upload::intake::{chunks, refuse, refuse_unread};

/// The properties of the bytes in a request's body.
pub(crate) struct Sent {
    pub(crate) offset: u64,
    pub(crate) length: Option<u64>,
    pub(crate) is_last: bool,
    pub(crate) check: Option<Box<dyn PieceCheck>>,
    /// Informed of the durable bytes while more bytes arrive.
    pub(crate) announcements: Option<Announcements>,
}

/// Appends a body to an upload in a separate task, so that the bytes that have arrived are stored even if the client
/// disconnects, which ends the body. In case of an error, a little more of the body is read before the response is
/// sent.
pub(crate) async fn append(
    (uploads, settings): (Uploads, ApiSettings),
    origin: Origin,
    id: UploadId,
    sent: Sent,
    (headers, body): (HeaderMap, Body),
) -> Result<UploadProgress, Response> {
    let size = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let mut body = chunks(body, settings.upload_idle_timeout);
    let work = async move {
        let Sent { offset, length, is_last, check, announcements } = sent;
        let on_durable = announcements.map(|to| Box::new(move |offset| to.durable(offset)) as _);
        let piece = UploadPiece { offset, size, length, is_last, check, on_durable, body: &mut body };
        (uploads.append(origin, id, piece).await, body)
    };
    match tokio::spawn(work.instrument(Span::current())).await {
        Ok((Ok(progress), _)) => Ok(progress),
        Ok((Err(refusal), body)) => Err(refuse(UploadError::from(refusal), &headers, body).await),
        Err(error) => Err(refuse_unread(failed(error), &settings, (&headers, Body::empty())).await),
    }
}

fn failed(error: JoinError) -> UploadError {
    UploadRefusal::Refused(Refusal::Internal(error.into())).into()
}
