//! A picture out of a form.

use axum::extract::Multipart;
use bytes::Bytes;

use crate::error::PageError;

/// The field `file`.
pub(crate) async fn picture(mut form: Multipart) -> Result<Bytes, PageError> {
    while let Some(field) = form.next_field().await.map_err(|_| PageError::BadForm)? {
        if field.name() == Some("file") {
            return field.bytes().await.map_err(|_| PageError::BadForm);
        }
    }
    Err(PageError::BadForm)
}
