//! `GET /v1/collection/{collection_id}/track`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::CollectionId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::ApiError;
use crate::extract::{ManageKey, Paged, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ReducedTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::list::Listed)]
pub(crate) struct Listed {
    /// How many there are in all, whatever the page.
    count: u64,
    tracks: Vec<ReducedTrack>,
}

/// A page of a collection's tracks, in order.
#[utoipa::path(
    get,
    path = "/v1/collection/{collection_id}/track",
    tag = "Tracks",
    operation_id = "list_tracks",
    params(
        ("collection_id" = CollectionId, Path),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 200, description = "Most rows of the page."),
        ("offset" = Option<i64>, Query, minimum = 0, description = "Rows before the page."),
    ),
    responses((status = 200, body = Answer<Listed>, description = "One page, and how many there are in all.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    Paged(page): Paged,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let (count, tracks) = library.tracks(&caller, collection_id, page).await?;
    let tracks = tracks.into_iter().map(|track| ReducedTrack::listed(track, library.links())).collect();
    Ok(Answer::traced(request, Listed { count, tracks }))
}
