//! Replacing the source and files of a track with new ones, in the transaction of a recording.

use tonearm_catalog::CatalogError;
use tonearm_domain::{FileOutcome, ObjectKey, QuotaExceeded, Recipe, Replacement, Track, TrackFile};

use super::recording::{Measured, Recording, Unrecorded, judge, object_beside, playable};
use crate::admission::quotas;
use crate::processing::job_error::JobError;
use crate::removal::remove_later;
use crate::track_view::TrackParents;
use crate::transcription;

impl Recording<'_> {
    /// The latest replacement of the track's source.
    pub(super) async fn replacement(&self) -> Result<Option<Replacement>, CatalogError> {
        self.tx.replacement(self.track.organization_id, self.track.id).await
    }

    /// The recipes that these files do not cover, because they were added or changed since.
    pub(super) fn missing_from(&self, made: &Unrecorded) -> Vec<Recipe> {
        self.recipes.iter().filter(|recipe| !made.has(recipe)).cloned().collect()
    }

    /// What the track would lose with these files, as a sentence: an existing file could not be made again.
    pub(super) fn loss_by(&self, made: &[(Recipe, FileOutcome)]) -> Option<String> {
        let plays_nothing = playable(&self.files) == 0;
        let has = |recipe| self.file_of(recipe).is_some_and(TrackFile::is_made);
        let mut current = made.iter().filter(|(recipe, _)| self.current(recipe).is_some());
        current.find_map(|(recipe, outcome)| match outcome {
            FileOutcome::Failed { reason } if plays_nothing || has(recipe) => {
                Some(format!("{}: {reason}", recipe.index))
            }
            _ => None,
        })
    }

    /// The quota that an undo would exceed. The quotas are locked already.
    pub(super) async fn exceeded_by_undo(
        &self,
        replacement: &Replacement,
    ) -> Result<Option<QuotaExceeded>, CatalogError> {
        match replacement.source.as_ref().filter(|_| replacement.is_undo()) {
            Some(former) => quotas::exceeded_by_former(&self.tx, self.track.organization_id, former).await,
            None => Ok(None),
        }
    }

    /// Gives the track its new source, replaces everything that was made from the old one, and completes the replacement.
    /// Values that were set for the track and texts that people saw stay.
    pub(super) async fn replace_all(
        &mut self,
        staged: &Track,
        made: Unrecorded,
        mut replacement: Replacement,
    ) -> Result<(), JobError> {
        let before = self.track.clone();
        let old_files = std::mem::take(&mut self.files);
        self.tx.delete_replaced_files(before.id, self.ambient.now()).await?;
        self.track.source = staged.source.clone();
        self.track.file_name.clone_from(&staged.file_name);
        self.track.file_name_original.clone_from(&staged.file_name_original);
        self.track.forget_found_cover();
        let Unrecorded { measured, cover, files } = made;
        let known = Measured { duration: staged.duration, info: staged.info.clone() };
        self.put(Unrecorded { measured: Some(measured.unwrap_or(known)), cover, files }).await?;
        replacement.text_changes = match replacement.is_undo() {
            true => self.track.undo_texts(replacement.text_changes),
            false => self.track.keep_texts_of(&before, self.subtitle_of_collection().await?.as_deref()),
        };
        // The files made from a cover may show another one than the cover now in use.
        self.queue_cover_files().await?;
        self.settle_replaced()?;
        self.is_replaced = true;
        self.forget_written_words().await?;
        // A source that was put back is counted as that of its track again. Other tracks may still put it back.
        if let Some(source) = &self.track.source {
            self.tx.uncount_replaced_object(&source.key).await?;
        }
        let removed = replaced_objects(&before, &old_files);
        remove_later(&self.tx, self.ambient, before.organization_id, &removed).await?;
        let former_name = before.file_name_original.unwrap_or(before.file_name);
        replacement.complete(before.source, former_name, self.ambient.now()).map_err(JobError::internal)?;
        self.tx.put_replacement(&replacement).await?;
        Ok(self.tx.delete_track_progress(before.id).await?)
    }

    /// The subtitle of tracks that have none of their own.
    async fn subtitle_of_collection(&self) -> Result<Option<String>, CatalogError> {
        let (organization_id, collection_id) = (self.track.organization_id, self.track.collection_id);
        let parents = TrackParents::in_transaction(&self.tx, organization_id, collection_id).await?;
        let shown = |parents: TrackParents| {
            parents.collection.shown_subtitle(&parents.organization).map(str::to_owned)
        };
        Ok(parents.and_then(shown))
    }

    fn settle_replaced(&mut self) -> Result<(), JobError> {
        let (outcome, reason) = judge(&self.track, &self.files);
        let processing = match self.track.status {
            status if status.is_processing() => Ok(status),
            status => status.retry(),
        };
        let settled = processing.and_then(|status| status.settle(outcome));
        self.track.status = settled.map_err(JobError::internal)?;
        self.track.status_reason = reason;
        Ok(())
    }

    /// Removes the words that a provider transcribed from the old sound. Words that people wrote or edited stay.
    async fn forget_written_words(&mut self) -> Result<(), CatalogError> {
        let is_edited = self.tx.transcript_edited_at(self.track.id).await?.is_some();
        if !is_edited && self.tx.transcription(self.track.id).await?.is_some() {
            (self.track.transcription, self.track.transcription_language) = (None, None);
            self.tx.forget_words(self.track.id).await?;
        }
        transcription::queue_if_wanted(&self.tx, self.ambient, &self.track).await
    }
}

/// The objects that no row names any more, with their sizes in bytes: the old source and its files. The job that completes
/// covers finds those that were made from it.
fn replaced_objects(before: &Track, files: &[TrackFile]) -> Vec<(ObjectKey, u64)> {
    let made = files.iter().filter_map(|file| object_beside(before, &file.outcome));
    made.chain(before.source.iter().map(|source| (source.key.clone(), source.size))).collect()
}
