//! Counts open connections and running uploads.

use crate::labels::Protocol;
use crate::recording::is_on;
use crate::shards::{add_connections, add_uploads};

/// Counts a connection as open for the lifetime of this value.
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

    /// Changes the protocol, if the connection turns out to use another one.
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

/// Counts an upload as running for the lifetime of this value.
#[derive(Debug)]
pub struct RunningUpload(());

impl RunningUpload {
    /// Counts an upload that begins. None if nothing is recorded.
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
