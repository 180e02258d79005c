//! Keeping objects in the store as long as a backup copies them.

/// A hold on the removal of objects. It ends by itself, so that one of a process that died does not last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemovalHold;

impl RemovalHold {
    /// How long it lasts unless it is renewed.
    pub const MILLIS: i64 = 5 * 60_000;
    /// How often it is renewed: a database that is unavailable for minutes does not end it.
    pub const RENEWED_SECONDS: u64 = 30;
    /// When a removal that met a hold looks again.
    pub const PUT_OFF_SECONDS: i64 = 60;
}
