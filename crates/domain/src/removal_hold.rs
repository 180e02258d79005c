//! Keeps objects in the store while a backup copies them.

/// A hold on the removal of objects. It expires by itself, so that a crashed process leaves no lasting hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemovalHold;

impl RemovalHold {
    /// Lifetime in milliseconds, unless it is renewed.
    pub const MILLIS: i64 = 5 * 60_000;
    /// Seconds between renewals. The hold survives a database outage of a few minutes.
    pub const RENEWED_SECONDS: u64 = 30;
    /// Seconds until a removal that met a hold is retried.
    pub const PUT_OFF_SECONDS: i64 = 60;
}
