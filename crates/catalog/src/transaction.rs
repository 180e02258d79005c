//! Writing: everything that changes rows happens in a transaction.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sea_orm::sea_query::{InsertStatement, Query, SimpleExpr};
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr};
use tokio::sync::Notify;
use tonearm_domain::JobClass;

use crate::changes::{Changes, Observers};
use crate::statements::Statements;
use crate::{Backend, CatalogError, Change, DueClock, outcome, unit};

/// Those of this process who wait for something to be queued.
#[derive(Clone, Default)]
pub(crate) struct Wakers {
    /// For each [`JobClass`], in the order of [`JobClass::ALL`].
    pub(crate) jobs: [Arc<Notify>; JobClass::ALL.len()],
    pub(crate) deliveries: Arc<Notify>,
}

/// What a transaction needs when it ends.
#[derive(Clone)]
pub(crate) struct Ending {
    pub(crate) backend: Backend,
    /// Where the outcome of a lost commit is looked up.
    pub(crate) database: DatabaseConnection,
    pub(crate) observers: Observers,
    pub(crate) wakers: Wakers,
    /// Whose clock decides what is due.
    pub(crate) due_clock: DueClock,
}

/// A write transaction. Dropped without [`Transaction::commit`], it leaves nothing.
///
/// Reads of a single row lock it until the end of the transaction, so what is decided from it still holds when it
/// is written. On SQLite there is one write transaction at a time: do not begin a second one while holding one.
///
/// After a statement has failed, the transaction does nothing more and cannot be committed.
#[must_use = "a transaction that is dropped is rolled back"]
pub struct Transaction {
    statements: Statements,
    changes: Changes,
    /// For each class of jobs.
    enqueued: [AtomicUsize; JobClass::ALL.len()],
    has_deliveries: AtomicBool,
    ending: Ending,
}

impl Transaction {
    pub(crate) fn new(inner: DatabaseTransaction, ending: Ending) -> Self {
        Self {
            statements: Statements::new(inner),
            changes: Changes::default(),
            enqueued: Default::default(),
            has_deliveries: AtomicBool::new(false),
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

    /// Remembers to tell of a change once others can see it.
    pub(crate) fn note(&self, change: Change) {
        self.changes.note(change);
    }

    /// Remembers to wake workers of a class once what was queued is there to be claimed.
    pub(crate) fn note_enqueued(&self, class: JobClass) {
        self.enqueued[class as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Remembers to wake the sender of webhooks.
    pub(crate) fn note_delivery(&self) {
        self.has_deliveries.store(true, Ordering::Relaxed);
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

    /// Makes everything durable, then tells the observers what changed (see [`Catalog::on_commit`]) and wakes as
    /// many in-process workers as jobs were queued. A commit that has begun is brought to its end even if the
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
        tokio::spawn(self.finish())
            .await
            .unwrap_or_else(|error| Err(CatalogError::UnknownOutcome(error.into())))
    }

    async fn finish(mut self) -> Result<(), CatalogError> {
        let changes = self.changes.take();
        let (statements, ending) = (self.statements, self.ending);
        let id = statements.id.get().cloned();
        let committed = commit(ending.backend, statements).await;
        // In every case: what could not be learned may have happened.
        ending.observers.tell(&changes);
        match committed {
            Err(error) if outcome::is_unknown(&error) && ending.backend == Backend::Postgres => {
                tracing::warn!(%error, "the answer to a commit was lost; its outcome is being looked up");
                let settled = outcome::look_up(&ending.database, id.as_ref(), error).await;
                // It may have become visible only now.
                ending.observers.tell(&changes);
                settled?;
            }
            Err(error) if outcome::is_unknown(&error) => {
                return Err(CatalogError::UnknownOutcome(error.into()));
            }
            other => other?,
        }
        for (enqueued, waker) in self.enqueued.into_iter().zip(&ending.wakers.jobs) {
            (0..enqueued.into_inner()).for_each(|_| waker.notify_one());
        }
        if self.has_deliveries.into_inner() {
            ending.wakers.deliveries.notify_one();
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
                Err(DbErr::Query(sea_orm::RuntimeErr::Internal("no answer in time".to_owned())))
            })
        }
    }
}
