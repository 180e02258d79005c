//! Write transactions. Everything that changes rows happens in one.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use sea_orm::sea_query::{InsertStatement, Query, SimpleExpr};
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr};
use tonearm_domain::{
    DiskRoom, JobClass, OrganizationId, QuotaExceeded, RecordLimits, StoredAddresses, Timestamp,
};
use tracing::Instrument;

use crate::changes::{Change, Changes, Observers};
use crate::connect_options::Backend;
use crate::due_clock::DueClock;
use crate::error::CatalogError;
use crate::postgres::Suspects;
use crate::right::Holding;
use crate::statements::Statements;
use crate::wakeups::Wakers;
use crate::work_kind::WorkKind;
use crate::{outcome, right, unit};

/// What a transaction needs when it ends.
#[derive(Clone)]
pub(crate) struct Ending {
    pub(crate) backend: Backend,
    /// Where the outcome of a lost commit is looked up.
    pub(crate) database: DatabaseConnection,
    /// Where a write that the server refused is noted.
    pub(crate) suspects: Suspects,
    pub(crate) observers: Observers,
    pub(crate) wakers: Wakers,
    /// Whether other nodes are notified of queued work before a commit returns, and not soon after.
    pub(crate) is_telling_first: bool,
    /// Whose clock decides what is due.
    pub(crate) due_clock: DueClock,
    /// How much of network addresses is stored.
    pub(crate) stored_addresses: StoredAddresses,
    /// How much an organization may keep in the database.
    pub(crate) record_limits: RecordLimits,
    /// Whether the disks have room for more records.
    pub(crate) disk_room: DiskRoom,
}

/// A write transaction. If it is dropped without [`Transaction::commit`], it is rolled back.
///
/// Reading a single track, collection, organization or person locks it until the end of the transaction, so that
/// decisions based on it still hold when they are written. Reads of data that belongs to it, such as a transcription,
/// rely on that lock. On SQLite there is one write transaction at a time: do not begin a second one while holding one.
///
/// Transactions lock rows in this order, so that none waits for another that waits for it: the quota of the
/// organization, the lease of a job, tracks by id, the organization (which stands for its recipes), renderings,
/// collections by id, and at last what these refer to, such as creators. The triggers that count lock the collection of
/// each changed track.
///
/// After a statement has failed, the transaction does nothing more and cannot be committed.
#[must_use = "a transaction that is dropped is rolled back"]
pub struct Transaction {
    statements: Statements,
    changes: Changes,
    /// The number of queued items of each kind, in the order of [`WorkKind::ALL`].
    queued: [AtomicUsize; WorkKind::ALL.len()],
    ending: Ending,
    /// An organization whose text and metadata were at their limit when it began.
    full: OnceLock<(OrganizationId, QuotaExceeded)>,
    _holding: Holding,
}

impl Transaction {
    pub(crate) fn new(inner: DatabaseTransaction, ending: Ending) -> Self {
        Self {
            statements: Statements::new(inner, ending.suspects.clone()),
            changes: Changes::default(),
            queued: Default::default(),
            ending,
            full: OnceLock::new(),
            _holding: Holding::begin(),
        }
    }

    pub(crate) fn db(&self) -> &Statements {
        &self.statements
    }

    /// Whose clock decides what is due.
    pub(crate) fn due_clock(&self) -> &DueClock {
        &self.ending.due_clock
    }

    /// How much of network addresses is stored.
    pub(crate) fn stored_addresses(&self) -> StoredAddresses {
        self.ending.stored_addresses
    }

    /// Whether the disks have room for more records.
    pub(crate) fn disk_room(&self) -> &DiskRoom {
        &self.ending.disk_room
    }

    /// How much an organization may keep in the database.
    pub(crate) fn record_limits(&self) -> RecordLimits {
        self.ending.record_limits
    }

    /// Notes that the text and metadata of an organization are at their limit.
    pub(crate) fn note_full(&self, organization: OrganizationId, full: QuotaExceeded) {
        self.full.get_or_init(|| (organization, full));
    }

    pub(crate) fn full(&self) -> Option<(OrganizationId, QuotaExceeded)> {
        self.full.get().copied()
    }

    /// Records a change, to notify observers once others can see it.
    pub(crate) fn note(&self, change: Change) {
        self.changes.note(change);
    }

    /// Records that a job was queued, to wake workers of its class once it can be claimed.
    pub(crate) fn note_enqueued(&self, class: JobClass) {
        self.note_queued(WorkKind::Jobs(class));
    }

    /// The same for a job that is due later. Workers find a job that is due much later in time without a notice.
    pub(crate) fn note_put_off(&self, class: JobClass, run_at: Timestamp) {
        if self.due_clock().is_soon(run_at) {
            self.note_enqueued(class);
        }
    }

