//! The requests that the service sends to webhooks: the section `webhooks` of the document.

use serde_json::{Value, json};
use tonearm_domain::EventKind;
use utoipa::ToSchema;

use super::events::{CollectionEvent, TestEvent, TrackFileEvent, TrackStatusChanged};

/// One request for each event, by the name of the event.
pub(super) fn webhooks() -> Value {
    EventKind::ALL.into_iter().map(|event| (event.as_str(), json!({ "post": request(event) }))).collect()
}

fn request(event: EventKind) -> Value {
    let (schema, summary) = match event {
        EventKind::TrackStatusChanged => (
            TrackStatusChanged::name(),
            "A track became `ready`, `incomplete`, `error` or `init_error`, its source was replaced, or it got a file later.",
        ),
        EventKind::TrackFileCreated => (TrackFileEvent::name(), "A file of a track was made."),
        EventKind::TrackFileFailed => (TrackFileEvent::name(), "A file of a track could not be made."),
        EventKind::CollectionCreated => {
            (CollectionEvent::name(), "A collection was created, or a deleted one was restored.")
        }
        EventKind::CollectionUpdated => (CollectionEvent::name(), "A collection was updated."),
        EventKind::CollectionDeleted => (CollectionEvent::name(), "A collection was deleted."),
        EventKind::WebhookTest => (TestEvent::name(), "A test event; nothing changed."),
    };
    let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
    json!({
        "tags": ["Webhooks"],
        "summary": summary,
        "parameters": headers(event),
        "requestBody": { "required": true, "content": { "application/json": { "schema": schema } } },
        "responses": {
            "2XX": { "description": "Respond within 15 seconds." },
            "default": { "description": "After any other response, the event is sent again later." },
        },
        "security": [],
    })
}

/// The headers that a receiver needs to verify a request: those of Standard Webhooks, and the event.
fn headers(event: EventKind) -> Value {
    json!([
        header("X-ADN-Event", "The event.", &json!({ "type": "string", "enum": [event.as_str()] })),
        header("webhook-id", "The same in every attempt and replay.", &json!({ "type": "string" })),
        header(
            "webhook-timestamp",
            "The time of this attempt, in seconds since 1970.",
            &json!({ "type": "string", "pattern": "^[0-9]+$" }),
        ),
        header(
            "webhook-signature",
            "`v1,` and base64 for each secret in use, separated by spaces.",
            &json!({ "type": "string" }),
        ),
    ])
}

fn header(name: &str, description: &str, schema: &Value) -> Value {
    json!({
        "name": name,
        "in": "header",
        "required": true,
        "description": description,
        "schema": schema,
    })
}
