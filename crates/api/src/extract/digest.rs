//! The headers of an upload that describe its bytes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_RANGE};
use md5::Md5;
use sha2::Digest;
use tonearm_service::{PieceCheck, Sha256Check, UploadTerms};

use crate::error::ApiError;

const REPR_DIGEST: &str = "Repr-Digest";
const CONTENT_DIGEST: &str = "Content-Digest";
const CONTENT_MD5: &str = "Content-MD5";

/// What a `PUT` states about the whole file: size from `Content-Length`, SHA-256 from `Repr-Digest` (RFC 9530), MD5 from
/// `Content-MD5` (RFC 1864). A `PUT` of a part is refused, as RFC 9110 requires.
pub(crate) fn upload_terms(headers: &HeaderMap) -> Result<UploadTerms, ApiError> {
    if headers.contains_key(CONTENT_RANGE) {
        let message =
            "cannot be used with PUT, which sends the whole file; send a file in parts as a resumable upload";
        return Err(ApiError::invalid("Content-Range", message));
    }
    let size = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let sha256 = digest_in(headers, REPR_DIGEST)?;
    let md5 = content_md5(headers)?;
    Ok(UploadTerms { size, sha256, md5 })
}

/// As [`upload_terms`], for a body that is the whole file, so that `Content-Digest` also applies to the file.
pub(crate) fn whole_terms(headers: &HeaderMap) -> Result<UploadTerms, ApiError> {
    let terms = upload_terms(headers)?;
    match (terms.sha256, digest_in(headers, CONTENT_DIGEST)?) {
        (Some(file), Some(body)) if file != body => Err(ApiError::invalid(
            CONTENT_DIGEST,
            "differs from `Repr-Digest`, although both are of the same bytes",
        )),
        (file, body) => Ok(UploadTerms { sha256: file.or(body), ..terms }),
    }
}

/// The digests that the body of this request must have: the SHA-256 from `Content-Digest` (RFC 9530) and the MD5 from
/// `Content-MD5` (RFC 1864).
pub(crate) fn piece_check(headers: &HeaderMap) -> Result<Option<Box<dyn PieceCheck>>, ApiError> {
    let sha256 =
        digest_in(headers, CONTENT_DIGEST)?.map(|expected| Box::new(Sha256Check::new(expected)) as _);
    let md5 = content_md5(headers)?.map(|expected| Box::new(DigestCheck::<Md5>::new(expected.to_vec())) as _);
    Ok(match (sha256, md5) {
        (Some(sha256), Some(md5)) => Some(Box::new(BothChecks(sha256, md5))),
        (one, other) => one.or(other),
    })
}

/// A digest that a piece must have.
pub(crate) struct DigestCheck<D> {
    digest: D,
    expected: Vec<u8>,
}

impl<D: Digest> DigestCheck<D> {
    pub(crate) fn new(expected: Vec<u8>) -> Self {
        Self { digest: D::new(), expected }
    }
}

impl<D: Digest + Send> PieceCheck for DigestCheck<D> {
    fn update(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
    }

    fn matches(self: Box<Self>) -> bool {
        self.digest.finalize().as_slice() == self.expected
    }
}

struct BothChecks(Box<dyn PieceCheck>, Box<dyn PieceCheck>);

impl PieceCheck for BothChecks {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
        self.1.update(bytes);
    }

    fn matches(self: Box<Self>) -> bool {
        let Self(one, other) = *self;
        one.matches() && other.matches()
    }
}

fn digest_in(headers: &HeaderMap, name: &'static str) -> Result<Option<[u8; 32]>, ApiError> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    value
        .to_str()
        .map_err(|_| ())
        .and_then(sha256_of)
        .map_err(|()| ApiError::invalid(name, "must have the form `sha-256=:<base64 of 32 bytes>:`"))
}

fn content_md5(headers: &HeaderMap) -> Result<Option<[u8; 16]>, ApiError> {
    let Some(value) = headers.get(CONTENT_MD5) else { return Ok(None) };
    let md5 = value.to_str().ok().and_then(|value| decode(value.trim()));
    md5.map(Some).ok_or_else(|| ApiError::invalid(CONTENT_MD5, "must be the base64 of 16 bytes"))
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
        assert!(terms("content-range", "bytes 0-99/200").is_err());
    }

    #[test]
    fn digests_of_a_body_apply_to_the_file_that_it_is() {
        let [one, other] = [7, 8].map(|byte| format!("sha-256=:{}:", BASE64_STANDARD.encode([byte; 32])));
        let both = |repr: &str, content: &str| {
            let headers = [("repr-digest", repr), ("content-digest", content)];
            let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            whole_terms(&HeaderMap::from_iter(headers)).map(|terms| terms.sha256)
        };
        assert_eq!(both(&one, &one).unwrap(), Some([7; 32]));
        assert_eq!(both("sha-512=:AAAA:", &other).unwrap(), Some([8; 32]));
        assert_eq!(both(&one, "sha-512=:AAAA:").unwrap(), Some([7; 32]));
        assert!(both(&one, &other).is_err());
    }

    #[test]
    fn a_piece_must_have_every_digest() {
        // Of the string of nine digits.
        let (md5, sha256) =
            ("JfnnlDI7RTiF9RgfG2JNCw==", "sha-256=:FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=:");
        let other = format!("sha-256=:{}:", BASE64_STANDARD.encode([7; 32]));
        for (headers, expected) in [
            (vec![("content-md5", md5)], Some(true)),
            (vec![("content-md5", md5), ("content-digest", sha256)], Some(true)),
            (vec![("content-md5", md5), ("content-digest", &other)], Some(false)),
            (vec![("content-digest", &other)], Some(false)),
            (vec![], None),
        ] {
            let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            let check = piece_check(&HeaderMap::from_iter(headers)).unwrap();
            let matches = check.map(|mut check| {
                check.update(b"1234");
                check.update(b"56789");
                check.matches()
            });
            assert_eq!(matches, expected);
        }
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
