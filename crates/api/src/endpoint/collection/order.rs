//! `PUT /v1/collection/{collection_id}/order`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{CollectionId, TrackId};
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{Body, ManageKey, PathId, required};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = collection::order::Fields)]
pub(crate) struct OrderTracksBody {
    /// The tracks, in their new order.
    #[schema(required, value_type = Vec<TrackId>, min_items = 1, max_items = 1000)]
    track_ids: Option<Vec<TrackId>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = collection::order::Ordered)]
pub(crate) struct Ordered {
    collection_id: CollectionId,
    /// The tracks in their new order.
    tracks: Vec<OrderedTrack>,
}

/// A track, and its new `order`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = collection::order::OrderedTrack)]
pub(crate) struct OrderedTrack {
    id: TrackId,
    order: i64,
}

/// Sorts tracks of a collection.
///
/// The tracks exchange their values of `order` among themselves; tracks that are not named keep theirs. To sort a whole
/// collection, name all its tracks. To sort more than 1,000 tracks, send several requests.
#[utoipa::path(
    put,
    path = "/collection/{collection_id}/order",
    tag = "Collections",
    operation_id = "order_collection",
    params(("collection_id" = CollectionId, Path)),
    request_body(content = OrderTracksBody),
    responses((status = 200, body = Answer<Ordered>, description = "The tracks, with their new order.")),
    security(("api_key" = [])),
)]
pub(crate) async fn order(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<OrderTracksBody>,
) -> Result<Answer<Ordered>, ApiError> {
    let ids = required("track_ids", body.track_ids)?;
    let orders = library.order_tracks(&caller, collection_id, &ids).await?;
    let tracks = ids.into_iter().zip(orders).map(|(id, order)| OrderedTrack { id, order }).collect();
    Ok(Answer::traced(request, Ordered { collection_id, tracks }))
}
