//! Running statements so that a failure is never mistaken for a success.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult,
    Statement,
};

use crate::error::is_of_victim;
use crate::postgres::Suspects;
use crate::{right, unit};

/// The statements of one transaction.
///
/// After one of them has failed, or was abandoned halfway, no other is run and nothing is committed. SQLite ends a
/// transaction by itself after some errors (a full disk, an I/O error, no memory, an interrupt), and the statements
/// after it would be committed one by one. PostgreSQL answers the `COMMIT` of such a transaction with a rollback
/// that the driver does not report.
pub(crate) struct Statements {
    inner: DatabaseTransaction,
    suspects: Suspects,
    has_failed: AtomicBool,
    /// PostgreSQL's id of the transaction, once it is known.
    pub(crate) id: OnceLock<String>,
}

impl Statements {
    pub(crate) fn new(inner: DatabaseTransaction, suspects: Suspects) -> Self {
        Self { inner, suspects, has_failed: AtomicBool::new(false), id: OnceLock::new() }
    }

    /// Commits. If a statement has failed, rolls back instead and returns an error.
    pub(crate) async fn commit(self) -> Result<(), DbErr> {
        if self.has_failed.into_inner() {
            return Err(spoiled());
        }
        self.inner.commit().await
    }

    async fn run<T>(&self, statement: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        if self.has_failed.load(Ordering::Acquire) {
            return Err(spoiled());
        }
        let mut attempt = Attempt { has_failed: &self.has_failed, succeeded: false };
        let result = statement.await;
        self.suspects.look_at(&result);
        if result.as_ref().is_err_and(is_of_victim) {
            right::note_victim();
        }
        attempt.succeeded = result.is_ok();
        result
    }
}

fn spoiled() -> DbErr {
    DbErr::Custom("an earlier statement of this transaction failed".to_owned())
}

/// A running statement. If it is dropped before it has succeeded, its transaction counts as failed.
struct Attempt<'a> {
    has_failed: &'a AtomicBool,
    succeeded: bool,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.succeeded {
            self.has_failed.store(true, Ordering::Release);
        }
    }
}

#[async_trait]
impl ConnectionTrait for Statements {
    fn get_database_backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.run(self.inner.execute_raw(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.run(self.inner.execute_unprepared(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.run(self.inner.query_one_raw(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.run(self.inner.query_all_raw(statement)).await
    }
}

/// Statements that only read, outside of a transaction, or in what [`Catalog::as_one`](crate::Catalog::as_one) holds.
pub(crate) struct Reader {
    pub(crate) pool: DatabaseConnection,
}

#[async_trait]
impl ConnectionTrait for Reader {
    fn get_database_backend(&self) -> DbBackend {
        self.pool.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match unit::held().await {
            Some(held) => held.db().execute_raw(statement).await,
            None => free(&self.pool).execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match unit::held().await {
            Some(held) => held.db().execute_unprepared(sql).await,
            None => free(&self.pool).execute_unprepared(sql).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match unit::held().await {
            Some(held) => held.db().query_one_raw(statement).await,
            None => free(&self.pool).query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match unit::held().await {
            Some(held) => held.db().query_all_raw(statement).await,
            None => free(&self.pool).query_all_raw(statement).await,
        }
    }
}

impl Reader {
    /// The connections, for a task that holds none.
    pub(crate) fn free(&self) -> &DatabaseConnection {
        free(&self.pool)
    }
}

fn free(pool: &DatabaseConnection) -> &DatabaseConnection {
    right::require_no_transaction();
    pool
}

/// Statements that each run in a transaction of their own, or in what [`Catalog::as_one`](crate::Catalog::as_one) holds.
///
/// Every statement is run to its end. The SQLite driver answers a query for one row with the first row, commits
/// afterwards and ignores a failure of the commit, so `UPDATE … RETURNING` on a full disk would look like a success.
pub(crate) struct Single {
    pub(crate) pool: DatabaseConnection,
    pub(crate) suspects: Suspects,
}

impl Single {
    async fn run<T>(&self, statement: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        let result = statement.await;
        self.suspects.look_at(&result);
        result
    }
}

#[async_trait]
impl ConnectionTrait for Single {
    fn get_database_backend(&self) -> DbBackend {
        self.pool.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match unit::held().await {
            Some(held) => held.db().execute_raw(statement).await,
            None => self.run(free(&self.pool).execute_raw(statement)).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match unit::held().await {
            Some(held) => held.db().execute_unprepared(sql).await,
            None => self.run(free(&self.pool).execute_unprepared(sql)).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        Ok(self.query_all_raw(statement).await?.into_iter().next())
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match unit::held().await {
            Some(held) => held.db().query_all_raw(statement).await,
            None => self.run(free(&self.pool).query_all_raw(statement)).await,
        }
    }
}
