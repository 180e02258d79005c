//! Upload URLs, whose signature is the credential.

use axum::extract::{FromRequestParts, OriginalUri};
use http::StatusCode;
use http::request::Parts;
use tonearm_domain::{CollectionId, ErrorCode, OrganizationId, SourceSlot, TrackId, UploadSessionId};
use tonearm_signing::{UploadGrant, UploadTarget, VerifyError};

use super::PathId;
use crate::app::App;
use crate::error::ApiError;

/// A valid upload URL for the source of a track.
pub(crate) struct SourceUpload(pub(crate) SourceSlot);

/// An upload URL for the source of a track that may have expired, because an upload that was begun can be continued. It
/// permits nothing if no upload was begun.
pub(crate) struct BegunUpload(pub(crate) SourceSlot);

/// A valid upload URL for the cover of a track.
pub(crate) struct CoverUpload {
    pub(crate) organization_id: OrganizationId,
    pub(crate) track_id: TrackId,
}

/// A valid upload URL for the cover of a collection.
pub(crate) struct CollectionCoverUpload {
    pub(crate) organization_id: OrganizationId,
    pub(crate) collection_id: CollectionId,
}

/// An upload session that has not ended; its id is the credential.
pub(crate) struct ValidUploadSession(pub(crate) UploadSessionId);

async fn verify(parts: &mut Parts, app: &App) -> Result<UploadGrant, ApiError> {
    // The signature covers the path as it was sent, not the remainder that a nested router sees.
    let Ok(OriginalUri(uri)) = OriginalUri::from_request_parts(parts, app).await;
    app.signer.verify_upload(uri.path(), uri.query(), app.ambient.now()).map_err(refuse)
}

fn refuse(error: VerifyError) -> ApiError {
    let (code, message) = match error {
        VerifyError::Expired => {
            (ErrorCode::UploadUrlExpired, "the upload URL has expired; request a new one")
        }
        VerifyError::Malformed | VerifyError::BadSignature | VerifyError::KeysUnknown => {
            (ErrorCode::InvalidUploadUrl, "the signature of the upload URL is invalid")
        }
    };
    ApiError::new(StatusCode::UNAUTHORIZED, code, message)
}

/// The slot for the source that a grant permits to upload.
fn slot(UploadGrant { organization_id, target }: UploadGrant) -> Result<SourceSlot, ApiError> {
    let (track_id, replacement_id) = match target {
        UploadTarget::Source(track_id) => (track_id, None),
        UploadTarget::Replacement(track_id, replacement_id) => (track_id, Some(replacement_id)),
        UploadTarget::Cover(_) | UploadTarget::CollectionCover(_) => {
            return Err(refuse(VerifyError::BadSignature));
        }
    };
    tonearm_telemetry::note_organization(organization_id);
    tonearm_telemetry::note_track(track_id);
    Ok(SourceSlot { organization_id, track_id, replacement_id })
}

impl FromRequestParts<App> for SourceUpload {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        slot(verify(parts, app).await?).map(Self)
    }
}

impl FromRequestParts<App> for BegunUpload {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let Ok(OriginalUri(uri)) = OriginalUri::from_request_parts(parts, app).await;
        let grant = app.signer.verify_begun_upload(uri.path(), uri.query()).map_err(refuse)?;
        slot(grant).map(Self)
    }
}

/// The source that the upload URL in a header or a query permits to upload. Only its path and query are checked,
/// because proxies may have changed the rest.
pub(crate) fn source_upload(url: &str, app: &App) -> Result<SourceUpload, ApiError> {
    let signed = url.find("/upload/").map_or(url, |at| &url[at..]);
    let (path, query) = signed.split_once('?').map_or((signed, None), |(path, query)| (path, Some(query)));
    let grant = app.signer.verify_upload(path, query, app.ambient.now()).map_err(refuse)?;
    slot(grant).map(SourceUpload)
}

impl FromRequestParts<App> for CoverUpload {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let UploadGrant { organization_id, target } = verify(parts, app).await?;
        let UploadTarget::Cover(track_id) = target else {
            return Err(refuse(VerifyError::BadSignature));
        };
        tonearm_telemetry::note_organization(organization_id);
        tonearm_telemetry::note_track(track_id);
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
        tonearm_telemetry::note_organization(organization_id);
        Ok(Self { organization_id, collection_id })
    }
}

impl FromRequestParts<App> for ValidUploadSession {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let PathId(id) = PathId::from_request_parts(parts, app).await?;
        app.uploads.require_upload_session(id).await?;
        Ok(Self(id))
    }
}
