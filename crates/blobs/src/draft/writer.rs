//! Writing one piece of a draft.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;
use tonearm_domain::ObjectKey;

use super::{DraftError, DraftState};
use crate::object::Stored;

/// A draft that is open for writing. The methods mean what those of [`DraftWriter`] mean.
#[async_trait]
pub(crate) trait DraftStore: Send {
    async fn write(&mut self, bytes: Bytes) -> Result<(), DraftError>;
    async fn flush(&mut self) -> Result<DraftState, DraftError>;
    async fn recorded(&mut self);
    async fn settle(&mut self) -> Result<DraftState, DraftError>;
    async fn publish(self: Box<Self>) -> Result<(ObjectKey, Stored), DraftError>;
}

/// A draft that is open for writing, by one writer at a time. Dropping it loses what was written since the last flush.
pub struct DraftWriter(pub(crate) Box<dyn DraftStore>);

impl DraftWriter {
    /// Adds bytes. They are stored while others arrive, so an error may be about earlier ones.
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), DraftError> {
        self.0.write(bytes).await
    }

    /// Makes everything durable that was written, and gives the state to record.
    pub async fn flush(&mut self) -> Result<DraftState, DraftError> {
        self.0.flush().await
    }

    /// To be called once the state that was given last is recorded: what only earlier states need is removed.
    pub async fn recorded(&mut self) {
        self.0.recorded().await;
    }

    /// As [`DraftWriter::flush`], for the last time: the name of the object is settled and part of the state, which must be
    /// recorded before the draft is published. The draft must not be empty.
    pub async fn settle(&mut self) -> Result<DraftState, DraftError> {
        self.0.settle().await
    }

    /// Makes the draft the object that its settled state names. After an error, or if nobody records the object, the draft
    /// can be opened with the same state and published again.
    pub async fn publish(self) -> Result<(ObjectKey, Stored), DraftError> {
        self.0.publish().await
    }
}

impl fmt::Debug for DraftWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DraftWriter")
    }
}
