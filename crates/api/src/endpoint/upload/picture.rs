//! Reads a picture: from the field `file` of a form, or from the body itself.

use axum::body::Body;
use axum::extract::{FromRequest, Multipart, Request};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::Stream;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use tonearm_domain::{CoverOwner, ErrorCode, OrganizationId, Origin};
use tonearm_service::{ReceiveTerms, ReceivedFile, Refusal, Uploads};
use utoipa::ToSchema;

use super::intake::{BodyError, chunks, refuse};
use crate::address::address;
use crate::app::ApiSettings;
use crate::error::ApiError;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// Bytes that a form may have in addition to the picture.
const FORM_BYTES: u64 = 64 * 1024;

/// The form in which browsers send a picture. Other fields are ignored.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes what is read field by field")]
pub(crate) struct PictureForm {
    /// The picture.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// What an upload URL permits: whose cover to set, and the response once it is set.
pub(super) struct Permit<T> {
    pub(super) organization_id: OrganizationId,
    pub(super) owner: CoverOwner,
    pub(super) answer: T,
}

/// Sets the cover that the permit is for, from the picture in the request.
pub(super) async fn accept<T: Serialize>(
    permit: Result<Permit<T>, ApiError>,
    current: CurrentRequest,
    uploads: Uploads,
    settings: ApiSettings,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let mut body = chunks(body, settings.upload_idle_timeout);
    let accepted = async {
        let Permit { organization_id, owner, answer } = permit?;
        uploads.begin_cover(organization_id, owner, announced_picture(&parts.headers)).await?;
        let received = picture(&parts.headers, &mut body, &uploads, organization_id).await?;
        let origin = Origin::uploader(None, address(&parts.extensions));
        let picture = uploads.load_picture(received).await?;
        uploads.accept_cover(origin, organization_id, owner, picture.bytes.clone()).await?;
        Ok::<_, ApiError>(answer)
    };
    match accepted.await {
        Ok::<_, ApiError>(answer) => Answer::traced(current, answer).into_response(),
        Err(error) => refuse(error, &parts.headers, body).await,
    }
}

async fn picture<S>(
    headers: &HeaderMap,
    body: &mut S,
    uploads: &Uploads,
    organization_id: OrganizationId,
) -> Result<ReceivedFile, ApiError>
where
    S: Stream<Item = Result<Bytes, BodyError>> + Unpin,
{
    let terms =
        ReceiveTerms { organization_id, limit: uploads.max_cover_bytes(), announced: announced(headers) };
    let Some(form) = headers.get(CONTENT_TYPE).filter(|value| is_form(value.as_bytes())) else {
        return uploads.receive_picture(terms, body).await.map_err(refuse_body);
    };
    let whole = ReceiveTerms { limit: terms.limit + FORM_BYTES, ..terms };
    let whole = uploads.receive_picture(whole, body).await.map_err(refuse_body)?;
    let mut request = Request::new(Body::from_stream(whole.into_stream()));
    request.headers_mut().insert(CONTENT_TYPE, form.clone());
    file_field(request, uploads, ReceiveTerms { announced: None, ..terms }).await
}

fn refuse_body(refusal: Refusal) -> ApiError {
    match refusal {
        Refusal::TooLarge { limit } => ApiError::too_large(limit),
        other => other.into(),
    }
}

fn is_form(content_type: &[u8]) -> bool {
    let form = b"multipart/form-data";
    content_type.get(..form.len()).is_some_and(|start| start.eq_ignore_ascii_case(form))
}

/// The size of the body, from `Content-Length`.
fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The size of the picture, from `Content-Length`. Unknown for a form, as the size of its other parts is unknown.
fn announced_picture(headers: &HeaderMap) -> Option<u64> {
    let is_form = headers.get(CONTENT_TYPE).is_some_and(|value| is_form(value.as_bytes()));
    announced(headers).filter(|_| !is_form)
}

/// The field `file` of a form.
async fn file_field(
    request: Request,
    uploads: &Uploads,
    terms: ReceiveTerms,
) -> Result<ReceivedFile, ApiError> {
    let malformed =
        |_| ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::MalformedForm, "the body is not a valid form");
    let mut form =
        Multipart::from_request(request, &()).await.map_err(|error| malformed(error.to_string()))?;
    while let Some(field) = form.next_field().await.map_err(|error| malformed(error.to_string()))? {
        if field.name() == Some("file") {
            return uploads.receive_picture(terms, field).await.map_err(|refusal| match refusal {
                Refusal::Interrupted(error) => malformed(error.to_string()),
                other => refuse_body(other),
            });
        }
    }
    Err(ApiError::invalid("file", "is required and must contain the picture"))
}
