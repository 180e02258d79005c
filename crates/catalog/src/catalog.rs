//! The connection to the database.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::{
    AccessMode, DatabaseConnection, DatabaseTransaction, IsolationLevel, SqliteTransactionMode, Statement,
    TransactionOptions, TransactionTrait,
};
use tonearm_telemetry::Stopwatch;

use crate::changes::{Change, Observers};
use crate::connect_options::{Backend, ConnectOptions};
use crate::due_clock::DueClock;
use crate::error::CatalogError;
use crate::notices::Notices;
use crate::statements::Single;
use crate::transaction::{Ending, Transaction};
use crate::url::{DatabaseLocation, DatabaseUrl};
use crate::wakeups::{Wakers, Wakeups};
use crate::work_kind::WorkKind;
use crate::{postgres, sqlite, unit};

/// The metadata of everything, in SQL. Cheap to clone; clones share their connections.
///
/// Reads are methods here, and each sees what was committed. Writes are methods of [`Transaction`]; single statements that need no
/// transaction, such as those for the leases of jobs, are here too.
#[derive(Clone)]
pub struct Catalog(Arc<Connections>);

struct Connections {
    backend: Backend,
    /// The PostgreSQL server.
    server: Option<PgConnectOptions>,
    reader: DatabaseConnection,
    /// On SQLite a pool of one connection, so that writers of this process queue up here instead of colliding in
    /// the file. On PostgreSQL the same pool as `reader`.
    writer: Single,
    ending: Ending,
    queries: Arc<Queries>,
}

/// What was run.
#[derive(Default)]
struct Queries {
    count: AtomicU64,
    watcher: OnceLock<Watcher>,
}

type Watcher = Box<dyn Fn(&Statement) + Send + Sync>;

impl Catalog {
    /// Connects, makes the file of an SQLite database if it is not there (mode 0600), and checks that the tables are those
    /// that this version needs; [`ConnectOptions::migrate`] says what is done where they are not. Safe to do in several
    /// processes at once.
    pub async fn connect(url: &DatabaseUrl, options: ConnectOptions) -> Result<Self, CatalogError> {
        let (backend, mut reader, mut writer) = match &url.0 {
            DatabaseLocation::Sqlite(path) => {
                let pools = sqlite::open(path, &options).await?;
                (Backend::Sqlite, pools.readers, pools.writer)
            }
            DatabaseLocation::Postgres(server) => {
                let pool = postgres::open(server, &options).await?;
                (Backend::Postgres, pool.clone(), pool)
            }
        };
        let queries = Arc::<Queries>::default();
        for connection in [&mut reader, &mut writer] {
            let queries = Arc::clone(&queries);
            connection.set_metric_callback(move |query| {
                queries.count.fetch_add(1, Ordering::Relaxed);
                if let Some(watcher) = queries.watcher.get() {
                    watcher(query.statement);
                }
            });
        }
        let (wakers, server) = match &url.0 {
            DatabaseLocation::Sqlite(_) => (Wakers::default(), None),
            DatabaseLocation::Postgres(server) => {
                (Wakers::with_notices(Notices::new(reader.clone())), Some((**server).clone()))
            }
        };
        let due_clock = match backend {
            Backend::Sqlite => DueClock::Caller,
            Backend::Postgres => options.due_clock,
        };
        let ending = Ending {
            backend,
            database: reader.clone(),
            observers: Observers::default(),
            wakers,
            is_telling_first: options.tell_nodes_first,
            due_clock,
            stored_addresses: options.stored_addresses,
        };
        Ok(Self(Arc::new(Connections { backend, server, reader, writer: Single(writer), ending, queries })))
    }

    /// Begins a write transaction. On SQLite this waits until every earlier one is over, also those of other
    /// processes. Within [`Catalog::as_one`], an earlier transaction of the same work goes on.
    pub async fn begin(&self) -> Result<Transaction, CatalogError> {
        if let Some(held) = unit::resume() {
            return Ok(held);
        }
        let inner = begin_on(&self.0.writer.0, write_transaction()).await?;
        Ok(Transaction::new(inner, self.0.ending.clone()))
    }

