//! The rows of all tables in a form that neither database has for itself, so that what one of them gave can be loaded into
//! the other.
//!
//! Tables and columns are read from the database itself, so that a new table is never forgotten; what is left out is a list
//! with reasons ([`left_out`]).

mod cells;
mod error;
mod left_out;
mod loading;
mod restoring;
mod schema;
mod snapshot;
mod triggers;
mod unfinished;

pub use error::RestoreError;
pub use left_out::LEFT_OUT;
pub use loading::Loading;
pub use restoring::Restoring;
pub use schema::{ColumnKind, DumpColumn, DumpTable};
pub use snapshot::Snapshot;

/// A row: a cell for each column of its table. Integers and booleans are themselves; UUIDs, text, JSON and floating-point
/// numbers are text, and bytes are text in base64, so that each keeps its exact value.
pub type DumpRow = Vec<serde_json::Value>;
