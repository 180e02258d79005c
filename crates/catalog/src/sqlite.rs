//! Opening an SQLite database: one file, many readers, one writer.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sea_orm::sqlx::{ConnectOptions as _, Connection as _};
use sea_orm::{DatabaseConnection, EntityTrait, SqlxSqliteConnector};

use crate::connect_options::ConnectOptions;
use crate::entity::master_secret;
use crate::error::CatalogError;
use crate::migrating::{Pauses, is_migration_needed, log_migration, within};
use crate::migration;
use crate::migration::{MigrationReport, Tables, has_table, look};

/// How long one process waits for the write lock of another.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) struct Pools {
    pub(crate) readers: DatabaseConnection,
    pub(crate) writer: DatabaseConnection,
}

pub(crate) async fn open(path: &Path, options: &ConnectOptions) -> Result<Pools, CatalogError> {
    let lock = lock_for_start(path).await?;
    let writer = open_writer(path, options).await?;
    drop(lock);
    if is_migration_needed(&writer, options.migrate).await? {
        migrate(path, &writer, options.migration_wait, &log_migration).await?;
    }
    // Keep at least one reader open: SQLite removes the write-ahead log and its index with the last connection, and
    // could not create them again on a full disk, not even to read.
    let readers = pool(options.max_connections.max(1), options)
        .min_connections(1)
        .connect_with(connection(path).pragma("query_only", "ON"))
        .await?;
    Ok(Pools { readers: SqlxSqliteConnector::from_sqlx_sqlite_pool(readers), writer })
}

/// Brings the tables up to date. Returns how many steps were applied.
pub(crate) async fn migrate_alone(
    path: &Path,
    options: &ConnectOptions,
    report: MigrationReport<'_>,
) -> Result<usize, CatalogError> {
    let lock = lock_for_start(path).await?;
    let writer = open_writer(path, options).await?;
    drop(lock);
    let count = migrate(path, &writer, options.migration_wait, report).await?;
    writer.close().await?;
    Ok(count)
}

async fn migrate(
    path: &Path,
    writer: &DatabaseConnection,
    wait: Duration,
    report: MigrationReport<'_>,
) -> Result<usize, CatalogError> {
    let file = beside(path, ".migrate.lock")?;
    within(wait, lock(&file, report)).await?;
    let count = migration::run(writer, report).await;
    drop(file);
    count
}

/// The one connection that writes, and the migration lock, which is held until it is dropped.
pub(crate) async fn open_alone(
    path: &Path,
    options: &ConnectOptions,
    report: MigrationReport<'_>,
) -> Result<(DatabaseConnection, File), CatalogError> {
    let start = lock_for_start(path).await?;
    let writer = open_writer(path, options).await?;
    drop(start);
    let file = beside(path, ".migrate.lock")?;
    within(options.migration_wait, lock(&file, report)).await?;
    Ok((writer, file))
}

/// Looks at the tables of a file without changing it.
pub(crate) async fn tables(path: &Path) -> Result<Tables, CatalogError> {
    if !path.exists() {
        return Ok(Tables::Empty);
    }
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .connect_with(connection(path).pragma("query_only", "ON"))
        .await?;
    let db = SqlxSqliteConnector::from_sqlx_sqlite_pool(pool);
    let tables = look(&db).await;
    db.close().await?;
    tables
}

/// Whether a node that used this file has recorded its master secret, whatever the version of the tables.
pub(crate) async fn has_master_secret(path: &Path) -> Result<bool, CatalogError> {
    if !path.exists() {
        return Ok(false);
    }
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .connect_with(connection(path).pragma("query_only", "ON"))
        .await?;
    let db = SqlxSqliteConnector::from_sqlx_sqlite_pool(pool);
    let is_recorded = match has_table(&db, "master_secret").await? {
        true => master_secret::Entity::find().one(&db).await?.is_some(),
        false => false,
    };
    db.close().await?;
    Ok(is_recorded)
}

/// The one connection that writes, which also switches a new file to write-ahead logging.
async fn open_writer(path: &Path, options: &ConnectOptions) -> Result<DatabaseConnection, CatalogError> {
    let pool = pool(1, options)
        .after_release(|connection, _| Box::pin(async move { Ok(is_between_transactions(connection).await) }))
        .connect_with(connection(path).journal_mode(SqliteJournalMode::Wal))
        .await?;
    Ok(SqlxSqliteConnector::from_sqlx_sqlite_pool(pool))
}

/// Whether the next user of a connection can begin a transaction. If not, the pool closes the connection, which rolls
/// back any open transaction.
///
/// SQLite ends a transaction by itself when the disk is full, after an I/O error, when out of memory and when
/// interrupted. The driver only counts the transactions it was asked to begin and end: its `ROLLBACK` then fails, its
/// count stays at one, and it begins the next transaction as a savepoint. The first of these savepoints that is rolled
/// back, or that fails, leaves a transaction open that is never ended, and every later statement in it seems to
/// succeed.
async fn is_between_transactions(connection: &mut SqliteConnection) -> bool {
    let probe = async {
        // Fails if the driver counts an open transaction, or if SQLite has one. It touches no file.
        connection.begin_with("BEGIN DEFERRED").await?.rollback().await
    };
    match probe.await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, "closing a database connection that a failed transaction left unusable");
            false
        }
    }
}

fn pool(connections: u32, options: &ConnectOptions) -> SqlitePoolOptions {
    // Connections to a file do not go stale, so they are neither tested nor replaced.
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(options.acquire_timeout)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
}

fn connection(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        // With write-ahead logging, any lower level may lose the last commits in a power failure.
        .synchronous(SqliteSynchronous::Full)
        .pragma("temp_store", "memory")
        // Overwrites what is deleted, so that erased names do not stay readable in free pages.
        .pragma("secure_delete", "ON")
        // Negative: KiB. Each connection has its own cache, while mapped pages are shared.
        .pragma("cache_size", "-8192")
        // The most that SQLite can map. Beyond it, every page would be copied into the cache of each connection.
        .pragma("mmap_size", "2147418112")
        .pragma("journal_size_limit", "67108864")
        .disable_statement_logging()
}

/// Creates the folder and the file if they are missing, and blocks other processes that start at the same time until
/// the returned lock is dropped: switching to write-ahead logging needs exclusive access to the file and fails at once
/// without it.
///
/// The lock is on a separate file, which is never removed. Closing a second handle on the database itself would drop
/// the locks that SQLite holds on it in this process.
async fn lock_for_start(path: &Path) -> Result<File, CatalogError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_folder(folder).map_err(unavailable)?;
    }
    let file = beside(path, ".lock")?;
    within(BUSY_TIMEOUT, lock(&file, &|_| {})).await?;
    match private_file(OpenOptions::new().write(true).create_new(true), path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(unavailable(error)),
        _ => Ok(file),
    }
}

/// Waits until no other process has the file locked, then locks it.
async fn lock(file: &File, report: MigrationReport<'_>) -> Result<(), CatalogError> {
    let mut pauses = Pauses::new(report);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => pauses.pause().await,
            Err(TryLockError::Error(error)) => return Err(unavailable(error)),
        }
    }
}

/// A file to lock, named after the database.
fn beside(path: &Path, suffix: &str) -> Result<File, CatalogError> {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    private_file(OpenOptions::new().write(true).create(true).truncate(false), name.as_ref())
        .map_err(unavailable)
}

fn unavailable(error: io::Error) -> CatalogError {
    CatalogError::Unavailable(error.into())
}

#[cfg(unix)]
fn private_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.open(path)
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
