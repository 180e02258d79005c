//! The rows of all tables in a form that is independent of the database, so that a dump of SQLite can be loaded into
//! PostgreSQL and the reverse.
//!
//! Tables and columns are read from the database schema, so that a new table is never forgotten. What is left out is
//! listed with reasons ([`left_out`]).

mod cells;
mod error;
mod left_out;
mod loading;
mod restoring;
mod row_key;
mod schema;
mod snapshot;
mod triggers;
mod unfinished;

pub use error::RestoreError;
pub use left_out::LEFT_OUT;
pub use loading::{Loading, RefusedRow};
pub use restoring::Restoring;
pub use row_key::RowKey;
pub use schema::{ColumnKind, DumpColumn, DumpTable};
pub use snapshot::{DumpPage, Snapshot};

/// A row: a cell for each column of its table. Integers and booleans are JSON integers and booleans. UUIDs, text, JSON
/// and floating-point numbers are strings, and bytes are base64 strings, so that each keeps its exact value.
pub type DumpRow = Vec<serde_json::Value>;
