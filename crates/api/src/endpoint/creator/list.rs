//! `GET /v1/creator`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{CursorQuery, ListQuery, ManageKey, NextCursor, Windowed};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CreatorRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = creator::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results, regardless of the page.
    count: u64,
    creators: Vec<CreatorRecord>,
    /// Where the next page begins, or null if this is the last. Only if the request had a `cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    next_cursor: NextCursor,
}

/// Lists the creators that the key can access.
#[utoipa::path(
    get,
    path = "/creator",
    tag = "Creators",
    operation_id = "list_creators",
    params(ListQuery, CursorQuery),
    responses((status = 200, body = Answer<Listed>, description = "A page of results, and their total number.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    list: Windowed,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let part = library.creators(&caller, list.window()).await?;
    let (count, next_cursor) = (part.count.unwrap_or_default(), list.next(part.next.as_ref()));
    let creators = part.rows.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count, creators, next_cursor }))
}
