//! `GET /v1/collection/{collection_id}/track`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::CollectionId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{CursorQuery, ListQuery, ManageKey, NextCursor, PathId, Windowed};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ReducedTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results, regardless of the page.
    count: u64,
    tracks: Vec<ReducedTrack>,
    /// Where the next page begins, or null if this is the last. Only if the request had a `cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    next_cursor: NextCursor,
}

/// Lists the tracks of a collection, in order.
///
/// To search, filter or sort them, use `GET /v1/track` with `collection_id`.
#[utoipa::path(
    get,
    path = "/collection/{collection_id}/track",
    tag = "Tracks",
    operation_id = "list_tracks",
    params(
        ("collection_id" = CollectionId, Path),
        ListQuery,
        CursorQuery,
    ),
    responses((status = 200, body = Answer<Listed>, description = "A page of results, and their total number.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    list: Windowed,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let part = library.tracks(&caller, collection_id, list.window()).await?;
    let (count, next_cursor) = (part.count.unwrap_or_default(), list.next(part.next.as_ref()));
    let tracks = part.rows.into_iter().map(|track| ReducedTrack::listed(track, library.links())).collect();
    Ok(Answer::traced(request, Listed { count, tracks, next_cursor }))
}
