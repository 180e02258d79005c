//! What bounds a fetch.

use std::time::Duration;

/// What bounds a fetch.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Most bytes of the file.
    pub max_bytes: u64,
    /// From the first request to the last byte.
    pub total: Duration,
    /// How long the server may take to begin an answer, and to send each [`FetchLimits::LEAST_BYTES`] of it.
    pub patience: Duration,
    /// How long to wait before a broken connection is made anew; twice as long each time that nothing came.
    pub pause: Duration,
}

impl FetchLimits {
    /// Fewer bytes than these in [`FetchLimits::patience`] are as good as none.
    pub const LEAST_BYTES: u64 = 64 * 1024;

    /// For files of up to so many bytes.
    pub const fn of_file(max_bytes: u64) -> Self {
        Self {
            max_bytes,
            total: Duration::from_secs(6 * 3600),
            patience: Duration::from_secs(60),
            pause: Duration::from_secs(1),
        }
    }
}
