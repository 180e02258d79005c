//! Upload URLs, whose signature is the credential.

use axum::extract::{FromRequestParts, OriginalUri};
use http::StatusCode;
use http::request::Parts;
use tonearm_domain::{OrganizationId, TrackId};
use tonearm_signing::{UploadTarget, VerifyError};

use crate::{ApiError, App};

/// Whoever holds a URL that takes the source of a track.
pub(crate) struct SourceUpload {
    pub(crate) organization_id: OrganizationId,
    pub(crate) track_id: TrackId,
}

/// Whoever holds a URL that takes the cover of a track.
pub(crate) struct CoverUpload {
    pub(crate) organization_id: OrganizationId,
    pub(crate) track_id: TrackId,
}

async fn verify(
    parts: &mut Parts,
    app: &App,
    target: UploadTarget,
) -> Result<(OrganizationId, TrackId), ApiError> {
    // What is signed is the path as it was sent, not the rest of it that a nested router sees.
    let Ok(OriginalUri(uri)) = OriginalUri::from_request_parts(parts, app).await;
    let grant = app.signer.verify_upload(uri.path(), uri.query(), app.ambient.now());
    match grant {
        Ok(grant) if grant.target == target => Ok((grant.organization_id, grant.track_id)),
        Ok(_) => Err(refuse(VerifyError::BadSignature)),
        Err(error) => Err(refuse(error)),
    }
}

fn refuse(error: VerifyError) -> ApiError {
    let (code, message) = match error {
        VerifyError::Expired => ("upload_url_expired", "the upload URL has expired; ask for a new one"),
        VerifyError::Malformed | VerifyError::BadSignature => {
            ("invalid_upload_url", "the upload URL is not one that was signed here")
        }
    };
    ApiError::new(StatusCode::UNAUTHORIZED, code, message)
}

impl FromRequestParts<App> for SourceUpload {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let (organization_id, track_id) = verify(parts, app, UploadTarget::Source).await?;
        Ok(Self { organization_id, track_id })
    }
}

impl FromRequestParts<App> for CoverUpload {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let (organization_id, track_id) = verify(parts, app, UploadTarget::Cover).await?;
        Ok(Self { organization_id, track_id })
    }
}
