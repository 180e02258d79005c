//! Making the single files of a track.

use std::path::Path;

use bytes::Bytes;
use tonearm_domain::{
    ContentType, Cover, CoverOrigin, FileData, FileOutcome, Levels, LevelsSettings, ObjectFile, ObjectKey,
    Recipe, RecipeKind, ThemeColour, Track, delivery_name,
};
use tonearm_media::{MediaError, RunScope};

use super::process_track::{Made, Workbench};
use super::{JobError, Processing};
use crate::covers;
use crate::track_view::Surroundings;

/// What the one pass over the decoded sound found.
pub(super) struct Analysed {
    /// Seconds, by counted frames.
    pub(super) duration: f64,
    /// The waveforms asked for, by their settings.
    levels: Vec<(LevelsSettings, Levels)>,
}

/// A stored cover, to be put to use.
pub(super) struct MadeCover {
    pub(super) cover: Cover,
    /// The colours found in the file's picture.
    pub(super) theme: Vec<ThemeColour>,
}

impl Analysed {
    fn levels(&self, settings: &LevelsSettings) -> Option<&Levels> {
        self.levels.iter().find(|(own, _)| own == settings).map(|(_, levels)| levels)
    }
}

impl Processing {
    /// Decodes the source once, for every waveform that is asked for, the loudness and the true duration.
    pub(super) async fn analyse(
        &self,
        bench: &mut Workbench,
        recipes: &[Recipe],
    ) -> Result<Analysed, MediaError> {
        // The placeholder cover is drawn from a waveform too, so there is always one.
        let mut settings = vec![LevelsSettings::default()];
        for recipe in recipes {
            if let RecipeKind::Levels(own) = &recipe.kind
                && !settings.contains(own)
            {
                settings.push(own.clone());
            }
        }
        let analysis = self.media.analyse(&bench.input, &bench.probe, &settings, &bench.scope).await?;
        bench.probe.duration = analysis.duration;
        bench.probe.info.loudness_lufs = analysis.loudness_lufs;
        bench.probe.info.true_peak_dbtp = analysis.true_peak_dbtp;
        let levels = settings.into_iter().zip(analysis.levels).collect();
        Ok(Analysed { duration: analysis.duration, levels })
    }

    /// Makes what one recipe asks for and stores it.
    pub(super) async fn make_file(
        &self,
        bench: &Workbench,
        scope: &RunScope,
        analysed: &Analysed,
        recipe: &Recipe,
    ) -> Result<Made, JobError> {
        match &recipe.kind {
            RecipeKind::Original {} => Ok(Made::File(original(bench))),
            RecipeKind::Levels(settings) => self.store_levels(bench, analysed, recipe, settings).await,
            kind => {
                let folder = bench.scratch.path().join(recipe.index.as_str());
                tokio::fs::create_dir_all(&folder).await?;
                let rendered = self
                    .media
                    .render(&bench.input, &bench.probe, analysed.duration, kind, &folder, scope, None)
                    .await;
                match rendered {
                    Ok(file) => {
                        let made =
                            self.store_file(bench, recipe, &file.path, file.content_type, file.data).await;
                        tokio::fs::remove_dir_all(&folder).await?;
                        made
                    }
                    Err(error) => failed(error),
                }
            }
        }
    }

    async fn store_levels(
        &self,
        bench: &Workbench,
        analysed: &Analysed,
        recipe: &Recipe,
        settings: &LevelsSettings,
    ) -> Result<Made, JobError> {
        let Some(levels) = analysed.levels(settings).cloned() else {
            return Ok(Made::File(FileOutcome::Failed {
                reason: "the waveform was not computed".to_owned(),
            }));
        };
        let json = Bytes::from(serde_json::to_vec(&levels).map_err(JobError::retry)?);
        let key = self.new_key(bench, recipe, ContentType::Json);
        let stored = self.blobs.put_bytes(&key, json).await?;
        Ok(Made::File(made(bench, key, stored.size, FileData::Levels(levels))))
    }

    async fn store_file(
        &self,
        bench: &Workbench,
        recipe: &Recipe,
        path: &Path,
        content_type: ContentType,
        data: FileData,
    ) -> Result<Made, JobError> {
        let key = self.new_key(bench, recipe, content_type);
        let stored = self.blobs.put_file(&key, path).await?;
        Ok(Made::File(made(bench, key, stored.size, data)))
    }

    fn new_key(&self, bench: &Workbench, recipe: &Recipe, content_type: ContentType) -> ObjectKey {
        ObjectKey {
            organization_id: bench.track.organization_id,
            folder: bench.track.index,
            file: ObjectFile { label: recipe.index.clone(), version: self.ambient.short_id(), content_type },
        }
    }

    /// Makes a track's cover: the picture in the file where every level allows it, else one drawn from the
    /// waveform; and takes the picture's colours where every level allows that. None where a cover is in use already.
    pub(super) async fn make_cover(
        &self,
        bench: &Workbench,
        analysed: &Analysed,
    ) -> Result<Option<MadeCover>, JobError> {
        let track = &bench.track;
        if track.cover.is_some() {
            return Ok(None);
        }
        let surroundings =
            Surroundings::of(&self.catalog, track.organization_id, track.collection_id).await?;
        let Surroundings { organization, collection } = &surroundings;
        let takes_cover = organization.is_cover_overridable
            && collection.is_cover_overridable
            && track.is_cover_overridable;
        let takes_theme = organization.is_theme_overridable
            && collection.is_theme_overridable
            && track.is_theme_overridable;
        let found = if takes_cover || takes_theme { covers::embedded(&bench.input).await } else { None };
        let (images, theme) = found.map_or_else(Default::default, |found| (found.images, found.theme));
        let theme = if takes_theme { theme } else { Vec::new() };
        let (images, origin) = if takes_cover && !images.is_empty() {
            (images, CoverOrigin::Embedded)
        } else {
            let track = Track { theme: theme.clone(), ..track.clone() };
            let levels = analysed.levels(&LevelsSettings::default());
            let levels = levels.map(|levels| levels.levels.as_slice()).unwrap_or_default();
            let colour = surroundings.view(track).colours.base;
            (tonearm_media::placeholder(colour, levels), CoverOrigin::Generated)
        };
        let cover = Cover { version: self.ambient.short_id(), origin };
        covers::store(&self.blobs, track.organization_id, track.index, cover, images).await?;
        Ok(Some(MadeCover { cover, theme }))
    }
}

/// The upload itself: nothing is copied.
fn original(bench: &Workbench) -> FileOutcome {
    made(bench, bench.source.key.clone(), bench.source.size, FileData::None {})
}

fn made(bench: &Workbench, key: ObjectKey, size: u64, data: FileData) -> FileOutcome {
    let extension = key.file.content_type.extension();
    FileOutcome::Made { file_name: delivery_name(&bench.track.file_name, extension), key, size, data }
}

/// What a failed rendering means: for the track, or for the run.
fn failed(error: MediaError) -> Result<Made, JobError> {
    match error {
        MediaError::LimitHit(reason) => Ok(Made::LimitHit(reason)),
        MediaError::NotAudio(reason) | MediaError::Failed(reason) => {
            Ok(Made::File(FileOutcome::Failed { reason }))
        }
        MediaError::Cancelled => Err(JobError::Cancelled),
        other => Err(JobError::retry(other)),
    }
}
