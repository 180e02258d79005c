//! `GET /v1/collection`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ListQuery, ManageKey, Paged};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CollectionRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = collection::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results, regardless of the page.
    count: u64,
    collections: Vec<CollectionRecord>,
}

/// Lists the collections that the key can access.
#[utoipa::path(
    get,
    path = "/collection",
    tag = "Collections",
    operation_id = "list_collections",
    params(ListQuery),
    responses((status = 200, body = Answer<Listed>, description = "A page of results, and their total number.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    Paged(page): Paged,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let (count, collections) = library.collections(&caller, page).await?;
    let collections = collections.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count, collections }))
}
