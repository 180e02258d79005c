//! What a child process waits for before it starts, and what it lets others have meanwhile: a permit to use an encoder,
//! and memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tonearm_domain::{FairPermit, Held};

use crate::error::MediaError;
use crate::limits::{LimitTier, RunScope};
use crate::media::Media;

/// The niceness of processes with ordinary permits: the service itself and the process with the extra permit go first.
pub(crate) const NICENESS: i32 = 10;

/// The permits of a process, or of several that run one after another.
pub(crate) struct Permits {
    media: Media,
    scope: RunScope,
    /// `None` while the process is stopped.
    held: Mutex<Option<HeldPermits>>,
}

struct HeldPermits {
    /// To use an encoder; `None` for a process that probes.
    encoder: Option<FairPermit>,
    memory: FairPermit,
}

impl Permits {
    /// The niceness of a process that runs with them.
    pub(crate) fn niceness(&self) -> i32 {
        match self.held().as_ref().and_then(|held| held.encoder.as_ref()) {
            Some(encoder) if !encoder.is_extra() => NICENESS,
            _ => 0,
        }
    }

    /// Whether an organization waits for an encoder or for memory that has less of it than this one.
    pub(crate) fn are_wanted(&self) -> bool {
        self.held().as_ref().is_some_and(|held| {
            held.memory.is_wanted() || held.encoder.as_ref().is_some_and(FairPermit::is_wanted)
        })
    }

    /// Reserves memory for a process that is stopped: as much as it uses. `None` if too much is reserved already.
    pub(crate) fn reserve(&self, bytes: u64) -> Option<Held> {
        let mut reserved = self.media.budget().resting.holder(self.scope.organization_id);
        reserved.grow(bytes).then_some(reserved)
    }

    /// Lets others have them, and waits for them again.
    pub(crate) async fn pass_on(&self) {
        let Some(HeldPermits { encoder, memory }) = self.held().take() else { return };
        let (media, scope) = (&self.media, &self.scope);
        let again = match (encoder, scope.tier) {
            (None, _) => HeldPermits { encoder: None, memory: memory.pass_on().await },
            (Some(encoder), LimitTier::Normal) => {
                drop(memory);
                let encoder = encoder.pass_on().await;
                HeldPermits { encoder: Some(encoder), memory: media.budget().acquire(scope).await }
            }
            (Some(encoder), LimitTier::Fallback) => {
                drop(encoder);
                let memory = memory.pass_on().await;
                HeldPermits { encoder: Some(media.encoders().acquire(scope.organization_id).await), memory }
            }
        };
        *self.held() = Some(again);
    }

    fn held(&self) -> MutexGuard<'_, Option<HeldPermits>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Media {
    /// Waits for a permit to use an encoder, and for its memory. Larger memory is acquired first, so that no encoder
    /// waits for it.
    pub(crate) async fn encoder_permit(&self, scope: &RunScope) -> Result<Arc<Permits>, MediaError> {
        let acquire = async {
            let (encoders, memory) = (self.encoders(), self.budget());
            match scope.tier {
                LimitTier::Normal => {
                    let encoder = encoders.acquire(scope.organization_id).await;
                    HeldPermits { encoder: Some(encoder), memory: memory.acquire(scope).await }
                }
                LimitTier::Fallback => {
                    let memory = memory.acquire(scope).await;
                    HeldPermits { encoder: Some(encoders.acquire(scope.organization_id).await), memory }
                }
            }
        };
        self.permits(scope, acquire).await
    }

    /// Waits for memory for a process that needs no encoder.
    pub(crate) async fn memory_permit(&self, scope: &RunScope) -> Result<Arc<Permits>, MediaError> {
        let acquire = async { HeldPermits { encoder: None, memory: self.budget().acquire(scope).await } };
        self.permits(scope, acquire).await
    }

    async fn permits(
        &self,
        scope: &RunScope,
        acquire: impl Future<Output = HeldPermits>,
    ) -> Result<Arc<Permits>, MediaError> {
        let held = tokio::select! {
            biased;
            () = scope.cancel.cancelled() => return Err(MediaError::Cancelled),
            held = acquire => Mutex::new(Some(held)),
        };
        Ok(Arc::new(Permits { media: self.clone(), scope: scope.clone(), held }))
    }
}
