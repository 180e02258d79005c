//! The loop that sends webhooks. It has lanes of its own beside the slots of jobs: sending is waiting, not work.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonearm_catalog::{CatalogError, WorkKind};
use tonearm_domain::Webhook;
use tonearm_service::{SentWebhook, Webhooks};

use crate::failure_streak::FailureStreak;
use crate::lanes::{ConcurrencyLimits, LaneLimits};
use crate::poll_schedule::{PollSchedule, WakeupJitter};

/// How long what is on its way may take when the process stops; what is not back by then is sent again later.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often an attempt that could not be recorded is tried to be: until its lease is about to run out.
const RECORD_TRIES: u32 = 20;

/// How the sender works.
#[derive(Debug, Clone, Copy)]
pub struct SenderConfig {
    /// How much may be on its way at once.
    pub lanes: LaneLimits,
    /// How often to look for what other nodes queued or what has become due, unless workers are told of it.
    pub poll: Duration,
    /// The same while workers are told, in case a notice was lost.
    pub slow_poll: Duration,
    /// How often it is asked whether finished deliveries are to be tidied.
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

/// Sends what is due.
#[derive(Clone)]
pub struct Sender {
    webhooks: Webhooks,
    config: SenderConfig,
}

impl Sender {
    /// Over the use cases that do the work.
    pub fn new(webhooks: Webhooks, config: SenderConfig) -> Self {
        Self { webhooks, config }
    }

    /// Sends until `shutdown` is cancelled; then waits a few seconds for what is on its way.
    pub async fn work(self, shutdown: CancellationToken) {
        let (done, results) = mpsc::unbounded_channel();
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
            // What is queued between this look and the wait for the next one is remembered.
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

    /// How long to sleep where nothing happens.
    async fn pause(&self) -> Duration {
        let (catalog, ambient) = (self.webhooks.catalog(), self.webhooks.ambient());
        let rhythm = PollSchedule { poll: self.config.poll, slow_poll: self.config.slow_poll };
        rhythm.pause(catalog, ambient, || catalog.next_delivery_due(ambient.now())).await
    }

    /// Claims what is due and there are lanes for, and sends it. Gives how many deliveries there were.
    async fn start_due(
        &self,
        lanes: &mut ConcurrencyLimits,
        sending: &mut JoinSet<(tonearm_domain::WebhookId, bool)>,
        done: &mpsc::UnboundedSender<SentWebhook>,
    ) -> Result<usize, CatalogError> {
        let mut started = 0;
        for webhook in self.webhooks.due().await? {
            let free = lanes.free(webhook.id, webhook.health);
            if free == 0 {
                continue;
            }
            let claimed = self.webhooks.claim(&webhook, free).await?;
            lanes.started(webhook.id, claimed.len());
            started += claimed.len();
            let webhook = Arc::new(webhook);
            for claimed in claimed {
                let (webhooks, webhook, done) = (self.webhooks.clone(), Arc::clone(&webhook), done.clone());
                sending.spawn(async move { send_one(webhooks, webhook, claimed, done).await });
            }
        }
        Ok(started)
    }
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
    done: mpsc::UnboundedSender<SentWebhook>,
) -> (tonearm_domain::WebhookId, bool) {
    // A panic is a fault of ours, but it must not take the endpoint's lane with it; the lease runs out.
    let Ok(sent) = AssertUnwindSafe(webhooks.send(&webhook, claimed)).catch_unwind().await else {
        return (webhook.id, false);
    };
    let ended = (webhook.id, sent.is_success());
    // The recorder outlives every sender.
    drop(done.send(sent));
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

/// Records what was sent: everything that has come in since the last time, in one transaction.
async fn record_all(
    webhooks: Webhooks,
    mut results: mpsc::UnboundedReceiver<SentWebhook>,
    recorded: Arc<Notify>,
) {
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
