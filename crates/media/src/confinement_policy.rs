//! What is asked of the confinement of child processes.

use std::path::PathBuf;

/// How child processes have to be confined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfinementPolicy {
    /// Whether a child is started only where the kernel enforces everything. Otherwise it is confined as far as the
    /// kernel can.
    pub is_required: bool,
    /// Files and folders that no child may read, also where they lie beneath folders of the system such as `/opt`.
    pub private: Vec<PathBuf>,
}
