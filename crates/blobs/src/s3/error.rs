//! What the responses of a bucket mean.

use tonearm_domain::error_with_causes;

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
    let text = error_with_causes(&error);
    match text.split_once('<') {
        Some((start, body)) => BlobError::unavailable(sentence, format!("{start}{}", code_of(body))),
        None => BlobError::unavailable(sentence, error),
    }
}

/// The code in the body of a response. The rest of it is dropped: the response to a wrong signature repeats the headers of
/// the request, in which a session has its token.
fn code_of(body: &str) -> &str {
    let code = body.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    let is_code = |code: &&str| code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    code.map(|(code, _)| code).filter(is_code).unwrap_or("an error without a code")
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn what_a_bucket_repeats_of_a_request_is_not_told() {
        let body = "403 Forbidden: <?xml version=\"1.0\"?><Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>GET\n\
                    x-amz-security-token:SECRET</CanonicalRequest></Error>";
        let error = |body: &str| object_store::Error::Generic { store: "S3", source: body.to_owned().into() };
        let told = |body| failure(error(body)).source().unwrap().to_string();
        assert!(told(body).ends_with("403 Forbidden: SignatureDoesNotMatch"), "{}", told(body));
        assert!(told("503: <html>\nSECRET").ends_with("503: an error without a code"));
        assert!(told("<Code>a\nb</Code>").ends_with("an error without a code"));
        assert!(told("connection refused").contains("connection refused"));
    }
}
