//! `GET /v1/creator`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::ApiError;
use crate::extract::{ManageKey, Paged};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CreatorRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = creator::list::Listed)]
pub(crate) struct Listed {
    /// How many there are in all, whatever the page.
    count: u64,
    creators: Vec<CreatorRecord>,
}

/// A page of the creators in the key's reach.
#[utoipa::path(
    get,
    path = "/v1/creator",
    tag = "Creators",
    operation_id = "list_creators",
    params(
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 200, description = "Most rows of the page."),
        ("offset" = Option<i64>, Query, minimum = 0, description = "Rows before the page."),
    ),
    responses((status = 200, body = Answer<Listed>, description = "One page, and how many there are in all.")),
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
