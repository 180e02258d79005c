//! Sending due deliveries once, and recording the results.

use std::collections::BTreeMap;
use std::time::Instant;

use tokio_util::sync::CancellationToken;
use tonearm_catalog::CatalogError;
use tonearm_domain::{
    ClaimedDelivery, DeliveryAttempt, DeliveryState, EndpointHealth, GIVE_UP_SECONDS, ScheduledTask,
    Timestamp, Webhook, WebhookDelivery, WebhookId,
};
use tonearm_outbound::{Answer, WebhookCall};
use tonearm_telemetry::Outcome;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::Webhooks;
use crate::batches::{BATCH, in_batches};

/// How long a delivery is leased: well beyond the 15 s within which a receiver must respond.
const LEASE_SECONDS: i64 = 30;

/// An attempt that was made and is not recorded yet.
#[derive(Debug, Clone)]
pub struct SentWebhook {
    claimed: ClaimedDelivery,
    attempt: DeliveryAttempt,
}

impl SentWebhook {
    /// The endpoint.
    pub fn webhook_id(&self) -> WebhookId {
        self.claimed.delivery.webhook_id
    }

    /// Whether the receiver accepted it.
    pub fn is_success(&self) -> bool {
        self.attempt.is_success()
    }
}

impl Webhooks {
    /// The endpoints that have due deliveries and are not paused.
    pub async fn due(&self) -> Result<Vec<Webhook>, CatalogError> {
        self.catalog.due_webhooks(self.ambient.now()).await
    }

    /// Claims due deliveries for an endpoint.
    pub async fn claim(&self, webhook: &Webhook, most: usize) -> Result<Vec<ClaimedDelivery>, CatalogError> {
        let (now, lease) = (self.ambient.now(), self.ambient.credential_id());
        let until = now.plus_seconds(LEASE_SECONDS);
        self.catalog.claim_deliveries(webhook.id, now, lease, until, most as u64).await
    }

    /// Sends a claimed delivery, once.
    pub async fn send(&self, webhook: &Webhook, claimed: ClaimedDelivery) -> SentWebhook {
        let span = span(&claimed);
        self.send_in_span(webhook, claimed).instrument(span).await
    }

    async fn send_in_span(&self, webhook: &Webhook, mut claimed: ClaimedDelivery) -> SentWebhook {
        let started_at = self.ambient.now();
        let begun = Instant::now();
        let outcome = match self.call(webhook, &claimed.delivery, started_at) {
            Ok(call) => self.outbound.send_webhook(&call, started_at).await.map_err(|e| e.to_string()),
            Err(sentence) => Err(sentence),
        };
        let mut attempt = DeliveryAttempt {
            delivery_id: claimed.delivery.id,
            number: claimed.delivery.attempts,
            url: webhook.url.clone(),
            started_at,
            duration_ms: u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX),
            status: None,
            response: String::new(),
            error: None,
        };
        match outcome {
            Ok(answer) => take_answer(&mut attempt, &answer),
            Err(sentence) => attempt.error = Some(sentence),
        }
        let [jitter] = self.ambient.random::<1>();
        judge(&mut claimed.delivery, &attempt, jitter, self.ambient.now());
        tonearm_telemetry::sent_webhook(outcome_of(claimed.delivery.state));
        note(&attempt);
        SentWebhook { claimed, attempt }
    }

    fn call(
        &self,
        webhook: &Webhook,
        delivery: &WebhookDelivery,
        now: Timestamp,
    ) -> Result<WebhookCall, String> {
        if !webhook.is_valid_at(now) {
            return Err("the webhook has expired; set its URL again".to_owned());
        }
        let secrets = self.signing_secrets(webhook, now);
        Ok(WebhookCall {
            url: webhook.url.clone(),
            delivery_id: delivery.id,
            event: delivery.event,
            body: self.with_urls(&delivery.payload).into(),
            trace: tonearm_telemetry::current_trace(),
            secrets: secrets.map_err(|refusal| refusal.to_string())?,
        })
    }

    /// Records attempts, all in one transaction: many small transactions would wait for the disk one after another.
    pub async fn record(&self, sent: &[SentWebhook]) -> Result<(), CatalogError> {
        let mut by_webhook: BTreeMap<WebhookId, Vec<&SentWebhook>> = BTreeMap::new();
        for one in sent {
            by_webhook.entry(one.webhook_id()).or_default().push(one);
        }
        let (tx, now) = (self.catalog.begin().await?, self.ambient.now());
        for (id, sent) in by_webhook {
            let Some(webhook) = tx.webhook_to_change(id).await? else {
                continue;
            };
            let mut health = webhook.health;
            for one in sent {
                if !tx.record_attempt(&one.claimed, &one.attempt).await? {
                    continue;
                }
                health = if one.is_success() {
                    EndpointHealth::after_success()
                } else {
                    health.after_failure(now)
                };
            }
            if health != webhook.health {
                tx.update_webhook_health(id, health).await?;
            }
        }
        tx.commit().await
    }

    /// Gives up deliveries that could not be sent for too long: periodically, once for all nodes, and in batches.
    pub async fn tidy(&self, cancel: &CancellationToken) -> Result<(), CatalogError> {
        let now = self.ambient.now();
        if !self.catalog.take_task(ScheduledTask::TidyWebhooks, now).await? {
            return Ok(());
        }
        let queued_before = now.plus_seconds(-GIVE_UP_SECONDS);
        let given_up =
            in_batches(cancel, || self.catalog.give_up_deliveries(queued_before, now, BATCH)).await?;
        if let Some(1..) = given_up {
            tracing::info!(given_up, "gave up webhook deliveries that kept failing");
        }
        Ok(())
    }
}

