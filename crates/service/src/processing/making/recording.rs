//! Recording the results of a run: the only way in which jobs change tracks and their files.
//!
//! A recording is one transaction. It starts by checking the lease of its job and by locking the track and the
//! organization's recipes, so that its decisions still hold when it commits. An existing file is never replaced by a
//! failure, and nothing is recorded for a recipe that was removed or has other settings by now.

use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{
    Ambient, ClaimedJob, Cover, CoverOrigin, CoverOwner, Derived, FileOutcome, Inputs, Job, ObjectKey,
    OrganizationId, Outcome, Recipe, RecipeKind, Source, Track, TrackFile, TrackId, TrackInfo, TrackStatus,
    untried,
};

use super::files::MadeCover;
use super::run_context::RunContext;
use crate::admission::quotas;
use crate::library::covers;
use crate::processing::job_error::JobError;
use crate::processing::manifests;
use crate::processing::runner::{JobRun, Processing, finish};
use crate::removal::{remove_later, remove_soon};
use crate::track_view::TrackParents;
use crate::transcription;
use crate::webhooks::events;

/// The results of a run that are not recorded yet.
#[derive(Default)]
pub(super) struct Unrecorded {
    pub(super) measured: Option<Measured>,
    pub(super) cover: Option<MadeCover>,
    pub(super) files: Vec<(Recipe, FileOutcome)>,
}

impl Unrecorded {
    /// Whether a recipe was tried in its present revision.
    pub(super) fn has(&self, recipe: &Recipe) -> bool {
        self.files.iter().any(|(own, _)| own.is_same_revision(recipe))
    }

    /// The objects that were stored for these results, with their sizes in bytes; 0 for covers, which are small.
    pub(super) fn objects(&self, track: &Track) -> Vec<(ObjectKey, u64)> {
        let covers = self
            .cover
            .iter()
            .flat_map(|made| Cover::files(track.organization_id, track.index, made.cover.version))
            .map(|key| (key, 0));
        self.files.iter().filter_map(|(_, outcome)| object_beside(track, outcome)).chain(covers).collect()
    }
}

/// The object of a file and its size in bytes, unless it is the source of the track.
pub(super) fn object_beside(track: &Track, outcome: &FileOutcome) -> Option<(ObjectKey, u64)> {
    let FileOutcome::Made { key, size, .. } = outcome else { return None };
    track.source.as_ref().is_none_or(|source| source.key != *key).then(|| (key.clone(), *size))
}

/// The results of probing and measuring a track.
pub(super) struct Measured {
    /// Seconds.
    pub(super) duration: f64,
    pub(super) info: TrackInfo,
}

/// A transaction that records the results of a run for one track. If it is dropped without being ended, nothing is
/// recorded.
pub(in crate::processing) struct Recording<'a> {
    pub(super) ambient: &'a Ambient,
    pub(super) tx: Transaction,
    /// The track as it will be written.
    pub(super) track: Track,
    previous: TrackStatus,
    pub(super) recipes: Vec<Recipe>,
    pub(super) files: Vec<TrackFile>,
    has_new_files: bool,
    /// Whether the track has a new source.
    pub(super) is_replaced: bool,
    /// Whether a rendering has made a file of a track that has its final status.
    pub(super) has_late_file: bool,
    /// Bytes that may be added; `None` without a quota.
    pub(super) room: Option<u64>,
}

impl Processing {
    /// Begins to record the results of a run. `None` if the track has been deleted. A run whose source was replaced
    /// since is cancelled: the next run works on the new source.
    pub(super) async fn recording(
        &self,
        claimed: &ClaimedJob,
        organization_id: OrganizationId,
        track_id: TrackId,
        source: Option<&Source>,
    ) -> Result<Option<Recording<'_>>, JobError> {
        let tx = self.catalog.begin().await?;
        // Before anything else is locked.
        let room = quotas::room(&tx, organization_id).await?;
        if !tx.check_lease(claimed).await? {
            return Err(JobError::LeaseLost);
        }
        let mut recording = Recording::of(tx, &self.ambient, organization_id, track_id).await?;
        if let Ok(recording) = &mut recording {
            recording.room = room;
        }
        if source.is_some() && recording.as_ref().is_ok_and(|it| it.track.source.as_ref() != source) {
            return Err(JobError::Cancelled);
        }
        Ok(recording.ok())
    }

    /// Like [`Self::recording`], for the track of a run. If the track has been deleted, the run is cancelled: the purge
    /// removes what was stored.
    pub(super) async fn recording_of(&self, context: &RunContext<'_>) -> Result<Recording<'_>, JobError> {
        let (organization_id, track_id) = (context.track.organization_id, context.track.id);
        let source = Some(&context.local.source);
        let recording = self.recording(&context.run.claimed, organization_id, track_id, source).await?;
        recording.ok_or(JobError::Cancelled)
    }

    /// Like [`Self::recording`], for a track that was read earlier.
    pub(super) async fn recording_for(
        &self,
        run: &JobRun,
        track: &Track,
    ) -> Result<Option<Recording<'_>>, JobError> {
        self.recording(&run.claimed, track.organization_id, track.id, track.source.as_ref()).await
    }
}

