//! Tasks that run while a track's files are made: reporting progress, and noticing a cancellation.

use std::time::Duration;

use tonearm_domain::{OrganizationId, TrackId};

use super::file_progress::FileProgress;
use crate::processing::runner::Processing;

/// How often progress is reported, and how late a deletion by another node is noticed.
const PERIOD: Duration = Duration::from_secs(1);

impl Processing {
    /// Reports the progress of a track, and returns once it is deleted: at once if that happens in this process, else
    /// within a second. If the catalog does not respond, it is queried again.
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
