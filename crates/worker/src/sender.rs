//! The loop that sends webhooks. It has lanes of its own, apart from the slots of jobs: sending is waiting, not work.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, OwnedPermit};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonearm_catalog::{CatalogError, WorkKind};
use tonearm_domain::Webhook;
use tonearm_service::{SentWebhook, Webhooks};

use crate::failure_streak::FailureStreak;
use crate::lanes::{ConcurrencyLimits, LaneLimits};
use crate::poll_schedule::{PollSchedule, WakeupJitter};

/// How long webhooks in flight may take when the process stops. Those that have not ended by then are sent again later.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often recording an attempt is tried: until its lease is about to expire.
const RECORD_TRIES: u32 = 20;

/// Attempts per lane that may be in flight or wait to be recorded. While the database records slowly, no more are
/// started.
const UNRECORDED_PER_LANE: usize = 4;

/// The configuration of the sender.
#[derive(Debug, Clone, Copy)]
pub struct SenderConfig {
    /// Limits on webhooks in flight.
    pub lanes: LaneLimits,
    /// How often to poll for deliveries that other nodes queued or that have become due, unless workers are notified of
    /// them.
    pub poll: Duration,
    /// How often to poll while workers are notified, in case a notice was lost.
    pub slow_poll: Duration,
    /// How often to check whether deliveries that kept failing are to be given up.
    pub upkeep: Duration,
}

impl Default for SenderConfig {
    fn default() -> Self {
        Self {
            lanes: LaneLimits { total: 256, per_endpoint: 64 },
            poll: Duration::from_secs(1),
            slow_poll: Duration::from_secs(15),
            upkeep: Duration::from_secs(300),
        }
    }
}

/// Sends webhooks that are due.
#[derive(Clone)]
pub struct Sender {
    webhooks: Webhooks,
    config: SenderConfig,
}

impl Sender {
    /// Creates a sender over the use cases that do the work.
    pub fn new(webhooks: Webhooks, config: SenderConfig) -> Self {
        Self { webhooks, config }
    }

    /// Sends until `shutdown` is cancelled; then waits a few seconds for webhooks in flight.
    pub async fn work(self, shutdown: CancellationToken) {
        let (done, results) = mpsc::channel(self.config.lanes.total.max(1) * UNRECORDED_PER_LANE);
        let recorded = Arc::new(Notify::new());
        let recorder = tokio::spawn(record_all(self.webhooks.clone(), results, Arc::clone(&recorded)));
        let mut lanes = ConcurrencyLimits::new(self.config.lanes);
        let mut sending = JoinSet::new();
        let wakeups = self.webhooks.catalog().wakeups(WorkKind::Deliveries);
        let mut spread = WakeupJitter::up_to(self.config.poll);
        let tidying = TaskTracker::new();
        let mut next_upkeep = tokio::time::Instant::now();
        let mut claiming = FailureStreak::of("claiming webhook deliveries");
        loop {
            if tokio::time::Instant::now() >= next_upkeep {
                next_upkeep += self.config.upkeep;
                lanes.forget_idle();
                tidying.spawn(tidy(self.webhooks.clone(), shutdown.clone()));
            }
            // A delivery that is queued between this check and the wait for the next one is not missed.
            let looked = claiming.note(self.start_due(&mut lanes, &mut sending, &done).await);
            if looked.is_some_and(|started| started > 0) {
                spread.reset();
            }
            let pause = match looked {
                Some(_) => self.pause().await,
                None => self.config.poll,
            };
            tokio::select! {
                () = shutdown.cancelled() => break,
                _ = spread.woken(&wakeups, self.webhooks.ambient()) => {}
                () = recorded.notified() => {}
                () = tokio::time::sleep(pause) => spread.reset(),
            }
            while let Some(ended) = sending.try_join_next() {
                note_end(&mut lanes, ended);
            }
        }
        let rest = async { while sending.join_next().await.is_some() {} };
        drop(tokio::time::timeout(PATIENCE, rest).await);
        tidying.close();
        tidying.wait().await;
        sending.shutdown().await;
        drop(done);
        if let Err(error) = recorder.await {
            tracing::error!(%error, "the task that records webhook deliveries panicked");
        }
    }

