//! The tracks whose files this process is making, so that a change to one is noticed at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tonearm_catalog::{Catalog, Change};
use tonearm_domain::TrackId;

/// The tracks that this process is working on. Each is notified when a transaction of this process changes it.
#[derive(Clone, Default)]
pub(super) struct RunningTracks(Arc<Mutex<HashMap<TrackId, Arc<Notify>>>>);

/// Stops watching a track when dropped.
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
                    // The collections of these tracks are not known here. All are notified, as there are few.
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
        // Another run of the same track may have replaced the entry.
        if tracks.get(&self.track_id).is_some_and(|changed| Arc::ptr_eq(changed, &self.changed)) {
            tracks.remove(&self.track_id);
        }
    }
}