    /// Records that a delivery was queued, to wake the sender of webhooks.
    pub(crate) fn note_delivery(&self) {
        self.note_queued(WorkKind::Deliveries);
    }

    fn note_queued(&self, kind: WorkKind) {
        self.queued[kind.index()].fetch_add(1, Ordering::Relaxed);
    }

    /// Inserts a row. On PostgreSQL the same statement returns the id of the transaction. The outcome of a commit whose
    /// response is lost can then be looked up, without an extra round trip in each transaction.
    pub(crate) async fn insert_traced(&self, mut insert: InsertStatement) -> Result<(), DbErr> {
        if self.ending.backend == Backend::Sqlite {
            self.db().execute(&insert).await?;
            return Ok(());
        }
        let id = SimpleExpr::cust("pg_current_xact_id()::text");
        insert.returning(Query::returning().expr(id));
        if let Some(row) = self.db().query_one(&insert).await? {
            self.statements.id.get_or_init(|| row.try_get_by_index(0).unwrap_or_default());
        }
        Ok(())
    }

    /// Commits, then notifies the observers of the changes (see [`Catalog::on_commit`]) and wakes workers for queued
    /// work, here and soon on other nodes. A commit that has begun is completed even if the future is dropped.
    ///
    /// If the connection breaks before PostgreSQL has responded, the outcome is looked up. `Ok` means that the
    /// transaction is committed, [`CatalogError::UnknownOutcome`] that the outcome could not be determined, any other
    /// error that the transaction left nothing.
    ///
    /// Within [`Catalog::as_one`] the transaction is only put aside, to be committed with the whole.
    ///
    /// [`Catalog::on_commit`]: crate::Catalog::on_commit
    /// [`Catalog::as_one`]: crate::Catalog::as_one
    pub async fn commit(self) -> Result<(), CatalogError> {
        match unit::hold(self).await {
            Some(transaction) => transaction.commit_now().await,
            None => {
                right::note_held();
                Ok(())
            }
        }
    }

    /// Like [`Self::commit`], for what may be written twice: if the database ends a later transaction of the request in
    /// favour of others, the request is still run again from the beginning.
    pub async fn commit_repeatably(self) -> Result<(), CatalogError> {
        let Some(transaction) = unit::hold(self).await else {
            right::note_held();
            return Ok(());
        };
        let outcome = transaction.complete().await;
        if outcome.is_err() {
            right::note_commit(&outcome);
        }
        outcome
    }

    pub(crate) async fn commit_now(self) -> Result<(), CatalogError> {
        let outcome = self.complete().await;
        right::note_commit(&outcome);
        outcome
    }

    async fn complete(self) -> Result<(), CatalogError> {
        self.require_no_growth().await?;
        // In a task of its own: otherwise a caller that is dropped would leave the driver in the middle of a commit,
        // and the observers would not be notified.
        let finish = tokio::spawn(self.finish().in_current_span()).await;
        finish.unwrap_or_else(|error| Err(CatalogError::UnknownOutcome(error.into())))
    }

    async fn finish(mut self) -> Result<(), CatalogError> {
        let changes = self.changes.take();
        let (statements, ending) = (self.statements, self.ending);
        let id = statements.id.get().cloned();
        let committed = commit(ending.backend, statements).await;
        // In every case: a commit whose outcome is unknown may have happened.
        ending.observers.notify(&changes);
        match committed {
            Err(error) if outcome::is_unknown(&error) && ending.backend == Backend::Postgres => {
                tracing::warn!(%error, "the response to a commit was lost; looking up its outcome");
                let settled = outcome::look_up(&ending.database, id.as_ref(), error).await;
                // The changes may have become visible only now.
                ending.observers.notify(&changes);
                settled?;
            }
            Err(error) if outcome::is_unknown(&error) => {
                return Err(CatalogError::UnknownOutcome(error.into()));
            }
            other => other?,
        }
        for (kind, queued) in WorkKind::ALL.into_iter().zip(self.queued) {
            (0..queued.into_inner()).for_each(|_| ending.wakers.wake(kind));
        }
        if ending.is_telling_first
            && let Some(notices) = ending.wakers.notices()
        {
            notices.flush().await;
        }
        Ok(())
    }
}

/// Commits. A server that does not respond in time counts as a broken connection. SQLite has no timeout here.
async fn commit(backend: Backend, statements: Statements) -> Result<(), DbErr> {
    match backend {
        Backend::Sqlite => statements.commit().await,
        Backend::Postgres => {
            tokio::time::timeout(outcome::DEADLINE, statements.commit()).await.unwrap_or_else(|_| {
                Err(DbErr::Query(sea_orm::RuntimeErr::Internal("no response in time".to_owned())))
            })
        }
    }
}
