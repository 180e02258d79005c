//! The endpoints of an organization: at most one of each kind.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    AuditAction, EndpointHealth, EventKind, Timestamp, Webhook, WebhookDelivery, WebhookDeliveryId,
    WebhookId, WebhookKind,
};
use tonearm_outbound::WebhookSecret;

use super::{Webhooks, payload};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// Longest address of an endpoint.
const MOST_URL_CHARACTERS: usize = 2000;

/// An endpoint for people to see, without its secret.
#[derive(Debug, Clone)]
pub struct WebhookView {
    /// Its id.
    pub id: WebhookId,
    /// What it hears of.
    pub kind: WebhookKind,
    /// Where events go.
    pub url: String,
    /// How it has been lately.
    pub health: EndpointHealth,
    /// Until when the secret before still signs too.
    pub old_secret_until: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl WebhookView {
    fn new(webhook: Webhook, now: Timestamp) -> Self {
        let until = webhook.rotated_at.map(|at| at.plus_seconds(tonearm_domain::OLD_SECRET_SECONDS));
        Self {
            id: webhook.id,
            kind: webhook.kind,
            old_secret_until: until.filter(|until| webhook.old_secret.is_some() && now < *until),
            url: webhook.url,
            health: webhook.health,
            created_at: webhook.created_at,
        }
    }
}

pub(crate) fn vault_place(id: WebhookId) -> String {
    format!("webhook/{id}")
}

/// The caller's endpoint of a kind, locked for a change.
async fn to_change(tx: &Transaction, caller: &Caller, kind: WebhookKind) -> Result<Webhook, Refusal> {
    let found = tx.webhook_of_kind_to_change(caller.organization_id, kind).await?;
    found.ok_or(Refusal::NotFound(Resource::Webhook))
}

impl Webhooks {
    /// The organization's endpoints.
    pub async fn endpoints(&self, caller: &Caller) -> Result<Vec<WebhookView>, Refusal> {
        caller.require_whole_organization()?;
        let (webhooks, now) = (self.catalog.webhooks(caller.organization_id).await?, self.ambient.now());
        Ok(webhooks.into_iter().map(|webhook| WebhookView::new(webhook, now)).collect())
    }

    /// Says where events of a kind go from now on, also what is on its way already. A new endpoint gets a secret;
    /// one that only moves keeps its own.
    pub async fn set(&self, caller: &Caller, kind: WebhookKind, url: &str) -> Result<WebhookView, Refusal> {
        caller.require_whole_organization()?;
        let url = url.trim();
        if url.chars().count() > MOST_URL_CHARACTERS {
            return Err(Refusal::invalid("url", "must have at most 2000 characters"));
        }
        self.outbound.check_url(url).map_err(|error| Refusal::invalid("url", error.to_string()))?;
        let tx = self.catalog.begin().await?;
        let webhook = match tx.webhook_of_kind_to_change(caller.organization_id, kind).await? {
            Some(webhook) => Webhook { url: url.to_owned(), health: webhook.health.resumed(), ..webhook },
            None => self.new_endpoint(caller, kind, url),
        };
        tx.put_webhook(&webhook).await?;
        let done =
            AuditedAction { action: AuditAction::WebhookSet, subject_id: webhook.id.uuid(), title: url };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(WebhookView::new(webhook, self.ambient.now()))
    }

    fn new_endpoint(&self, caller: &Caller, kind: WebhookKind, url: &str) -> Webhook {
        let id = self.ambient.record_id();
        Webhook {
            id,
            organization_id: caller.organization_id,
            kind,
            url: url.to_owned(),
            secret: self.new_secret(id),
            old_secret: None,
            rotated_at: None,
            health: EndpointHealth::default(),
            created_at: self.ambient.now(),
        }
    }

    /// A fresh secret, sealed.
    fn new_secret(&self, id: WebhookId) -> Vec<u8> {
        self.vault.seal(&vault_place(id), self.ambient.random(), &self.ambient.random::<32>())
    }

    /// Removes an endpoint with all that is on its way to it.
    pub async fn remove(&self, caller: &Caller, kind: WebhookKind) -> Result<(), Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let webhook = to_change(&tx, caller, kind).await?;
        tx.delete_webhook(&webhook).await?;
        let done = AuditedAction {
            action: AuditAction::WebhookRemove,
            subject_id: webhook.id.uuid(),
            title: &webhook.url,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(())
    }

    /// The text that the receiver is configured with, `whsec_…`.
    pub async fn secret(&self, caller: &Caller, kind: WebhookKind) -> Result<String, Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let webhook = to_change(&tx, caller, kind).await?;
        let secret = self.open_secret(webhook.id, &webhook.secret)?;
        let done = AuditedAction {
            action: AuditAction::WebhookReveal,
            subject_id: webhook.id.uuid(),
            title: &webhook.url,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(secret.reveal())
    }

    pub(super) fn open_secret(&self, id: WebhookId, sealed: &[u8]) -> Result<WebhookSecret, Refusal> {
        let opened = self.vault.open(&vault_place(id), sealed).and_then(|bytes| bytes.try_into().ok());
        opened.map(WebhookSecret::from_bytes).ok_or(Refusal::Unprocessable {
            code: "secret_sealed",
            message: "the webhook's secret cannot be decrypted, as its master secret is gone; rotate it",
        })
    }

    /// Gives an endpoint a new secret; the one before signs too for a day, so that receivers can change over.
    pub async fn rotate(&self, caller: &Caller, kind: WebhookKind) -> Result<String, Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let webhook = to_change(&tx, caller, kind).await?;
        let webhook = Webhook {
            secret: self.new_secret(webhook.id),
            old_secret: Some(webhook.secret),
            rotated_at: Some(self.ambient.now()),
            ..webhook
        };
        tx.put_webhook(&webhook).await?;
        let done = AuditedAction {
            action: AuditAction::WebhookRotate,
            subject_id: webhook.id.uuid(),
            title: &webhook.url,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(self.open_secret(webhook.id, &webhook.secret)?.reveal())
    }

    /// Sends an event about nothing, to see whether an endpoint works; at once, even if it is paused.
    pub async fn send_test(&self, caller: &Caller, kind: WebhookKind) -> Result<WebhookDeliveryId, Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let webhook = to_change(&tx, caller, kind).await?;
        let now = self.ambient.now();
        let text = payload::test(&webhook, now).map_err(|error| Refusal::Internal(error.into()))?;
        let (id, subject) = (self.ambient.record_id(), webhook.id.uuid());
        let delivery = WebhookDelivery::new(id, &webhook, EventKind::WebhookTest, subject, text, now);
        tx.queue_delivery(&delivery).await?;
        tx.update_webhook_health(webhook.id, webhook.health.resumed()).await?;
        let done =
            AuditedAction { action: AuditAction::WebhookTest, subject_id: subject, title: &webhook.url };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(id)
    }
}
