//! The endpoints of an organization: at most one of each kind.

use tonearm_catalog::{CatalogError, EventRecord, Record, Transaction};
use tonearm_domain::{
    AuditAction, EndpointHealth, EventKind, OrganizationId, Patch, Timestamp, Webhook, WebhookDelivery,
    WebhookDeliveryId, WebhookId, WebhookKind,
};
use tonearm_outbound::shown_host;

use super::Webhooks;
use super::payload::{self, Moment};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// The longest URL of an endpoint, in characters.
const MOST_URL_CHARACTERS: usize = 2000;

/// An endpoint for people to see, without its secret.
#[derive(Debug, Clone)]
pub struct WebhookView {
    /// Its id.
    pub id: WebhookId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The kind of events that it receives.
    pub kind: WebhookKind,
    /// The URL to which events are sent.
    pub url: String,
    /// Its recent health.
    pub health: EndpointHealth,
    /// Until when events are also signed with previous secrets.
    pub old_secret_until: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When events are no longer sent to it, if ever.
    pub expires_at: Option<Timestamp>,
}

impl WebhookView {
    fn new(webhook: Webhook, now: Timestamp) -> Self {
        let until = webhook.rotated_at.map(|at| at.plus_seconds(tonearm_domain::OLD_SECRET_SECONDS));
        Self {
            id: webhook.id,
            organization_id: webhook.organization_id,
            kind: webhook.kind,
            old_secret_until: until.filter(|until| webhook.old_secrets.is_some() && now < *until),
            url: webhook.url,
            health: webhook.health,
            created_at: webhook.created_at,
            expires_at: webhook.expires_at,
        }
    }
}

/// An endpoint with its secret as its receiver is configured with it, `whsec_…`.
#[derive(Clone)]
pub struct WebhookWithSecret {
    /// The endpoint.
    pub webhook: WebhookView,
    /// The secret.
    pub secret: String,
}

impl std::fmt::Debug for WebhookWithSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WebhookWithSecret({})", self.webhook.id)
    }
}

/// Identifies an endpoint of an organization. There is at most one of each kind, so the kind identifies it as well as
/// the id.
#[derive(Debug, Clone, Copy)]
pub enum WebhookName {
    /// The one with this id.
    Id(WebhookId),
    /// The one of this kind.
    Kind(WebhookKind),
}

impl From<WebhookId> for WebhookName {
    fn from(id: WebhookId) -> Self {
        Self::Id(id)
    }
}

impl From<WebhookKind> for WebhookName {
    fn from(kind: WebhookKind) -> Self {
        Self::Kind(kind)
    }
}

impl WebhookName {
    /// Whether this identifies the given endpoint, among those of the organization.
    pub(super) fn means(self, webhook: &Webhook) -> bool {
        match self {
            Self::Id(id) => webhook.id == id,
            Self::Kind(kind) => webhook.kind == kind,
        }
    }
}

pub(crate) fn vault_context(id: WebhookId) -> String {
    format!("webhook/{id}")
}

/// One of the caller's endpoints, locked for a change.
pub(super) async fn to_change(
    tx: &Transaction,
    caller: &Caller,
    name: impl Into<WebhookName>,
) -> Result<Webhook, Refusal> {
    let found = match name.into() {
        WebhookName::Id(id) => tx.webhook_to_change(id).await?,
        WebhookName::Kind(kind) => tx.webhook_of_kind_to_change(caller.organization_id, kind).await?,
    };
    own(caller, found)
}

fn own(caller: &Caller, found: Option<Webhook>) -> Result<Webhook, Refusal> {
    let own = found.filter(|webhook| webhook.organization_id == caller.organization_id);
    own.ok_or(Refusal::NotFound(Resource::Webhook))
}

async fn to_remove(tx: &Transaction, caller: &Caller, name: WebhookName) -> Result<Webhook, Refusal> {
    let found = match name {
        WebhookName::Id(id) => tx.webhook_to_end(caller.organization_id, id).await?,
        WebhookName::Kind(kind) => tx.webhook_of_kind_to_end(caller.organization_id, kind).await?,
    };
    own(caller, found)
}

impl Webhooks {
    /// The organization's endpoints.
    pub async fn endpoints(&self, caller: &Caller) -> Result<Vec<WebhookView>, Refusal> {
        caller.require_no_limits()?;
        let (webhooks, now) = (self.catalog.webhooks(caller.organization_id).await?, self.ambient.now());
        Ok(webhooks.into_iter().map(|webhook| WebhookView::new(webhook, now)).collect())
    }