    /// How long to sleep unless something happens.
    async fn pause(&self) -> Duration {
        let (catalog, ambient) = (self.webhooks.catalog(), self.webhooks.ambient());
        let rhythm = PollSchedule { poll: self.config.poll, slow_poll: self.config.slow_poll };
        rhythm.pause(catalog, ambient, || catalog.next_delivery_due(ambient.now())).await
    }

    /// Claims as many due deliveries as there are lanes for, and sends them. Returns the number of deliveries.
    async fn start_due(
        &self,
        lanes: &mut ConcurrencyLimits,
        sending: &mut JoinSet<(tonearm_domain::WebhookId, bool)>,
        done: &mpsc::Sender<SentWebhook>,
    ) -> Result<usize, CatalogError> {
        let mut started = 0;
        for webhook in self.webhooks.due().await? {
            let permits = reserve(done, lanes.free(&webhook));
            if permits.is_empty() {
                continue;
            }
            let claimed = self.webhooks.claim(&webhook, permits.len()).await?;
            lanes.started(webhook.id, claimed.len());
            started += claimed.len();
            let webhook = Arc::new(webhook);
            for (claimed, permit) in claimed.into_iter().zip(permits) {
                let (webhooks, webhook) = (self.webhooks.clone(), Arc::clone(&webhook));
                sending.spawn(async move { send_one(webhooks, webhook, claimed, permit).await });
            }
        }
        Ok(started)
    }
}

/// Reserves room for the results of at most `most` attempts. It is reserved before an attempt begins, so that its
/// result never waits and is never lost: a delivery whose result is not recorded is sent again.
fn reserve<T>(done: &mpsc::Sender<T>, most: usize) -> Vec<OwnedPermit<T>> {
    std::iter::from_fn(|| done.clone().try_reserve_owned().ok()).take(most).collect()
}

async fn tidy(webhooks: Webhooks, shutdown: CancellationToken) {
    if let Err(error) = webhooks.tidy(&shutdown).await {
        tracing::warn!(%error, "could not give up webhook deliveries that kept failing");
    }
}

async fn send_one(
    webhooks: Webhooks,
    webhook: Arc<Webhook>,
    claimed: tonearm_domain::ClaimedDelivery,
    permit: OwnedPermit<SentWebhook>,
) -> (tonearm_domain::WebhookId, bool) {
    // A panic is a bug of ours, but it must not cost the endpoint its lane; the lease expires.
    let Ok(sent) = AssertUnwindSafe(webhooks.send(&webhook, claimed)).catch_unwind().await else {
        return (webhook.id, false);
    };
    let ended = (webhook.id, sent.is_success());
    permit.send(sent);
    ended
}

fn note_end(
    lanes: &mut ConcurrencyLimits,
    ended: Result<(tonearm_domain::WebhookId, bool), tokio::task::JoinError>,
) {
    match ended {
        Ok((id, is_success)) => lanes.ended(id, is_success),
        Err(error) => tracing::error!(%error, "a task that sends a webhook panicked"),
    }
}

/// Records the results of webhooks: all that have arrived since the last time, in one transaction.
async fn record_all(webhooks: Webhooks, mut results: mpsc::Receiver<SentWebhook>, recorded: Arc<Notify>) {
    let mut batch = Vec::new();
    let mut recording = FailureStreak::of("recording webhook deliveries");
    while results.recv_many(&mut batch, 500).await > 0 {
        for _ in 0..RECORD_TRIES {
            if recording.note(webhooks.record(&batch).await).is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        batch.clear();
        recorded.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn attempts_begin_only_where_their_results_have_room() {
        let (done, mut results) = mpsc::channel(3);
        let mut first = reserve(&done, 2);
        assert_eq!(first.len(), 2);
        let second = reserve(&done, 10);
        assert_eq!(second.len(), 1, "the channel is bounded");
        assert!(reserve(&done, 10).is_empty());
        // An attempt without a result releases its room.
        drop(second);
        let third = reserve(&done, 10);
        assert_eq!(third.len(), 1);
        first.extend(third);
        for (number, permit) in first.into_iter().enumerate() {
            permit.send(number);
        }
        assert!(reserve(&done, 1).is_empty(), "results that are not taken count");
        let mut batch = Vec::new();
        assert_eq!(results.recv_many(&mut batch, 500).await, 3);
        assert_eq!(batch, [0, 1, 2]);
        assert_eq!(reserve(&done, 10).len(), 3);
        drop(done);
        assert_eq!(results.recv().await, None, "the recorder ends with the last sender");
    }
}
