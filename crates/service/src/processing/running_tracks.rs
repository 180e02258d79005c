//! Which tracks this process is making files of, so that a change of one is noticed at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tonearm_catalog::{Catalog, Change};
use tonearm_domain::TrackId;

/// The tracks that this process is at, to be told when a transaction of this process changes one.
#[derive(Clone, Default)]
pub(super) struct RunningTracks(Arc<Mutex<HashMap<TrackId, Arc<Notify>>>>);

/// Ends watching a track when dropped.
pub(super) struct RunningTrack {
    watched: RunningTracks,
    track_id: TrackId,
    pub(super) changed: Arc<Notify>,
}

impl RunningTracks {
    /// Follows the commits of the catalog from now on.
    pub(super) fn follow(catalog: &Catalog) -> Self {
        let watched = Self::default();
        let tracks = Arc::clone(&watched.0);
        catalog.on_commit(move |changes| {
            let tracks = tracks.lock().unwrap_or_else(PoisonError::into_inner);
            for change in changes {
                match change {
                    Change::Track(id) => tracks.get(id).into_iter().for_each(|changed| changed.notify_one()),
                    // Of which collection they are is not known here, and they are few.
                    Change::Collection(_) => tracks.values().for_each(|changed| changed.notify_one()),
                    _ => {}
                }
            }
        });
        watched
    }

    pub(super) fn watch(&self, track_id: TrackId) -> RunningTrack {
        let changed = Arc::new(Notify::new());
        let mut tracks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tracks.insert(track_id, Arc::clone(&changed));
        RunningTrack { watched: self.clone(), track_id, changed }
    }
}

impl Drop for RunningTrack {
    fn drop(&mut self) {
        let mut tracks = self.watched.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another run of the same track may have taken the place.
        if tracks.get(&self.track_id).is_some_and(|changed| Arc::ptr_eq(changed, &self.changed)) {
            tracks.remove(&self.track_id);
        }
    }
}
