//! What the responses of a bucket mean.

use crate::error::BlobError;

/// `None` if the bucket reports that it has no such object. A 404 without that code comes from a proxy in front of the
/// bucket, or means that the bucket does not exist.
pub(super) fn if_there<T>(result: object_store::Result<T>) -> object_store::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error @ object_store::Error::NotFound { .. }) if error.to_string().contains("NoSuchKey") => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The code is only in the body of the response; the response to a `HEAD` has no body.
fn is_about_bucket(error: &object_store::Error) -> bool {
    error.to_string().contains("NoSuchBucket")
}

pub(super) fn failure(error: object_store::Error) -> BlobError {
    use object_store::Error::{PermissionDenied, Unauthenticated};
    // Self-hosted stores can be full. They report it by a status that is only in the text of the error.
    if error.to_string().contains("507 Insufficient Storage") {
        return BlobError::Full;
    }
    let sentence = match &error {
        error if is_about_bucket(error) => "the bucket does not exist",
        PermissionDenied { .. } | Unauthenticated { .. } => "the bucket rejects the credentials",
        _ => "the bucket is unreachable or does not work",
    };
    BlobError::unavailable(sentence, error)
}
