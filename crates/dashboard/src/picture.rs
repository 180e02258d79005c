//! A picture in a form.

use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use http::StatusCode;
use tokio::time::{Instant, timeout_at};
use tonearm_domain::OrganizationId;
use tonearm_service::{LoadedPicture, ReceiveTerms, Refusal, Uploads};

use crate::error::PageError;
use crate::form::{Fields, MOST_BYTES, READ_WITHIN};

/// The field `file`.
pub(crate) async fn picture(
    mut form: Multipart,
    uploads: &Uploads,
    organization_id: OrganizationId,
) -> Result<LoadedPicture, PageError> {
    while let Some(field) = form.next_field().await.map_err(broken)? {
        if field.name() == Some("file") {
            return received(field, uploads, organization_id).await;
        }
    }
    Err(PageError::BadForm)
}

/// The field `file` of a form that names tracks, and the fields before it, which together may be as long and take as long as
/// a form without files.
pub(crate) async fn picture_of_tracks(
    mut form: Multipart,
    uploads: &Uploads,
    organization_id: OrganizationId,
) -> Result<(Fields, LoadedPicture), PageError> {
    let (mut fields, mut left, by) = (Vec::new(), MOST_BYTES, Instant::now() + READ_WITHIN);
    let late = |_| PageError::FormIncomplete;
    while let Some(field) = timeout_at(by, form.next_field()).await.map_err(late)?.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            let picture = received(field, uploads, organization_id).await?;
            return Ok((Fields::from(fields), picture));
        }
        fields.push((name, timeout_at(by, value(field, &mut left)).await.map_err(late)??));
    }
    Err(PageError::BadForm)
}

/// The value of a field of at most `left` bytes, which become less.
async fn value(mut field: Field<'_>, left: &mut usize) -> Result<String, PageError> {
    let mut value = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(broken)? {
        *left = left.checked_sub(chunk.len()).ok_or(PageError::TooLarge { limit: MOST_BYTES as u64 })?;
        value.extend_from_slice(&chunk);
    }
    String::from_utf8(value).map_err(|_| PageError::BadForm)
}

async fn received(
    field: Field<'_>,
    uploads: &Uploads,
    organization_id: OrganizationId,
) -> Result<LoadedPicture, PageError> {
    let terms = ReceiveTerms { organization_id, limit: uploads.max_cover_bytes(), announced: None };
    let received = uploads.receive_picture(terms, field).await.map_err(|refusal| match refusal {
        Refusal::Interrupted(error) => match error.downcast::<MultipartError>() {
            Ok(error) => broken(*error),
            // It did not arrive in time.
            Err(_) => PageError::BadForm,
        },
        other => other.into(),
    })?;
    Ok(uploads.load_picture(received).await?)
}

/// Why a form with files could not be read further.
pub(crate) fn broken(error: MultipartError) -> PageError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE { PageError::FileTooLarge } else { PageError::BadForm }
}
