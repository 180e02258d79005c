//! The connection to the database.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, IsolationLevel,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
};
use tonearm_domain::ApiKeyId;
use tonearm_telemetry::Stopwatch;

use crate::changes::{Change, Observers};
use crate::connect_options::{Backend, ConnectOptions};
use crate::due_clock::DueClock;
use crate::error::CatalogError;
use crate::notices::Notices;
use crate::postgres::Suspects;
use crate::statements::{Reader, Single};
use crate::transaction::{Ending, Transaction};
use crate::url::{DatabaseLocation, DatabaseUrl};
use crate::wakeups::{Wakers, Wakeups};
use crate::work_kind::WorkKind;
use crate::{postgres, right, sqlite, unit};

/// The metadata of everything, in SQL. Cheap to clone; clones share their connections.
///
/// Reads are methods of this type, and each sees only committed data. Writes are methods of [`Transaction`]; single
/// statements that need no transaction, such as those for the leases of jobs, are methods of this type too.
#[derive(Clone)]
pub struct Catalog(Arc<Connections>);

struct Connections {
    backend: Backend,
    /// The PostgreSQL server.
    server: Option<PgConnectOptions>,
    reader: Reader,
    /// On SQLite a pool of one connection, so that writers of this process queue up here instead of colliding in
    /// the file. On PostgreSQL the same pool as `reader`.
    writer: Single,
    ending: Ending,
    queries: Arc<Queries>,
}

/// Counts and observes the statements that were run.
#[derive(Default)]
struct Queries {
    count: AtomicU64,
    watcher: OnceLock<Watcher>,
}

/// Why a database is not available that answers.
const READ_ONLY: &str = "the server takes no writes: it is a standby, or default_transaction_read_only is on for this database or role";

type Watcher = Box<dyn Fn(&Statement) + Send + Sync>;

