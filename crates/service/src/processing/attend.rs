//! What goes on beside the making of a track's files: telling how far it is, and noticing that it is called off.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tonearm_catalog::{Catalog, Change};
use tonearm_domain::{OrganizationId, TrackId};

use super::Processing;
use super::board::Board;

/// How often progress is told, and how late a deletion by another node is noticed.
const PERIOD: Duration = Duration::from_secs(1);

/// The tracks that this process is at, to be told when a transaction of this process changes one.
#[derive(Clone, Default)]
pub(super) struct Watched(Arc<Mutex<HashMap<TrackId, Arc<Notify>>>>);

/// Ends watching a track when dropped.
struct Watching {
    watched: Watched,
    track_id: TrackId,
    changed: Arc<Notify>,
}

impl Watched {
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

    fn watch(&self, track_id: TrackId) -> Watching {
        let changed = Arc::new(Notify::new());
        let mut tracks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tracks.insert(track_id, Arc::clone(&changed));
        Watching { watched: self.clone(), track_id, changed }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut tracks = self.watched.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another run of the same track may have taken the place.
        if tracks.get(&self.track_id).is_some_and(|changed| Arc::ptr_eq(changed, &self.changed)) {
            tracks.remove(&self.track_id);
        }
    }
}

impl Processing {
    /// Tells how far a track is, and returns once it is deleted: at once where that happens in this process, else
    /// within a second. A catalog that does not answer is asked again.
    pub(super) async fn attend(&self, organization_id: OrganizationId, track_id: TrackId, board: &Board) {
        let watching = self.watched.watch(track_id);
        let mut beat = tokio::time::interval_at(tokio::time::Instant::now() + PERIOD, PERIOD);
        loop {
            tokio::select! {
                () = watching.changed.notified() => {}
                _ = beat.tick() => self.tell(track_id, board).await,
            }
            match self.catalog.track_is_living(organization_id, track_id).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => tracing::debug!(%track_id, %error, "could not look whether a track is there"),
            }
        }
    }

    async fn tell(&self, track_id: TrackId, board: &Board) {
        let Some(progress) = board.news() else { return };
        let told = self.catalog.put_track_progress(track_id, &progress, self.ambient.now()).await;
        if let Err(error) = told {
            tracing::debug!(%track_id, %error, "could not tell how far a track is");
        }
    }
}
