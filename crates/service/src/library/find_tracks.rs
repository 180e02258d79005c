//! Searching tracks by filter, for programs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tonearm_domain::{
    Collection, CollectionId, ListPart, ListPosition, SortValue, TrackFilter, TrackOrder, TrackOrderKey,
};

use super::Library;
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::{TrackParents, TrackView, waiting};

/// A track that was found, and the title of its collection.
#[derive(Debug, Clone)]
pub struct FoundTrack {
    /// The track.
    pub view: TrackView,
    /// The title of its collection.
    pub collection_title: String,
}

impl Library {
    /// The tracks in the caller's reach that match a filter, sorted, after a position.
    pub async fn find_tracks(
        &self,
        caller: &Caller,
        filter: TrackFilter,
        order: TrackOrder,
        (after, limit): (Option<&ListPosition>, u64),
    ) -> Result<ListPart<FoundTrack>, Refusal> {
        let filter = within_reach(caller, filter)?;
        require_orderable(&filter, order, after)?;
        let organization_id = caller.organization_id;
        if let Some(id) = filter.collection
            && self.catalog.collection(organization_id, id).await?.is_none()
        {
            return Err(Refusal::NotFound(Resource::Collection));
        }
        let part = self.catalog.look_up_tracks(organization_id, &filter, order, (after, limit)).await?;
        let ids: HashSet<CollectionId> = part.rows.iter().map(|track| track.collection_id).collect();
        let parents = self.parents_among(caller, ids).await?;
        // If the collection was deleted a moment ago, its tracks are left out.
        let found = part.rows.into_iter().filter_map(|track| {
            let parents = parents.get(&track.collection_id)?;
            let collection_title = parents.collection.title.clone();
            Some(FoundTrack { view: parents.view(track), collection_title })
        });
        let mut rows: Vec<FoundTrack> = found.collect();
        waiting::explain(&self.catalog, self.ambient.now(), rows.iter_mut().map(|found| &mut found.view))
            .await?;
        Ok(ListPart { rows, next: part.next, count: part.count })
    }

    /// The parents of tracks in these collections, at most 1000. Deleted collections are left out.
    pub(super) async fn parents_among(
        &self,
        caller: &Caller,
        ids: HashSet<CollectionId>,
    ) -> Result<HashMap<CollectionId, TrackParents>, Refusal> {
        let organization = self.catalog.organization(caller.organization_id).await?;
        let organization = Arc::new(organization.ok_or(Refusal::NotFound(Resource::Organization))?);
        let ids: Vec<CollectionId> = ids.into_iter().collect();
        let collections = self.catalog.collections_among(caller.organization_id, &ids).await?;
        let parents = |collection: Collection| {
            let organization = Arc::clone(&organization);
            (collection.id, TrackParents { organization, collection: Arc::new(collection) })
        };
        Ok(collections.into_iter().map(parents).collect())
    }
}

/// The filter, narrowed to the scope of the caller's key.
fn within_reach(caller: &Caller, filter: TrackFilter) -> Result<TrackFilter, Refusal> {
    let own = caller.scope.collection();
    if filter.collection.is_some_and(|requested| own.is_some_and(|own| own != requested)) {
        return Err(Refusal::NotFound(Resource::Collection));
    }
    Ok(TrackFilter { track: caller.scope.track(), collection: filter.collection.or(own), ..filter })
}

/// Refuses an order that does not apply to the tracks, and a position from a list with another order.
fn require_orderable(
    filter: &TrackFilter,
    order: TrackOrder,
    after: Option<&ListPosition>,
) -> Result<(), Refusal> {
    if order.key == TrackOrderKey::Order && filter.collection.is_none() {
        let message = "order is only possible within a collection; send collection_id, too";
        return Err(Refusal::invalid("sort", message));
    }
    match after {
        Some(position) if !order.key.has(&position.value) => Err(foreign_cursor()),
        _ => Ok(()),
    }
}

/// Refuses a position from a list that is not sorted by id alone.
pub(super) fn require_ids_only(after: Option<&ListPosition>) -> Result<(), Refusal> {
    match after {
        Some(position) if position.value != SortValue::None => Err(foreign_cursor()),
        _ => Ok(()),
    }
}

pub(super) fn foreign_cursor() -> Refusal {
    Refusal::invalid("cursor", "does not belong to this list; start again with an empty cursor")
}
