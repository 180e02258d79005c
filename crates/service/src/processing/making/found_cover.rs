//! The cover of a track whose uploaded cover was removed: the art in its file, or a generated one.

use tonearm_domain::{OrganizationId, TrackId};
use tonearm_media::LimitTier;

use super::file_progress::FileProgress;
use super::limits::Limits;
use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};

impl Processing {
    /// Makes a cover for a track that is ready and has none. If the file can no longer be read, the track stays as it
    /// is: it can be played, and players show another cover.
    pub(super) async fn restore_found_cover(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        let track = self.catalog.track(organization_id, track_id).await?;
        let Some(track) = track.filter(|track| track.cover.is_none() && track.status.is_playable()) else {
            return Ok(());
        };
        let Some(source) = track.source.clone() else { return Ok(()) };
        let made = async {
            let limits = Limits::new(run.scope(LimitTier::Normal));
            let board = FileProgress::new(&[]);
            let context = self.open_run_context(run, track, &source, limits, board).await?;
            let made = Box::pin(self.make_all(&context, Vec::new())).await?;
            let mut recording = self.recording_of(&context).await?;
            recording.put(made).await?;
            recording.commit().await?;
            Ok::<(), Stop>(())
        };
        match Box::pin(made).await {
            Err(Stop::Job(error)) => Err(error),
            Err(Stop::Source(reason) | Stop::Limit(reason)) => {
                tracing::info!(%track_id, reason, "the cover of a track could not be made from its file");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }
}
