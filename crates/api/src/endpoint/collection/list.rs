//! `GET /v1/collection`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{CursorQuery, ListQuery, ManageKey, NextCursor, Windowed};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CollectionRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = collection::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results, regardless of the page.
    count: u64,
    collections: Vec<CollectionRecord>,
    /// Where the next page begins, or null if this is the last. Only if the request had a `cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    next_cursor: NextCursor,
}

/// Lists the collections that the key can access.
#[utoipa::path(
    get,
    path = "/collection",
    tag = "Collections",
    operation_id = "list_collections",
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
    let part = library.collections(&caller, list.window()).await?;
    let (count, next_cursor) = (part.count.unwrap_or_default(), list.next(part.next.as_ref()));
    let collections = part.rows.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count, collections, next_cursor }))
}
