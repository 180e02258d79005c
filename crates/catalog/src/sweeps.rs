//! Progress of the sweep of the object store. There is one sweep for all nodes.

use sea_orm::sea_query::OnConflict;
use sea_orm::{EntityTrait, IntoActiveModel, QuerySelect};
use tonearm_domain::{ObjectKey, Timestamp};

use crate::catalog::Catalog;
use crate::column::{byte_count, moment, moment_if_set, parsed_if_set, size};
use crate::entity::sweep::{Column, Entity, Model, ONLY};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, one};
use crate::transaction::Transaction;

/// The running sweep, or the last one. Counts are numbers of objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// Whether it is running. Also `true` if its process was killed, until another process continues the sweep.
    pub is_running: bool,
    /// When it began.
    pub started_at: Timestamp,
    /// The last object that it examined.
    pub last_key: Option<ObjectKey>,
    /// The number of objects examined.
    pub seen: u64,
    /// The number of these that no row refers to and that are old enough.
    pub unknown: u64,
    /// The number of objects removed.
    pub removed: u64,
    /// When the last sweep finished.
    pub finished_at: Option<Timestamp>,
    /// The number of objects that the last sweep left for a person to confirm, because they were too many.
    pub due: u64,
    /// Identifies these objects: those that were found to be unknown at or before this moment. `None` if none are left.
    pub due_until: Option<Timestamp>,
    /// Identifies those of them that a person confirmed, in the same way; `None` once they are removed.
    pub confirmed_until: Option<Timestamp>,
    /// Why the last attempt did not begin or go on.
    pub refusal: Option<String>,
}

impl TryFrom<Model> for Sweep {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            is_running: row.is_running,
            started_at: moment("sweep.started_at", row.started_at)?,
            last_key: parsed_if_set("sweep.last_key", row.last_key.as_deref())?,
            seen: size("sweep.seen", row.seen)?,
            unknown: size("sweep.unknown", row.unknown)?,
            removed: size("sweep.removed", row.removed)?,
            finished_at: moment_if_set("sweep.finished_at", row.finished_at)?,
            due: size("sweep.due", row.due)?,
            due_until: moment_if_set("sweep.due_until", row.due_until)?,
            confirmed_until: moment_if_set("sweep.confirmed_until", row.confirmed_until)?,
            refusal: row.refusal,
        })
    }
}

impl From<&Sweep> for Model {
    fn from(sweep: &Sweep) -> Self {
        Self {
            id: ONLY,
            is_running: sweep.is_running,
            started_at: sweep.started_at.unix_millis(),
            last_key: sweep.last_key.as_ref().map(ToString::to_string),
            seen: byte_count(sweep.seen),
            unknown: byte_count(sweep.unknown),
            removed: byte_count(sweep.removed),
            finished_at: sweep.finished_at.map(|at| at.unix_millis()),
            due: byte_count(sweep.due),
            due_until: sweep.due_until.map(|at| at.unix_millis()),
            confirmed_until: sweep.confirmed_until.map(|at| at.unix_millis()),
            refusal: sweep.refusal.clone(),
        }
    }
}

impl Sweep {
    /// A sweep that begins now, after `last`.
    fn after(last: Option<Self>, now: Timestamp) -> Self {
        let last = last.as_ref();
        Self {
            is_running: true,
            started_at: now,
            last_key: None,
            seen: 0,
            unknown: 0,
            removed: 0,
            finished_at: last.and_then(|last| last.finished_at),
            due: last.map_or(0, |last| last.due),
            due_until: last.and_then(|last| last.due_until),
            confirmed_until: last.and_then(|last| last.confirmed_until),
            refusal: None,
        }
    }
}

impl Catalog {
    /// The running sweep, or the last one; `None` before the first.
    pub async fn sweep(&self) -> Result<Option<Sweep>, CatalogError> {
        one(self.reader(), Entity::find_by_id(ONLY)).await
    }
}

