//! What a restore did.

/// What was restored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestoreReport {
    /// Rows of all tables.
    pub rows: u64,
    /// Objects that are in the store.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those that were copied by this run.
    pub copied: u64,
    /// Objects that the backup has lost.
    pub lost: u64,
    /// Steps that brought older tables up to date.
    pub steps: usize,
}
