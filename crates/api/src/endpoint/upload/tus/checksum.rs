//! `Upload-Checksum`: an algorithm, and the base64-encoded digest of the body of one request.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use md5::Md5;
use sha1::Sha1;
use tonearm_service::{PieceCheck, Sha256Check};

use crate::error::ApiError;
use crate::extract::DigestCheck;

/// The algorithms in `Tus-Checksum-Algorithm`.
pub(super) const ALGORITHMS: &str = "sha1,sha256,md5,crc32";
const NAME: &str = "Upload-Checksum";

struct Crc32Check {
    digest: crc32fast::Hasher,
    expected: u32,
}

impl PieceCheck for Crc32Check {
    fn update(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
    }

    fn matches(self: Box<Self>) -> bool {
        self.digest.finalize() == self.expected
    }
}

/// The check that the body of a request must pass, if it names one.
pub(super) fn checksum(headers: &HeaderMap) -> Result<Option<Box<dyn PieceCheck>>, ApiError> {
    let Some(value) = headers.get(NAME) else { return Ok(None) };
    let (algorithm, digest) =
        value.to_str().ok().and_then(|text| text.trim().split_once(' ')).ok_or_else(|| {
            ApiError::invalid(NAME, "must be an algorithm, a space and the base64 of a digest")
        })?;
    let digest = BASE64_STANDARD
        .decode(digest.trim())
        .map_err(|_| ApiError::invalid(NAME, "the digest must be base64"))?;
    check(algorithm, digest).map(Some)
}

fn check(algorithm: &str, expected: Vec<u8>) -> Result<Box<dyn PieceCheck>, ApiError> {
    let length = expected.len();
    let check: Option<Box<dyn PieceCheck>> = match algorithm {
        "sha1" if length == 20 => Some(Box::new(DigestCheck::<Sha1>::new(expected))),
        "md5" if length == 16 => Some(Box::new(DigestCheck::<Md5>::new(expected))),
        "sha256" => {
            <[u8; 32]>::try_from(expected).ok().map(|expected| Box::new(Sha256Check::new(expected)) as _)
        }
        "crc32" => <[u8; 4]>::try_from(expected).ok().map(|expected| {
            Box::new(Crc32Check { digest: crc32fast::Hasher::new(), expected: u32::from_be_bytes(expected) })
                as _
        }),
        "sha1" | "md5" => None,
        _ => {
            let message = format!("the algorithm must be one of {ALGORITHMS}");
            return Err(ApiError::invalid(NAME, message));
        }
    };
    check.ok_or_else(|| ApiError::invalid(NAME, "the digest has the wrong length for its algorithm"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Result<Option<Box<dyn PieceCheck>>, ApiError> {
        checksum(&HeaderMap::from_iter([(
            http::HeaderName::from_static("upload-checksum"),
            value.parse().unwrap(),
        )]))
    }

    #[test]
    fn each_algorithm_tells_bytes_apart() {
        // Of the string of nine digits, as published with each algorithm.
        for value in [
            "sha1 98O8HYCOBHMq32eZZczDTKeuNEE=",
            "sha256 FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=",
            "md5 JfnnlDI7RTiF9RgfG2JNCw==",
            "crc32 y/Q5Jg==",
        ] {
            for (bytes, is_same) in [(&b"123456789"[..], true), (b"123456780", false)] {
                let mut check = read(value).unwrap().unwrap();
                check.update(&bytes[..4]);
                check.update(&bytes[4..]);
                assert_eq!(check.matches(), is_same, "{value}");
            }
        }
    }

    #[test]
    fn what_is_no_checksum_is_refused() {
        assert!(checksum(&HeaderMap::new()).unwrap().is_none());
        for bad in ["", "sha1", "sha1 ", "sha1 !", "sha1 AAAA", "sha512 AAAA", "crc32 AAAAAAA=", "md5 AA=="] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
