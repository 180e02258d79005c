//! Making the files of a track one by one, and recording the results.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use futures::stream::{FuturesUnordered, StreamExt, TryStreamExt};
use tonearm_blobs::Stored;
use tonearm_domain::{
    ContentType, Cover, FileData, FileOutcome, LevelsSettings, Making, ObjectFile, ObjectKey, Outage, Recipe,
    RecipeKind, Source, ThemeColour, Track, original_name,
};
use tonearm_media::{LimitTier, Output, Rendered, RunScope, Waveform};
use tracing::{Instrument, Span};

use super::analysis::Analysed;
use super::fitting::{exceeds_quota, no_room_for_data};
use super::plan::PlannedFile;
use super::reusing::made_from;
use super::run_context::RunContext;
use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::Processing;
use crate::track_view::TrackParents;

/// A stored cover, to be put to use.
#[derive(Clone)]
pub(super) struct MadeCover {
    pub(super) cover: Cover,
    /// The colours found in the file's picture.
    pub(super) theme: Vec<ThemeColour>,
    /// Whether it is a placeholder beside the track's cover.
    pub(super) is_beside: bool,
    /// What it was made from: see [`tonearm_domain::Inputs::own_cover_basis`].
    pub(super) basis: Option<String>,
}

impl MadeCover {
    /// A cover that was made for `track` under these parents.
    pub(super) fn new(
        cover: Cover,
        theme: Vec<ThemeColour>,
        is_beside: bool,
        (parents, track): (&TrackParents, &Track),
    ) -> Self {
        let mut made = Track { placeholder: Some(cover.version), ..track.clone() };
        if !is_beside {
            (made.cover, made.theme.found) = (Some(cover), theme.clone());
        }
        let basis = parents.inputs(&made).own_cover_basis(&made);
        Self { cover, theme, is_beside, basis }
    }
}

/// The results of a run so far.
pub(super) struct Results<'a> {
    context: &'a RunContext<'a>,
    /// Whether all files are recorded together at the end.
    is_together: bool,
    unrecorded: Mutex<Vec<(Recipe, FileOutcome)>>,
    /// Files that hit a limit.
    limited: Mutex<Vec<Limited>>,
}

/// A file that hit a limit.
pub(super) struct Limited {
    pub(super) planned: PlannedFile,
    /// The tier of that limit. A file that hit the normal limits may succeed with larger ones.
    pub(super) tier: LimitTier,
    /// What happened, as a sentence.
    pub(super) reason: String,
}

/// The result of making a file, before it is stored.
pub(super) enum Made {
    /// A file, in a folder of its own.
    Rendered(Rendered),
    /// Bytes.
    Bytes(Bytes, ContentType, FileData),
    /// An object that is already in the store.
    Stored(FileOutcome),
}

impl Made {
    /// The bytes that are stored for each recipe that needs it.
    fn bytes_to_store(&self) -> u64 {
        match self {
            Self::Rendered(file) => file.size,
            Self::Bytes(bytes, ..) => bytes.len() as u64,
            Self::Stored(_) => 0,
        }
    }
}

impl<'a> Results<'a> {
    pub(super) fn new(context: &'a RunContext<'a>, is_together: bool) -> Self {
        Self { context, is_together, unrecorded: Mutex::default(), limited: Mutex::default() }
    }

    pub(super) fn context(&self) -> &'a RunContext<'a> {
        self.context
    }

