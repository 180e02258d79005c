//! The responses to refused uploads.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use tonearm_domain::{ErrorCode, PieceError};
use tonearm_service::UploadRefusal;

use super::fields::UPLOAD_OFFSET;
use crate::error::ApiError;

/// Seconds after which a concurrent request has probably stored its bytes.
const LOCKED_SECONDS: u64 = 5;

/// An error, with the offset of the upload if the client sent a wrong one.
#[derive(Debug)]
pub(crate) struct UploadError {
    error: ApiError,
    offset: Option<u64>,
}

impl From<ApiError> for UploadError {
    fn from(error: ApiError) -> Self {
        Self { error, offset: None }
    }
}

impl From<UploadRefusal> for UploadError {
    fn from(refusal: UploadRefusal) -> Self {
        let message = refusal.to_string();
        let (status, code, offset) = match refusal {
            UploadRefusal::Refused(refusal) => return Self { error: refusal.into(), offset: None },
            UploadRefusal::Piece(PieceError::Offset { expected, .. }) => {
                (StatusCode::CONFLICT, ErrorCode::UploadOffsetMismatch, Some(expected))
            }
            UploadRefusal::Piece(PieceError::Length { .. }) => {
                (StatusCode::BAD_REQUEST, ErrorCode::InconsistentUploadLength, None)
            }
            UploadRefusal::Piece(PieceError::Complete) => {
                (StatusCode::CONFLICT, ErrorCode::UploadComplete, None)
            }
            UploadRefusal::Interrupted(_) => (StatusCode::BAD_REQUEST, ErrorCode::UploadInterrupted, None),
            UploadRefusal::Gone => (StatusCode::GONE, ErrorCode::UploadExpired, None),
            UploadRefusal::Locked => {
                let error = ApiError::new(StatusCode::LOCKED, ErrorCode::UploadLocked, message);
                return Self { error: error.after(LOCKED_SECONDS), offset: None };
            }
            UploadRefusal::Checksum => (StatusCode::BAD_REQUEST, ErrorCode::ChecksumMismatch, None),
        };
        Self { error: ApiError::new(status, code, message), offset }
    }
}

impl IntoResponse for UploadError {
    fn into_response(self) -> Response {
        let mut response = self.error.into_response();
        if let Some(offset) = self.offset {
            response.headers_mut().insert(UPLOAD_OFFSET, offset.into());
        }
        response
    }
}
