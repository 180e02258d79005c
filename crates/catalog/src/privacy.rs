//! The data stored about a person or a listener, and its erasure.

mod columns;
mod listener;
mod person;

pub use columns::{Erasure, PERSON_EMAILS, PERSON_IDS, PersonColumn};
pub use listener::{KeptListening, KeptSighting};
pub use person::PersonNames;

/// The maximum number of rows of a kind that are returned at once. Hardly any person, and hardly any day of a listener,
/// has more.
pub const MOST_KEPT_ROWS: u64 = 10_000;