impl<'a> Recording<'a> {
    /// Begins to record results for a track. The transaction itself if the track has been deleted.
    pub(in crate::processing) async fn of(
        tx: Transaction,
        ambient: &'a Ambient,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<Result<Self, Transaction>, CatalogError> {
        let Some(track) = tx.track(organization_id, track_id).await? else { return Ok(Err(tx)) };
        let recipes = tx.recipes_for_track(organization_id, track_id).await?;
        let files = tx.files_of_track(track_id).await?;
        let previous = track.status;
        Ok(Ok(Self {
            ambient,
            tx,
            track,
            previous,
            recipes,
            files,
            has_new_files: false,
            is_replaced: false,
            has_late_file: false,
            room: None,
        }))
    }

    /// Settles a track again that needs fewer files than before.
    pub(in crate::processing) async fn settled(
        tx: Transaction,
        ambient: &Ambient,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<Transaction, JobError> {
        match Recording::of(tx, ambient, organization_id, track_id).await? {
            Ok(mut recording) if recording.track.status.is_settled() => {
                recording.settle_again().await?;
                recording.write().await
            }
            Ok(recording) => Ok(recording.tx),
            Err(tx) => Ok(tx),
        }
    }

    /// Records all remaining results of a run.
    pub(super) async fn put(&mut self, unrecorded: Unrecorded) -> Result<(), CatalogError> {
        // First, because events contain the bitrate of files, which is computed from these values.
        if let Some(measured) = unrecorded.measured {
            self.put_measured(measured);
        }
        let has_pictures = unrecorded.files.iter().any(|(it, _)| matches!(it.kind, RecipeKind::Cover(_)));
        for (recipe, outcome) in unrecorded.files {
            self.put_file(recipe, outcome).await?;
        }
        if has_pictures {
            // The picture may have changed since they were cut.
            self.queue_cover_files().await?;
        }
        if let Some(made) = unrecorded.cover {
            self.put_cover(made).await?;
        }
        Ok(())
    }

    /// Records the results of probing and measuring.
    pub(super) fn put_measured(&mut self, measured: Measured) {
        self.track.duration = measured.duration;
        self.track.info = measured.info;
    }

    /// Records the result of one recipe and queues its event. The result of a revision that is no longer the present
    /// one is dropped: work that was begun earlier may end later. A failure never replaces an existing file: a file
    /// made with other settings is better than none.
    pub(super) async fn put_file(
        &mut self,
        recipe: Recipe,
        outcome: FileOutcome,
    ) -> Result<(), CatalogError> {
        let id = recipe.id;
        let outcome = self.admitted(outcome).await?;
        let is_made = matches!(outcome, FileOutcome::Made { .. });
        let has_made = self.files.iter().any(|file| file.recipe.id == id && file.is_made());
        let ambient = self.ambient;
        let Some(recipe) = self.current(&recipe).cloned() else {
            return self.give_up(&outcome).await;
        };
        if has_made && !is_made {
            return Ok(());
        }
        if let Some(earlier) = self.files.iter().find(|file| file.recipe.id == id) {
            let object: Vec<_> = object_beside(&self.track, &earlier.outcome).into_iter().collect();
            remove_later(&self.tx, ambient, self.track.organization_id, &object).await?;
        }
        let (file_id, created_at) = (ambient.record_id(), ambient.now());
        let file = TrackFile { id: file_id, track_id: self.track.id, recipe, outcome, created_at };
        self.tx.put_track_file(&file).await?;
        self.has_new_files |= is_made;
        events::file_recorded(&self.tx, ambient, &self.track, &file).await?;
        self.files.retain(|file| file.recipe.id != id);
        self.files.push(file);
        Ok(())
    }

    /// Removes the object of a file that is not recorded.
    pub(super) async fn give_up(&self, outcome: &FileOutcome) -> Result<(), CatalogError> {
        let object: Vec<_> = object_beside(&self.track, outcome).into_iter().collect();
        remove_soon(&self.tx, self.ambient, self.track.organization_id, &object).await
    }

    /// Records a cover unless one was uploaded meanwhile. A drawn cover is always recorded as the placeholder.
    pub(super) async fn put_cover(&mut self, made: MadeCover) -> Result<(), CatalogError> {
        let MadeCover { cover, theme, is_beside, basis } = made;
        if !is_beside && self.track.cover.is_none_or(|current| current.origin != CoverOrigin::Uploaded) {
            (self.track.cover, self.track.theme.found) = (Some(cover), theme);
            self.track.placeholder = None;
        }
        if cover.origin == CoverOrigin::Generated {
            self.track.placeholder = Some(cover.version);
        }
        let own = Derived::own_cover(self.track.cover, self.track.placeholder);
        if own.is_some_and(|(_, version)| version == cover.version) {
            self.tx.put_cover_basis(self.track.id, basis.as_deref()).await?;
        }
        self.queue_cover_files().await
    }

    /// The present values of what the track's derived things are made from. None if its collection was deleted.
    async fn inputs(&self) -> Result<Option<Inputs>, CatalogError> {
        let (organization_id, collection_id) = (self.track.organization_id, self.track.collection_id);
        let parents = TrackParents::in_transaction(&self.tx, organization_id, collection_id).await?;
        Ok(parents.map(|parents| parents.inputs(&self.track)))
    }

    /// Whether the track's own cover, or a file made from the picture that players show, may be outdated: something
    /// may have changed since they were made.
    async fn has_outdated_pictures(&self) -> Result<bool, CatalogError> {
        if self.files.iter().any(|file| matches!(file.recipe.kind, RecipeKind::Cover(_))) {
            return Ok(true);
        }
        let basis = self.inputs().await?.and_then(|inputs| inputs.own_cover_basis(&self.track));
        Ok(basis.is_some() && basis != self.tx.cover_basis(self.track.id).await?)
    }

    /// Queues the files that were drawn in another colour than the present one.
    async fn queue_outdated_drawings(&self) -> Result<(), CatalogError> {
        let drawn = || self.files.iter().filter_map(|file| Some((file, file.drawn_colour()?)));
        if drawn().next().is_none() {
            return Ok(());
        }
        let Some(inputs) = self.inputs().await? else { return Ok(()) };
        let (organization_id, track_id) = (self.track.organization_id, self.track.id);
        let ambient = self.ambient;
        for (file, _) in drawn().filter(|(_, colour)| *colour != inputs.colour) {
            let job = Job::RenderTrack { organization_id, track_id, variant_id: file.recipe.id, run: None };
            let unique = format!("derive_again {track_id} {}", file.recipe.id);
            self.tx.enqueue(job, ambient.record_id(), ambient.now(), Some(&unique)).await?;
        }
        Ok(())
    }

    /// Queues the job that completes the track's cover once it is in use.
    pub(super) async fn queue_cover_files(&self) -> Result<(), CatalogError> {
        let owner = CoverOwner::Track(self.track.id);
        covers::queue_rest(&self.tx, self.ambient, self.track.organization_id, owner).await
    }

    /// The recipe as it is now, if this is its present revision.
    pub(super) fn current(&self, made: &Recipe) -> Option<&Recipe> {
        self.recipes.iter().find(|recipe| recipe.is_same_revision(made))
    }

    /// The result of a recipe, if it was tried.
    pub(super) fn file_of(&self, recipe: &Recipe) -> Option<&TrackFile> {
        self.files.iter().find(|file| file.recipe.id == recipe.id)
    }

    /// Records the same failure for everything that was not tried yet.
    async fn fail_untried(&mut self, reason: &str) -> Result<(), CatalogError> {
        let untried: Vec<Recipe> = untried(&self.recipes, &self.files).cloned().collect();
        for recipe in untried {
            self.put_file(recipe, FileOutcome::Failed { reason: reason.to_owned() }).await?;
        }
        Ok(())
    }

    /// Settles the status according to the files, while the track is being processed.
    async fn settle(&mut self) -> Result<(), JobError> {
        let (outcome, reason) = judge(&self.track, &self.files);
        self.track.status = self.track.status.settle(outcome).map_err(JobError::internal)?;
        self.track.status_reason = reason;
        self.tx.delete_track_progress(self.track.id).await?;
        if self.has_outdated_pictures().await? {
            self.queue_cover_files().await?;
        }
        Ok(transcription::queue_if_wanted(&self.tx, self.ambient, &self.track).await?)
    }

    /// A track that now has all required files becomes ready, and one that now has a playable file becomes playable.
    /// Nothing else changes.
    pub(super) async fn settle_again(&mut self) -> Result<(), JobError> {
        let (outcome, reason) = judge(&self.track, &self.files);
        if self.track.status.is_settled() && outcome != Outcome::Nothing {
            let status = self.track.status.retry().and_then(|status| status.settle(outcome));
            self.track.status = status.map_err(JobError::internal)?;
            self.track.status_reason = reason;
        }
        self.tx.delete_track_progress(self.track.id).await?;
        Ok(())
    }

    /// Settles the track and ends the job. Returns `false` and keeps the job if a recipe was not tried yet, as recipes
    /// may be added and changed at any time. `tried` are those that this run has tried.
    pub(super) async fn settle_and_finish(
        mut self,
        claimed: &ClaimedJob,
        tried: &[Recipe],
    ) -> Result<bool, JobError> {
        if self.track.status.is_processing() {
            // A failure is not recorded where there is a file of an earlier revision.
            let is_tried = |recipe: &Recipe| tried.iter().any(|tried| tried.is_same_revision(recipe));
            if untried(&self.recipes, &self.files).any(|recipe| !is_tried(recipe)) {
                self.commit().await?;
                return Ok(false);
            }
            self.settle().await?;
        }
        finish(claimed, self.write().await?).await?;
        Ok(true)
    }

    /// Ends processing with a failure of the source as a whole. A track with playable files keeps them; missing files
    /// are recorded as failed.
    pub(super) async fn reject_and_finish(
        mut self,
        claimed: &ClaimedJob,
        reason: &str,
    ) -> Result<(), JobError> {
        if self.track.status.is_processing() {
            self.reject(reason).await?;
        }
        finish(claimed, self.write().await?).await
    }

    /// Ends processing because its job has ended without finishing it. Playable files stay playable.
    pub(in crate::processing) async fn end(mut self, reason: &str) -> Result<Transaction, JobError> {
        if self.track.status.is_processing() {
            self.fail_untried(reason).await?;
            self.settle().await?;
            self.track.status_reason = Some(reason.to_owned());
        }
        self.write().await
    }

    async fn reject(&mut self, reason: &str) -> Result<(), JobError> {
        if playable(&self.files) > 0 {
            self.fail_untried(reason).await?;
            return self.settle().await;
        }
        self.track.status = self.track.status.reject_source().map_err(JobError::internal)?;
        self.track.status_reason = Some(reason.to_owned());
        Ok(self.tx.delete_track_progress(self.track.id).await?)
    }

    /// Commits. The job continues.
    pub(super) async fn commit(self) -> Result<(), JobError> {
        Ok(self.write().await?.commit().await?)
    }

    /// Writes the track and queues an event if its status has become final, its source was replaced, or a rendering has
    /// made a file.
    pub(super) async fn write(self) -> Result<Transaction, JobError> {
        let ambient = self.ambient;
        self.tx.update_track(&self.track).await?;
        self.queue_outdated_drawings().await?;
        if self.has_new_files {
            manifests::queue(&self.tx, ambient, &self.track).await?;
        }
        match self.is_replaced || self.has_late_file {
            true => events::track_reported(&self.tx, ambient, &self.track, self.previous).await?,
            false => events::track_settled(&self.tx, ambient, &self.track, self.previous).await?,
        }
        Ok(self.tx)
    }
}

pub(super) fn playable(files: &[TrackFile]) -> usize {
    files.iter().filter(|file| file.is_made() && is_sound(file)).count()
}

fn is_sound(file: &TrackFile) -> bool {
    file.recipe.kind.recipe_type().is_playable()
}

/// The outcome, with the reason of the first failure. A track requires its own recipes and those that existed before
/// it. If a recipe that was added later fails, tracks that were complete without it stay complete.
pub(super) fn judge(track: &Track, files: &[TrackFile]) -> (Outcome, Option<String>) {
    let is_required = |recipe: &Recipe| recipe.track_id.is_some() || recipe.created_at <= track.created_at;
    let failures: Vec<String> = files
        .iter()
        .filter(|file| is_required(&file.recipe))
        .filter_map(|file| match &file.outcome {
            FileOutcome::Failed { reason } => Some(format!("{}: {reason}", file.recipe.index)),
            FileOutcome::Made { .. } => None,
        })
        .collect();
    // Recipes for levels, pictures or the original alone ask for nothing that is played.
    let made = if files.iter().any(is_sound) {
        playable(files)
    } else {
        files.iter().filter(|file| file.is_made()).count()
    };
    (Outcome::judge(failures.len(), made), failures.into_iter().next())
}
