//! What a child process waits for before it starts: a permit to use an encoder, and memory.

use crate::error::MediaError;
use crate::fair_semaphore::FairPermit;
use crate::limits::{LimitTier, RunScope};
use crate::media::Media;
use crate::memory::MemorySlot;

/// A permit to use an encoder, and the memory for what runs with it.
pub(crate) struct EncoderPermit {
    permit: FairPermit,
    _memory: MemorySlot,
}

impl EncoderPermit {
    /// The niceness of a process that runs with this permit.
    pub(crate) const fn niceness(&self) -> i32 {
        self.permit.niceness()
    }
}

impl Media {
    /// Waits for a permit and its memory. Larger memory is acquired first, so that no encoder waits for it.
    pub(crate) async fn encoder_permit(&self, scope: &RunScope) -> Result<EncoderPermit, MediaError> {
        let larger = match scope.tier {
            LimitTier::Normal => None,
            LimitTier::Fallback => Some(self.memory_slot(scope).await?),
        };
        let permit = tokio::select! {
            biased;
            () = scope.cancel.cancelled() => return Err(MediaError::Cancelled),
            permit = self.encoders().acquire(scope.organization_id) => permit,
        };
        let memory = match larger {
            Some(memory) => memory,
            None => self.memory_slot(scope).await?,
        };
        Ok(EncoderPermit { permit, _memory: memory })
    }

    /// Waits for memory.
    pub(crate) async fn memory_slot(&self, scope: &RunScope) -> Result<MemorySlot, MediaError> {
        tokio::select! {
            biased;
            () = scope.cancel.cancelled() => Err(MediaError::Cancelled),
            memory = self.budget().memory_slot(scope.tier) => Ok(memory),
        }
    }
}
