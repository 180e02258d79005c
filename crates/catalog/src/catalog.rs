//! The connection to the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sea_orm::{DatabaseConnection, SqliteTransactionMode, TransactionOptions, TransactionTrait};
use tokio::sync::Notify;
use tonearm_domain::JobClass;

use crate::changes::Observers;
use crate::statements::Single;
use crate::transaction::{Ending, Wakers};
use crate::url::Place;
use crate::{CatalogError, Change, DatabaseUrl, DueClock, Transaction, postgres, sqlite, unit};

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A file, for one machine.
    Sqlite,
    /// A server, for as many machines as needed.
    Postgres,
}

/// How the database is connected to.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Most connections at once; on SQLite most readers, beside the one writer. At least 1.
    pub max_connections: u32,
    /// How long a request waits for a free connection, or to become the writer, before it is told that the
    /// database is not available.
    pub acquire_timeout: Duration,
    /// On PostgreSQL, how long a statement may take, and how long a transaction may stand still between two: then the
    /// server ends it, with the locks that it holds. Whole milliseconds, at least one.
    pub statement_timeout: Duration,
    /// Whose clock decides what is due. SQLite always goes by the caller's.
    pub due_clock: DueClock,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            max_connections: 10,
            acquire_timeout: Duration::from_secs(30),
            statement_timeout: Duration::from_secs(60),
            due_clock: DueClock::Caller,
        }
    }
}

/// The metadata of everything, in SQL. Cheap to clone; clones share their connections.
///
/// Reads are methods here, and each sees what was committed. Writes are methods of [`Transaction`]; only what
/// moves the leases of jobs is here too, as it stands alone.
#[derive(Clone)]
pub struct Catalog(Arc<Connections>);

struct Connections {
    backend: Backend,
    reader: DatabaseConnection,
    /// On SQLite a pool of one connection, so that writers of this process queue up here instead of colliding in
    /// the file. On PostgreSQL the same pool as `reader`.
    writer: Single,
    ending: Ending,
    queries: Arc<AtomicU64>,
}

impl Catalog {
    /// Connects, makes the file of an SQLite database if it is not there (mode 0600), and brings the tables up to
    /// date. Safe to do in several processes at once.
    pub async fn connect(url: &DatabaseUrl, options: ConnectOptions) -> Result<Self, CatalogError> {
        let (backend, mut reader, mut writer) = match &url.0 {
            Place::Sqlite(path) => {
                let pools = sqlite::open(path, &options).await?;
                (Backend::Sqlite, pools.readers, pools.writer)
            }
            Place::Postgres(server) => {
                let pool = postgres::open(server, &options).await?;
                (Backend::Postgres, pool.clone(), pool)
            }
        };
        let queries = Arc::new(AtomicU64::new(0));
        for connection in [&mut reader, &mut writer] {
            let queries = Arc::clone(&queries);
            connection.set_metric_callback(move |_| {
                queries.fetch_add(1, Ordering::Relaxed);
            });
        }
        let (wakers, observers) = (Wakers::default(), Observers::default());
        let due_clock = match backend {
            Backend::Sqlite => DueClock::Caller,
            Backend::Postgres => options.due_clock,
        };
        let ending = Ending { backend, database: reader.clone(), observers, wakers, due_clock };
        Ok(Self(Arc::new(Connections { backend, reader, writer: Single(writer), ending, queries })))
    }

    /// Begins a write transaction. On SQLite this waits until every earlier one is over, also those of other
    /// processes. Within [`Catalog::as_one`], an earlier transaction of the same work goes on.
    pub async fn begin(&self) -> Result<Transaction, CatalogError> {
        if let Some(held) = unit::resume() {
            return Ok(held);
        }
        let (writer, ending) = (self.0.writer.0.clone(), self.0.ending.clone());
        // In a task of its own: the driver of PostgreSQL loses count where the future is dropped between `BEGIN`
        // and its answer, and later statements would run in a transaction that nobody commits.
        let begun = tokio::spawn(async move { writer.begin_with_options(write_transaction()).await });
        let inner = begun.await.map_err(|error| CatalogError::Unavailable(error.into()))??;
        Ok(Transaction::new(inner, ending))
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), CatalogError> {
        Ok(self.0.reader.ping().await?)
    }

    /// Which database it is.
    pub fn backend(&self) -> Backend {
        self.0.backend
    }

    /// Closes all connections once they are free. Requests that come later are told that the database is not
    /// available.
    pub async fn close(self) -> Result<(), CatalogError> {
        // The writer goes last: it then is the one to fold SQLite's log back into the file.
        self.0.reader.close_by_ref().await?;
        self.0.writer.0.close_by_ref().await?;
        Ok(())
    }

    /// Is notified after each commit that queued jobs of a class, once for every job, so that workers of this process
    /// need not wait for their next look.
    pub fn jobs_enqueued(&self, class: JobClass) -> Arc<Notify> {
        Arc::clone(&self.0.ending.wakers.jobs[class as usize])
    }

    /// Is notified after each commit that queued webhooks.
    pub fn deliveries_queued(&self) -> Arc<Notify> {
        Arc::clone(&self.0.ending.wakers.deliveries)
    }

    /// From now on calls `observer` with what each transaction of this process changed: after it is committed and
    /// before [`Transaction::commit`] returns, so that whoever waits for the commit finds the observers informed.
    /// Observers must be quick and must not use the catalog. They live as long as the last clone of it.
    pub fn on_commit(&self, observer: impl Fn(&[Change]) + Send + Sync + 'static) {
        self.0.ending.observers.add(Arc::new(observer));
    }

    /// How many statements were run since the start, beginnings and ends of transactions not counted.
    pub fn queries(&self) -> u64 {
        self.0.queries.load(Ordering::Relaxed)
    }

    /// Whose clock decides what is due.
    pub(crate) fn due_clock(&self) -> &DueClock {
        &self.0.ending.due_clock
    }

    pub(crate) fn reader(&self) -> &DatabaseConnection {
        &self.0.reader
    }

    /// For statements that are a transaction each.
    pub(crate) fn writer(&self) -> &Single {
        &self.0.writer
    }
}

/// Write transactions take SQLite's write lock when they begin. Taken later, after a read, the lock cannot be
/// waited for: what was read may be out of date by then.
pub(crate) fn write_transaction() -> TransactionOptions {
    TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    }
}
