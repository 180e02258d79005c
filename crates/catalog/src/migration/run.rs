//! Applies missing steps. The caller holds the lock, so that no one else migrates at the same time.

use std::time::Duration;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, RuntimeErr, Statement,
    TransactionTrait,
};

use super::first::{self, first_steps};
use super::state::{Applied, Tables};
use super::step::{Change, InBatches, Part, Step};
use super::{MOVED, index, record};
use crate::catalog::write_transaction;
use crate::error::{CatalogError, SchemaError};

/// The PostgreSQL advisory lock under which versions that know only the first steps apply them. The number has no
/// meaning but must never change.
const FIRST_LOCK: i64 = 0x746F_6E65_6172_6D01;

/// How long a change waits for a PostgreSQL lock before it gives way: statements behind it in the queue wait as well.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '2s'";
/// How often a change that could not get its lock is tried, and the pause between tries.
const TRIES: u32 = 60;
const PAUSE: Duration = Duration::from_secs(1);

/// The pause between two batches. On SQLite, connections that wait for the writer check again after at most 100 ms.
const BETWEEN_BATCHES: Duration = Duration::from_millis(20);

/// What a migration is doing.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum MigrationEvent<'a> {
    /// Another process migrates; this one waits for it.
    Waiting,
    /// The database is empty and gets its tables.
    SettingUp,
    /// A step begins, or continues where it was interrupted.
    Step {
        /// Its name.
        name: &'a str,
    },
    /// An index is being created, which can take minutes on a large table.
    Index {
        /// Its name.
        name: &'a str,
    },
    /// Rows of a large table are being changed.
    Rows {
        /// The table.
        table: &'a str,
        /// The number of rows processed since this process began with the table.
        done: u64,
    },
    /// Others use a table in a way that blocks a change; the change is retried.
    Blocked {
        /// The step.
        name: &'a str,
    },
}

