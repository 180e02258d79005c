//! The cover that is made for a track itself: the art in its file, or a drawn one. It is made again if it was made from
//! something that has changed since, and after an uploaded cover was removed.

use tonearm_domain::{
    CoverOrigin, LevelsSettings, OrganizationId, RecipeKind, Source, Theme, Track, TrackFile, TrackId,
};
use tonearm_media::LimitTier;

use super::file_progress::FileProgress;
use super::files::MadeCover;
use super::limits::Limits;
use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};
use crate::track_view::TrackParents;

impl Processing {
    /// Makes the own cover of a track that is ready, or the placeholder beside an uploaded one, unless it is there and
    /// made from what applies now. If the file can no longer be read, the track stays as it is: it can be played, and
    /// players show another cover.
    pub(super) async fn derive_cover(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        let track = self.catalog.track(organization_id, track_id).await?;
        let Some(track) = track.filter(|track| track.status.is_playable()) else { return Ok(()) };
        let Some(source) = track.source.clone() else { return Ok(()) };
        let parents = TrackParents::of(&self.catalog, organization_id, track.collection_id).await?;
        let basis = parents.inputs(&track).own_cover_basis(&track);
        let made_from = self.catalog.cover_basis(track_id).await?;
        if basis.is_some() && basis == made_from {
            return Ok(());
        }
        let is_drawn = is_uploaded(&track) || has_other_colour(made_from.as_deref(), basis.as_deref());
        let levels = if is_drawn { self.recorded_levels(track_id).await? } else { None };
        let made = match levels {
            Some(levels) => self.draw_again(run, &parents, track, levels).await.map_err(Stop::from),
            None => Box::pin(self.make_own_cover(run, track, &source)).await,
        };
        match made {
            Err(Stop::Job(error)) => Err(error),
            Err(Stop::Source(reason) | Stop::Limit(reason)) => {
                tracing::info!(%track_id, reason, "the cover of a track could not be made from its file");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Makes it from the source.
    async fn make_own_cover(&self, run: &JobRun, track: Track, source: &Source) -> Result<(), Stop> {
        if is_uploaded(&track) {
            return Box::pin(self.draw_beside(run, track, source)).await;
        }
        let theme = Theme { found: Vec::new(), ..track.theme.clone() };
        let bare = Track { cover: None, placeholder: None, theme, ..track };
        let limits = Limits::new(run.scope(LimitTier::Normal));
        let context = self.open_run_context(run, bare, source, limits, FileProgress::new(&[])).await?;
        let made = Box::pin(self.make_all(&context, Vec::new())).await?;
        let mut recording = self.recording_of(&context).await?;
        recording.put(made).await?;
        Ok(recording.commit().await?)
    }

    /// Draws it from the recorded waveform, in the colour that applies now.
    async fn draw_again(
        &self,
        run: &JobRun,
        parents: &TrackParents,
        track: Track,
        levels: Vec<f64>,
    ) -> Result<(), JobError> {
        let found = track.theme.found.clone();
        let images = self.draw_placeholder(parents, &track, &found, levels).await?;
        let cover = self.store_cover(&track, CoverOrigin::Generated, &images).await?;
        let made = MadeCover::new(cover, found, is_uploaded(&track), (parents, &track));
        let mut recording = self.recording_for(run, &track).await?.ok_or(JobError::Cancelled)?;
        recording.put_cover(made).await?;
        recording.commit().await
    }

    /// The levels from which covers are drawn, if a recipe asked for them.
    pub(super) async fn recorded_levels(&self, track_id: TrackId) -> Result<Option<Vec<f64>>, JobError> {
        let files = self.catalog.files_of_track(track_id).await?;
        let wanted = RecipeKind::Levels(LevelsSettings::default());
        let levels: Option<TrackFile> = files.into_iter().find(|file| file.recipe.kind == wanted);
        Ok(levels.and_then(|file| file.outcome.into_levels()))
    }
}

fn is_uploaded(track: &Track) -> bool {
    track.cover.is_some_and(|cover| cover.origin == CoverOrigin::Uploaded)
}

/// Whether these differ in the colour alone, which is last.
fn has_other_colour(made_from: Option<&str>, basis: Option<&str>) -> bool {
    let (before, now) =
        (made_from.and_then(|it| it.rsplit_once(" #")), basis.and_then(|it| it.rsplit_once(" #")));
    before.is_some() && before.map(|(rest, _)| rest) == now.map(|(rest, _)| rest)
}
