//! `GET /v1/api_key`

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use tonearm_domain::KeyType;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ListQuery, ManageKey, Paged, query};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, KeyRecord};

/// The type of keys to list; `None` for all types.
pub(crate) struct TypeQuery(Option<KeyType>);

#[derive(Debug, Deserialize)]
struct TypeQueryText {
    api_key_type_id: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for TypeQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let text: TypeQueryText = query(parts)?;
        let key_type = text.api_key_type_id.as_deref().map(str::parse).transpose();
        key_type.map(Self).map_err(|error| ApiError::invalid("api_key_type_id", error))
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = api_key::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results, regardless of the page.
    count: u64,
    api_keys: Vec<KeyRecord>,
}

/// Lists the keys of the organization, including revoked and expired ones, oldest first.
///
/// The keys themselves are never returned.
#[utoipa::path(
    get,
    path = "/api_key",
    tag = "API keys",
    operation_id = "list_api_keys",
    params(
        ("api_key_type_id" = Option<KeyType>, Query, description = "Only keys of this type. Default: all."),
        ListQuery,
    ),
    responses((status = 200, body = Answer<Listed>, description = "A page of results, and their total number.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    TypeQuery(key_type): TypeQuery,
    Paged(page): Paged,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let (count, keys) = library.key_page(&caller, key_type, page).await?;
    Ok(Answer::traced(request, Listed { count, api_keys: keys.into_iter().map(Into::into).collect() }))
}
