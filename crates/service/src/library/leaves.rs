//! Lists that people leaf through.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tonearm_domain::{CollectionId, CollectionSort, Leaf, Slice, TrackId, TrackSort};

use super::{CollectionView, Library};
use crate::track_view::Surroundings;
use crate::{Caller, Noun, Refusal, TrackView};

/// A page of tracks, and what the collections they are in are called.
#[derive(Debug, Clone)]
pub struct TrackLeaf {
    /// The tracks.
    pub slice: Slice<TrackView>,
    /// The title of each collection that one of them is in.
    pub titles: HashMap<CollectionId, String>,
}

impl Library {
    /// A page of the collections, searched and sorted.
    pub async fn collection_leaf(
        &self,
        caller: &Caller,
        leaf: &Leaf<CollectionSort, CollectionId>,
    ) -> Result<Slice<CollectionView>, Refusal> {
        caller.require_whole_organization()?;
        let slice = self.catalog.collection_leaf(caller.organization_id, leaf).await?;
        Ok(slice.map(Into::into))
    }

    /// A page of a collection's tracks, or of all tracks, searched and sorted.
    pub async fn track_leaf(
        &self,
        caller: &Caller,
        collection: Option<CollectionId>,
        leaf: &Leaf<TrackSort, TrackId>,
    ) -> Result<TrackLeaf, Refusal> {
        match collection {
            Some(id) => caller.reach_collection(id)?,
            None => caller.require_whole_organization()?,
        }
        if caller.scope.track().is_some() {
            return Err(Refusal::NotFound(Noun::Collection));
        }
        let organization_id = caller.organization_id;
        let organization = self.catalog.organization(organization_id).await?;
        let organization = Arc::new(organization.ok_or(Refusal::NotFound(Noun::Organization))?);
        let slice = self.catalog.track_leaf(organization_id, collection, leaf).await?;
        let ids: HashSet<CollectionId> = slice.rows.iter().map(|track| track.collection_id).collect();
        let ids: Vec<CollectionId> = ids.into_iter().collect();
        let mut around = HashMap::new();
        for collection in self.catalog.collections_among(organization_id, &ids).await? {
            let organization = Arc::clone(&organization);
            around.insert(collection.id, Surroundings { organization, collection: Arc::new(collection) });
        }
        let titles = around.iter().map(|(id, around)| (*id, around.collection.title.clone())).collect();
        let Slice { rows, has_before, has_after, total } = slice;
        // A track whose collection was deleted a moment ago goes with it.
        let views = rows.into_iter().filter_map(|track| Some(around.get(&track.collection_id)?.view(track)));
        Ok(TrackLeaf { slice: Slice { rows: views.collect(), has_before, has_after, total }, titles })
    }
}