    /// One of the organization's endpoints.
    pub async fn endpoint(&self, caller: &Caller, id: WebhookId) -> Result<WebhookView, Refusal> {
        let found = self.endpoints(caller).await?.into_iter().find(|webhook| webhook.id == id);
        found.ok_or(Refusal::NotFound(Resource::Webhook))
    }

    /// Sets the URL for events of a kind. It also applies to pending deliveries. A new endpoint gets a secret; an
    /// endpoint that only changes its URL keeps its secret.
    pub async fn set(
        &self,
        caller: &Caller,
        kind: WebhookKind,
        url: Patch<String>,
    ) -> Result<WebhookView, Refusal> {
        caller.require_no_limits()?;
        let tx = self.catalog.begin().await?;
        let existing = tx.webhook_of_kind_to_change(caller.organization_id, kind).await?;
        let mut set = existing.as_ref().map(|webhook| webhook.url.clone());
        url.apply(&mut set)?;
        let set = set.unwrap_or_default();
        let url = self.checked(&set)?;
        let webhook = match existing {
            Some(webhook) => moved(&tx, caller, webhook, url).await?,
            None => self.new_endpoint(&tx, caller, kind, url).await?,
        };
        self.put(tx, caller, webhook).await
    }

    /// Adds the endpoint of a kind. Refused if there already is one.
    pub async fn add(
        &self,
        caller: &Caller,
        kind: WebhookKind,
        url: &str,
    ) -> Result<WebhookWithSecret, Refusal> {
        caller.require_no_limits()?;
        let url = self.checked(url)?;
        let tx = self.catalog.begin().await?;
        if tx.webhook(caller.organization_id, kind).await?.is_some() {
            return Err(CatalogError::Taken(Record::Webhook).into());
        }
        let webhook = self.new_endpoint(&tx, caller, kind, url).await?;
        let secret = self.open_secret(&webhook, &webhook.secret)?.reveal();
        Ok(WebhookWithSecret { webhook: self.put(tx, caller, webhook).await?, secret })
    }

    /// Changes the URL of an endpoint. It also applies to pending deliveries.
    pub async fn move_to(&self, caller: &Caller, id: WebhookId, url: &str) -> Result<WebhookView, Refusal> {
        caller.require_no_limits()?;
        let url = self.checked(url)?;
        let tx = self.catalog.begin().await?;
        let webhook = to_change(&tx, caller, id).await?;
        let webhook = moved(&tx, caller, webhook, url).await?;
        self.put(tx, caller, webhook).await
    }

