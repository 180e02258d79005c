//! Making the single files of a track, and recording what came of it.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use futures::stream::{FuturesUnordered, StreamExt, TryStreamExt};
use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{
    ContentType, Cover, FileData, FileOutcome, LevelsSettings, Making, ObjectFile, ObjectKey, Recipe,
    RecipeKind, ThemeColour, Track, TrackFile, delivery_name,
};
use tonearm_media::{MediaError, Output, Rendered, RunScope, Waveform};

use super::analysis::Analysed;
use super::plan::Piece;
use super::workbench::Workbench;
use super::{JobError, Processing};
use crate::webhooks::events;

/// A stored cover, to be put to use.
#[derive(Clone)]
pub(super) struct MadeCover {
    pub(super) cover: Cover,
    /// The colours found in the file's picture.
    pub(super) theme: Vec<ThemeColour>,
}

/// What has come of a run so far.
pub(super) struct Results<'a> {
    bench: &'a Workbench,
    scope: Mutex<RunScope>,
    /// Whether files are recorded at the end, all together.
    is_together: bool,
    unrecorded: Mutex<Vec<(Recipe, FileOutcome)>>,
    /// What hit a limit and may succeed with larger ones.
    limited: Mutex<Vec<(Piece, String)>>,
}

/// Something made, before it is stored.
pub(super) enum Made {
    /// A file, in a folder of its own.
    Rendered(Rendered),
    /// Bytes.
    Bytes(Bytes, ContentType, FileData),
    /// An object that is there already.
    Stored(FileOutcome),
}

impl<'a> Results<'a> {
    pub(super) fn new(bench: &'a Workbench, is_together: bool) -> Self {
        let scope = Mutex::new(bench.scope.clone());
        Self { bench, scope, is_together, unrecorded: Mutex::default(), limited: Mutex::default() }
    }

