//! Making the files of a track from a new source. Nothing of the track changes until all files are made. One
//! transaction then replaces the old files, which are removed a day later.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Ambient, OrganizationId, Outage, Recipe, Replacement, ReplacementId, ReplacementState, Source, Track,
    TrackId, TrackInfo, TrackStatus, sanitise_file_name,
};
use tonearm_media::LimitTier;

use super::analysis::Analysed;
use super::file_progress::FileProgress;
use super::limits::Limits;
use super::recording::Unrecorded;
use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};
use crate::removal::remove_soon;
use crate::webhooks::events;

/// The replacement that a job works on.
#[derive(Clone, Copy)]
pub(in crate::processing) struct ReplacementTurn {
    pub(in crate::processing) organization_id: OrganizationId,
    pub(in crate::processing) track_id: TrackId,
    pub(in crate::processing) replacement_id: ReplacementId,
}

/// The result of an attempt to replace the old files with new ones.
enum Swap {
    Done,
    /// Recipes were added meanwhile. Their files have to be made first.
    Missing(Vec<Recipe>),
}

impl Processing {
    pub(in crate::processing) async fn replace_source(
        &self,
        run: &JobRun,
        turn: ReplacementTurn,
    ) -> Result<(), JobError> {
        let replacement = self.catalog.replacement(turn.organization_id, turn.track_id).await?;
        let wanted = replacement.filter(|it| is_wanted(it, turn));
        let track = self.catalog.track(turn.organization_id, turn.track_id).await?;
        let (replacement, track) = match (wanted, track) {
            (Some(replacement), Some(track)) => (replacement, track),
            // A track that is deleted may be restored, which queues the replacement again.
            _ => return self.finish(&run.claimed).await,
        };
        let Some(source) = replacement.source.clone() else { return self.finish(&run.claimed).await };
        let staged = staged(track, source.clone(), replacement.file_name.as_deref());
        let recipes = self.catalog.recipes_for_track(turn.organization_id, turn.track_id).await?;
        let board = FileProgress::new(&recipes);
        let work = Box::pin(self.make_and_swap(run, turn, staged, &source, recipes, board.clone()));
        tokio::select! {
            biased;
            done = work => done,
            // The sweep removes objects that are already stored.
            () = self.report_until_deleted(turn.organization_id, turn.track_id, &board) => {
                self.finish(&run.claimed).await
            }
        }
    }

    async fn make_and_swap(
        &self,
        run: &JobRun,
        turn: ReplacementTurn,
        mut staged: Track,
        source: &Source,
        mut recipes: Vec<Recipe>,
        board: FileProgress,
    ) -> Result<(), JobError> {
        let mut made = Unrecorded::default();
        loop {
            match Box::pin(self.make_staged(run, &staged, source, &recipes, &board)).await {
                Ok(more) => merge(&mut made, more),
                Err(Stop::Source(reason) | Stop::Limit(reason)) => {
                    return self.discard_replacement(run, turn, &staged, &made, &reason).await;
                }
                Err(Stop::Job(JobError::Outage { outage: Outage::Overload, source })) if self.hangs(run) => {
                    return self.discard_replacement(run, turn, &staged, &made, &source.to_string()).await;
                }
                Err(Stop::Job(error)) => return Err(error),
            }
            // Recipes that were added late do not cause anything to be measured or drawn again.
            take(&mut staged, &made);
            match self.swap(run, turn, &staged, &mut made).await? {
                Swap::Done => return Ok(()),
                Swap::Missing(missing) => recipes = missing,
            }
        }
    }

    async fn make_staged(
        &self,
        run: &JobRun,
        staged: &Track,
        source: &Source,
        recipes: &[Recipe],
        board: &FileProgress,
    ) -> Result<Unrecorded, Stop> {
        let older = self.older_with_same_source(staged).await?;
        let mut made = self.reuse(staged, source, recipes, &older).await?.unwrap_or_default();
        let rest: Vec<Recipe> = recipes.iter().filter(|recipe| !made.has(recipe)).cloned().collect();
        let mut staged = staged.clone();
        take(&mut staged, &made);
        if rest.is_empty() && Analysed::is_recorded(&staged) && staged.cover.is_some() {
            return Ok(made);
        }
        let limits = Limits::new(run.scope(LimitTier::Normal));
        let context = self.open_run_context(run, staged, source, limits, board.clone()).await?;
        merge(&mut made, self.make_all(&context.staged(), rest).await?);
        Ok(made)
    }

