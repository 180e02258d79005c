//! Limits on connections, and deadlines for clients.

use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::time::Instant;

/// How often a client is checked within its deadline.
pub(crate) const CHECKS_PER_DEADLINE: u32 = 4;

/// Limits on connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Maximum number of open connections. A further one takes the place of a connection from a network that has more of
    /// them, or waits.
    pub max_connections: usize,
    /// How long a request's head may take to arrive, including the TLS handshake for the first one; also how long a
    /// connection may be idle.
    pub header_timeout: Duration,
    /// How long a client may accept nothing of a response.
    pub send_timeout: Duration,
    /// Bytes per second that a client must accept of a response, averaged over `send_timeout`.
    pub min_bytes_per_second: u32,
    /// How long open requests may take once shutdown has begun.
    pub drain: Duration,
    /// Number of threads that answer requests for objects; `None` for one per core.
    pub delivery_threads: Option<NonZeroUsize>,
}

impl ServerLimits {
    pub(crate) fn client_deadlines(self) -> ClientDeadlines {
        ClientDeadlines {
            head: self.header_timeout,
            send: self.send_timeout,
            bytes_per_second: self.min_bytes_per_second,
        }
    }
}

/// Deadlines for clients.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientDeadlines {
    /// Until the head of a request has arrived.
    pub(crate) head: Duration,
    /// While the client accepts nothing of a response.
    pub(crate) send: Duration,
    /// Bytes per second that the client must accept of a response, averaged over `send`.
    pub(crate) bytes_per_second: u32,
}

impl ClientDeadlines {
    /// A deadline of a client, but not before a short time from now: a busy server may check a connection late, when
    /// what it waits for has already arrived.
    pub(crate) fn fair(self, by: Instant) -> Instant {
        by.max(Instant::now() + self.head / CHECKS_PER_DEADLINE)
    }
}
