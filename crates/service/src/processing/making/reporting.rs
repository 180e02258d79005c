//! What goes on beside the making of a track's files: telling how far it is, and noticing that it is called off.

use std::time::Duration;

use tonearm_domain::{OrganizationId, TrackId};

use super::file_progress::FileProgress;
use crate::processing::runner::Processing;

/// How often progress is told, and how late a deletion by another node is noticed.
const PERIOD: Duration = Duration::from_secs(1);

impl Processing {
    /// Tells how far a track is, and returns once it is deleted: at once where that happens in this process, else
    /// within a second. A catalog that does not answer is asked again.
    pub(super) async fn report_until_deleted(
        &self,
        organization_id: OrganizationId,
        track_id: TrackId,
        board: &FileProgress,
    ) {
        let watching = self.watched.watch(track_id);
        let mut beat = tokio::time::interval_at(tokio::time::Instant::now() + PERIOD, PERIOD);
        loop {
            tokio::select! {
                () = watching.changed.notified() => {}
                _ = beat.tick() => self.report_progress(track_id, board).await,
            }
            match self.catalog.track_is_living(organization_id, track_id).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => tracing::debug!(%track_id, %error, "could not check whether a track exists"),
            }
        }
    }

    async fn report_progress(&self, track_id: TrackId, board: &FileProgress) {
        let Some(progress) = board.news() else { return };
        let published = self.catalog.put_track_progress(track_id, &progress, self.ambient.now()).await;
        if let Err(error) = published {
            tracing::debug!(%track_id, %error, "could not publish the progress of a track");
        }
    }
}
