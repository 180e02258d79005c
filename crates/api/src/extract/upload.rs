//! Upload URLs, whose signature is the credential.

use axum::extract::{FromRequestParts, OriginalUri};
use http::StatusCode;
use http::request::Parts;
use tonearm_domain::{CollectionId, OrganizationId, TrackId};
use tonearm_signing::{UploadGrant, UploadTarget, VerifyError};

use crate::app::App;
use crate::error::ApiError;

/// Whoever holds a URL that takes the source of a track.
pub(crate) struct SourceUpload {
    pub(crate) organization_id: OrganizationId,
    pub(crate) track_id: TrackId,
}

/// Whoever holds a URL that took the source of a track, even if its time is over: an upload that was begun goes on. It permits
/// nothing where none was.
pub(crate) struct BegunUpload {
    pub(crate) organization_id: OrganizationId,
    pub(crate) track_id: TrackId,
}

/// Whoever holds a URL that takes the cover of a track.
pub(crate) struct CoverUpload {
    pub(crate) organization_id: OrganizationId,
    pub(crate) track_id: TrackId,
}

/// Whoever holds a URL that takes the cover of a collection.
pub(crate) struct CollectionCoverUpload {
    pub(crate) organization_id: OrganizationId,
    pub(crate) collection_id: CollectionId,
}

async fn verify(parts: &mut Parts, app: &App) -> Result<UploadGrant, ApiError> {
    // What is signed is the path as it was sent, not the rest of it that a nested router sees.
    let Ok(OriginalUri(uri)) = OriginalUri::from_request_parts(parts, app).await;
    app.signer.verify_upload(uri.path(), uri.query(), app.ambient.now()).map_err(refuse)
}

fn refuse(error: VerifyError) -> ApiError {
    let (code, message) = match error {
        VerifyError::Expired => ("upload_url_expired", "the upload URL has expired; request a new one"),
        VerifyError::Malformed | VerifyError::BadSignature => {
            ("invalid_upload_url", "the signature of the upload URL is invalid")
        }
    };
    ApiError::new(StatusCode::UNAUTHORIZED, code, message)
}

impl FromRequestParts<App> for SourceUpload {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let UploadGrant { organization_id, target } = verify(parts, app).await?;
        let UploadTarget::Source(track_id) = target else {
            return Err(refuse(VerifyError::BadSignature));
        };
        Ok(Self { organization_id, track_id })
    }
}

impl FromRequestParts<App> for BegunUpload {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let Ok(OriginalUri(uri)) = OriginalUri::from_request_parts(parts, app).await;
        let grant = app.signer.verify_begun_upload(uri.path(), uri.query()).map_err(refuse)?;
        let UploadGrant { organization_id, target: UploadTarget::Source(track_id) } = grant else {
            return Err(refuse(VerifyError::BadSignature));
        };
        Ok(Self { organization_id, track_id })
    }
}

/// The track whose source a URL takes that stands in a header or a query. Only path and query count: proxies may have
/// changed the rest.
pub(crate) fn source_upload(url: &str, app: &App) -> Result<SourceUpload, ApiError> {
    let signed = url.find("/upload/").map_or(url, |at| &url[at..]);
    let (path, query) = signed.split_once('?').map_or((signed, None), |(path, query)| (path, Some(query)));
    let grant = app.signer.verify_upload(path, query, app.ambient.now()).map_err(refuse)?;
    match grant.target {
        UploadTarget::Source(track_id) => {
            Ok(SourceUpload { organization_id: grant.organization_id, track_id })
        }
        _ => Err(refuse(VerifyError::BadSignature)),
    }
}

impl FromRequestParts<App> for CoverUpload {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let UploadGrant { organization_id, target } = verify(parts, app).await?;
        let UploadTarget::Cover(track_id) = target else {
            return Err(refuse(VerifyError::BadSignature));
        };
        Ok(Self { organization_id, track_id })
    }
}

impl FromRequestParts<App> for CollectionCoverUpload {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let UploadGrant { organization_id, target } = verify(parts, app).await?;
        let UploadTarget::CollectionCover(collection_id) = target else {
            return Err(refuse(VerifyError::BadSignature));
        };
        Ok(Self { organization_id, collection_id })
    }
}