    /// Replaces the old source and its files with the new ones, and ends the job.
    async fn swap(
        &self,
        run: &JobRun,
        turn: ReplacementTurn,
        staged: &Track,
        made: &mut Unrecorded,
    ) -> Result<Swap, JobError> {
        let Some(mut recording) =
            self.recording(&run.claimed, turn.organization_id, turn.track_id, None).await?
        else {
            self.finish(&run.claimed).await?;
            return Ok(Swap::Done);
        };
        let missing = recording.missing_from(made);
        if !missing.is_empty() {
            return Ok(Swap::Missing(missing));
        }
        if let Some(reason) = recording.loss_by(&made.files) {
            drop(recording);
            self.discard_replacement(run, turn, staged, made, &reason).await?;
            return Ok(Swap::Done);
        }
        let Some(replacement) = recording.replacement().await?.filter(|it| is_wanted(it, turn)) else {
            drop(recording);
            self.finish(&run.claimed).await?;
            self.discard(staged, made).await;
            return Ok(Swap::Done);
        };
        // Other tracks may have put the same source back meanwhile.
        if let Some(exceeded) = recording.exceeded_by_undo(&replacement).await? {
            drop(recording);
            self.discard_replacement(run, turn, staged, made, &exceeded.to_string()).await?;
            return Ok(Swap::Done);
        }
        recording.replace_all(staged, std::mem::take(made), replacement).await?;
        finish(&run.claimed, recording.write().await?).await?;
        Ok(Swap::Done)
    }

    /// Ends a replacement whose files cannot be made, and then removes the files that were made.
    async fn discard_replacement(
        &self,
        run: &JobRun,
        turn: ReplacementTurn,
        staged: &Track,
        made: &Unrecorded,
        reason: &str,
    ) -> Result<(), JobError> {
        self.fail_replacement(run, turn, reason).await?;
        self.discard(staged, made).await;
        Ok(())
    }

    /// Removes the files that were made, after the job has ended under its lease.
    async fn discard(&self, staged: &Track, made: &Unrecorded) {
        if let Err(error) =
            self.remove_unnamed(made.objects(staged).into_iter().map(|(key, _)| key).collect()).await
        {
            tracing::warn!(%error, "could not remove the files of a replacement that failed; the sweep removes them");
        }
    }

    async fn fail_replacement(
        &self,
        run: &JobRun,
        turn: ReplacementTurn,
        reason: &str,
    ) -> Result<(), JobError> {
        let tx = self.begin_batch(run).await?;
        fail(&tx, turn, reason, &self.ambient).await?;
        finish(&run.claimed, tx).await
    }
}

fn is_wanted(replacement: &Replacement, turn: ReplacementTurn) -> bool {
    replacement.id == turn.replacement_id && replacement.state == ReplacementState::Processing
}

/// Ends a replacement without its files. The track keeps its source.
pub(in crate::processing) async fn fail(
    tx: &Transaction,
    turn: ReplacementTurn,
    reason: &str,
    ambient: &Ambient,
) -> Result<(), JobError> {
    // All transactions lock tracks before their replacements.
    let track = tx.track(turn.organization_id, turn.track_id).await?;
    tx.delete_track_progress(turn.track_id).await?;
    let found = tx.replacement(turn.organization_id, turn.track_id).await?;
    let Some(mut replacement) = found.filter(|it| is_wanted(it, turn)) else { return Ok(()) };
    let unused = replacement.fail(reason.to_owned()).map_err(JobError::internal)?;
    let unused: Vec<_> = unused.into_iter().map(|source| (source.key, source.size)).collect();
    tx.put_replacement(&replacement).await?;
    remove_soon(tx, ambient, turn.organization_id, &unused).await?;
    if let Some(track) = track {
        events::track_reported(tx, ambient, &track, track.status).await?;
    }
    Ok(())
}

/// The track as it would be with a new source about which only its name is known yet.
fn staged(mut track: Track, source: Source, file_name: Option<&str>) -> Track {
    track.forget_found_cover();
    if let Some(name) = file_name {
        track.file_name = sanitise_file_name(name);
        track.file_name_original = Some(name.to_owned());
    }
    Track {
        source: Some(source),
        duration: 0.0,
        info: TrackInfo::default(),
        // A new file does not change its order.
        upload_session_id: None,
        // Larger limits show only in the status of the track itself.
        status: TrackStatus::Ready,
        ..track
    }
}

/// Copies the known facts about the new source to the staged track.
fn take(staged: &mut Track, made: &Unrecorded) {
    if let Some(measured) = &made.measured {
        (staged.duration, staged.info) = (measured.duration, measured.info.clone());
    }
    staged.cover = staged.cover.or(made.cover.as_ref().map(|made| made.cover));
}

fn merge(made: &mut Unrecorded, more: Unrecorded) {
    made.measured = more.measured.or(made.measured.take());
    made.cover = more.cover.or(made.cover.take());
    made.files.extend(more.files);
}
