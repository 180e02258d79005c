//! Redrawing the placeholder beside a track's cover after the store has lost it.

use tonearm_domain::{CoverOrigin, OrganizationId, Source, Track, TrackId};
use tonearm_media::LimitTier;

use super::analysis::Analysed;
use super::file_progress::FileProgress;
use super::limits::Limits;
use super::plan::{KnownFacts, Plan};
use super::run_context::RunContext;
use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};

impl Processing {
    /// Draws a placeholder for a track that has another cover and no placeholder beside it. If the file can no longer
    /// be read, the track stays as it is: players show the other cover.
    pub(in crate::processing) async fn draw_lost_placeholder(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        let track = self.catalog.track(organization_id, track_id).await?.filter(lacks_placeholder);
        if let Some(track) = track
            && let Some(source) = track.source.clone()
        {
            match Box::pin(self.draw_beside(run, track, &source)).await {
                Err(Stop::Job(error)) => return Err(error),
                Err(Stop::Source(reason) | Stop::Limit(reason)) => {
                    tracing::info!(%track_id, reason, "the placeholder of a track could not be drawn from its file");
                }
                Ok(()) => {}
            }
        }
        self.finish(&run.claimed).await
    }

    pub(super) async fn draw_beside(&self, run: &JobRun, track: Track, source: &Source) -> Result<(), Stop> {
        let (context, analysed) = self.analyse_again(run, track, source).await?;
        let made = self.make_placeholder(&context.track, &analysed).await?;
        let mut recording = self.recording_of(&context).await?;
        recording.put_cover(made).await?;
        Ok(recording.commit().await?)
    }

    /// Reads the source of a track again for the waveform that its pictures are drawn from.
    pub(super) async fn analyse_again<'a>(
        &self,
        run: &'a JobRun,
        track: Track,
        source: &Source,
    ) -> Result<(RunContext<'a>, Analysed), Stop> {
        let limits = Limits::new(run.scope(LimitTier::Normal));
        let context = self.open_run_context(run, track, source, limits, FileProgress::new(&[])).await?;
        let known = KnownFacts {
            claimed_duration: context.probe.duration,
            is_plain: context.probe.pcm.is_some(),
            is_measured: true,
            needs_picture: true,
            is_early: context.is_early,
        };
        let (analysed, _) = self.analyse(&context, &Plan::new(Vec::new(), known)).await?;
        Ok((context, analysed))
    }
}

/// A drawn cover is its own placeholder. A missing cover is made by another job.
fn lacks_placeholder(track: &Track) -> bool {
    let has_other_cover = track.cover.is_some_and(|cover| cover.origin != CoverOrigin::Generated);
    has_other_cover && track.placeholder.is_none() && track.status.is_playable()
}
