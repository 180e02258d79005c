//! Reordering tracks of a collection, based on the order that a person saw.

use tonearm_catalog::Transaction;
use tonearm_domain::{AuditAction, CollectionId, ErrorCode, TrackId, UndoableChange};

use super::{Changed, SelectedTracks, keep_undo};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::library::Library;
use crate::refusal::{Refusal, Resource};

/// Consecutive tracks of a collection, in the order in which a person saw them and in the new order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reordering {
    before: Vec<TrackId>,
    after: Vec<TrackId>,
}

impl Reordering {
    /// Refuses two orders that do not name the same tracks.
    pub fn new(before: SelectedTracks, after: SelectedTracks) -> Result<Self, Refusal> {
        let sorted = |tracks: &SelectedTracks| {
            let mut ids = tracks.ids().to_vec();
            ids.sort_unstable();
            ids
        };
        if sorted(&before) != sorted(&after) {
            return Err(Refusal::invalid("track", "both orders must name the same tracks"));
        }
        Ok(Self { before: before.0, after: after.0 })
    }
}

impl Library {
    /// Puts the tracks in the new order, unless the order has changed since the person saw it.
    pub async fn reorder_tracks(
        &self,
        caller: &Caller,
        collection_id: CollectionId,
        reordering: Reordering,
    ) -> Result<Changed, Refusal> {
        let Reordering { before, after } = reordering;
        caller.reach_collection(collection_id)?;
        let tx = self.catalog.begin().await?;
        self.put_in_order(&tx, caller, collection_id, (&before, &after)).await?;
        let count = after.len();
        let undo =
            keep_undo(&tx, &self.ambient, caller, UndoableChange::Order { collection_id, before, after })
                .await?;
        tx.commit().await?;
        Ok(Changed { count, undo })
    }

    pub(super) async fn put_in_order(
        &self,
        tx: &Transaction,
        caller: &Caller,
        collection_id: CollectionId,
        (before, after): (&[TrackId], &[TrackId]),
    ) -> Result<(), Refusal> {
        if tx.tracks_in_order(caller.organization_id, collection_id, before).await? != before {
            return Err(order_changed());
        }
        self.arrange(tx, caller, collection_id, after).await
    }

    /// Puts tracks in the new order. This transaction has locked them in the order in which they were seen.
    pub(super) async fn arrange(
        &self,
        tx: &Transaction,
        caller: &Caller,
        collection_id: CollectionId,
        after: &[TrackId],
    ) -> Result<(), Refusal> {
        let organization_id = caller.organization_id;
        let collection = tx
            .collection_as_it_is(organization_id, collection_id)
            .await?
            .ok_or(Refusal::NotFound(Resource::Collection))?;
        tx.arrange_tracks(organization_id, collection_id, after).await?.map_err(|_| order_changed())?;
        let done = AuditedAction {
            action: AuditAction::CollectionOrder,
            subject_id: collection_id.uuid(),
            title: &collection.title,
        };
        Ok(audit::record(tx, &self.ambient, caller, done).await?)
    }
}

pub(super) fn order_changed() -> Refusal {
    Refusal::Conflict {
        code: ErrorCode::OrderChanged,
        message: "the order was changed in the meantime; reload the page to see it".to_owned(),
    }
}
