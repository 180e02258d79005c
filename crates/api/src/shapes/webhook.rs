//! Webhooks and what is sent to them.

use serde::Serialize;
use serde_json::Value;
use tonearm_domain::{
    DeliveryAttempt, DeliveryState, EventKind, OrganizationId, Timestamp, WebhookDelivery, WebhookDeliveryId,
    WebhookId, WebhookKind,
};
use tonearm_service::{DeliveryView, WebhookView};
use utoipa::ToSchema;
use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, Schema, Type};
use uuid::Uuid;

/// Maximum number of attempts in the record of a delivery, each with up to 64 KiB of a response.
const MOST_ATTEMPTS: usize = 10;

/// The record of a webhook, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookRecord {
    id: WebhookId,
    organization_id: OrganizationId,
    kind: WebhookKind,
    /// The events that are sent to it, which follow from its kind.
    events: Vec<EventKind>,
    url: String,
    /// Failed attempts in a row.
    failures: u32,
    /// Until when nothing is sent to it, because it kept failing; null if it is not paused.
    paused_until: Option<Timestamp>,
    /// Until when the previous secret also signs; null if it no longer does.
    old_secret_until: Option<Timestamp>,
    /// When events are no longer sent to it: when the API key that created it, or last changed its URL, expires. Null if
    /// never.
    expires_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<WebhookView> for WebhookRecord {
    fn from(webhook: WebhookView) -> Self {
        Self {
            id: webhook.id,
            organization_id: webhook.organization_id,
            kind: webhook.kind,
            events: webhook.kind.events().to_vec(),
            url: webhook.url,
            failures: webhook.health.failures,
            paused_until: webhook.health.paused_until,
            old_secret_until: webhook.old_secret_until,
            expires_at: webhook.expires_at,
            created_at: webhook.created_at,
        }
    }
}

/// The record of a delivery: one event on its way to one webhook.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryRecord {
    /// Prefixed with `msg_`, it is the header `webhook-id` of every attempt.
    id: WebhookDeliveryId,
    webhook_id: WebhookId,
    event: EventKind,
    /// The track, file or collection that the event is about; of a test, the webhook.
    #[schema(value_type = String, format = "uuid")]
    subject_id: Uuid,
    state: DeliveryState,
    /// Number of attempts so far.
    attempt_count: u32,
    /// Time of the next attempt; null if there is none.
    due_at: Option<Timestamp>,
    created_at: Timestamp,
    /// When it was delivered or failed; null while it is pending.
    finished_at: Option<Timestamp>,
}

impl From<&WebhookDelivery> for DeliveryRecord {
    fn from(delivery: &WebhookDelivery) -> Self {
        Self {
            id: delivery.id,
            webhook_id: delivery.webhook_id,
            event: delivery.event,
            subject_id: delivery.subject_id,
            state: delivery.state,
            attempt_count: delivery.attempts,
            due_at: delivery.due_at.filter(|_| delivery.state == DeliveryState::Pending),
            created_at: delivery.created_at,
            finished_at: delivery.finished_at,
        }
    }
}

/// A delivery with what is sent and what came back.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FullDelivery {
    #[serde(flatten)]
    record: DeliveryRecord,
    /// The body of the request, its files with URLs that are valid now.
    #[schema(schema_with = any_object)]
    payload: Value,
    /// The last ten attempts, the latest first.
    attempts: Vec<AttemptRecord>,
}

/// One attempt to deliver an event.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AttemptRecord {
    /// From 1.
    number: u32,
    /// Where it was sent.
    url: String,
    started_at: Timestamp,
    duration_ms: u32,
    /// The status of the response; null if there was none.
    status: Option<u16>,
    /// The first 64 KiB of the response, as text.
    response: String,
    /// A human-readable reason for the failure; null if it succeeded.
    error: Option<String>,
}

impl From<DeliveryAttempt> for AttemptRecord {
    fn from(attempt: DeliveryAttempt) -> Self {
        Self {
            number: attempt.number,
            url: attempt.url,
            started_at: attempt.started_at,
            duration_ms: attempt.duration_ms,
            status: attempt.status,
            response: attempt.response,
            error: attempt.error,
        }
    }
}

impl From<DeliveryView> for FullDelivery {
    fn from(view: DeliveryView) -> Self {
        Self {
            record: DeliveryRecord::from(&view.delivery),
            // Written by the service itself, as JSON.
            payload: serde_json::from_str(&view.body).unwrap_or_default(),
            attempts: view.attempts.into_iter().rev().take(MOST_ATTEMPTS).map(Into::into).collect(),
        }
    }
}

/// An object whose fields are described elsewhere.
fn any_object() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .build()
}
