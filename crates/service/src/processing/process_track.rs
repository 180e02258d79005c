//! Probe a source and make everything its recipes ask for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::stream::{FuturesUnordered, StreamExt};
use tonearm_domain::{
    FileOutcome, OrganizationId, Recipe, RecipeKind, Source, Track, TrackFile, TrackId, TrackStatus,
};
use tonearm_media::{LimitTier, MediaError, Probe, RunScope};

use super::{JobError, JobRun, Processing};
use crate::webhooks::events;

/// What one track's run works with.
pub(super) struct Workbench {
    pub(super) track: Track,
    pub(super) source: Source,
    /// The source as a local file.
    pub(super) input: PathBuf,
    /// A folder for files in the making, removed with it.
    pub(super) scratch: tempfile::TempDir,
    pub(super) probe: Probe,
    pub(super) scope: RunScope,
}

/// What became of one recipe.
pub(super) enum Made {
    File(FileOutcome),
    /// It hit a limit and may succeed with larger ones.
    LimitHit(String),
}

impl Processing {
    /// Makes every file of a track that is not there yet and settles its status.
    ///
    /// Each finished file is stored and recorded by itself, so that a run that is cut short loses only what was
    /// in the making: the next run goes on from there.
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
        let tier = match track.status {
            TrackStatus::FallbackProcessing => LimitTier::Fallback,
            _ => LimitTier::Normal,
        };
        let scope = RunScope { cancel: run.cancel.clone(), tier };
        let scratch = tempfile::Builder::new().prefix("track-").tempdir_in(&self.scratch)?;
        let Some(input) = self.local_source(&source, scratch.path()).await? else {
            return self.reject(run, &track, "the uploaded file is no longer in the store").await;
        };
        let mut probe = match self.media.probe(&input, &scope).await {
            Ok(probe) => probe,
            Err(error) => return self.refuse_source(run, &track, error).await,
        };
        probe.info.size = Some(source.size);
        let bench = Workbench { track, source, input, scratch, probe, scope };
        let missing = self.missing_recipes(&bench.track).await?;
        self.make_all(run, bench, missing).await
    }

    async fn make_all(
        &self,
        run: &JobRun,
        mut bench: Workbench,
        missing: Vec<Recipe>,
    ) -> Result<(), JobError> {
        let analysed = match self.analyse(&mut bench, &missing).await {
            Ok(analysed) => analysed,
            Err(MediaError::LimitHit(reason)) if self.fall_back(&bench).await? => {
                tracing::info!(track_id = %bench.track.id, reason, "analysing once more with larger limits");
                bench.scope.tier = LimitTier::Fallback;
                match self.analyse(&mut bench, &missing).await {
                    Ok(analysed) => analysed,
                    Err(error) => return self.refuse_source(run, &bench.track, error).await,
                }
            }
            Err(error) => return self.refuse_source(run, &bench.track, error).await,
        };
        self.record_analysis(&bench).await?;
        let bench = Arc::new(bench);
        let pictures = self.make_cover(&bench, &analysed);
        let files = self.make_files(&bench, &analysed, &missing);
        let (cover, limited) = futures::join!(pictures, files);
        let (cover, limited) = (cover?, limited?);
        let still_limited = if limited.is_empty() {
            limited
        } else if self.fall_back(&bench).await? {
            tracing::info!(track_id = %bench.track.id, "making {} files once more with larger limits", limited.len());
            let scope = RunScope { cancel: bench.scope.cancel.clone(), tier: LimitTier::Fallback };
            let recipes: Vec<Recipe> = limited.into_iter().map(|(recipe, _)| recipe).collect();
            self.make_files_within(&bench, &scope, &analysed, &recipes).await?
        } else {
            limited
        };
        for (recipe, reason) in still_limited {
            self.record_file(&bench.track, recipe, FileOutcome::Failed { reason }).await?;
        }
        self.settle_track(run, &bench.track, cover).await
    }

    async fn make_files(
        &self,
        bench: &Workbench,
        analysed: &super::files::Analysed,
        recipes: &[Recipe],
    ) -> Result<Vec<(Recipe, String)>, JobError> {
        self.make_files_within(bench, &bench.scope, analysed, recipes).await
    }

    /// Makes files at once, as many as the media crate lets run, and records each; returns those that hit a limit.
    async fn make_files_within(
        &self,
        bench: &Workbench,
        scope: &RunScope,
        analysed: &super::files::Analysed,
        recipes: &[Recipe],
    ) -> Result<Vec<(Recipe, String)>, JobError> {
        let mut making: FuturesUnordered<_> = recipes
            .iter()
            .map(|recipe| async move { (recipe, self.make_file(bench, scope, analysed, recipe).await) })
            .collect();
        let mut limited = Vec::new();
        while let Some((recipe, made)) = making.next().await {
            match made? {
                Made::File(outcome) => self.record_file(&bench.track, recipe.clone(), outcome).await?,
                Made::LimitHit(reason) => limited.push((recipe.clone(), reason)),
            }
        }
        Ok(limited)
    }

    /// The source as a local file: in place where the store is a folder, else fetched. None where it is gone.
    async fn local_source(&self, source: &Source, scratch: &Path) -> Result<Option<PathBuf>, JobError> {
        if let Some(path) = self.blobs.local_path(&source.key) {
            return Ok(tokio::fs::try_exists(&path).await?.then_some(path));
        }
        let path = scratch.join("source");
        Ok(self.blobs.fetch_to(&source.key, &path).await?.then_some(path))
    }

    /// The recipes of a track of which there is no made file.
    async fn missing_recipes(&self, track: &Track) -> Result<Vec<Recipe>, JobError> {
        let mut recipes = self.catalog.recipes_for_track(track.organization_id, track.id).await?;
        let files = self.catalog.files_of_track(track.id).await?;
        let is_made = |recipe: &Recipe| files.iter().any(|f| f.recipe.id == recipe.id && f.is_made());
        recipes.retain(|recipe| !matches!(recipe.kind, RecipeKind::Cover {}) && !is_made(recipe));
        Ok(recipes)
    }

    async fn record_file(&self, track: &Track, recipe: Recipe, outcome: FileOutcome) -> Result<(), JobError> {
        let file = TrackFile {
            id: self.ambient.record_id(),
            track_id: track.id,
            recipe,
            outcome,
            created_at: self.ambient.now(),
        };
        let tx = self.catalog.begin().await?;
        if tx.track(track.organization_id, track.id).await?.is_none() {
            // Deleted meanwhile: the purge job removes what was stored, there is nothing left to make.
            return Err(JobError::Cancelled);
        }
        tx.put_track_file(&file).await?;
        events::file_recorded(&tx, &self.ambient, track, &file).await?;
        tx.commit().await?;
        Ok(())
    }
}