/// The span of an attempt. It continues the trace of the change that caused the event. The URL is left out, as it may
/// contain a secret.
fn span(claimed: &ClaimedDelivery) -> Span {
    let delivery = &claimed.delivery;
    let span = tracing::error_span!(
        "webhook",
        otel.kind = "client",
        otel.name = %format_args!("webhook {}", delivery.event.as_str()),
        otel.status_code = Empty,
        delivery_id = %delivery.id,
        webhook_id = %delivery.webhook_id,
        organization_id = %delivery.organization_id,
        event = delivery.event.as_str(),
        webhook.attempt = delivery.attempts,
        status = Empty,
    );
    tonearm_telemetry::continue_trace(&span, claimed.trace);
    span
}

/// Records the result of an attempt on its span.
fn note(attempt: &DeliveryAttempt) {
    let span = Span::current();
    if let Some(status) = attempt.status {
        span.record("status", status);
    }
    if !attempt.is_success() {
        tonearm_telemetry::note_failure(&span);
    }
}

fn outcome_of(state: DeliveryState) -> Outcome {
    match state {
        DeliveryState::Delivered => Outcome::Success,
        DeliveryState::Failed => Outcome::Failure,
        DeliveryState::Pending => Outcome::Retry,
    }
}

fn take_answer(attempt: &mut DeliveryAttempt, answer: &Answer) {
    attempt.status = Some(answer.status);
    attempt.response = String::from_utf8_lossy(&answer.body).into_owned();
    if !answer.is_success() {
        attempt.error = Some(match answer.status {
            300..400 => format!("the endpoint responded with {}: redirects are not followed", answer.status),
            status => format!("the endpoint responded with {status}"),
        });
    }
}

/// Updates a delivery after an attempt: it is delivered, retried or given up.
fn judge(delivery: &mut WebhookDelivery, attempt: &DeliveryAttempt, jitter: u8, now: Timestamp) {
    if attempt.is_success() {
        delivery.state = DeliveryState::Delivered;
        (delivery.due_at, delivery.finished_at) = (None, Some(now));
        return;
    }
    delivery.failures = delivery.failures.saturating_add(1);
    delivery.due_at = WebhookDelivery::retry_at(delivery.failures, jitter, now);
    if delivery.due_at.is_none() {
        delivery.state = DeliveryState::Failed;
        delivery.finished_at = Some(now);
    }
}
