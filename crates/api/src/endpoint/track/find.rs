//! `GET /v1/track`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{CreatorId, Timestamp};
use tonearm_service::{FoundTrack, Library, Links};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, TrackParameters, TrackQuery};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ReducedTrack};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::find::Found)]
pub(crate) struct SearchResponse {
    /// Total number of results, regardless of the page. Null if it is not known.
    count: Option<u64>,
    tracks: Vec<SearchResult>,
    /// Where the next page begins, or null if this is the last.
    next_cursor: Option<String>,
}

/// The reduced record, and what is needed to recognize a track among those of other collections.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::find::FoundRecord)]
pub(crate) struct SearchResult {
    #[serde(flatten)]
    reduced: ReducedTrack,
    collection_title: String,
    creator_id: Option<CreatorId>,
    file_name_original: Option<String>,
    organization_index: Option<String>,
    /// Why the track failed or is incomplete, or what its processing is waiting for.
    status_reason: Option<String>,
    created_at: Timestamp,
}

impl SearchResult {
    fn new(found: FoundTrack, links: &Links) -> Self {
        let FoundTrack { mut view, collection_title } = found;
        Self {
            collection_title,
            creator_id: view.track.creator_id,
            file_name_original: view.track.file_name_original.take(),
            organization_index: view.track.organization_index.take(),
            status_reason: view.track.status_reason.take(),
            created_at: view.track.created_at,
            reduced: ReducedTrack::listed(view, links),
        }
    }
}

/// Lists and searches the tracks that the key can access, in all collections.
///
/// All conditions must be met. Read page by page until `next_cursor` is null: if the conditions are met by few of very many
/// tracks, a page may have fewer results than `limit`, or none, and not be the last.
#[utoipa::path(
    get,
    path = "/track",
    tag = "Tracks",
    operation_id = "find_tracks",
    params(TrackParameters),
    responses((status = 200, body = Answer<SearchResponse>, description = "A page of results, and where the next one begins.")),
    security(("api_key" = [])),
)]
pub(crate) async fn find(
    ManageKey(caller): ManageKey,
    query: TrackQuery,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<SearchResponse>, ApiError> {
    let from = (query.after.as_ref(), query.limit);
    let part = library.find_tracks(&caller, query.filter.clone(), query.order, from).await?;
    let (count, next_cursor) = (part.count, query.next(part.next.as_ref()));
    let tracks = part.rows.into_iter().map(|track| SearchResult::new(track, library.links())).collect();
    Ok(Answer::traced(request, SearchResponse { count, tracks, next_cursor }))
}
