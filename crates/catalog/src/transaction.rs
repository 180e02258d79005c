//! Writing: everything that changes rows happens in a transaction.

use std::sync::atomic::{AtomicUsize, Ordering};

use sea_orm::sea_query::{InsertStatement, Query, SimpleExpr};
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr};
use tonearm_domain::{JobClass, StoredAddresses, Timestamp};
use tracing::Instrument;

use crate::changes::{Change, Changes, Observers};
use crate::connect_options::Backend;
use crate::due_clock::DueClock;
use crate::error::CatalogError;
use crate::statements::Statements;
use crate::wakeups::Wakers;
use crate::work_kind::WorkKind;
use crate::{outcome, unit};

/// What a transaction needs when it ends.
#[derive(Clone)]
pub(crate) struct Ending {
    pub(crate) backend: Backend,
    /// Where the outcome of a lost commit is looked up.
    pub(crate) database: DatabaseConnection,
    pub(crate) observers: Observers,
    pub(crate) wakers: Wakers,
    /// Whether other nodes are told what was queued before a commit returns, and not soon after.
    pub(crate) is_telling_first: bool,
    /// Whose clock decides what is due.
    pub(crate) due_clock: DueClock,
    /// How much of network addresses is written down.
    pub(crate) stored_addresses: StoredAddresses,
}

/// A write transaction. Dropped without [`Transaction::commit`], it leaves nothing.
///
/// Reads of a single track, collection, organization or person lock it until the end of the transaction, so what is decided from
/// it still holds when it is written. Reads of what belongs to it, such as a transcription, rely on that lock. On SQLite there is one
/// write transaction at a time: do not begin a second one while holding one.
///
/// After a statement has failed, the transaction does nothing more and cannot be committed.
#[must_use = "a transaction that is dropped is rolled back"]
pub struct Transaction {
    statements: Statements,
    changes: Changes,
    /// How much was queued, for each kind in the order of [`WorkKind::ALL`].
    queued: [AtomicUsize; WorkKind::ALL.len()],
    ending: Ending,
}

impl Transaction {
    pub(crate) fn new(inner: DatabaseTransaction, ending: Ending) -> Self {
        Self {
            statements: Statements::new(inner),
            changes: Changes::default(),
            queued: Default::default(),
            ending,
        }
    }

    pub(crate) fn db(&self) -> &Statements {
        &self.statements
    }

    /// Whose clock decides what is due.
    pub(crate) fn due_clock(&self) -> &DueClock {
        &self.ending.due_clock
    }

    /// How much of network addresses is written down.
    pub(crate) fn stored_addresses(&self) -> StoredAddresses {
        self.ending.stored_addresses
    }

    /// Remembers to tell of a change once others can see it.
    pub(crate) fn note(&self, change: Change) {
        self.changes.note(change);
    }

    /// Remembers to wake workers of a class once what was queued is there to be claimed.
    pub(crate) fn note_enqueued(&self, class: JobClass) {
        self.note_queued(WorkKind::Jobs(class));
    }

    /// The same for a job that is due at a later moment. What is due much later is found in time without being told of.
    pub(crate) fn note_put_off(&self, class: JobClass, run_at: Timestamp) {
        if self.due_clock().is_soon(run_at) {
            self.note_enqueued(class);
        }
    }

    /// Remembers to wake the sender of webhooks.
    pub(crate) fn note_delivery(&self) {
        self.note_queued(WorkKind::Deliveries);
    }

    fn note_queued(&self, kind: WorkKind) {
        self.queued[kind.index()].fetch_add(1, Ordering::Relaxed);
    }

    /// Inserts a row. On PostgreSQL the same statement gives the id of the transaction, so that the outcome of a
    /// commit whose answer is lost can be looked up without a round trip more in each transaction.
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

    /// Makes everything durable, then tells the observers what changed (see [`Catalog::on_commit`]) and wakes those
    /// who wait for what was queued, here and soon on other nodes. A commit that has begun is brought to its end even if the
    /// future is dropped.
    ///
    /// Where the connection breaks before PostgreSQL has answered, the outcome is looked up. `Ok` means that the
    /// transaction is committed, [`CatalogError::UnknownOutcome`] that nobody could say, any other error that it
    /// left nothing.
    ///
    /// Within [`Catalog::as_one`] it is only put aside, to be committed with the whole.
    ///
    /// [`Catalog::on_commit`]: crate::Catalog::on_commit
    /// [`Catalog::as_one`]: crate::Catalog::as_one
    pub async fn commit(self) -> Result<(), CatalogError> {
        match unit::hold(self) {
            Some(transaction) => transaction.commit_now().await,
            None => Ok(()),
        }
    }

    pub(crate) async fn commit_now(self) -> Result<(), CatalogError> {
        // In a task of its own: a caller that goes away would leave the driver in the middle of a commit, and the
        // observers uninformed.
        tokio::spawn(self.finish().in_current_span())
            .await
            .unwrap_or_else(|error| Err(CatalogError::UnknownOutcome(error.into())))
    }

    async fn finish(mut self) -> Result<(), CatalogError> {
        let changes = self.changes.take();
        let (statements, ending) = (self.statements, self.ending);
        let id = statements.id.get().cloned();
        let committed = commit(ending.backend, statements).await;
        // In every case: what could not be learned may have happened.
        ending.observers.notify(&changes);
        match committed {
            Err(error) if outcome::is_unknown(&error) && ending.backend == Backend::Postgres => {
                tracing::warn!(%error, "the response to a commit was lost; looking up its outcome");
                let settled = outcome::look_up(&ending.database, id.as_ref(), error).await;
                // It may have become visible only now.
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

/// Commits. A server that does not answer in time counts as a broken connection; a file is waited for.
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
