//! `GET /v1/collection/{collection_id}/track`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::CollectionId;
use tonearm_service::Library;

use crate::ApiError;
use crate::extract::{ManageKey, Paged, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ReducedTrack};

#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    /// How many there are in all, whatever the page.
    count: u64,
    tracks: Vec<ReducedTrack>,
}

/// A page of a collection's tracks, in order.
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    Paged(page): Paged,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let (count, tracks) = library.tracks(&caller, collection_id, page).await?;
    let tracks = tracks.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count, tracks }))
}
