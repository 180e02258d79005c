//! Making every file that a track's recipes need.

use tonearm_domain::{
    CoverOrigin, FileOutcome, OrganizationId, Outage, Recipe, Source, Track, TrackId, TrackStatus, untried,
};
use tonearm_media::LimitTier;
use tracing::Instrument;

use super::analysis::Analysed;
use super::file_progress::FileProgress;
use super::files::{Limited, MadeCover, Results};
use super::fitting::Fitting;
use super::limits::Limits;
use super::pictures::needs_placeholder;
use super::plan::{KnownFacts, Plan, PlannedFile};
use super::recording::Unrecorded;
use super::run_context::RunContext;
use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};

/// If processes hang without using the processor, the file is blamed only after attempts over this many seconds: until
/// then, the machine may be slow.
const HANGING_SECONDS: i64 = 24 * 3600;

/// How one pass over a track ended.
pub(super) enum Pass {
    /// The job is done.
    Finished,
    /// Recipes were added or changed meanwhile. Another pass makes their files.
    Again,
}

impl Processing {
    /// Makes every missing file of a track and settles its status.
    ///
    /// Each finished file is stored and recorded on its own. A run that is interrupted loses only the files in
    /// progress; the next run continues from there. The files of short sound are recorded together.
    pub(in crate::processing) async fn process_track(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        // Another pass happens only if a recipe was added or changed during the previous one.
        let mut tried = Vec::new();
        while let Pass::Again = Box::pin(self.pass_over(run, organization_id, track_id, &mut tried)).await? {}
        Ok(())
    }

    async fn pass_over(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
        tried: &mut Vec<Recipe>,
    ) -> Result<Pass, JobError> {
        let track = self.catalog.track(organization_id, track_id).await?;
        let source = track.as_ref().and_then(|track| track.source.clone());
        let (Some(mut track), Some(source)) = (track.filter(|track| track.status.is_processing()), source)
        else {
            self.finish(&run.claimed).await?;
            return Ok(Pass::Finished);
        };
        let older = self.older_with_same_source(&track).await?;
        let source = self.share_source(run, &track, source, &older).await?;
        track.source = Some(source.clone());
        let recipes = self.missing_recipes(&track, tried).await?;
        let (track, recipes) = self.take_over(run, track, &source, recipes, &older).await?;
        tried.extend(recipes.iter().cloned());
        if recipes.is_empty() && Analysed::is_recorded(&track) && track.cover.is_some() {
            return self.settle_track(run, &track, Unrecorded::default(), tried).await;
        }
        let board = FileProgress::new(&recipes);
        let work = self.make_and_settle(run, track, source, (recipes, tried), board.clone());
        tokio::select! {
            biased;
            done = work => done,
            // Dropping the work kills its processes. Objects that are already stored are removed with the track.
            () = self.report_until_deleted(organization_id, track_id, &board) => Err(JobError::Cancelled),
        }
    }

    async fn make_and_settle(
        &self,
        run: &JobRun,
        track: Track,
        source: Source,
        (recipes, tried): (Vec<Recipe>, &[Recipe]),
        board: FileProgress,
    ) -> Result<Pass, JobError> {
        match Box::pin(self.make_track(run, &track, &source, recipes, board)).await {
            Ok((before, unrecorded)) => self.settle_track(run, &before, unrecorded, tried).await,
            Err(Stop::Source(reason) | Stop::Limit(reason)) => self.reject(run, &track, &reason).await,
            Err(Stop::Job(JobError::Outage { outage: Outage::Overload, source })) if self.hangs(run) => {
                self.reject(run, &track, &source.to_string()).await
            }
            Err(Stop::Job(error)) => Err(error),
        }
    }

    /// Whether processes of this job have been timing out for so long that the file must be the cause.
    pub(super) fn hangs(&self, run: &JobRun) -> bool {
        let since = run.claimed.failing_since;
        since.is_some_and(|since| since.plus_seconds(HANGING_SECONDS) <= self.ambient.now())
    }

