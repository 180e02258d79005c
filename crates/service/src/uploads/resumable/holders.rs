//! Which request writes to which upload, within this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio_util::sync::CancellationToken;
use tonearm_domain::UploadId;

/// How long a request waits for the previous one to store its bytes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The uploads to which requests of this process write.
#[derive(Default)]
pub(crate) struct Holders(Mutex<HashMap<UploadId, Weak<Holder>>>);

#[derive(Default)]
struct Holder {
    turn: Arc<AsyncMutex<()>>,
    stop: Mutex<CancellationToken>,
}

/// Exclusive access to an upload among the requests of this process.
pub(super) struct Hold {
    _holder: Arc<Holder>,
    _turn: OwnedMutexGuard<()>,
    stop: CancellationToken,
}

impl Hold {
    /// Stops this request as another request of this process would.
    pub(super) fn stopper(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Returns when another request wants to write.
    pub(super) async fn is_wanted(&self) {
        self.stop.cancelled().await;
    }
}

impl Holders {
    /// Tells the request that writes to the upload to stop, and waits until it has. `None` if it did not stop within
    /// ten seconds.
    pub(super) async fn hold(&self, id: UploadId) -> Option<Hold> {
        let holder = self.holder(id);
        holder.stop().cancel();
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&holder.turn).lock_owned()).await.ok()?;
        let stop = CancellationToken::new();
        *holder.stop() = stop.clone();
        Some(Hold { _holder: holder, _turn: turn, stop })
    }

    fn holder(&self, id: UploadId) -> Arc<Holder> {
        let mut holders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(holder) = holders.get(&id).and_then(Weak::upgrade) {
            return holder;
        }
        // There are never more entries than active requests.
        holders.retain(|_, holder| holder.strong_count() > 0);
        let holder = Arc::default();
        holders.insert(id, Arc::downgrade(&holder));
        holder
    }
}

impl Holder {
    fn stop(&self) -> std::sync::MutexGuard<'_, CancellationToken> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::CredentialId;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_later_request_stops_the_earlier_one() {
        let holders = Arc::new(Holders::default());
        let id = UploadId::from_random([1; 16]);
        let first = holders.hold(id).await.unwrap();
        let second = tokio::spawn({
            let holders = Arc::clone(&holders);
            async move { holders.hold(id).await.is_some() }
        });
        first.is_wanted().await;
        drop(first);
        assert!(second.await.unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_does_not_stop_is_not_waited_for_without_end() {
        let holders = Holders::default();
        let id = UploadId::from_random([1; 16]);
        let first = holders.hold(id).await.unwrap();
        assert!(holders.hold(id).await.is_none());
        assert!(holders.hold(UploadId::from_random([2; 16])).await.is_some());
        drop(first);
        assert!(holders.hold(id).await.is_some());
    }
}
