//! The headers of an upload that describe its bytes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use tonearm_service::{PieceCheck, Sha256Check, UploadTerms};

use crate::error::ApiError;

const REPR_DIGEST: &str = "Repr-Digest";
const CONTENT_DIGEST: &str = "Content-Digest";
const CONTENT_MD5: &str = "Content-MD5";

/// Size from `Content-Length`, SHA-256 from `Repr-Digest` (RFC 9530), MD5 from `Content-MD5` (RFC 1864).
pub(crate) fn upload_terms(headers: &HeaderMap) -> Result<UploadTerms, ApiError> {
    let text = |name: &'static str| match headers.get(name) {
        None => Ok(None),
        Some(value) => {
            value.to_str().map(Some).map_err(|_| ApiError::invalid(name, "must be printable ASCII"))
        }
    };
    let size = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let sha256 = match text(REPR_DIGEST)? {
        Some(value) => sha256_of(value).map_err(|()| {
            ApiError::invalid(REPR_DIGEST, "must have the form `sha-256=:<base64 of 32 bytes>:`")
        })?,
        None => None,
    };
    let md5 = match text(CONTENT_MD5)? {
        Some(value) => Some(
            decode(value.trim())
                .ok_or_else(|| ApiError::invalid(CONTENT_MD5, "must be the base64 of 16 bytes"))?,
        ),
        None => None,
    };
    Ok(UploadTerms { size, sha256, md5 })
}

/// The SHA-256 from `Content-Digest` (RFC 9530), which the body of this request must have.
pub(crate) fn piece_check(headers: &HeaderMap) -> Result<Option<Box<dyn PieceCheck>>, ApiError> {
    let Some(value) = headers.get(CONTENT_DIGEST) else { return Ok(None) };
    let sha256 = value.to_str().map_err(|_| ()).and_then(sha256_of).map_err(|()| {
        ApiError::invalid(CONTENT_DIGEST, "must have the form `sha-256=:<base64 of 32 bytes>:`")
    })?;
    Ok(sha256.map(|expected| Box::new(Sha256Check::new(expected)) as Box<dyn PieceCheck>))
}

/// The SHA-256 in a dictionary of digests. Other algorithms are ignored, as RFC 9530 requires. A value that is not a
/// dictionary of byte sequences is an error.
fn sha256_of(dictionary: &str) -> Result<Option<[u8; 32]>, ()> {
    let mut sha256 = None;
    for member in dictionary.split(',') {
        let (algorithm, value) = member.trim().split_once('=').ok_or(())?;
        let encoded = value.strip_prefix(':').and_then(|value| value.strip_suffix(':')).ok_or(())?;
        if algorithm == "sha-256" {
            sha256 = Some(decode(encoded).ok_or(())?);
        }
    }
    Ok(sha256)
}

fn decode<const N: usize>(encoded: &str) -> Option<[u8; N]> {
    BASE64_STANDARD.decode(encoded).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(name: &'static str, value: &str) -> Result<UploadTerms, ApiError> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        upload_terms(&headers)
    }

    #[test]
    fn digests_are_read() {
        let encoded = BASE64_STANDARD.encode([7; 32]);
        let digest = format!("sha-512=:AAAA:, sha-256=:{encoded}:");
        assert_eq!(terms("repr-digest", &digest).unwrap().sha256, Some([7; 32]));
        assert_eq!(terms("repr-digest", "sha-512=:AAAA:").unwrap().sha256, None);
        assert_eq!(terms("content-md5", &BASE64_STANDARD.encode([9; 16])).unwrap().md5, Some([9; 16]));
        assert_eq!(terms("content-length", "12").unwrap().size, Some(12));
    }

    #[test]
    fn what_is_no_digest_is_refused() {
        let encoded = BASE64_STANDARD.encode([7; 32]);
        for bad in
            ["", "sha-256", "sha-256=AAAA", "sha-256=:AAAA:", &format!("sha-256={encoded}"), "sha-256=:!:"]
        {
            assert!(terms("repr-digest", bad).is_err(), "{bad}");
        }
        for bad in ["", "AAAA", "not base64"] {
            assert!(terms("content-md5", bad).is_err(), "{bad}");
        }
    }
}
