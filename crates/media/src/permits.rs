//! What a child process waits for before it starts: a turn at the encoders, and memory.

use crate::error::MediaError;
use crate::limits::{LimitTier, RunScope};
use crate::media::Media;
use crate::memory::MemorySlot;
use crate::turns::Turn;

/// A turn at the encoders, and the memory for what runs in it.
pub(crate) struct EncoderPermit {
    turn: Turn,
    _place: MemorySlot,
}

impl EncoderPermit {
    /// The niceness of a process that runs in it.
    pub(crate) const fn niceness(&self) -> i32 {
        self.turn.niceness()
    }
}

impl Media {
    /// Waits for a turn and the memory for it. Larger memory comes first: an encoder must not wait for it.
    pub(crate) async fn turn(&self, scope: &RunScope) -> Result<EncoderPermit, MediaError> {
        let larger = match scope.tier {
            LimitTier::Normal => None,
            LimitTier::Fallback => Some(self.memory_slot(scope).await?),
        };
        let turn = tokio::select! {
            biased;
            () = scope.cancel.cancelled() => return Err(MediaError::Cancelled),
            turn = self.turns().take(scope.organization_id) => turn,
        };
        let place = match larger {
            Some(place) => place,
            None => self.memory_slot(scope).await?,
        };
        Ok(EncoderPermit { turn, _place: place })
    }

    /// Waits for memory.
    pub(crate) async fn memory_slot(&self, scope: &RunScope) -> Result<MemorySlot, MediaError> {
        tokio::select! {
            biased;
            () = scope.cancel.cancelled() => Err(MediaError::Cancelled),
            place = self.budget().memory_slot(scope.tier) => Ok(place),
        }
    }
}
