//! Reusing the files of another track whose source has the same bytes, instead of making them again.
//!
//! The bytes of a source are stored once in an organization: a track shares the object of an older one. Other files are
//! copied within the store, so that each track has objects in its own folder: usage counts, durable names and purges
//! depend on the folder. See docs/decisions/2026-11-same-source.md.

use std::slice;

use sha2::{Digest, Sha256};
use tonearm_domain::{
    Cover, CoverOrigin, FileData, FileOutcome, LevelsSettings, ObjectFile, ObjectKey, Recipe, RecipeKind,
    Source, Track, TrackFile,
};

use super::analysis::Analysed;
use super::files::{FileBytes, MadeCover, outcome};
use super::pictures::{CoverTerms, needs_placeholder};
use super::recording::{Measured, Unrecorded};
use crate::library::covers;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};
use crate::track_view::TrackParents;

/// The most older tracks with the same bytes that are examined.
const MOST_EXAMINED: u64 = 8;

/// A track whose files can be reused.
struct Model {
    track: Track,
    files: Vec<TrackFile>,
}

impl Model {
    /// The levels from which covers are drawn, if a recipe requested them.
    fn levels(&self) -> Option<&[f64]> {
        self.files.iter().find_map(|file| match (&file.recipe.kind, &file.outcome) {
            (RecipeKind::Levels(settings), FileOutcome::Made { data: FileData::Levels(levels), .. })
                if *settings == LevelsSettings::default() =>
            {
                Some(levels.levels.as_slice())
            }
            _ => None,
        })
    }

    /// An existing file that is the same as the one that a recipe would make for `track`.
    fn file_for(&self, recipe: &Recipe, track: &Track) -> Option<(&ObjectKey, FileBytes, &FileData)> {
        let wanted = made_from(&recipe.kind, track)?;
        self.files.iter().filter(|file| file.recipe.kind == recipe.kind).find_map(|file| {
            match &file.outcome {
                FileOutcome::Made { key, size, sha256, data, made_from: Some(from), .. }
                    if *from == wanted =>
                {
                    Some((key, FileBytes { size: *size, sha256: *sha256 }, data))
                }
                _ => None,
            }
        })
    }
}

/// A hash of what a file of this kind is made from besides its settings, if it is made for the track as it is now: the
/// source, and the titles that are written into files which keep their tags. `None` for pictures and videos, which also
/// depend on the colours of the track.
pub(super) fn made_from(kind: &RecipeKind, track: &Track) -> Option<[u8; 32]> {
    let words = match kind {
        RecipeKind::Transcode(_) | RecipeKind::Preview(_) => {
            let keeps_tags = kind.transcode().is_some_and(|transcode| !transcode.is_strip_tags);
            keeps_tags.then_some((&track.player_title, &track.player_subtitle))
        }
        RecipeKind::Levels(_) | RecipeKind::Original {} => None,
        RecipeKind::WaveformImage(_) | RecipeKind::WaveformVideo(_) | RecipeKind::Cover(_) => return None,
    };
    let source = track.source.as_ref()?;
    let words = serde_json::to_vec(&words).ok()?;
    Some(Sha256::new_with_prefix(source.sha256).chain_update(words).finalize().into())
}

impl Processing {
    /// Records the reusable results for a track about which nothing is known yet. Returns the updated track, and the
    /// recipes that remain.
    pub(super) async fn take_over(
        &self,
        run: &JobRun,
        track: Track,
        source: &Source,
        mut recipes: Vec<Recipe>,
        older: &[Track],
    ) -> Result<(Track, Vec<Recipe>), JobError> {
        let reused = self.reuse(&track, source, &recipes, older).await?;
        let Some(reused) = reused else { return Ok((track, recipes)) };
        recipes.retain(|recipe| !reused.has(recipe));
        let mut recording = self.recording_for(run, &track).await?.ok_or(JobError::Cancelled)?;
        recording.put(reused).await?;
        let track = recording.track.clone();
        recording.commit().await?;
        Ok((track, recipes))
    }

    /// The reusable results for a track about which nothing is known yet. `None` if no other track has the same bytes.
    /// Measurements are left out if the track needs a cover that has to be made while measuring.
    pub(super) async fn reuse(
        &self,
        track: &Track,
        source: &Source,
        recipes: &[Recipe],
        older: &[Track],
    ) -> Result<Option<Unrecorded>, JobError> {
        if Analysed::is_recorded(track) {
            return Ok(None);
        }
        let Some(model) = self.model_among(older, source).await? else { return Ok(None) };
        let cover = self.reused_cover(&model, track).await?;
        let needs_cover = track.cover.is_none() || needs_placeholder(track);
        let measured = Measured { duration: model.track.duration, info: model.track.info.clone() };
        self.put_in_order(track, &measured.info).await?;
        let measured = (cover.is_some() || !needs_cover).then_some(measured);
        let mut files = Vec::new();
        for recipe in recipes {
            if let Some(outcome) = self.reused_file(&model, track, source, recipe).await? {
                files.push((recipe.clone(), outcome));
            }
        }
        Ok(Some(Unrecorded { measured, cover, files }))
    }

    /// Older tracks with the same bytes, the oldest first.
    pub(super) async fn older_with_same_source(&self, track: &Track) -> Result<Vec<Track>, JobError> {
        Ok(self.catalog.older_tracks_with_same_source(track, MOST_EXAMINED).await?)
    }