    /// Makes everything that a track lacks. Returns the track as it was before, and the results that are still to be
    /// recorded.
    async fn make_track(
        &self,
        run: &JobRun,
        track: &Track,
        source: &Source,
        recipes: Vec<Recipe>,
        board: FileProgress,
    ) -> Result<(Track, Unrecorded), Stop> {
        let tier = match track.status {
            TrackStatus::FallbackProcessing => LimitTier::Fallback,
            _ => LimitTier::Normal,
        };
        let limits = Limits::new(run.scope(tier));
        let context = self.open_run_context(run, track.clone(), source, limits, board).await?;
        self.put_in_order(&context.track, &context.probe.info).await?;
        let unrecorded = self.make_all(&context, recipes).await?;
        Ok((context.track, unrecorded))
    }

    /// Records the remaining results, settles the status accordingly and ends the job. `before` is the track as it was
    /// when the run began.
    async fn settle_track(
        &self,
        run: &JobRun,
        before: &Track,
        unrecorded: Unrecorded,
        tried: &[Recipe],
    ) -> Result<Pass, JobError> {
        let Some(mut recording) = self.recording_for(run, before).await? else {
            self.finish(&run.claimed).await?;
            return Ok(Pass::Finished);
        };
        let has_cover = unrecorded.cover.is_some();
        recording.put(unrecorded).await?;
        let cover = recording.track.cover;
        if !has_cover && cover != before.cover && cover.is_some_and(|it| it.origin == CoverOrigin::Uploaded) {
            // The files made from the cover may show the previous one.
            recording.queue_cover_files().await?;
        }
        let settling = tracing::info_span!("record_track");
        let is_finished = recording.settle_and_finish(&run.claimed, tried).instrument(settling).await?;
        Ok(if is_finished { Pass::Finished } else { Pass::Again })
    }

    /// Rejects a track whose source as a whole is at fault.
    async fn reject(&self, run: &JobRun, track: &Track, reason: &str) -> Result<Pass, JobError> {
        match self.recording_for(run, track).await? {
            Some(recording) => recording.reject_and_finish(&run.claimed, reason).await?,
            None => self.finish(&run.claimed).await?,
        }
        Ok(Pass::Finished)
    }

    /// Makes the files of recipes, and a cover if there is none.
    pub(super) async fn make_all(
        &self,
        context: &RunContext<'_>,
        recipes: Vec<Recipe>,
    ) -> Result<Unrecorded, Stop> {
        let known = KnownFacts {
            claimed_duration: context.probe.duration,
            is_plain: context.probe.pcm.is_some(),
            is_measured: Analysed::is_recorded(&context.track),
            needs_picture: context.track.cover.is_none() || needs_placeholder(&context.track),
            is_early: context.is_early,
        };
        let Fitting { recipes, refused } = self.fitting(context, recipes).await?;
        let plan = Plan::new(recipes, known);
        let is_together = plan.is_short || context.is_staged;
        let results = Results::new(context, is_together);
        for (recipe, outcome) in refused {
            self.conclude_one(&results, &recipe, outcome).await?;
        }
        let recorded = known.is_measured.then(|| Analysed::recorded(context));
        let at_once =
            async { Ok::<_, Stop>(self.make_files(&results, &plan.at_once, recorded.as_ref()).await?) };
        let measured = async {
            if !plan.measures {
                return Ok((None, None));
            }
            let (analysed, rendered) = self.analyse(context, &plan).await?;
            // The headers may have claimed less.
            self.require_duration(analysed.probe.duration)?;
            if !is_together {
                self.record_analysis(context, &analysed).await?;
            }
            let rest = self.make_measured(&results, &plan, &analysed, rendered);
            let cover = self.make_and_show_cover(context, &analysed, is_together);
            let (cover, ()) = futures::try_join!(cover, rest)?;
            Ok((Some(analysed), cover))
        };
        // Processes are scheduled in this order. Measuring comes first, as other files wait for its results.
        let ((analysed, cover), ()) = futures::try_join!(measured, at_once)?;
        if let Some(analysed) = analysed.as_ref().or(recorded.as_ref()) {
            self.retry_limited_files(&results, analysed).await?;
        }
        Ok(Unrecorded {
            measured: analysed.filter(|_| is_together).map(|analysed| analysed.measured()),
            cover,
            files: results.into_unrecorded(),
        })
    }

