//! A picture in a form.

use axum::extract::Multipart;
use axum::extract::multipart::MultipartError;
use bytes::Bytes;
use http::StatusCode;

use crate::error::PageError;
use crate::form::Fields;

/// The field `file`.
pub(crate) async fn picture(mut form: Multipart) -> Result<Bytes, PageError> {
    while let Some(field) = form.next_field().await.map_err(broken)? {
        if field.name() == Some("file") {
            return field.bytes().await.map_err(broken);
        }
    }
    Err(PageError::BadForm)
}

/// The field `file` of a form that names tracks, and the fields before it.
pub(crate) async fn picture_of_tracks(mut form: Multipart) -> Result<(Fields, Bytes), PageError> {
    let mut fields = Vec::new();
    while let Some(field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            return Ok((Fields::from(fields), field.bytes().await.map_err(broken)?));
        }
        fields.push((name, field.text().await.map_err(broken)?));
    }
    Err(PageError::BadForm)
}

/// Why a form with files could not be read further.
pub(crate) fn broken(error: MultipartError) -> PageError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE { PageError::FileTooLarge } else { PageError::BadForm }
}
