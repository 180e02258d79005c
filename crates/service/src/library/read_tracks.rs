//! Reading tracks.

use tonearm_domain::{CollectionId, LimitOffset, TrackId};

use super::Library;
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::{TrackParents, TrackView};
use crate::waiting;

impl Library {
    /// One track.
    pub async fn track(&self, caller: &Caller, id: TrackId) -> Result<TrackView, Refusal> {
        let track = self
            .catalog
            .track(caller.organization_id, id)
            .await?
            .ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, track.id)?;
        let parents = TrackParents::of(&self.catalog, caller.organization_id, track.collection_id).await?;
        let mut view = parents.view(track);
        waiting::explain(&self.catalog, [&mut view]).await?;
        Ok(view)
    }

    /// One page of a collection's tracks, and how many there are in all. A key limited to one track sees that one.
    pub async fn tracks(
        &self,
        caller: &Caller,
        collection_id: CollectionId,
        page: LimitOffset,
    ) -> Result<(u64, Vec<TrackView>), Refusal> {
        if caller.scope.collection().is_some_and(|own| own != collection_id) {
            return Err(Refusal::NotFound(Resource::Collection));
        }
        let parents = TrackParents::of(&self.catalog, caller.organization_id, collection_id).await?;
        let only = caller.scope.track();
        let (total, tracks) =
            self.catalog.tracks_in_collection(caller.organization_id, collection_id, only, page).await?;
        Ok((total, tracks.into_iter().map(|track| parents.view(track)).collect()))
    }
}
