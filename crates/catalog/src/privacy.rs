//! What is kept about a person or a listener, and forgetting it.

mod columns;
mod listener;
mod person;

pub use columns::{Erasure, PERSON_EMAILS, PERSON_IDS, PersonColumn};
pub use listener::{KeptListening, KeptSighting};
pub use person::PersonNames;

/// Most rows of a kind that are told of at once. Hardly any person has more, nor does a listener's day.
pub const MOST_KEPT_ROWS: u64 = 10_000;
