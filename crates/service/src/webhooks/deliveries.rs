//! Webhook deliveries and their results.

use tonearm_catalog::DeliveryFilter;
use tonearm_domain::{
    AuditAction, DeliveryAttempt, DeliveryState, ErrorCode, WebhookDelivery, WebhookDeliveryId, WebhookId,
};

use super::endpoints::to_change;
use super::{WebhookName, Webhooks};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// Filters for deliveries. A filter that is None matches all.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeliveryQuery {
    /// Only those to this endpoint.
    pub webhook: Option<WebhookName>,
    /// Only those in this state.
    pub state: Option<DeliveryState>,
}

/// A delivery with all its attempts.
#[derive(Debug, Clone)]
pub struct DeliveryView {
    /// The delivery.
    pub delivery: WebhookDelivery,
    /// The body as it is sent, with currently valid URLs of its files.
    pub body: String,
    /// The attempts, in order.
    pub attempts: Vec<DeliveryAttempt>,
}

impl Webhooks {
    /// The newest matching deliveries of the organization that are older than `before` (the last one of the previous
    /// page), at most `limit`.
    pub async fn deliveries(
        &self,
        caller: &Caller,
        query: DeliveryQuery,
        before: Option<WebhookDeliveryId>,
        limit: u64,
    ) -> Result<Vec<WebhookDelivery>, Refusal> {
        caller.require_no_limits()?;
        let mut filter = DeliveryFilter { webhook_id: None, state: query.state };
        if let Some(name) = query.webhook {
            let webhooks = self.catalog.webhooks(caller.organization_id).await?;
            let webhook = webhooks.into_iter().find(|webhook| name.means(webhook));
            filter.webhook_id = Some(webhook.ok_or(Refusal::NotFound(Resource::Webhook))?.id);
        }
        Ok(self.catalog.deliveries(caller.organization_id, filter, before, limit).await?)
    }

    /// One delivery with its attempts.
    pub async fn delivery(&self, caller: &Caller, id: WebhookDeliveryId) -> Result<DeliveryView, Refusal> {
        caller.require_no_limits()?;
        let delivery = self.catalog.delivery(caller.organization_id, id).await?;
        let delivery = delivery.ok_or(Refusal::NotFound(Resource::WebhookDelivery))?;
        let attempts = self.catalog.delivery_attempts(id).await?;
        Ok(DeliveryView { body: self.with_urls(&delivery.payload), delivery, attempts })
    }

    /// Like [`Self::delivery`], for a delivery to a given endpoint.
    pub async fn delivery_to(
        &self,
        caller: &Caller,
        webhook: WebhookId,
        id: WebhookDeliveryId,
    ) -> Result<DeliveryView, Refusal> {
        self.require_delivery_to(caller, webhook, id).await?;
        self.delivery(caller, id).await
    }

    /// Refuses a delivery that is not to the given endpoint.
    pub async fn require_delivery_to(
        &self,
        caller: &Caller,
        webhook: WebhookId,
        id: WebhookDeliveryId,
    ) -> Result<(), Refusal> {
        self.endpoint(caller, webhook).await?;
        let found = self.catalog.delivery(caller.organization_id, id).await?;
        let is_own = found.is_some_and(|delivery| delivery.webhook_id == webhook);
        if is_own { Ok(()) } else { Err(Refusal::NotFound(Resource::WebhookDelivery)) }
    }

    /// Sends an event again, whatever its result was, under the same id, so that a receiver can recognize an event that
    /// it already has.
    pub async fn replay(&self, caller: &Caller, id: WebhookDeliveryId) -> Result<(), Refusal> {
        caller.require_no_limits()?;
        let delivery = self.catalog.delivery(caller.organization_id, id).await?;
        let delivery = delivery.ok_or(Refusal::NotFound(Resource::WebhookDelivery))?;
        let tx = self.catalog.begin().await?;
        if let Some(webhook) = tx.webhook_to_change(delivery.webhook_id).await? {
            tx.update_webhook_health(webhook.id, webhook.health.resumed()).await?;
        }
        if !tx.replay_delivery(caller.organization_id, id, self.ambient.now()).await? {
            let message = "this delivery is being sent; try again in a few seconds".to_owned();
            return Err(Refusal::Conflict { code: ErrorCode::DeliveryRunning, message });
        }
        let title = delivery.event.as_str();
        let done = AuditedAction { action: AuditAction::WebhookReplay, subject_id: id.uuid(), title };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Sends all failed deliveries of an endpoint again. Returns their number.
    pub async fn replay_failed(&self, caller: &Caller, name: impl Into<WebhookName>) -> Result<u64, Refusal> {
        caller.require_no_limits()?;
        let tx = self.catalog.begin().await?;
        let webhook = to_change(&tx, caller, name).await?;
        tx.update_webhook_health(webhook.id, webhook.health.resumed()).await?;
        let count = tx.replay_failed(webhook.id, self.ambient.now()).await?;
        self.record_webhook(&tx, caller, AuditAction::WebhookReplay, &webhook).await?;
        tx.commit().await?;
        Ok(count)
    }
}
