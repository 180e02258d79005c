//! The limits of a fetch.

use std::time::Duration;

/// The limits of a fetch.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Maximum size of the file in bytes.
    pub max_bytes: u64,
    /// Timeout from the first request to the last byte, over all fetches of the file.
    pub total: Duration,
    /// How much of that earlier fetches have taken.
    pub spent: Duration,
    /// How long the server may take to begin a response, and to send each [`FetchLimits::LEAST_BYTES`] of it.
    pub patience: Duration,
    /// How long the file may take besides the time for its bytes.
    pub grace: Duration,
    /// Bytes per second that must arrive on average, after `grace`. It is more for a file that would take longer than
    /// `total` otherwise.
    pub pace: u64,
    /// The pause before reconnecting. It doubles each time that no bytes were received.
    pub pause: Duration,
}

impl FetchLimits {
    /// The minimum number of bytes in [`FetchLimits::patience`]. Fewer count as none.
    pub const LEAST_BYTES: u64 = 64 * 1024;

    /// The limits for files of up to `max_bytes` bytes.
    pub const fn of_file(max_bytes: u64) -> Self {
        Self {
            max_bytes,
            total: Duration::from_secs(6 * 3600),
            spent: Duration::ZERO,
            patience: Duration::from_secs(60),
            grace: Duration::from_secs(300),
            pace: 16 * 1024,
            pause: Duration::from_secs(1),
        }
    }
}
