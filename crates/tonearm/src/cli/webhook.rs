//! `tonearm webhook`

use std::time::Duration;

use clap::Subcommand;
use serde_json::{Value, json};
use tonearm_domain::{
    Ambient, DeliveryAttempt, DeliveryState, LimitOffset, OrganizationId, WebhookDelivery, WebhookDeliveryId,
    WebhookKind,
};
use tonearm_service::{Caller, DeliveryQuery, WebhookView, Webhooks};

use super::table::Table;
use super::{Failure, print};
use crate::{Config, Services};

/// How long `test` waits for a worker to send.
const TEST_PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Set the endpoint that receives events, and print its signing secret
    Set {
        #[command(flatten)]
        endpoint: Endpoint,
        /// URL of the endpoint, such as https://example.com/hook
        #[arg(long)]
        url: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show an organization's webhooks
    Show {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// Also print the signing secrets
        #[arg(long)]
        secrets: bool,
        /// Print JSON, one webhook per line
        #[arg(long)]
        json: bool,
    },
    /// Remove a webhook and its pending deliveries
    Remove(Endpoint),
    /// Send a test event and show the response; requires a running worker
    Test(Endpoint),
    /// Rotate the signing secret and print the new one; events are also signed with the old one for another day
    Rotate(Endpoint),
    /// List recent deliveries, newest first
    Deliveries {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// Only deliveries to this webhook: track, file or collection
        #[arg(long, value_name = "KIND")]
        kind: Option<WebhookKind>,
        /// Only deliveries in this state: pending, delivered or failed
        #[arg(long)]
        state: Option<DeliveryState>,
        /// Maximum number of deliveries
        #[arg(long, default_value_t = 50)]
        limit: i64,
        /// Print this delivery, with its payload and all attempts, as JSON
        #[arg(long, value_name = "ID")]
        delivery: Option<WebhookDeliveryId>,
        /// Print JSON, one delivery per line
        #[arg(long)]
        json: bool,
    },
    /// Send one delivery again, or all failed ones
    Replay {
        #[command(flatten)]
        endpoint: Endpoint,
        /// The delivery's id; without it, all failed deliveries to the webhook
        #[arg(long, value_name = "ID")]
        delivery: Option<WebhookDeliveryId>,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Endpoint {
    /// The organization's id
    #[arg(long)]
    org: OrganizationId,
    /// Kind of events: track, file or collection
    #[arg(long, default_value = "track")]
    kind: WebhookKind,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    let webhooks = &services.webhooks;
    match command {
        Command::Set { endpoint, url, json: as_json } => {
            let caller = services.owner(endpoint.org).await?;
            webhooks.set(&caller, endpoint.kind, url.as_str().into()).await?;
            let secret = webhooks.secret(&caller, endpoint.kind).await?;
            if as_json {
                print::json(&json!({"kind": endpoint.kind, "url": url, "secret": secret}));
            } else {
                print::outln!("{} events are sent to {url}\nsecret  {secret}", endpoint.kind.as_str());
            }
        }
        Command::Show { org, secrets, json } => {
            show(webhooks, &services.owner(org).await?, secrets, json).await?;
        }
        Command::Remove(endpoint) => {
            webhooks.remove(&services.owner(endpoint.org).await?, endpoint.kind).await?;
        }
        Command::Test(endpoint) => {
            test(webhooks, &services.owner(endpoint.org).await?, endpoint.kind).await?
        }
        Command::Rotate(endpoint) => {
            let caller = services.owner(endpoint.org).await?;
            print::outln!("{}", webhooks.rotate(&caller, endpoint.kind).await?.secret);
        }
        Command::Deliveries { org, delivery: Some(id), .. } => {
            let view = webhooks.delivery(&services.owner(org).await?, id).await?;
            let mut line = delivery_json(&view.delivery);
            line["payload"] = serde_json::from_str(&view.body).unwrap_or(Value::Null);
            line["attempts"] = view.attempts.iter().map(attempt_json).collect();
            print::json(&line);
        }
        Command::Deliveries { org, kind, state, limit, delivery: None, json } => {
            let page =
                LimitOffset::new(Some(limit), None).map_err(|error| Failure::Usage(error.to_string()))?;
            let query = DeliveryQuery { webhook: kind.map(Into::into), state };
            let caller = services.owner(org).await?;
            let deliveries = webhooks.deliveries(&caller, query, None, page.limit()).await?;
            DELIVERIES.list(&deliveries, json, delivery_json, delivery_row);
        }
        Command::Replay { endpoint, delivery } => {
            let caller = services.owner(endpoint.org).await?;
            match delivery {
                Some(id) => webhooks.replay(&caller, id).await?,
                None => {
                    let count = webhooks.replay_failed(&caller, endpoint.kind).await?;
                    print::outln!("queued {count} deliveries");
                }
            }
        }
    }
    Ok(())
}

async fn show(webhooks: &Webhooks, caller: &Caller, secrets: bool, as_json: bool) -> Result<(), Failure> {
    let mut found = Vec::new();
    for webhook in webhooks.endpoints(caller).await? {
        let secret = if secrets { Some(webhooks.secret(caller, webhook.kind).await?) } else { None };
        found.push((webhook, secret));
    }
    let table = Table {
        columns: ["KIND", "HEALTH", "URL", if secrets { "SECRET" } else { "" }],
        empty: "There are no webhooks.",
    };
    table.list(&found, as_json, webhook_json, |(webhook, secret)| {
        let (kind, secret) = (webhook.kind.as_str().to_owned(), secret.clone().unwrap_or_default());
        [kind, health(webhook), webhook.url.clone(), secret]
    });
    Ok(())
}

fn webhook_json((webhook, secret): &(WebhookView, Option<String>)) -> Value {
    json!({
        "webhook_id": webhook.id,
        "kind": webhook.kind,
        "url": webhook.url,
        "secret": secret,
        "failures": webhook.health.failures,
        "paused_until": webhook.health.paused_until,
        "old_secret_until": webhook.old_secret_until,
        "created_at": webhook.created_at,
    })
}

fn health(webhook: &WebhookView) -> String {
    match (webhook.health.failures, webhook.health.paused_until) {
        (0, _) => "ok".to_owned(),
        (failures, None) => format!("{failures} consecutive failures"),
        (failures, Some(until)) => format!("{failures} consecutive failures, paused until {until}"),
    }
}

async fn test(webhooks: &Webhooks, caller: &Caller, kind: WebhookKind) -> Result<(), Failure> {
    let id = webhooks.send_test(caller, kind).await?;
    let begun = std::time::Instant::now();
    while begun.elapsed() < TEST_PATIENCE {
        let attempts = webhooks.delivery(caller, id).await?.attempts;
        let Some(attempt) = attempts.first() else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        print::outln!("{} after {} ms", attempt.url, attempt.duration_ms);
        return match (&attempt.error, attempt.status) {
            (None, status) => {
                print::outln!("delivered: the endpoint responded with {}", status.unwrap_or_default());
                Ok(())
            }
            (Some(error), _) => Err(Failure::Failed(format!("not delivered: {error}"))),
        };
    }
    Err(Failure::Failed("nothing was sent: no worker is running, or all workers are busy".to_owned()))
}

const DELIVERIES: Table<5> = Table {
    columns: ["DELIVERY", "CREATED", "EVENT", "STATE", "ATTEMPTS"],
    empty: "There are no deliveries.",
};

fn delivery_row(delivery: &WebhookDelivery) -> [String; 5] {
    [
        delivery.id.to_string(),
        delivery.created_at.to_string(),
        delivery.event.as_str().to_owned(),
        delivery.state.as_str().to_owned(),
        delivery.attempts.to_string(),
    ]
}

/// A delivery with the same fields as in the API.
fn delivery_json(delivery: &WebhookDelivery) -> Value {
    json!({
        "id": delivery.id,
        "webhook_id": delivery.webhook_id,
        "event": delivery.event,
        "subject_id": delivery.subject_id,
        "state": delivery.state.as_str(),
        "attempt_count": delivery.attempts,
        "due_at": delivery.due_at.filter(|_| delivery.state == DeliveryState::Pending),
        "created_at": delivery.created_at,
        "finished_at": delivery.finished_at,
    })
}

fn attempt_json(attempt: &DeliveryAttempt) -> Value {
    json!({
        "number": attempt.number,
        "url": attempt.url,
        "started_at": attempt.started_at,
        "duration_ms": attempt.duration_ms,
        "status": attempt.status,
        "response": attempt.response,
        "error": attempt.error,
    })
}
