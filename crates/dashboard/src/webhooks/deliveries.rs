//! One delivery: the request, the response and its duration.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use tonearm_domain::{DeliveryAttempt, DeliveryState, WebhookDeliveryId, is_plain_json};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::page::{Frame, Section, render};
use crate::path::PathId;
use crate::refusal_text::sentence;
use crate::session::{Member, Owner};
use crate::text::t;

use super::status::DeliveryStatus;

/// The most characters of a body that the page shows, to keep pages small.
const MOST_SHOWN: usize = 8_000;

#[derive(Template)]
#[template(path = "webhooks/delivery.html")]
struct DeliveryPage {
    frame: Frame,
    id: String,
    event: &'static str,
    status: DeliveryStatus,
    created_at: String,
    due_at: Option<String>,
    body: String,
    attempts: Vec<AttemptRow>,
    hidden_attempts: usize,
}

struct AttemptRow {
    number: u32,
    url: String,
    started_at: String,
    duration: String,
    status: Option<u16>,
    error: Option<String>,
    response: String,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(id): PathId<WebhookDeliveryId>,
) -> Result<Response, PageError> {
    let view = app.webhooks.delivery(&member.caller(), id).await?;
    let delivery = view.delivery;
    let mut attempts: Vec<_> = view.attempts.into_iter().map(AttemptRow::of).collect();
    attempts.reverse();
    let hidden_attempts = attempts.len().saturating_sub(8);
    attempts.truncate(8);
    Ok(render(&DeliveryPage {
        frame: member.frame(delivery.event.as_str(), Section::Webhooks),
        id: delivery.id.to_string(),
        event: delivery.event.as_str(),
        status: DeliveryStatus::of(&delivery),
        created_at: delivery.created_at.to_string(),
        due_at: delivery.due_at.filter(|_| delivery.state == DeliveryState::Pending).map(|at| at.to_string()),
        body: shortened(&pretty(&view.body)),
        attempts,
        hidden_attempts,
    }))
}

pub(super) async fn replay(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(id): PathId<WebhookDeliveryId>,
) -> Result<Response, PageError> {
    app.webhooks.replay(&member.caller(), id).await?;
    Ok(Flash::Replayed.then(&member.path(&format!("/webhooks/deliveries/{id}"))))
}

fn pretty(body: &str) -> String {
    if !is_plain_json(body) {
        return body.to_owned();
    }
    let value = serde_json::from_str::<serde_json::Value>(body);
    value.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_else(|_| body.to_owned())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}\n{}", &text[..end], t("webhooks-cut").with("count", text.len())),
        None => text.to_owned(),
    }
}

impl AttemptRow {
    fn of(attempt: DeliveryAttempt) -> Self {
        Self {
            number: attempt.number,
            url: attempt.url,
            started_at: attempt.started_at.to_string(),
            duration: format!("{} ms", attempt.duration_ms),
            status: attempt.status,
            error: attempt.error.as_deref().map(sentence),
            response: shortened(&attempt.response),
        }
    }
}