    /// Checks that events may be sent to a URL.
    fn checked<'a>(&self, url: &'a str) -> Result<&'a str, Refusal> {
        let url = url.trim();
        if url.chars().count() > MOST_URL_CHARACTERS {
            return Err(Refusal::invalid("url", "must have at most 2000 characters"));
        }
        self.outbound.check_url(url).map_err(|error| Refusal::invalid("url", error.to_string()))?;
        Ok(url)
    }

    async fn put(&self, tx: Transaction, caller: &Caller, webhook: Webhook) -> Result<WebhookView, Refusal> {
        tx.put_webhook(&webhook).await?;
        self.record_webhook(&tx, caller, AuditAction::WebhookSet, &webhook).await?;
        tx.commit().await?;
        Ok(WebhookView::new(webhook, self.ambient.now()))
    }

    /// An endpoint that ends with the API key that makes it.
    async fn new_endpoint(
        &self,
        tx: &Transaction,
        caller: &Caller,
        kind: WebhookKind,
        url: &str,
    ) -> Result<Webhook, Refusal> {
        let id = self.ambient.record_id();
        Ok(Webhook {
            id,
            organization_id: caller.organization_id,
            kind,
            url: url.to_owned(),
            secret: self.new_secret(id),
            old_secrets: None,
            rotated_at: None,
            health: EndpointHealth::default(),
            created_at: self.ambient.now(),
            expires_at: caller.latest_end(tx).await?.of_new(None)?,
            made_by: caller.origin.actor.api_key_id(),
        })
    }

    /// A new secret, sealed.
    fn new_secret(&self, id: WebhookId) -> Vec<u8> {
        self.vault.seal(&vault_context(id), self.ambient.random(), &self.ambient.random::<32>())
    }

    /// Removes an endpoint with its deliveries, and returns it as it was.
    pub async fn remove(
        &self,
        caller: &Caller,
        name: impl Into<WebhookName>,
    ) -> Result<WebhookView, Refusal> {
        caller.require_no_limits()?;
        let name = name.into();
        let webhook = to_remove(&self.catalog.begin().await?, caller, name).await?;
        self.catalog.delete_deliveries_to(webhook.id).await?;
        let tx = self.catalog.begin().await?;
        let webhook = to_remove(&tx, caller, name).await?;
        tx.delete_webhook(&webhook).await?;
        self.record_webhook(&tx, caller, AuditAction::WebhookRemove, &webhook).await?;
        tx.commit().await?;
        Ok(WebhookView::new(webhook, self.ambient.now()))
    }

    /// The secret with which the receiver is configured, `whsec_…`.
    pub async fn secret(&self, caller: &Caller, kind: WebhookKind) -> Result<String, Refusal> {
        caller.require_no_limits()?;
        let tx = self.catalog.begin().await?;
        let webhook = to_change(&tx, caller, kind).await?;
        let secret = self.open_secret(&webhook, &webhook.secret)?;
        self.record_webhook(&tx, caller, AuditAction::WebhookReveal, &webhook).await?;
        tx.commit().await?;
        Ok(secret.reveal())
    }

    /// Gives an endpoint a new secret. For a day, events are also signed with the one that it replaces, so that receivers
    /// can switch.
    pub async fn rotate(
        &self,
        caller: &Caller,
        name: impl Into<WebhookName>,
    ) -> Result<WebhookWithSecret, Refusal> {
        caller.require_no_limits()?;
        let tx = self.catalog.begin().await?;
        let webhook = to_change(&tx, caller, name).await?;
        caller.latest_end(&tx).await?.require(webhook.expires_at)?;
        let now = self.ambient.now();
        let webhook = Webhook {
            old_secrets: self.with_replaced(&webhook, now),
            secret: self.new_secret(webhook.id),
            rotated_at: Some(now),
            ..webhook
        };
        tx.put_webhook(&webhook).await?;
        self.record_webhook(&tx, caller, AuditAction::WebhookRotate, &webhook).await?;
        tx.commit().await?;
        let secret = self.open_secret(&webhook, &webhook.secret)?.reveal();
        Ok(WebhookWithSecret { webhook: WebhookView::new(webhook, self.ambient.now()), secret })
    }

    /// Sends a test event to check whether an endpoint works: at once, even if it is paused.
    pub async fn send_test(
        &self,
        caller: &Caller,
        name: impl Into<WebhookName>,
    ) -> Result<WebhookDeliveryId, Refusal> {
        caller.require_no_limits()?;
        let tx = self.catalog.begin().await?;
        let webhook = to_change(&tx, caller, name).await?;
        let now = self.ambient.now();
        let version = tx.next_event_version(EventRecord::Webhook(webhook.id), now).await?;
        let text = payload::test(Moment { occurred_at: now, version }, &webhook);
        let text = text.map_err(|error| Refusal::Internal(error.into()))?;
        let (id, subject) = (self.ambient.record_id(), webhook.id.uuid());
        let delivery = WebhookDelivery::new(id, &webhook, EventKind::WebhookTest, subject, None, text, now);
        tx.queue_delivery(&delivery).await?;
        tx.update_webhook_health(webhook.id, webhook.health.resumed()).await?;
        self.record_webhook(&tx, caller, AuditAction::WebhookTest, &webhook).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Records an action in the audit log, with the host alone: the rest of a URL may be a secret.
    pub(super) async fn record_webhook(
        &self,
        tx: &Transaction,
        caller: &Caller,
        action: AuditAction,
        webhook: &Webhook,
    ) -> Result<(), CatalogError> {
        let done = AuditedAction { action, subject_id: webhook.id.uuid(), title: &shown_host(&webhook.url) };
        audit::record(tx, &self.ambient, caller, done).await
    }
}

/// An endpoint with another URL. Attempts resume there. From now on it is the caller's: it ends with the API key that
/// moves it, and a person who moves it makes it last.
async fn moved(tx: &Transaction, caller: &Caller, webhook: Webhook, url: &str) -> Result<Webhook, Refusal> {
    let latest = caller.latest_end(tx).await?;
    latest.require(webhook.expires_at)?;
    Ok(Webhook {
        url: url.to_owned(),
        health: webhook.health.resumed(),
        expires_at: latest.of_new(None)?,
        made_by: caller.origin.actor.api_key_id(),
        ..webhook
    })
}
