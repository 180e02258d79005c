//! What is open at the moment.

use crate::is_on;
use crate::shards::{add_connections, add_uploads};

/// How a connection is spoken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1 without TLS, or nothing yet.
    Http1,
    /// HTTP/1.1 over TLS, or a handshake.
    Http1Tls,
    /// HTTP/2 without TLS.
    Http2,
    /// HTTP/2 over TLS.
    Http2Tls,
}

impl Protocol {
    /// Every protocol.
    pub const ALL: [Self; 4] = [Self::Http1, Self::Http1Tls, Self::Http2, Self::Http2Tls];

    /// The values of the labels `protocol` and `tls`.
    pub const fn labels(self) -> (&'static str, &'static str) {
        match self {
            Self::Http1 => ("http1", "no"),
            Self::Http1Tls => ("http1", "yes"),
            Self::Http2 => ("http2", "no"),
            Self::Http2Tls => ("http2", "yes"),
        }
    }
}

/// Counts a connection as open for as long as it is kept.
#[derive(Debug)]
pub struct OpenConnection(Option<Protocol>);

impl OpenConnection {
    /// A connection that was accepted.
    pub fn new(protocol: Protocol) -> Self {
        let counted = is_on().then_some(protocol);
        if let Some(protocol) = counted {
            add_connections(protocol, 1);
        }
        Self(counted)
    }

    /// It turns out to be spoken over in another way.
    pub fn speak(&mut self, protocol: Protocol) {
        if let Some(counted) = &mut self.0
            && *counted != protocol
        {
            add_connections(*counted, -1);
            add_connections(protocol, 1);
            *counted = protocol;
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        if let Some(protocol) = self.0 {
            add_connections(protocol, -1);
        }
    }
}

/// Counts an upload as under way for as long as it is kept.
#[derive(Debug)]
pub struct RunningUpload(());

impl RunningUpload {
    /// An upload that begins; none where nothing is recorded.
    pub fn begin() -> Option<Self> {
        is_on().then(|| {
            add_uploads(1);
            Self(())
        })
    }
}

impl Drop for RunningUpload {
    fn drop(&mut self) {
        add_uploads(-1);
    }
}
