//! Removing objects that no row names: those left by uploads and renderings whose process was killed between storing
//! the object and writing its row, and files whose recipe was removed.
//!
//! A sweep walks through the store once, in the order of keys, and notes unknown objects. At the end, it removes
//! objects that have been unknown for a day. If there are many, it asks an operator to confirm instead. The position of
//! the walk is stored, so that it continues after a restart. It also queues the manifests of tracks of which the store has
//! later ones than the database. Objects through which nodes communicate are left alone.

use futures::{StreamExt, TryStreamExt};
use tonearm_blobs::ObjectMeta;
use tonearm_catalog::Sweep;
use tonearm_domain::{ObjectKey, SweepRules, Timestamp};

use crate::processing::job_error::JobError;
use crate::processing::manifests;
use crate::processing::runner::{JobRun, Processing, finish};
use crate::store_identity::{IdentityError, StoreIdentity};

/// Objects that are checked at once.
const BATCH: usize = 500;

/// Why a sweep ended early.
enum Stop {
    /// Another worker continues it.
    Overtaken,
    /// The database and the store do not belong together.
    Refused(String),
    Failed(JobError),
}

impl<E: Into<JobError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Processing {
    /// Continues the current sweep, or begins a new one.
    pub(in crate::processing) async fn sweep_objects(&self, run: &JobRun) -> Result<(), JobError> {
        match self.sweep(run).await {
            Ok(()) => Ok(()),
            Err(Stop::Overtaken) => self.finish(&run.claimed).await,
            Err(Stop::Refused(reason)) => {
                tracing::error!(reason, "did not sweep the object store");
                let tx = self.catalog.begin().await?;
                tx.refuse_sweep(self.ambient.now(), &reason).await?;
                finish(&run.claimed, tx).await
            }
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    async fn sweep(&self, run: &JobRun) -> Result<(), Stop> {
        self.check_store().await?;
        let tx = self.catalog.begin().await?;
        let sweep = tx.begin_sweep(self.ambient.now()).await?;
        tx.commit().await?;
        let sweep = self.look_through(run, sweep).await?;
        // The walk may have taken hours.
        self.check_store().await?;
        let tx = self.catalog.begin().await?;
        tx.forget_objects_not_found(sweep.started_at).await?;
        tx.commit().await?;
        self.remove_due(run, sweep).await
    }

    async fn check_store(&self) -> Result<(), Stop> {
        let identity = StoreIdentity::new(self.catalog.clone(), self.blobs.clone(), self.ambient.clone());
        match identity.establish().await {
            Ok(_) => Ok(()),
            Err(IdentityError::Mismatch(mismatch)) => Err(Stop::Refused(mismatch.to_string())),
            Err(IdentityError::Store(error)) => Err(error.into()),
            Err(IdentityError::Catalog(error)) => Err(error.into()),
        }
    }

    /// Walks to the end of the store and notes objects that are old and unknown.
    async fn look_through(&self, run: &JobRun, mut sweep: Sweep) -> Result<Sweep, Stop> {
        let mut room = SweepRules::MOST_NOTED.saturating_sub(self.catalog.count_unknown_objects().await?);
        let last = sweep.last_key.clone();
        let mut batches = self.blobs.list_after(last.as_ref()).try_chunks(BATCH);
        while let Some(batch) = batches.next().await {
            let batch = batch.map_err(|error| error.1)?;
            if run.cancel.is_cancelled() {
                return Err(JobError::Cancelled.into());
            }
            let after = self.note_unknown(&sweep, batch, &mut room).await?;
            sweep = after;
        }
        Ok(sweep)
    }

    async fn note_unknown(
        &self,
        before: &Sweep,
        batch: Vec<(ObjectKey, ObjectMeta)>,
        room: &mut u64,
    ) -> Result<Sweep, Stop> {
        let now = self.ambient.now();
        let mut after = before.clone();
        after.last_key = batch.last().map(|(key, _)| key.clone()).or(after.last_key);
        let objects: Vec<_> =
            batch.into_iter().filter(|(key, _)| key.organization_id != ObjectKey::RESERVED).collect();
        let seen: Vec<ObjectKey> = objects.iter().map(|(key, _)| key.clone()).collect();
        after.seen += objects.len() as u64;
        let spared_after = SweepRules::spared_after(now);
        let old: Vec<ObjectKey> = objects
            .into_iter()
            .filter(|(_, meta)| meta.modified < spared_after)
            .map(|(key, _)| key)
            .collect();
        let known = self.catalog.known_objects(&old).await?;
        let unknown: Vec<ObjectKey> = old.into_iter().filter(|key| !known.contains(key)).collect();
        after.unknown += unknown.len() as u64;
        let tx = self.catalog.begin().await?;
        let added = tx.note_unknown_objects(&unknown, before.started_at, now, *room).await?;
        if !tx.advance_sweep(before, &after).await? {
            return Err(Stop::Overtaken);
        }
        manifests::queue_overtaken(&tx, &self.ambient, &seen).await?;
        tx.commit().await?;
        *room = room.saturating_sub(added);
        Ok(after)
    }

    /// Removes objects that have been unknown for long enough, or leaves them for a person to confirm, and ends the
    /// job.
    async fn remove_due(&self, run: &JobRun, mut sweep: Sweep) -> Result<(), Stop> {
        // One check is enough: objects that are due were already unknown a day ago, before any backup that begins from
        // now on.
        if self.are_removals_held().await? {
            return Ok(self.put_off(run).await?);
        }
        let due_until = SweepRules::spared_after(sweep.started_at);
        let confirmed_until = self.catalog.sweep().await?.and_then(|sweep| sweep.confirmed_until);
        if self.may_remove(&sweep, due_until).await? {
            sweep = self.remove_until(run, sweep, due_until).await?;
        } else if let Some(until) = confirmed_until {
            sweep = self.remove_until(run, sweep, until.min(due_until)).await?;
        }
        if sweep.removed > 0 {
            tracing::info!(removed = sweep.removed, seen = sweep.seen, "removed unknown objects");
        }
        let tx = self.catalog.begin().await?;
        let due = tx.count_due_objects(sweep.started_at, due_until).await?;
        let left = (due > 0).then_some((due, due_until));
        if !tx.finish_sweep(&sweep, self.ambient.now(), left, confirmed_until).await? {
            return Err(Stop::Overtaken);
        }
        finish(&run.claimed, tx).await?;
        if due > 0 {
            tracing::warn!(
                due,
                seen = sweep.seen,
                "kept unknown objects, as they are too many to remove without confirmation; \
                 `tonearm sweep` shows them, and `tonearm sweep --confirm` removes them"
            );
        }
        Ok(())
    }

    async fn may_remove(&self, sweep: &Sweep, due_until: Timestamp) -> Result<bool, Stop> {
        let tx = self.catalog.begin().await?;
        let due = tx.count_due_objects(sweep.started_at, due_until).await?;
        let noted = sweep.unknown <= SweepRules::MOST_NOTED;
        Ok(noted && !SweepRules::needs_confirmation(due, sweep.seen))
    }

    async fn remove_until(&self, run: &JobRun, mut sweep: Sweep, until: Timestamp) -> Result<Sweep, Stop> {
        loop {
            if run.cancel.is_cancelled() {
                return Err(JobError::Cancelled.into());
            }
            let due = self.catalog.due_objects(sweep.started_at, until, BATCH as u64).await?;
            if due.is_empty() {
                return Ok(sweep);
            }
            // Rows may have reappeared since the walk passed by, for example after a restore of the database.
            let removed = self.remove_unnamed(due.clone()).await?;
            let after = Sweep { removed: sweep.removed + removed as u64, ..sweep.clone() };
            let tx = self.catalog.begin().await?;
            tx.forget_unknown_objects(&due).await?;
            if !tx.advance_sweep(&sweep, &after).await? {
                return Err(Stop::Overtaken);
            }
            tx.commit().await?;
            sweep = after;
        }
    }
}
