//! Path and query parameters. If one cannot be parsed, the page does not exist.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;
use serde::de::DeserializeOwned;
use tonearm_domain::{
    ApiKeyId, CollectionId, IdentityId, InvitationId, JobId, OrganizationId, PersonId, SessionHandle,
    ShortId, SignInId, TrackId, UndoId, VariantId, WebhookDeliveryId, WebhookKind,
};
use tonearm_service::{Refusal, Resource};

use crate::error::PageError;

/// An id in the path. Its type determines the parameter.
pub(crate) struct PathId<T>(pub(crate) T);

/// A type of id, and the name of its parameter in paths.
pub(crate) trait PathParameter: FromStr {
    const NAME: &str;
    /// What is reported as missing if the text is not a valid id; a page, if there is no message for it.
    const RESOURCE: Option<Resource>;
}

macro_rules! path_parameters {
    ($($id:ty: $name:literal, $resource:expr;)*) => {
        $(impl PathParameter for $id {
            const NAME: &str = $name;
            const RESOURCE: Option<Resource> = $resource;
        })*
    };
}

path_parameters! {
    ApiKeyId: "api_key_id", Some(Resource::ApiKey);
    CollectionId: "collection_id", Some(Resource::Collection);
    IdentityId: "identity_id", None;
    InvitationId: "invitation_id", None;
    JobId: "job_id", None;
    OrganizationId: "organization_id", Some(Resource::Organization);
    PersonId: "person_id", None;
    SessionHandle: "session_handle", None;
    ShortId: "signing_key_id", None;
    SignInId: "sign_in_id", None;
    TrackId: "track_id", Some(Resource::Track);
    UndoId: "undo_id", None;
    VariantId: "variant_id", None;
    WebhookDeliveryId: "delivery_id", None;
    WebhookKind: "kind", None;
}

/// Parses an id. A text that is not an id is refused like the id of something that does not exist.
pub(crate) fn parse_id<T: PathParameter>(text: &str) -> Result<T, PageError> {
    let not_found = || T::RESOURCE.map_or(PageError::NoPage, |resource| Refusal::NotFound(resource).into());
    text.parse().map_err(|_| not_found())
}

/// The parameter of a type, if the path has it.
pub(crate) fn path_id<T: PathParameter>(parameters: &RawPathParams) -> Option<Result<T, PageError>> {
    parameters.iter().find(|(name, _)| *name == T::NAME).map(|(_, text)| parse_id(text))
}

/// The parameters of a path as text.
pub(crate) async fn path_parameters(parts: &mut Parts) -> Result<RawPathParams, PageError> {
    RawPathParams::from_request_parts(parts, &()).await.map_err(|_| PageError::NoPage)
}

impl<T: PathParameter, S: Send + Sync> FromRequestParts<S> for PathId<T> {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, PageError> {
        path_id(&path_parameters(parts).await?).unwrap_or(Err(PageError::NoPage)).map(Self)
    }
}

/// The last parameter in the path, as text.
pub(crate) struct PathText(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathText {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, PageError> {
        let parameters = path_parameters(parts).await?;
        parameters.iter().last().map(|(_, text)| Self(text.to_owned())).ok_or(PageError::NoPage)
    }
}

/// The parameters in a query.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageError> {
        let query = axum::extract::Query::from_request_parts(parts, state).await;
        query.map(|axum::extract::Query(query)| Self(query)).map_err(|_| PageError::NoPage)
    }
}
