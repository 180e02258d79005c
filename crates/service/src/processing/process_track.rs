//! Make everything that a track's recipes ask for.

use tonearm_domain::{FileOutcome, OrganizationId, Recipe, Source, Track, TrackId, TrackStatus};
use tonearm_media::{LimitTier, MediaError, RunScope};

use super::analysis::Analysed;
use super::board::Board;
use super::files::{MadeCover, Results};
use super::pictures::needs_placeholder;
use super::plan::{Known, Piece, Plan};
use super::workbench::{Stop, Workbench};
use super::{JobError, JobRun, Processing};

/// What is left to be recorded at the end of a run.
#[derive(Default)]
pub(super) struct Unrecorded {
    pub(super) analysed: Option<Analysed>,
    pub(super) cover: Option<MadeCover>,
    pub(super) files: Vec<(Recipe, FileOutcome)>,
}

impl Processing {
    /// Makes every file of a track that is not there yet and settles its status.
    ///
    /// Each finished file is stored and recorded by itself, so that a run that is cut short loses only what was
    /// in the making: the next run goes on from there. Short sound is recorded in one go.
    pub(super) async fn process_track(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        let Some(track) = self.catalog.track(organization_id, track_id).await? else {
            return self.finish(&run.claimed).await;
        };
        let source = match track.source.clone() {
            Some(source) if track.status.is_processing() => source,
            _ => return self.finish(&run.claimed).await,
        };
        let recipes = self.missing_recipes(&track).await?;
        let board = Board::new(&recipes);
        let work = self.make_and_settle(run, track, source, recipes, board.clone());
        tokio::select! {
            biased;
            done = work => done,
            // Dropping the work kills what it runs. What is stored already is removed with the track.
            () = self.attend(organization_id, track_id, &board) => Err(JobError::Cancelled),
        }
    }

    async fn make_and_settle(
        &self,
        run: &JobRun,
        track: Track,
        source: Source,
        recipes: Vec<Recipe>,
        board: Board,
    ) -> Result<(), JobError> {
        let tier = match track.status {
            TrackStatus::FallbackProcessing => LimitTier::Fallback,
            _ => LimitTier::Normal,
        };
        let scope = RunScope { cancel: run.cancel.clone(), tier };
        let bench = match self.open_workbench(track.clone(), source, scope, board).await {
            Ok(bench) => bench,
            Err(Stop::Source(error)) => return self.refuse_source(run, &track, error).await,
            Err(Stop::Job(error)) => return Err(error),
        };
        match self.make_all(&bench, recipes).await {
            Ok(unrecorded) => self.settle_track(run, &bench.track, unrecorded).await,
            Err(Stop::Source(error)) => self.refuse_source(run, &track, error).await,
            Err(Stop::Job(error)) => Err(error),
        }
    }

    /// Makes files for recipes, and a cover where there is none.
    pub(super) async fn make_all(&self, bench: &Workbench, recipes: Vec<Recipe>) -> Result<Unrecorded, Stop> {
        let known = Known {
            claimed_duration: bench.probe.duration,
            is_plain: bench.probe.pcm.is_some(),
            is_measured: Analysed::is_recorded(&bench.track),
            needs_picture: bench.track.cover.is_none() || needs_placeholder(&bench.track),
            is_early: bench.is_early,
        };
        let plan = Plan::new(recipes, known);
        let results = Results::new(bench, plan.is_short);
        let recorded = known.is_measured.then(|| Analysed::recorded(bench));
        let at_once =
            async { self.make_pieces(&results, &plan.at_once, recorded.as_ref()).await.map_err(Stop::Job) };
        let measured = async {
            if !plan.measures {
                return Ok((None, None));
            }
            let (analysed, rendered) = self.analyse(bench, &plan).await?;
            if !plan.is_short {
                self.record_analysis(&bench.track, &analysed).await?;
            }
            let rest = self.make_measured(&results, &plan, &analysed, rendered);
            let cover = self.make_and_show_cover(bench, &analysed, plan.is_short);
            let (cover, ()) = futures::try_join!(cover, rest)?;
            Ok((Some(analysed), cover))
        };
        // Turns are given in this order: others wait for what is measured.
        let ((analysed, cover), ()) = futures::try_join!(measured, at_once)?;
        if let Some(analysed) = analysed.as_ref().or(recorded.as_ref()) {
            self.mend(&results, &plan, analysed).await?;
        }
        Ok(Unrecorded {
            analysed: analysed.filter(|_| plan.is_short),
            cover,
            files: results.into_unrecorded(),
        })
    }

