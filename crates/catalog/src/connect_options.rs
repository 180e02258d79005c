//! How a database is connected to.

use std::time::Duration;

use tonearm_domain::{DiskRoom, RecordLimits, StoredAddresses};

use crate::due_clock::DueClock;

/// The kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A file, for one machine.
    Sqlite,
    /// A server, for as many machines as needed.
    Postgres,
}

/// What opening a database may do to its tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Migrate {
    /// Nothing. A database without the tables of this version is refused.
    Never,
    /// Create them in an empty database. A database of an earlier version is refused.
    IfEmpty,
    /// Create them, or bring them up to date.
    Always,
}

/// How the database is connected to.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// The maximum number of connections; on SQLite the maximum number of readers, in addition to the one writer. At
    /// least 1.
    pub max_connections: u32,
    /// How long a request waits for a free connection, or to become the writer, before it fails because the database
    /// is unavailable.
    pub acquire_timeout: Duration,
    /// On PostgreSQL, how long a statement may take, and how long a transaction may be idle between two statements.
    /// After that the server ends it and releases its locks. Whole milliseconds, at least one.
    pub statement_timeout: Duration,
    /// The clock that decides what is due. SQLite always uses the caller's clock.
    pub due_clock: DueClock,
    /// What may be done to the tables.
    pub migrate: Migrate,
    /// How long to wait for another process that is migrating.
    pub migration_wait: Duration,
    /// How much of a network address is stored.
    pub stored_addresses: StoredAddresses,
    /// How much an organization may keep in the database.
    pub record_limits: RecordLimits,
    /// Whether the disks have room for more records.
    pub disk_room: DiskRoom,
    /// On PostgreSQL, whether a commit returns only after other nodes were notified of what it queued. For processes
    /// that end soon afterwards; other processes notify in the background.
    pub tell_nodes_first: bool,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            max_connections: 10,
            acquire_timeout: Duration::from_secs(30),
            statement_timeout: Duration::from_secs(60),
            due_clock: DueClock::Caller,
            migrate: Migrate::IfEmpty,
            migration_wait: Duration::from_secs(3600),
            stored_addresses: StoredAddresses::Whole,
            record_limits: RecordLimits::default(),
            disk_room: DiskRoom::default(),
            tell_nodes_first: false,
        }
    }
}
