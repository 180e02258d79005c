//! The result of a restore.

/// The result of a restore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestoreReport {
    /// Rows of all tables.
    pub rows: u64,
    /// Rows that were skipped, because the database refused them.
    pub skipped: u64,
    /// Objects of the backup that are in the store.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Objects that this run copied.
    pub copied: u64,
    /// Objects that the backup has lost.
    pub lost: u64,
    /// Migrations that brought older tables up to date.
    pub steps: usize,
}
