//! Reading tracks.

use tonearm_domain::{CollectionId, ListPart, ListWindow, TrackId, TrackOrderKey};

use super::Library;
use super::find_tracks::foreign_cursor;
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::{TrackParents, TrackView, waiting};

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
        waiting::explain(&self.catalog, self.ambient.now(), [&mut view]).await?;
        Ok(view)
    }

    /// One page of a collection's tracks, and the total number. A key limited to one track sees only that track.
    pub async fn tracks(
        &self,
        caller: &Caller,
        collection_id: CollectionId,
        window: ListWindow,
    ) -> Result<ListPart<TrackView>, Refusal> {
        if caller.scope.collection().is_some_and(|own| own != collection_id) {
            return Err(Refusal::NotFound(Resource::Collection));
        }
        let parents = TrackParents::of(&self.catalog, caller.organization_id, collection_id).await?;
        let only = caller.scope.track();
        let organization_id = caller.organization_id;
        let part = match window {
            ListWindow::Offset(page) => ListPart::by_offset(
                self.catalog.tracks_in_collection(organization_id, collection_id, only, page).await?,
            ),
            ListWindow::After { position: Some(position), .. }
                if !TrackOrderKey::Order.has(&position.value) =>
            {
                return Err(foreign_cursor());
            }
            ListWindow::After { position, limit } => {
                let from = (position.as_ref(), limit);
                self.catalog.tracks_after(organization_id, collection_id, only, from).await?
            }
        };
        Ok(part.map(|track| parents.view(track)))
    }
}