    /// Begins a transaction of statements that only read.
    pub(crate) async fn begin_reading(&self) -> Result<DatabaseTransaction, CatalogError> {
        begin_on(&self.0.reader, TransactionOptions::default()).await
    }

    /// Begins a transaction of reads that all see the same moment.
    pub(crate) async fn begin_snapshot(&self) -> Result<DatabaseTransaction, CatalogError> {
        let options = match self.backend() {
            // A read transaction of a write-ahead log is a snapshot by itself.
            Backend::Sqlite => TransactionOptions::default(),
            Backend::Postgres => TransactionOptions {
                isolation_level: Some(IsolationLevel::RepeatableRead),
                access_mode: Some(AccessMode::ReadOnly),
                ..TransactionOptions::default()
            },
        };
        begin_on(&self.0.reader, options).await
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
        // What was just put back into the queue is for others to take.
        if let Some(notices) = self.wakers().notices() {
            notices.flush().await;
        }
        // The writer goes last: it then is the one to fold SQLite's log back into the file.
        self.0.reader.close_by_ref().await?;
        self.0.writer.0.close_by_ref().await?;
        Ok(())
    }

    /// Tells after each commit that queued work of a kind, so that workers need not wait for their next look: commits of
    /// this process, and of others while it listens to them (see [`Catalog::listen`]).
    pub fn wakeups(&self, kind: WorkKind) -> Wakeups {
        self.wakers().wakeups(kind)
    }

    /// Whether workers are notified at present of what any node queues, and can tell how long there is nothing to do: not where
    /// the time is set by hand.
    pub fn is_notified_of_work(&self) -> bool {
        matches!(self.due_clock(), DueClock::Server(_)) && self.wakers().is_listening()
    }

    /// From now on calls `observer` with what each transaction of this process changed: after it is committed and
    /// before [`Transaction::commit`] returns, so that whoever waits for the commit finds the observers informed.
    /// Observers must be quick and must not use the catalog. They live as long as the last clone of it.
    pub fn on_commit(&self, observer: impl Fn(&[Change]) + Send + Sync + 'static) {
        self.0.ending.observers.add(Arc::new(observer));
    }

    /// How many statements were run since the start, beginnings and ends of transactions not counted.
    pub fn queries(&self) -> u64 {
        self.0.queries.count.load(Ordering::Relaxed)
    }

    /// From now on calls `watcher` with each statement that was run, for tests of how they are planned. Only the first
    /// watcher is called.
    pub fn watch_statements(&self, watcher: impl Fn(&Statement) + Send + Sync + 'static) {
        drop(self.0.queries.watcher.set(Box::new(watcher)));
    }

    pub(crate) fn wakers(&self) -> &Wakers {
        &self.0.ending.wakers
    }

    pub(crate) fn server(&self) -> Option<&PgConnectOptions> {
        self.0.server.as_ref()
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

/// Begins a transaction in a task of its own: the driver of PostgreSQL loses count where the future is dropped between `BEGIN`
/// and its answer, and later statements would run in a transaction that nobody commits.
async fn begin_on(
    connection: &DatabaseConnection,
    options: TransactionOptions,
) -> Result<DatabaseTransaction, CatalogError> {
    let (connection, waited) = (connection.clone(), Stopwatch::start());
    let begun = tokio::spawn(async move { connection.begin_with_options(options).await });
    let begun = begun.await.map_err(|error| CatalogError::Unavailable(error.into()))?;
    tonearm_telemetry::began_transaction(waited.elapsed());
    Ok(begun?)
}

/// Write transactions take SQLite's write lock when they begin. Taken later, after a read, the lock cannot be
/// waited for: what was read may be out of date by then.
pub(crate) fn write_transaction() -> TransactionOptions {
    TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    }
}
