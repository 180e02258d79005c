//! The requirements for the confinement of child processes.

use std::path::PathBuf;

/// How child processes have to be confined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfinementPolicy {
    /// Whether a child is started only if the kernel enforces all restrictions. Otherwise the child is confined as far
    /// as the kernel supports it.
    pub is_required: bool,
    /// Files and folders that no child may read, even if they lie below system folders such as `/opt`.
    pub private: Vec<PathBuf>,
}