    /// Makes the cover and, unless all is recorded together in the end, puts it to use.
    async fn make_and_show_cover(
        &self,
        bench: &Workbench,
        analysed: &Analysed,
        is_together: bool,
    ) -> Result<Option<MadeCover>, JobError> {
        match self.make_cover(bench, analysed).await? {
            Some(made) if !is_together => {
                self.record_cover(&bench.track, made).await?;
                Ok(None)
            }
            made => Ok(made),
        }
    }

    /// Stores what was encoded while measuring, and makes what had to wait for it.
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
                None => self.make_pieces(results, &plan.with_measuring, Some(analysed)).await,
            }
        };
        futures::try_join!(encoded, self.make_pieces(results, &plan.after, Some(analysed)))?;
        Ok(())
    }

    /// Makes once more what hit a limit, with larger ones, and previews whose place was reckoned from a duration
    /// that turned out to be wrong.
    async fn mend(&self, results: &Results<'_>, plan: &Plan, analysed: &Analysed) -> Result<(), Stop> {
        let bench = results.bench();
        if !analysed.confirms(bench.probe.duration) {
            let is_preview = |piece: &&Piece| matches!(piece.kind, tonearm_domain::RecipeKind::Preview(_));
            let early = plan.with_measuring.iter().chain(&plan.at_once).filter(is_preview);
            let misplaced: Vec<Piece> = early.cloned().collect();
            if !misplaced.is_empty() && !Analysed::is_recorded(&bench.track) {
                self.make_pieces(results, &misplaced, Some(analysed)).await?;
            }
        }
        let limited = results.take_limited();
        if limited.is_empty() {
            return Ok(());
        }
        if self.fall_back(bench).await? {
            tracing::info!(track_id = %bench.track.id, "making {} files once more with larger limits", limited.len());
            let pieces: Vec<Piece> = limited.into_iter().map(|(piece, _)| piece).collect();
            results.enlarge_limits();
            self.make_pieces(results, &pieces, Some(analysed)).await?;
            self.fail_limited(results, results.take_limited()).await?;
        } else {
            self.fail_limited(results, limited).await?;
        }
        Ok(())
    }

    async fn fail_limited(
        &self,
        results: &Results<'_>,
        limited: Vec<(Piece, String)>,
    ) -> Result<(), JobError> {
        for (piece, reason) in limited {
            self.conclude(results, &piece, &FileOutcome::Failed { reason }).await?;
        }
        Ok(())
    }

    /// The recipes of a track of which there is no made file.
    async fn missing_recipes(&self, track: &Track) -> Result<Vec<Recipe>, JobError> {
        let mut recipes = self.catalog.recipes_for_track(track.organization_id, track.id).await?;
        let files = self.catalog.files_of_track(track.id).await?;
        let is_made = |recipe: &Recipe| files.iter().any(|f| f.recipe.id == recipe.id && f.is_made());
        recipes.retain(|recipe| !is_made(recipe));
        Ok(recipes)
    }

    /// What an error about the source as a whole means: the bytes are at fault, or the run is.
    async fn refuse_source(&self, run: &JobRun, track: &Track, error: MediaError) -> Result<(), JobError> {
        match error {
            MediaError::NotAudio(reason) | MediaError::Failed(reason) | MediaError::LimitHit(reason) => {
                self.reject(run, track, &reason).await
            }
            MediaError::Cancelled => Err(JobError::Cancelled),
            other => Err(JobError::internal(other)),
        }
    }
}
