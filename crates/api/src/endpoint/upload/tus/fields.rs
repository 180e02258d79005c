//! The header fields of tus.

use std::time::{Duration, SystemTime};

use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderName, HeaderValue};
use tonearm_domain::{Upload, UploadKind};

use crate::endpoint::upload::resumable::fields::{UPLOAD_LENGTH, UPLOAD_OFFSET};
use crate::error::ApiError;

pub(super) const UPLOAD_DEFER_LENGTH: HeaderName = HeaderName::from_static("upload-defer-length");
pub(super) const UPLOAD_CONCAT: HeaderName = HeaderName::from_static("upload-concat");
const UPLOAD_METADATA: HeaderName = HeaderName::from_static("upload-metadata");
const UPLOAD_EXPIRES: HeaderName = HeaderName::from_static("upload-expires");
const TRACK_ID: HeaderName = HeaderName::from_static("tonearm-track-id");

/// The media type of a piece.
pub(super) const OFFSET_STREAM: &str = "application/offset+octet-stream";

/// A number of bytes, if the header is present.
pub(super) fn bytes(headers: &HeaderMap, name: &HeaderName) -> Result<Option<u64>, ApiError> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(number) if is_number => Ok(Some(number)),
        _ => Err(ApiError::invalid(name.as_str(), "must be a number of bytes")),
    }
}

/// Adds the progress of an upload to the headers.
pub(super) fn describe(headers: &mut HeaderMap, upload: &Upload) {
    headers.insert(UPLOAD_OFFSET, upload.offset.into());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if upload.is_receiving() {
        let seconds = u64::try_from(upload.expires_at.unix_seconds()).unwrap_or(0);
        let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        insert(headers, UPLOAD_EXPIRES, &date);
    }
    if let Some(track_id) = upload.track_id {
        insert(headers, TRACK_ID, &track_id.to_string());
    }
}

/// Adds the progress of an upload and the values it was created with to the headers.
pub(super) fn describe_whole(headers: &mut HeaderMap, upload: &Upload) {
    describe(headers, upload);
    match upload.length {
        Some(length) => headers.insert(UPLOAD_LENGTH, length.into()),
        None => headers.insert(UPLOAD_DEFER_LENGTH, HeaderValue::from_static("1")),
    };
    if let Some(metadata) = &upload.metadata {
        insert(headers, UPLOAD_METADATA, metadata);
    }
    if upload.kind == UploadKind::Partial {
        headers.insert(UPLOAD_CONCAT, HeaderValue::from_static("partial"));
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}
