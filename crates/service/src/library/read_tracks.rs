//! Reading tracks.

use tonearm_domain::{CollectionId, Page, TrackId};

use super::Library;
use crate::track_view::Surroundings;
use crate::{Caller, Noun, Refusal, TrackView, waiting};

impl Library {
    /// One track.
    pub async fn track(&self, caller: &Caller, id: TrackId) -> Result<TrackView, Refusal> {
        let mut track =
            self.catalog.track(caller.organization_id, id).await?.ok_or(Refusal::NotFound(Noun::Track))?;
        caller.reach_track(track.collection_id, track.id)?;
        waiting::explain(&self.catalog, [&mut track]).await?;
        let surroundings =
            Surroundings::of(&self.catalog, caller.organization_id, track.collection_id).await?;
        Ok(surroundings.view(track))
    }

    /// One page of a collection's tracks, and how many there are in all. A key limited to one track sees that one.
    pub async fn tracks(
        &self,
        caller: &Caller,
        collection_id: CollectionId,
        page: Page,
    ) -> Result<(u64, Vec<TrackView>), Refusal> {
        if caller.scope.collection().is_some_and(|own| own != collection_id) {
            return Err(Refusal::NotFound(Noun::Collection));
        }
        let surroundings = Surroundings::of(&self.catalog, caller.organization_id, collection_id).await?;
        let only = caller.scope.track();
        let (total, tracks) =
            self.catalog.tracks_in_collection(caller.organization_id, collection_id, only, page).await?;
        Ok((total, tracks.into_iter().map(|track| surroundings.view(track)).collect()))
    }
}
