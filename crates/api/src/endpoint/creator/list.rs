//! `GET /v1/creator`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ListQuery, ManageKey, Paged};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CreatorRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = creator::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results, regardless of the page.
    count: u64,
    creators: Vec<CreatorRecord>,
}

/// Lists the creators that the key can access.
#[utoipa::path(
    get,
    path = "/creator",
    tag = "Creators",
    operation_id = "list_creators",
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
    let (count, creators) = library.creators(&caller, page).await?;
    let creators = creators.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count, creators }))
}
