//! Reordering the tracks of a collection.

use std::collections::HashSet;

use tonearm_domain::{AuditAction, CollectionId, TrackId};

use super::Library;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// The most tracks that are reordered at once: all of them are locked until it is done.
const MOST_TRACKS: usize = 1000;

impl Library {
    /// Puts tracks of a collection in the given order. They exchange positions among themselves; all other tracks keep
    /// theirs. Returns the new order of each.
    pub async fn order_tracks(
        &self,
        caller: &Caller,
        collection_id: CollectionId,
        tracks: &[TrackId],
    ) -> Result<Vec<i64>, Refusal> {
        caller.reach_collection(collection_id)?;
        require_distinct(tracks)?;
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        // Not locked: a transaction that locks tracks and their collection must lock the tracks first.
        let collection = tx
            .collection_as_it_is(organization_id, collection_id)
            .await?
            .ok_or(Refusal::NotFound(Resource::Collection))?;
        let orders = tx.arrange_tracks(organization_id, collection_id, tracks).await?.map_err(|missing| {
            Refusal::invalid("track_ids", format!("the collection has no track {missing}"))
        })?;
        let done = AuditedAction {
            action: AuditAction::CollectionOrder,
            subject_id: collection_id.uuid(),
            title: &collection.title,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(orders)
    }
}

fn require_distinct(tracks: &[TrackId]) -> Result<(), Refusal> {
    let mut seen = HashSet::new();
    if !(1..=MOST_TRACKS).contains(&tracks.len()) {
        return Err(Refusal::invalid("track_ids", format!("must name 1 to {MOST_TRACKS} tracks")));
    }
    match tracks.iter().find(|id| !seen.insert(**id)) {
        Some(id) => Err(Refusal::invalid("track_ids", format!("must name the track {id} only once"))),
        None => Ok(()),
    }
}
