//! Authorization to begin an upload: the upload URL of a track, or the id of an upload session.

use axum::extract::Query;
use http::{StatusCode, Uri};
use serde::Deserialize;
use std::net::IpAddr;
use tonearm_domain::{ErrorCode, UploadSessionId};
use tonearm_service::UploadPermit;

use super::metadata::UploadMetadata;
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{SourceUpload, source_upload};

/// The credentials in the query, for clients that send no metadata with partial uploads.
#[derive(Debug, Default, Deserialize)]
struct Parameters {
    upload_session_id: Option<UploadSessionId>,
    upload_url: Option<String>,
}

pub(super) fn permit(
    app: &App,
    uri: &Uri,
    metadata: &UploadMetadata,
    address: Option<IpAddr>,
) -> Result<UploadPermit, ApiError> {
    let Query(parameters) = Query::<Parameters>::try_from_uri(uri)
        .map_err(|_| ApiError::invalid("upload_session_id", "must be the id of an upload session"))?;
    let session = metadata.upload_session_id()?.or(parameters.upload_session_id);
    let url = metadata.get("upload_url").or(parameters.upload_url.as_deref());
    match (url, session) {
        (Some(url), _) => {
            let SourceUpload(slot) = source_upload(url, app)?;
            Ok(UploadPermit::Track(slot))
        }
        (None, Some(id)) => Ok(UploadPermit::Session { id, address, track: Box::new(metadata.track()?) }),
        (None, None) => {
            let message = "send `upload_session_id` or `upload_url` in Upload-Metadata or in the query";
            Err(ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::MissingUploadCredential, message))
        }
    }
}
