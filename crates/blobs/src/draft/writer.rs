//! Writing one piece of a draft.

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;
use tonearm_domain::ObjectKey;

use super::{DraftError, DraftState};
use crate::object::Stored;

/// A draft that is open for writing. The methods correspond to those of [`DraftWriter`].
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
    /// Adds bytes. They are stored in the background, so an error may concern earlier bytes.
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), DraftError> {
        self.0.write(bytes).await
    }

    /// Makes all written bytes durable, and returns the state to record.
    pub async fn flush(&mut self) -> Result<DraftState, DraftError> {
        self.0.flush().await
    }

    /// Must be called once the last returned state is recorded. Removes data that only earlier states need.
    pub async fn recorded(&mut self) {
        self.0.recorded().await;
    }

    /// As [`DraftWriter::flush`], for the last time: the name of the object is settled and part of the state, which must be
    /// recorded before the draft is published. The draft must not be empty.
    pub async fn settle(&mut self) -> Result<DraftState, DraftError> {
        self.0.settle().await
    }

    /// Turns the draft into the object that its settled state names. After an error, or if the object was not recorded,
    /// the draft can be opened with the same state and published again.
    pub async fn publish(self) -> Result<(ObjectKey, Stored), DraftError> {
        self.0.publish().await
    }
}

impl fmt::Debug for DraftWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DraftWriter")
    }
}