    /// The first of these tracks that has this source and what was measured of it. It is read while it is locked, because
    /// its source may have been replaced since it was found: its files belong to the source that it has then.
    async fn model_among(&self, older: &[Track], source: &Source) -> Result<Option<Model>, JobError> {
        let is_measured = |track: &Track| track.status.is_playable() && Analysed::is_recorded(track);
        for found in older.iter().filter(|found| is_measured(found)) {
            let tx = self.catalog.begin().await?;
            let track = tx.track(found.organization_id, found.id).await?;
            let has_source = |it: &Track| it.source.as_ref().is_some_and(|it| it.sha256 == source.sha256);
            if let Some(track) = track.filter(|track| is_measured(track) && has_source(track)) {
                let files = tx.files_of_track(track.id).await?;
                return Ok(Some(Model { track, files }));
            }
        }
        Ok(None)
    }

    /// Copies a file. `None` if there is none, or it was removed meanwhile.
    async fn reused_file(
        &self,
        model: &Model,
        track: &Track,
        source: &Source,
        recipe: &Recipe,
    ) -> Result<Option<FileOutcome>, JobError> {
        if matches!(recipe.kind, RecipeKind::Original {}) {
            return self.original(track, source, slice::from_ref(recipe)).await.map(Some);
        }
        let Some((from, bytes, data)) = model.file_for(recipe, track) else { return Ok(None) };
        let to = self.new_key(track, recipe, from.file.content_type);
        let is_copied = self.blobs.copy(from, &to).await? == Some(bytes.size);
        Ok(is_copied.then(|| outcome(track, &recipe.kind, to, bytes, data.clone())))
    }

    /// The cover that the track would get: the art in the file is copied, a placeholder is drawn. `None` if it needs
    /// none, or the file itself has to be read.
    async fn reused_cover(&self, model: &Model, track: &Track) -> Result<Option<MadeCover>, JobError> {
        let is_beside = needs_placeholder(track);
        if track.cover.is_some() && !is_beside {
            return Ok(None);
        }
        let own = TrackParents::of(&self.catalog, track.organization_id, track.collection_id).await?;
        let terms = CoverTerms::of(&own, track);
        let their = TrackParents::of(&self.catalog, track.organization_id, model.track.collection_id).await?;
        let theirs = model.track.cover.filter(|cover| cover.origin != CoverOrigin::Uploaded);
        let Some(theirs) = theirs.filter(|_| terms == CoverTerms::of(&their, &model.track)) else {
            return Ok(None);
        };
        let theme = if is_beside { track.theme.found.clone() } else { model.track.theme.found.clone() };
        if theirs.origin == CoverOrigin::Embedded && !is_beside {
            return self
                .copied_cover(model, theirs, track)
                .await
                .map(|copied| copied.map(|cover| MadeCover::new(cover, theme, false, (&own, track))));
        }
        let Some(levels) = model.levels() else { return Ok(None) };
        let images = self.draw_placeholder(&own, track, &theme, levels.to_vec()).await?;
        let cover = Cover { version: self.ambient.short_id(), origin: CoverOrigin::Generated };
        covers::store(&self.blobs, track.organization_id, track.index, cover, &images).await?;
        Ok(Some(MadeCover::new(cover, theme, is_beside, (&own, track))))
    }

    async fn copied_cover(
        &self,
        model: &Model,
        theirs: Cover,
        track: &Track,
    ) -> Result<Option<Cover>, JobError> {
        let cover = Cover { version: self.ambient.short_id(), ..theirs };
        let organization_id = track.organization_id;
        let mut copies = 0;
        for from in Cover::files(organization_id, model.track.index, theirs.version) {
            let file = ObjectFile { version: cover.version, ..from.file.clone() };
            let to = ObjectKey { organization_id, folder: track.index, file };
            copies += usize::from(self.blobs.copy(&from, &to).await?.is_some());
        }
        Ok((copies > 0).then_some(cover))
    }

    /// Lets a track that has no files yet use the object of an older track with the same bytes as its source, and
    /// removes its own object. Returns the source that applies from now on.
    pub(super) async fn share_source(
        &self,
        run: &JobRun,
        track: &Track,
        source: Source,
        older: &[Track],
    ) -> Result<Source, JobError> {
        let oldest = older.first().and_then(|oldest| Some((oldest.id, oldest.source.clone()?)));
        let Some((older, shared)) = oldest.filter(|(_, shared)| shared.key != source.key) else {
            return Ok(source);
        };
        if self.blobs.head(&shared.key).await?.is_none_or(|meta| meta.size != source.size) {
            return Ok(source);
        }
        let tx = self.begin_batch(run).await?;
        // While it is locked, it is not purged. Only newer tracks wait for older ones.
        let older = tx.track(track.organization_id, older).await?;
        let Some(mut own) = tx.track(track.organization_id, track.id).await? else { return Ok(source) };
        let is_same = older.and_then(|older| older.source).as_ref() == Some(&shared);
        let is_used = tx.files_of_track(track.id).await?.iter().any(TrackFile::is_made);
        if !is_same || is_used || own.source.as_ref() != Some(&source) {
            return Ok(source);
        }
        own.source = Some(shared.clone());
        tx.update_track(&own).await?;
        tx.commit().await?;
        // Otherwise, the sweep removes the object.
        if !self.are_removals_held().await? {
            self.remove_unnamed(vec![source.key]).await?;
        }
        Ok(shared)
    }
}