impl Catalog {
    /// Connects, creates the file of an SQLite database if it does not exist (mode 0600), and checks that the tables
    /// are those that this version needs. [`ConnectOptions::migrate`] decides what happens if they are not. Several
    /// processes can safely connect at once.
    pub async fn connect(url: &DatabaseUrl, options: ConnectOptions) -> Result<Self, CatalogError> {
        let (backend, mut reader, mut writer, suspects) = match &url.0 {
            DatabaseLocation::Sqlite(path) => {
                let pools = sqlite::open(path, &options).await?;
                (Backend::Sqlite, pools.readers, pools.writer, Suspects::default())
            }
            DatabaseLocation::Postgres(server) => {
                let (pool, suspects) = postgres::open(server, &options).await?;
                (Backend::Postgres, pool.clone(), pool, suspects)
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
            suspects: suspects.clone(),
            observers: Observers::default(),
            wakers,
            is_telling_first: options.tell_nodes_first,
            due_clock,
            stored_addresses: options.stored_addresses,
            record_limits: options.record_limits,
            disk_room: options.disk_room,
        };
        let (reader, writer) = (Reader { pool: reader }, Single { pool: writer, suspects });
        Ok(Self(Arc::new(Connections { backend, server, reader, writer, ending, queries })))
    }

    /// Begins a write transaction. On SQLite this waits until every earlier one has ended, including those of other
    /// processes. Within [`Catalog::as_one`], it continues the earlier transaction of the same work.
    ///
    /// In a request whose right has ended (see [`act_on`](crate::act_on)), it fails with
    /// [`CatalogError::RightEnded`].
    pub async fn begin(&self) -> Result<Transaction, CatalogError> {
        self.begin_judged(None).await
    }

    /// Begins a transaction that ends a key, or moves its end. If the request acts on this key, it has it alone from the
    /// beginning: two requests that share a key and then each want it alone would wait for each other.
    pub async fn begin_to_end(&self, key: ApiKeyId) -> Result<Transaction, CatalogError> {
        self.begin_judged(Some(key)).await
    }

    async fn begin_judged(&self, ends: Option<ApiKeyId>) -> Result<Transaction, CatalogError> {
        if let Some(held) = unit::resume().await {
            return Ok(held);
        }
        right::require_no_transaction();
        let inner = begin_on(&self.0.writer.pool, write_transaction()).await?;
        let transaction = Transaction::new(inner, self.0.ending.clone());
        right::judge(&transaction, ends).await?;
        Ok(transaction)
    }

    /// Begins a transaction for statements that only read.
    pub(crate) async fn begin_reading(&self) -> Result<DatabaseTransaction, CatalogError> {
        begin_on(self.0.reader.free(), TransactionOptions::default()).await
    }

    /// Begins a read transaction whose statements all see the same snapshot.
    pub(crate) async fn begin_snapshot(&self) -> Result<DatabaseTransaction, CatalogError> {
        let options = match self.backend() {
            // With a write-ahead log, every read transaction is a snapshot.
            Backend::Sqlite => TransactionOptions::default(),
            Backend::Postgres => TransactionOptions {
                isolation_level: Some(IsolationLevel::RepeatableRead),
                access_mode: Some(AccessMode::ReadOnly),
                ..TransactionOptions::default()
            },
        };
        begin_on(self.0.reader.free(), options).await
    }

    /// Whether the database answers, and on PostgreSQL whether the server takes writes.
    pub async fn ping(&self) -> Result<(), CatalogError> {
        match self.backend() {
            Backend::Sqlite => Ok(self.0.reader.pool.ping().await?),
            Backend::Postgres => {
                let mut connection = self.0.reader.pool.get_postgres_connection_pool().acquire().await?;
                match postgres::is_read_only(&mut connection).await? {
                    false => Ok(()),
                    true => Err(CatalogError::Unavailable(READ_ONLY.into())),
                }
            }
        }
    }

    /// Empties the write-ahead log of SQLite, in which what was erased can still be read. PostgreSQL keeps its log for its
    /// replicas and backups.
    pub async fn empty_log(&self) -> Result<(), CatalogError> {
        if self.backend() == Backend::Postgres {
            return Ok(());
        }
        let empty = Statement::from_string(DbBackend::Sqlite, "PRAGMA wal_checkpoint(TRUNCATE)");
        let row = self.0.writer.query_one_raw(empty).await?;
        let is_busy = row.map(|row| row.try_get_by_index::<i32>(0)).transpose()?.is_none_or(|busy| busy != 0);
        if is_busy {
            tracing::warn!(
                "a long read keeps the write-ahead log; it is emptied when all processes have closed the database"
            );
        }
        Ok(())
    }

    /// The kind of database in use.
    pub fn backend(&self) -> Backend {
        self.0.backend
    }

    /// Closes all connections once they are idle. Later requests fail with [`CatalogError::Unavailable`].
    pub async fn close(self) -> Result<(), CatalogError> {
        // Other nodes have to learn of jobs that were just returned to the queue.
        if let Some(notices) = self.wakers().notices() {
            notices.flush().await;
        }
        // The writer is closed last, so that it checkpoints SQLite's write-ahead log into the database file.
        self.0.reader.pool.close_by_ref().await?;
        self.0.writer.pool.close_by_ref().await?;
        Ok(())
    }

    /// Wakeups after each commit that queued work of a kind, so that workers need not wait for their next poll. They
    /// cover commits of this process, and of other nodes while this one listens (see [`Catalog::listen`]).
    pub fn wakeups(&self, kind: WorkKind) -> Wakeups {
        self.wakers().wakeups(kind)
    }

    /// Whether workers are currently notified of work that any node queues, and can compute how long they may sleep.
    /// Always `false` if time is set by hand.
    pub fn is_notified_of_work(&self) -> bool {
        matches!(self.due_clock(), DueClock::Server(_)) && self.wakers().is_listening()
    }

    /// From now on calls `observer` with the changes of each transaction of this process: after it is committed and
    /// before [`Transaction::commit`] returns, so that the observers are up to date when the caller continues.
    /// Observers must be quick and must not use the catalog. They live as long as the last clone of the catalog.
    pub fn on_commit(&self, observer: impl Fn(&[Change]) + Send + Sync + 'static) {
        self.0.ending.observers.add(Arc::new(observer));
    }

    /// The number of statements run since the start, not counting those that begin or end transactions.
    pub fn queries(&self) -> u64 {
        self.0.queries.count.load(Ordering::Relaxed)
    }

    /// From now on calls `watcher` with each statement that was run, for tests of query plans. Only the first watcher
    /// is called.
    pub fn watch_statements(&self, watcher: impl Fn(&Statement) + Send + Sync + 'static) {
        drop(self.0.queries.watcher.set(Box::new(watcher)));
    }

    pub(crate) fn ending(&self) -> &Ending {
        &self.0.ending
    }

    pub(crate) fn wakers(&self) -> &Wakers {
        &self.0.ending.wakers
    }

    pub(crate) fn server(&self) -> Option<&PgConnectOptions> {
        self.0.server.as_ref()
    }

    /// The clock that decides what is due.
    pub(crate) fn due_clock(&self) -> &DueClock {
        &self.0.ending.due_clock
    }

    pub(crate) fn reader(&self) -> &Reader {
        &self.0.reader
    }

    /// The connection for single statements, each of which is a transaction of its own.
    pub(crate) fn writer(&self) -> &Single {
        &self.0.writer
    }
}

/// Begins a transaction in a task of its own. If the future is dropped between `BEGIN` and its response, the PostgreSQL
/// driver miscounts its transactions, and later statements would run in a transaction that is never committed.
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

/// Write transactions take SQLite's write lock when they begin. SQLite cannot wait for the lock after a read, since
/// the data that was read may be out of date by then.
pub(crate) fn write_transaction() -> TransactionOptions {
    TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    }
}