    /// Makes the cover and puts it to use, unless everything is recorded together at the end.
    async fn make_and_show_cover(
        &self,
        context: &RunContext<'_>,
        analysed: &Analysed,
        is_together: bool,
    ) -> Result<Option<MadeCover>, JobError> {
        match self.make_cover(context, analysed).await? {
            Some(made) if !is_together => {
                self.record_cover(context, made).await?;
                Ok(None)
            }
            made => Ok(made),
        }
    }

    /// Stores the files that were encoded while measuring, and makes those that had to wait for the results.
    async fn make_measured(
        &self,
        results: &Results<'_>,
        plan: &Plan,
        analysed: &Analysed,
        rendered: Option<Vec<tonearm_media::Rendered>>,
    ) -> Result<(), JobError> {
        let encoded = async {
            match rendered {
                Some(rendered) => self.store_rendered(results, &plan.with_measuring, rendered).await,
                None => self.make_files(results, &plan.with_measuring, Some(analysed)).await,
            }
        };
        futures::try_join!(encoded, self.make_files(results, &plan.after, Some(analysed)))?;
        Ok(())
    }

    /// Retries files that hit a limit, with larger limits.
    async fn retry_limited_files(&self, results: &Results<'_>, analysed: &Analysed) -> Result<(), Stop> {
        let context = results.context();
        loop {
            let limited = results.take_limited();
            let (again, given_up): (Vec<_>, Vec<_>) =
                limited.into_iter().partition(|limited| limited.tier == LimitTier::Normal);
            self.fail_limited(results, given_up).await?;
            let Some(first) = again.first() else {
                return Ok(());
            };
            self.enlarge(&context.limits, context.run, &context.track, &first.reason).await?;
            let planned_files: Vec<PlannedFile> = again.into_iter().map(|limited| limited.planned).collect();
            self.make_files(results, &planned_files, Some(analysed)).await?;
        }
    }

    async fn fail_limited(&self, results: &Results<'_>, limited: Vec<Limited>) -> Result<(), JobError> {
        for Limited { planned, reason, .. } in limited {
            self.may_blame(results.context()).await?;
            self.conclude(results, &planned, &FileOutcome::Failed { reason }).await?;
        }
        Ok(())
    }

    /// Records the results of probing and measuring.
    async fn record_analysis(&self, context: &RunContext<'_>, analysed: &Analysed) -> Result<(), JobError> {
        let mut recording = self.recording_of(context).await?;
        recording.put_measured(analysed.measured());
        recording.commit().await
    }

    /// Puts a cover to use as soon as it is made.
    async fn record_cover(&self, context: &RunContext<'_>, made: MadeCover) -> Result<(), JobError> {
        let mut recording = self.recording_of(context).await?;
        recording.put_cover(made).await?;
        recording.commit().await
    }

    /// The recipes of a track that were not tried yet, neither by an earlier run nor by this one. To retry a recipe,
    /// callers remove its failure.
    async fn missing_recipes(&self, track: &Track, tried: &[Recipe]) -> Result<Vec<Recipe>, JobError> {
        let recipes = self.catalog.recipes_for_track(track.organization_id, track.id).await?;
        let files = self.catalog.files_of_track(track.id).await?;
        let is_tried = |recipe: &Recipe| tried.iter().any(|tried| tried.is_same_revision(recipe));
        Ok(untried(&recipes, &files).filter(|recipe| !is_tried(recipe)).cloned().collect())
    }
}
