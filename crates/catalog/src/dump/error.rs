//! Why a backup cannot be restored.

use crate::error::CatalogError;

/// Why a database cannot be filled from a backup.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The database has rows.
    #[error(
        "the database is not empty (there are rows in {table}). A backup is restored into an empty database only: \
         create a new one and set database_url"
    )]
    NotEmpty {
        /// A table with rows.
        table: String,
    },
    /// The restore of another backup into this database was interrupted.
    #[error(
        "the database contains the backup {backup}, whose restore was interrupted. Run `tonearm restore` with \
         `--backup {backup}` and the place of that backup to complete it, or create a new database and set database_url"
    )]
    Interrupted {
        /// The other backup.
        backup: String,
    },
    /// A newer version made the backup.
    #[error(
        "the backup was made by a newer version of Tonearm: this version does not know the step {step}. Restore it \
         with the version that made it, or a newer one"
    )]
    Newer {
        /// A migration step that this version does not know.
        step: String,
    },
    /// The tables are those of another version.
    #[error(
        "the database has tables of another version than the backup. Create a new, empty database and set \
         database_url"
    )]
    OtherVersion,
    /// A table of the backup differs from that of this version, although the migration steps are the same.
    #[error("the table {table} of the backup does not match the one of the database")]
    OtherTables {
        /// The table.
        table: String,
    },
    /// A database error.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
}
