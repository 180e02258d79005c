//! The header fields of resumable uploads. If the draft defines a structured field (RFC 9651) and the value has another
//! type, the field is ignored, as the draft requires.

use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderName, HeaderValue};
use tonearm_domain::{Timestamp, Upload};

pub(crate) const UPLOAD_COMPLETE: HeaderName = HeaderName::from_static("upload-complete");
pub(crate) const UPLOAD_OFFSET: HeaderName = HeaderName::from_static("upload-offset");
pub(crate) const UPLOAD_LENGTH: HeaderName = HeaderName::from_static("upload-length");
pub(crate) const UPLOAD_LIMIT: HeaderName = HeaderName::from_static("upload-limit");

/// The media type of a piece.
pub(crate) const PARTIAL_UPLOAD: &str = "application/partial-upload";

/// The largest integer of a structured field.
const MOST: u64 = 999_999_999_999_999;

/// Whether this request completes the upload, if the header says so.
pub(crate) fn is_complete(headers: &HeaderMap) -> Option<bool> {
    match headers.get(UPLOAD_COMPLETE)?.as_bytes().trim_ascii() {
        b"?1" => Some(true),
        b"?0" => Some(false),
        _ => None,
    }
}

/// A number of bytes.
pub(crate) fn bytes(headers: &HeaderMap, name: &HeaderName) -> Option<u64> {
    let text = headers.get(name)?.to_str().ok()?.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&number| is_number && number <= MOST)
}

/// The limits of an upload.
pub(crate) fn limits(max_size: u64, max_age: i64) -> String {
    format!("max-size={}, max-age={}", max_size.min(MOST), max_age.max(0))
}

/// The limits of an upload that was begun.
pub(super) fn limits_of(upload: &Upload, max_size: u64, now: Timestamp) -> Option<HeaderValue> {
    let max_age = upload.expires_at.unix_seconds() - now.unix_seconds();
    HeaderValue::try_from(limits(max_size, max_age)).ok()
}

/// Adds the progress of an upload to the headers.
pub(crate) fn describe(headers: &mut HeaderMap, upload: &Upload, max_size: u64, now: Timestamp) {
    let complete = if upload.is_receiving() { "?0" } else { "?1" };
    headers.insert(UPLOAD_COMPLETE, HeaderValue::from_static(complete));
    headers.insert(UPLOAD_OFFSET, upload.offset.into());
    if let Some(length) = upload.length {
        headers.insert(UPLOAD_LENGTH, length.into());
    }
    if let Some(limit) = limits_of(upload, max_size, now) {
        headers.insert(UPLOAD_LIMIT, limit);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name.clone(), value.parse().unwrap())])
    }

    #[test]
    fn other_values_are_ignored() {
        let read = |value: &str| is_complete(&with(&UPLOAD_COMPLETE, value));
        assert_eq!((read("?1"), read("?0"), read(" ?1 ")), (Some(true), Some(false), Some(true)));
        for bad in ["", "1", "true", "?2", "?1;a", "\"?1\""] {
            assert_eq!(read(bad), None, "{bad}");
        }
        let read = |value: &str| bytes(&with(&UPLOAD_OFFSET, value), &UPLOAD_OFFSET);
        assert_eq!((read("0"), read("999999999999999")), (Some(0), Some(MOST)));
        for bad in ["", "-1", "+1", "1.0", "1000000000000000", "0x1", "1 2", "abc"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(bytes(&HeaderMap::new(), &UPLOAD_OFFSET), None);
    }
}