    pub(super) fn bench(&self) -> &'a Workbench {
        self.bench
    }

    fn scope(&self) -> RunScope {
        self.scope.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on what is made gets larger limits.
    pub(super) fn enlarge_limits(&self) {
        *self.scope.lock().unwrap_or_else(PoisonError::into_inner) = self.bench.larger_scope();
    }

    pub(super) fn take_limited(&self) -> Vec<(Piece, String)> {
        std::mem::take(&mut self.limited.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn into_unrecorded(self) -> Vec<(Recipe, FileOutcome)> {
        self.unrecorded.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Processing {
    /// Makes pieces at once, as many as the media crate lets run, and records each.
    pub(super) async fn make_pieces(
        &self,
        results: &Results<'_>,
        pieces: &[Piece],
        analysed: Option<&Analysed>,
    ) -> Result<(), JobError> {
        let mut making: FuturesUnordered<_> =
            pieces.iter().map(|piece| self.make_piece(results, piece, analysed)).collect();
        while let Some(made) = making.next().await {
            made?;
        }
        Ok(())
    }

    async fn make_piece(
        &self,
        results: &Results<'_>,
        piece: &Piece,
        analysed: Option<&Analysed>,
    ) -> Result<(), JobError> {
        match self.make(results, piece, analysed).await {
            Ok(made) => self.store(results, piece, made).await,
            Err(MediaError::LimitHit(reason)) => {
                let mut limited = results.limited.lock().unwrap_or_else(PoisonError::into_inner);
                limited.push((piece.clone(), reason));
                Ok(())
            }
            Err(
                MediaError::NotAudio(reason) | MediaError::Failed(reason) | MediaError::Unsupported(reason),
            ) => self.conclude(results, piece, &FileOutcome::Failed { reason }).await,
            Err(MediaError::Cancelled) => Err(JobError::Cancelled),
            Err(other) => Err(JobError::internal(other)),
        }
    }

    async fn make(
        &self,
        results: &Results<'_>,
        piece: &Piece,
        analysed: Option<&Analysed>,
    ) -> Result<Made, MediaError> {
        let bench = results.bench;
        let unmeasured = || MediaError::Failed("the waveform was not measured".to_owned());
        match &piece.kind {
            RecipeKind::Original {} => Ok(Made::Stored(original(bench))),
            RecipeKind::Levels(settings) => {
                levels(settings, analysed.ok_or_else(unmeasured)?).ok_or_else(unmeasured)
            }
            RecipeKind::WaveformImage(settings) => {
                self.draw_image(bench, settings, analysed.ok_or_else(unmeasured)?).await
            }
            RecipeKind::WaveformVideo(settings) => {
                let (analysed, scope) = (analysed.ok_or_else(unmeasured)?, results.scope());
                self.render_video(bench, piece, settings, analysed, &scope).await
            }
            RecipeKind::Cover(settings) => self.cut_cover(bench, settings, analysed).await,
            kind @ (RecipeKind::Transcode(_) | RecipeKind::Preview(_)) => {
                let probe = analysed.map_or(&bench.probe, |analysed| &analysed.probe);
                let output = Output::of(kind, probe.duration)?;
                let progress = bench.board.follow(piece.recipes.clone());
                self.media
                    .render(
                        &bench.input,
                        probe,
                        probe.duration,
                        output,
                        bench.scratch.path(),
                        &results.scope(),
                        Some(progress),
                    )
                    .await
                    .map(Made::Rendered)
            }
        }
    }

    /// Stores files that were encoded together.
    pub(super) async fn store_rendered(
        &self,
        results: &Results<'_>,
        pieces: &[Piece],
        rendered: Vec<Rendered>,
    ) -> Result<(), JobError> {
        let storing: FuturesUnordered<_> = pieces
            .iter()
            .zip(rendered)
            .map(|(piece, file)| self.store(results, piece, Made::Rendered(file)))
            .collect();
        storing.try_collect().await
    }

    /// Stores what was made under the name of each recipe that asked for it.
    async fn store(&self, results: &Results<'_>, piece: &Piece, made: Made) -> Result<(), JobError> {
        let bench = results.bench;
        for recipe in &piece.recipes {
            let outcome = match &made {
                Made::Stored(outcome) => outcome.clone(),
                Made::Bytes(bytes, content_type, data) => {
                    let key = self.new_key(bench, recipe, *content_type);
                    let stored = self.blobs.put_bytes(&key, bytes.clone()).await?;
                    outcome(bench, key, stored.size, data.clone())
                }
                Made::Rendered(file) => {
                    let key = self.new_key(bench, recipe, file.content_type);
                    let stored = self.blobs.put_file(&key, &file.path).await?;
                    outcome(bench, key, stored.size, file.data.clone())
                }
            };
            self.conclude_one(results, recipe, outcome).await?;
        }
        if let Made::Rendered(file) = made {
            // Long tracks have large files; what is left goes with the folder above it.
            let _ = tokio::fs::remove_file(&file.path).await;
        }
        Ok(())
    }

    /// Records the same outcome for all recipes of a piece.
    pub(super) async fn conclude(
        &self,
        results: &Results<'_>,
        piece: &Piece,
        outcome: &FileOutcome,
    ) -> Result<(), JobError> {
        for recipe in &piece.recipes {
            self.conclude_one(results, recipe, outcome.clone()).await?;
        }
        Ok(())
    }

    async fn conclude_one(
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
            self.record_file(results.bench, recipe.clone(), outcome).await?;
        }
        results.bench.board.set([recipe], if is_made { Making::Made } else { Making::Failed });
        Ok(())
    }

    async fn record_file(
        &self,
        bench: &Workbench,
        recipe: Recipe,
        outcome: FileOutcome,
    ) -> Result<(), JobError> {
        let track = &bench.track;
        let tx = self.catalog.begin().await?;
        let Some(mut track) = tx.track(track.organization_id, track.id).await? else {
            // Deleted meanwhile: the purge job removes what was stored, there is nothing left to make.
            return Err(JobError::Cancelled);
        };
        let is_sound = recipe.kind.recipe_type().is_playable() && matches!(outcome, FileOutcome::Made { .. });
        if bench.is_early && is_sound && !track.is_early {
            track.is_early = true;
            tx.update_track(&track).await?;
        }
        self.put_file(&tx, &track, recipe, outcome).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Records what one recipe came to, and tells who listens.
    pub(super) async fn put_file(
        &self,
        tx: &Transaction,
        track: &Track,
        recipe: Recipe,
        outcome: FileOutcome,
    ) -> Result<(), CatalogError> {
        let file = TrackFile {
            id: self.ambient.record_id(),
            track_id: track.id,
            recipe,
            outcome,
            created_at: self.ambient.now(),
        };
        tx.put_track_file(&file).await?;
        events::file_recorded(tx, &self.ambient, track, &file).await
    }

    fn new_key(&self, bench: &Workbench, recipe: &Recipe, content_type: ContentType) -> ObjectKey {
        ObjectKey {
            organization_id: bench.track.organization_id,
            folder: bench.track.index,
            file: ObjectFile { label: recipe.index.clone(), version: self.ambient.short_id(), content_type },
        }
    }
}

fn levels(settings: &LevelsSettings, analysed: &Analysed) -> Option<Made> {
    let (bytes, data) = match analysed.waveform(settings)? {
        Waveform::Levels(levels) => (serde_json::to_vec(levels).ok()?, FileData::Levels(levels.clone())),
        Waveform::Peaks(peaks) => (peaks.file(), FileData::None {}),
    };
    Some(Made::Bytes(bytes.into(), settings.format.content_type(), data))
}

/// The upload itself: nothing is copied.
fn original(bench: &Workbench) -> FileOutcome {
    outcome(bench, bench.source.key.clone(), bench.source.size, FileData::None {})
}

fn outcome(bench: &Workbench, key: ObjectKey, size: u64, data: FileData) -> FileOutcome {
    let extension = key.file.content_type.extension();
    FileOutcome::Made { file_name: delivery_name(&bench.track.file_name, extension), key, size, data }
}