    pub(super) fn take_limited(&self) -> Vec<Limited> {
        std::mem::take(&mut self.limited.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn unrecorded_bytes(&self) -> u64 {
        let unrecorded = self.unrecorded.lock().unwrap_or_else(PoisonError::into_inner);
        let sizes = unrecorded.iter().map(|(_, outcome)| match outcome {
            FileOutcome::Made { size, .. } => *size,
            FileOutcome::Failed { .. } => 0,
        });
        sizes.sum()
    }

    pub(super) fn into_unrecorded(self) -> Vec<(Recipe, FileOutcome)> {
        self.unrecorded.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Processing {
    /// Makes files concurrently, as many as the media crate allows, and records each.
    pub(super) async fn make_files(
        &self,
        results: &Results<'_>,
        planned_files: &[PlannedFile],
        analysed: Option<&Analysed>,
    ) -> Result<(), JobError> {
        let mut making: FuturesUnordered<_> =
            planned_files.iter().map(|planned| self.make_file(results, planned, analysed)).collect();
        while let Some(made) = making.next().await {
            made?;
        }
        Ok(())
    }

    async fn make_file(
        &self,
        results: &Results<'_>,
        planned: &PlannedFile,
        analysed: Option<&Analysed>,
    ) -> Result<(), JobError> {
        let scope = results.context.limits.scope();
        match self.make(results, planned, analysed, &scope).await {
            Ok(made) => self.store(results, planned, made).await,
            Err(Stop::Limit(reason)) => {
                let mut limited = results.limited.lock().unwrap_or_else(PoisonError::into_inner);
                limited.push(Limited { planned: planned.clone(), tier: scope.tier, reason });
                Ok(())
            }
            Err(Stop::Source(reason)) => {
                self.may_blame(results.context).await?;
                self.conclude(results, planned, &FileOutcome::Failed { reason }).await
            }
            Err(Stop::Job(error)) => Err(error),
        }
    }

    async fn make(
        &self,
        results: &Results<'_>,
        planned: &PlannedFile,
        analysed: Option<&Analysed>,
        scope: &RunScope,
    ) -> Result<Made, Stop> {
        let context = results.context;
        // The plan schedules files that need a waveform after measuring, and requests every waveform that they need.
        let unmeasured = || Stop::Job(JobError::internal("the waveform was not measured"));
        match &planned.kind {
            RecipeKind::Original {} => {
                let source = &context.local.source;
                Ok(Made::Stored(self.original(&context.track, source, &planned.recipes).await?))
            }
            RecipeKind::Levels(settings) => {
                levels(settings, analysed.ok_or_else(unmeasured)?).ok_or_else(unmeasured)
            }
            RecipeKind::WaveformImage(settings) => {
                self.draw_image(context, settings, analysed.ok_or_else(unmeasured)?).await
            }
            RecipeKind::WaveformVideo(settings) => {
                self.render_video(context, planned, settings, analysed.ok_or_else(unmeasured)?, scope).await
            }
            RecipeKind::Cover(settings) => self.cut_cover(context, settings, analysed).await,
            kind @ (RecipeKind::Transcode(_) | RecipeKind::Preview(_)) => {
                let probe = analysed.map_or(&context.probe, |analysed| &analysed.probe);
                let output = Output::of(kind, probe.duration)?.with_words(context.words());
                let progress = context.board.follow(planned.recipes.clone());
                let rendered = self.media.render(
                    context.input(),
                    probe,
                    probe.duration,
                    output,
                    context.scratch(),
                    scope,
                    Some(progress),
                );
                Ok(Made::Rendered(rendered.await?))
            }
        }
    }

    /// Stores files that were encoded together.
    pub(super) async fn store_rendered(
        &self,
        results: &Results<'_>,
        planned_files: &[PlannedFile],
        rendered: Vec<Rendered>,
    ) -> Result<(), JobError> {
        let storing: FuturesUnordered<_> = planned_files
            .iter()
            .zip(rendered)
            .map(|(planned, file)| self.store(results, planned, Made::Rendered(file)))
            .collect();
        storing.try_collect().await
    }

    /// Stores the result under a key for each recipe that needs it.
    async fn store(&self, results: &Results<'_>, planned: &PlannedFile, made: Made) -> Result<(), JobError> {
        let context = results.context;
        for recipe in &planned.recipes {
            if let Some(reason) = self.refused(results, &made).await? {
                self.conclude_one(results, recipe, FileOutcome::Failed { reason }).await?;
                continue;
            }
            let outcome = match &made {
                Made::Stored(outcome) => outcome.clone(),
                Made::Bytes(bytes, content_type, data) => {
                    let key = self.new_key(&context.track, recipe, *content_type);
                    let stored =
                        self.blobs.put_bytes(&key, bytes.clone()).instrument(storing(recipe)).await?;
                    outcome(&context.track, &recipe.kind, key, stored.into(), data.clone())
                }
                Made::Rendered(file) => {
                    let key = self.new_key(&context.track, recipe, file.content_type);
                    let stored = self.blobs.put_file(&key, &file.path).instrument(storing(recipe)).await?;
                    outcome(&context.track, &recipe.kind, key, stored.into(), file.data.clone())
                }
            };
            self.conclude_one(results, recipe, outcome).await?;
        }
        if let Made::Rendered(file) = made {
            // Long tracks have large files. Whatever is left is removed with the parent folder.
            let _ = tokio::fs::remove_file(&file.path).await;
        }
        Ok(())
    }

    /// Why there is no room for a file that was made. The headers may have claimed less sound than there is.
    async fn refused(&self, results: &Results<'_>, made: &Made) -> Result<Option<String>, JobError> {
        let bytes = made.bytes_to_store();
        if let Some(room) = self.room_beside(results).await?.filter(|room| bytes > *room) {
            return Ok(Some(exceeds_quota(bytes, room)));
        }
        let Made::Bytes(_, _, FileData::Levels(_)) = made else { return Ok(None) };
        let used = self.catalog.record_usage(results.context.track.organization_id).await?;
        let exceeded = self.catalog.record_limits().admit_record(used, bytes).err();
        Ok(exceeded.map(|exceeded| no_room_for_data(bytes, exceeded)))
    }

    /// The bytes that may be stored beside the files that are not recorded yet. `None` without a quota.
    async fn room_beside(&self, results: &Results<'_>) -> Result<Option<u64>, JobError> {
        let room = self.room(results.context.track.organization_id).await?;
        Ok(room.map(|room| room.saturating_sub(results.unrecorded_bytes())))
    }

    /// Records the same outcome for all recipes of a planned file.
    pub(super) async fn conclude(
        &self,
        results: &Results<'_>,
        planned: &PlannedFile,
        outcome: &FileOutcome,
    ) -> Result<(), JobError> {
        for recipe in &planned.recipes {
            self.conclude_one(results, recipe, outcome.clone()).await?;
        }
        Ok(())
    }

    /// Records the outcome of one recipe.
    pub(super) async fn conclude_one(
        &self,
        results: &Results<'_>,
        recipe: &Recipe,
        outcome: FileOutcome,
    ) -> Result<(), JobError> {
        let is_made = matches!(outcome, FileOutcome::Made { .. });
        if results.is_together {
            let mut unrecorded = results.unrecorded.lock().unwrap_or_else(PoisonError::into_inner);
            unrecorded.retain(|(earlier, _)| earlier.id != recipe.id);
            unrecorded.push((recipe.clone(), outcome));
        } else {
            let recording = tracing::info_span!("record_file", variant = %recipe.index);
            Box::pin(self.record_file(results.context, recipe.clone(), outcome))
                .instrument(recording)
                .await?;
        }
        results.context.board.set([recipe], if is_made { Making::Made } else { Making::Failed });
        Ok(())
    }

    async fn record_file(
        &self,
        context: &RunContext<'_>,
        recipe: Recipe,
        outcome: FileOutcome,
    ) -> Result<(), JobError> {
        let mut recording = self.recording_of(context).await?;
        let is_sound = recipe.kind.recipe_type().is_playable() && matches!(outcome, FileOutcome::Made { .. });
        recording.track.is_early |= context.is_early && is_sound;
        recording.put_file(recipe, outcome).await?;
        recording.commit().await
    }

    /// The source itself, for recipes that need it. It is copied only if its object belongs to another track.
    pub(super) async fn original(
        &self,
        track: &Track,
        source: &Source,
        recipes: &[Recipe],
    ) -> Result<FileOutcome, JobError> {
        let foreign = recipes.first().filter(|_| source.key.folder != track.index);
        let key = match foreign {
            None => source.key.clone(),
            Some(recipe) => {
                let own = self.new_key(track, recipe, source.key.file.content_type);
                if self.blobs.copy(&source.key, &own).await? != Some(source.size) {
                    let reason = "the store does not have the uploaded file";
                    return Err(JobError::outage(Outage::Source, reason));
                }
                own
            }
        };
        let bytes = FileBytes { size: source.size, sha256: Some(source.sha256) };
        Ok(outcome(track, &RecipeKind::Original {}, key, bytes, FileData::NONE))
    }

    /// A new key for a file of a track, in the track's own folder.
    pub(super) fn new_key(&self, track: &Track, recipe: &Recipe, content_type: ContentType) -> ObjectKey {
        ObjectKey {
            organization_id: track.organization_id,
            folder: track.index,
            file: ObjectFile { label: recipe.index.clone(), version: self.ambient.short_id(), content_type },
        }
    }
}

/// The span in which a file that was made by a recipe is put into the store.
fn storing(recipe: &Recipe) -> Span {
    tracing::info_span!("store_file", variant = %recipe.index)
}

fn levels(settings: &LevelsSettings, analysed: &Analysed) -> Option<Made> {
    let (bytes, data) = match analysed.waveform(settings)? {
        Waveform::Levels(levels) => (serde_json::to_vec(levels).ok()?, FileData::Levels(levels.clone())),
        Waveform::Peaks(peaks) => (peaks.file(), FileData::NONE),
    };
    Some(Made::Bytes(bytes.into(), settings.format.content_type(), data))
}

/// The known size and hash of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileBytes {
    pub(super) size: u64,
    /// None if the file was copied from one whose hash is not known.
    pub(super) sha256: Option<[u8; 32]>,
}

impl From<Stored> for FileBytes {
    fn from(stored: Stored) -> Self {
        Self { size: stored.size, sha256: Some(stored.sha256) }
    }
}

/// The outcome of a recipe of this kind. `track` is as it was when the file was made.
pub(super) fn outcome(
    track: &Track,
    kind: &RecipeKind,
    key: ObjectKey,
    bytes: FileBytes,
    data: FileData,
) -> FileOutcome {
    let file_name = original_name(&track.file_name, key.file.content_type);
    let made_from = made_from(kind, track);
    FileOutcome::Made { file_name, key, size: bytes.size, sha256: bytes.sha256, data, made_from }
}
