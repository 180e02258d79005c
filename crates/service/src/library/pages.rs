//! Pages of collections and tracks that people search and sort.

use std::collections::{HashMap, HashSet};

use tonearm_domain::{CollectionId, CollectionSort, Page, PageQuery, TrackId, TrackSort};

use super::{CollectionView, Library};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::TrackView;

/// A page of tracks, and the titles of their collections.
#[derive(Debug, Clone)]
pub struct ListedTracks {
    /// The tracks.
    pub page: Page<TrackView>,
    /// The titles of their collections.
    pub titles: HashMap<CollectionId, String>,
}

impl Library {
    /// A page of the collections, searched and sorted.
    pub async fn collection_page(
        &self,
        caller: &Caller,
        query: &PageQuery<CollectionSort, CollectionId>,
    ) -> Result<Page<CollectionView>, Refusal> {
        caller.require_whole_organization()?;
        let page = self.catalog.collection_page(caller.organization_id, query).await?;
        Ok(page.map(Into::into))
    }

    /// A page of a collection's tracks, or of all tracks, searched and sorted.
    pub async fn track_page(
        &self,
        caller: &Caller,
        collection: Option<CollectionId>,
        query: &PageQuery<TrackSort, TrackId>,
    ) -> Result<ListedTracks, Refusal> {
        match collection {
            Some(id) => caller.reach_collection(id)?,
            None => caller.require_whole_organization()?,
        }
        if caller.scope.track().is_some() {
            return Err(Refusal::NotFound(Resource::Collection));
        }
        let page = self.catalog.track_page(caller.organization_id, collection, query).await?;
        let ids: HashSet<CollectionId> = page.rows.iter().map(|track| track.collection_id).collect();
        let around = self.parents_among(caller, ids).await?;
        let titles = around.iter().map(|(id, around)| (*id, around.collection.title.clone())).collect();
        let Page { rows, has_before, has_after, total } = page;
        // If the collection was deleted a moment ago, its tracks are left out.
        let views = rows.into_iter().filter_map(|track| Some(around.get(&track.collection_id)?.view(track)));
        Ok(ListedTracks { page: Page { rows: views.collect(), has_before, has_after, total }, titles })
    }
}