/// Receives the events of a migration.
pub type MigrationReport<'a> = &'a (dyn Fn(MigrationEvent<'_>) + Send + Sync);

pub(super) struct Run<'a> {
    /// A pool of one connection.
    pub(super) db: &'a DatabaseConnection,
    pub(super) steps: &'a [Step],
    pub(super) version: &'a str,
    pub(super) report: MigrationReport<'a>,
}

/// Work that fits into one transaction.
#[derive(Clone, Copy)]
enum Work<'a> {
    Change(&'a dyn Change),
    Batch(&'a dyn InBatches, Option<&'a str>),
}

/// The result of a transaction.
struct Outcome {
    rows: u64,
    position: Option<String>,
}

impl Run<'_> {
    /// Applies the missing steps and returns their number.
    pub(super) async fn run(&self) -> Result<usize, CatalogError> {
        if let Some(count) = self.set_up().await? {
            return Ok(count);
        }
        let mut count = self.first_steps().await?;
        for step in self.steps {
            let transaction = self.begin().await?;
            record::begin(&transaction, step).await?;
            let applied = Applied::read_in(&transaction).await?;
            transaction.commit().await?;
            if applied.is_applied(step) {
                continue;
            }
            (self.report)(MigrationEvent::Step { name: step.name });
            self.step(step, applied.progress(step))
                .await
                .map_err(|source| SchemaError::step(step.name, source.into()))?;
            count += 1;
        }
        Ok(count)
    }

    async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        self.db.begin_with_options(write_transaction()).await
    }

    fn is_postgres(&self) -> bool {
        self.db.get_database_backend() == DbBackend::Postgres
    }

    async fn require_utf8(&self, transaction: &DatabaseTransaction) -> Result<(), CatalogError> {
        if !self.is_postgres() {
            return Ok(());
        }
        let ask = Statement::from_string(DbBackend::Postgres, "SHOW server_encoding");
        let row = transaction.query_one_raw(ask).await?;
        let encoding: String =
            row.map(|row| row.try_get("", "server_encoding")).transpose()?.unwrap_or_default();
        match encoding.as_str() {
            "UTF8" => Ok(()),
            _ => Err(SchemaError::Encoding(encoding).into()),
        }
    }

    /// Creates all tables of an empty database in one transaction. `None` if the database is not empty.
    async fn set_up(&self) -> Result<Option<usize>, CatalogError> {
        let transaction = self.begin_first().await?;
        let applied = Applied::read_in(&transaction).await?;
        if applied.compare(self.steps, self.version)? != Tables::Empty {
            transaction.rollback().await?;
            return Ok(None);
        }
        self.require_utf8(&transaction).await?;
        (self.report)(MigrationEvent::SettingUp);
        let first = first_steps();
        first::install(&transaction).await?;
        for step in &first {
            step.apply(&transaction).await.map_err(|source| SchemaError::step(step.name, source.into()))?;
        }
        record::install(&transaction).await?;
        for step in self.steps {
            record::begin(&transaction, step).await?;
            for part in &step.parts {
                at_once(&transaction, part)
                    .await
                    .map_err(|source| SchemaError::step(step.name, source.into()))?;
            }
            record::finish(&transaction, step.name).await?;
        }
        transaction.commit().await?;
        Ok(Some(first.len() + self.steps.len()))
    }

    /// Begins a transaction that keeps versions that know only the first steps from applying them.
    async fn begin_first(&self) -> Result<DatabaseTransaction, DbErr> {
        let transaction = self.begin().await?;
        if self.is_postgres() {
            let lock =
                format!("SET LOCAL lock_timeout = '10min'; SELECT pg_advisory_xact_lock({FIRST_LOCK})");
            transaction.execute_unprepared(&lock).await?;
        }
        Ok(transaction)
    }

    /// Applies the missing first steps, each in a transaction, and then creates the table that records the other steps.
    async fn first_steps(&self) -> Result<usize, CatalogError> {
        let mut count = 0;
        loop {
            let transaction = self.begin_first().await?;
            let missing = Applied::read_in(&transaction).await?.missing_first();
            let Some(step) = missing.first() else {
                record::install(&transaction).await?;
                move_records(&transaction, self.steps).await?;
                transaction.commit().await?;
                return Ok(count);
            };
            (self.report)(MigrationEvent::Step { name: step.name });
            first::install(&transaction).await?;
            step.apply(&transaction).await.map_err(|source| SchemaError::step(step.name, source.into()))?;
            transaction.commit().await?;
            count += 1;
        }
    }

    async fn step(&self, step: &Step, progress: (usize, Option<String>)) -> Result<(), DbErr> {
        let (parts_done, mut position) = progress;
        for part in step.parts.iter().skip(parts_done) {
            match part {
                Part::Change(change) => {
                    self.in_transaction(step.name, Work::Change(change.as_ref())).await?;
                }
                Part::Index(index) => {
                    (self.report)(MigrationEvent::Index { name: index.name() });
                    index.make_beside_others(self.db).await?;
                    record::next_part(self.db, step.name).await?;
                }
                Part::DropIndex(name) => {
                    index::drop_beside_others(self.db, name).await?;
                    record::next_part(self.db, step.name).await?;
                }
                Part::Batches(batches) => {
                    self.batches(step.name, batches.as_ref(), position.take()).await?;
                }
            }
        }
        record::finish(self.db, step.name).await
    }

    async fn batches(
        &self,
        name: &str,
        batches: &dyn InBatches,
        mut position: Option<String>,
    ) -> Result<(), DbErr> {
        let (table, mut done) = (batches.table(), 0);
        loop {
            let outcome = self.in_transaction(name, Work::Batch(batches, position.as_deref())).await?;
            done += outcome.rows;
            (self.report)(MigrationEvent::Rows { table, done });
            if outcome.position.is_none() {
                return Ok(());
            }
            position = outcome.position;
            tokio::time::sleep(BETWEEN_BATCHES).await;
        }
    }

    /// Does work in a transaction of its own, together with its record, and retries it if others block it.
    async fn in_transaction(&self, name: &str, work: Work<'_>) -> Result<Outcome, DbErr> {
        let mut tries = 1;
        loop {
            match self.try_in_transaction(name, work).await {
                Err(error) if tries < TRIES && is_blocked(&error) => {
                    (self.report)(MigrationEvent::Blocked { name });
                    tokio::time::sleep(PAUSE).await;
                    tries += 1;
                }
                result => return result,
            }
        }
    }

    async fn try_in_transaction(&self, name: &str, work: Work<'_>) -> Result<Outcome, DbErr> {
        let transaction = self.begin().await?;
        if self.is_postgres() {
            transaction.execute_unprepared(LOCK_TIMEOUT).await?;
        }
        let outcome = match work {
            Work::Change(change) => {
                change.apply(&transaction).await?;
                Outcome { rows: 0, position: None }
            }
            Work::Batch(batches, position) => {
                let batch = batches.next(&transaction, position).await?;
                Outcome { rows: batch.rows, position: batch.position }
            }
        };
        match &outcome.position {
            Some(position) => record::note_position(&transaction, name, position).await?,
            None => record::next_part(&transaction, name).await?,
        }
        transaction.commit().await?;
        Ok(outcome)
    }
}

/// Applies a part to tables that no one else uses yet.
async fn at_once(db: &DatabaseTransaction, part: &Part) -> Result<(), DbErr> {
    match part {
        Part::Change(change) => change.apply(db).await,
        Part::Index(index) => index.make(db).await,
        Part::DropIndex(name) => index::drop_in(db, name).await,
        Part::Batches(batches) => {
            let mut position = batches.next(db, None).await?.position;
            while let Some(at) = position {
                position = batches.next(db, Some(&at)).await?.position;
            }
            Ok(())
        }
    }
}

/// Moves the records of steps that builds between two releases recorded with the first steps, where earlier versions
/// would not know them.
async fn move_records(db: &DatabaseTransaction, steps: &[Step]) -> Result<(), DbErr> {
    for step in steps.iter().filter(|step| MOVED.contains(&step.name)) {
        let forget = format!("DELETE FROM {} WHERE version = '{}'", first::TABLE, step.name);
        if db.execute_unprepared(&forget).await?.rows_affected() > 0 {
            record::begin(db, step).await?;
            record::finish(db, step.name).await?;
        }
    }
    Ok(())
}

/// Whether PostgreSQL aborted a transaction because of other transactions: a lock that was not free in time, a
/// deadlock, or a conflict.
fn is_blocked(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) = error
    else {
        return false;
    };
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| matches!(&*code, "55P03" | "40P01" | "40001"))
}