impl Transaction {
    /// The running sweep, or the last one, locked for a change.
    pub async fn sweep(&self) -> Result<Option<Sweep>, CatalogError> {
        one(self.db(), Entity::find_by_id(ONLY).lock(TO_CHANGE)).await
    }

    /// Continues the running sweep, or begins a new one.
    pub async fn begin_sweep(&self, now: Timestamp) -> Result<Sweep, CatalogError> {
        let last = self.sweep().await?;
        let sweep = match last {
            Some(sweep) if sweep.is_running => Sweep { refusal: None, ..sweep },
            last => Sweep::after(last, now),
        };
        self.put_sweep(&sweep).await?;
        Ok(sweep)
    }

    /// Records the progress of the sweep since `before`: the last key and the counts. Returns `false` if the sweep is
    /// no longer at `before`: another worker continues it, and this transaction must be rolled back.
    pub async fn advance_sweep(&self, before: &Sweep, after: &Sweep) -> Result<bool, CatalogError> {
        let Some(now) = self.held_sweep(before).await? else {
            return Ok(false);
        };
        let (last_key, seen, unknown) = (after.last_key.clone(), after.seen, after.unknown);
        self.put_sweep(&Sweep { last_key, seen, unknown, removed: after.removed, ..now }).await?;
        Ok(true)
    }

    /// Ends the sweep. `left` is the number of objects left for a person to confirm, and the moment at or before which
    /// they were unknown. `confirmed_until` is the confirmation that was acted on. Returns `false` as in
    /// [`Transaction::advance_sweep`].
    pub async fn finish_sweep(
        &self,
        before: &Sweep,
        now: Timestamp,
        left: Option<(u64, Timestamp)>,
        confirmed_until: Option<Timestamp>,
    ) -> Result<bool, CatalogError> {
        let Some(held) = self.held_sweep(before).await? else {
            return Ok(false);
        };
        let ended = Sweep {
            is_running: false,
            finished_at: Some(now),
            due: left.map_or(0, |(due, _)| due),
            due_until: left.map(|(_, until)| until),
            confirmed_until: held.confirmed_until.filter(|until| Some(*until) != confirmed_until),
            ..held
        };
        self.put_sweep(&ended).await?;
        Ok(true)
    }

    /// Records why a sweep did not begin or go on.
    pub async fn refuse_sweep(&self, now: Timestamp, reason: &str) -> Result<(), CatalogError> {
        let last = self.sweep().await?;
        let idle = || Sweep { is_running: false, ..Sweep::after(None, now) };
        self.put_sweep(&Sweep { refusal: Some(reason.to_owned()), ..last.unwrap_or_else(idle) }).await
    }

    /// Confirms the removal of the objects that the last sweep left for confirmation; `None` if there are none.
    pub async fn confirm_sweep(&self) -> Result<Option<Sweep>, CatalogError> {
        let Some(last) = self.sweep().await?.filter(|last| last.due_until.is_some()) else {
            return Ok(None);
        };
        let confirmed = Sweep { confirmed_until: last.due_until, ..last };
        self.put_sweep(&confirmed).await?;
        Ok(Some(confirmed))
    }

    /// The sweep, locked, if it is still running and at `before`.
    async fn held_sweep(&self, before: &Sweep) -> Result<Option<Sweep>, CatalogError> {
        Ok(self.sweep().await?.filter(|now| {
            let place = |sweep: &Sweep| (sweep.started_at, sweep.last_key.clone(), sweep.removed);
            now.is_running && place(now) == place(before)
        }))
    }

    async fn put_sweep(&self, sweep: &Sweep) -> Result<(), CatalogError> {
        use Column::*;
        let replace = OnConflict::column(Id)
            .update_columns([
                IsRunning,
                StartedAt,
                LastKey,
                Seen,
                Unknown,
                Removed,
                FinishedAt,
                Due,
                DueUntil,
                ConfirmedUntil,
                Refusal,
            ])
            .to_owned();
        let row = Model::from(sweep).into_active_model();
        Entity::insert(row).on_conflict(replace).exec_without_returning(self.db()).await?;
        Ok(())
    }
}
