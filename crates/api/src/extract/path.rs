//! Parameters in paths.

use std::fmt;
use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use http::StatusCode;
use http::request::Parts;
use tonearm_domain::{
    ApiKeyId, BucketName, CollectionId, CreatorId, ErrorCode, JobId, OrganizationId, PlaySessionId, ShortId,
    TrackId, UploadId, UploadSessionId, VariantId, WebhookDeliveryId, WebhookId,
};

use crate::error::ApiError;

/// An id in the path. Its type determines the parameter.
pub(crate) struct PathId<T>(pub(crate) T);

/// A type of id, and the names of its parameters in paths.
pub(crate) trait PathParameter: FromStr<Err: fmt::Display> {
    /// The names, at most one of which occurs in a path.
    const NAMES: &[&str];
}

macro_rules! path_parameters {
    ($($id:ty: $($name:literal)|+),* $(,)?) => {
        $(impl PathParameter for $id {
            const NAMES: &[&str] = &[$($name),+];
        })*
    };
}

path_parameters! {
    ApiKeyId: "api_key_id",
    BucketName: "bucket",
    CollectionId: "collection_id",
    CreatorId: "creator_id",
    JobId: "job_id",
    OrganizationId: "organization_id",
    PlaySessionId: "play_session_id",
    TrackId: "track_id" | "play_track_id",
    UploadId: "upload_id",
    UploadSessionId: "upload_session_id",
    ShortId: "signing_key_id",
    VariantId: "variant_id",
    WebhookDeliveryId: "delivery_id",
    WebhookId: "webhook_id",
}

async fn raw(parts: &mut Parts) -> Result<RawPathParams, ApiError> {
    RawPathParams::from_request_parts(parts, &()).await.map_err(|_| {
        ApiError::new(
            StatusCode::BAD_REQUEST,
            ErrorCode::InvalidParameter,
            "the path is not percent-encoded UTF-8",
        )
    })
}

impl<T: PathParameter, S: Send + Sync> FromRequestParts<S> for PathId<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let parameters = raw(parts).await?;
        let (name, text) = parameters
            .iter()
            .find(|(name, _)| T::NAMES.contains(name))
            .expect("the route has the parameter that its handler takes");
        let id: T = text.parse().map_err(|error| ApiError::invalid(name, error))?;
        if <TrackId as PathParameter>::NAMES.contains(&name) {
            tonearm_telemetry::note_track(text);
        }
        Ok(Self(id))
    }
}

/// The last parameter in the path, as text.
pub(crate) struct PathText(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathText {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let parameters = raw(parts).await?;
        let (_, text) = parameters.iter().last().expect("the route has the parameter that its handler takes");
        Ok(Self(text.to_owned()))
    }
}
