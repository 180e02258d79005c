//! What a connection may cost, and how long its client may take.

use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::time::Instant;

/// How often a client is checked in the time that it has.
pub(crate) const CHECKS_PER_DEADLINE: u32 = 4;

/// Bounds on what a connection may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Connections at once; more wait in the system's queue.
    pub max_connections: usize,
    /// How long a request's head may take to arrive, the first one together with the beginning of TLS; also how long a
    /// connection may be idle.
    pub header_timeout: Duration,
    /// How long a client may take nothing of what it is sent.
    pub send_timeout: Duration,
    /// Bytes a second that a client has to take of what it is sent, as a mean over that time.
    pub min_bytes_per_second: u32,
    /// How long open requests may take once shutdown has begun.
    pub drain: Duration,
    /// Threads that answer requests for objects; none: as many as suit the machine.
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

/// How long clients may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientDeadlines {
    /// Until a request's head is there.
    pub(crate) head: Duration,
    /// While nothing of an answer is taken.
    pub(crate) send: Duration,
    /// Bytes a second that are to be taken of an answer, as a mean over `send`.
    pub(crate) bytes_per_second: u32,
}

impl ClientDeadlines {
    /// A moment by which a client was to do something, but not before it has had a while from now on: a busy server may come
    /// to a connection late, and what it waits for may have arrived.
    pub(crate) fn fair(self, by: Instant) -> Instant {
        by.max(Instant::now() + self.head / CHECKS_PER_DEADLINE)
    }
}
