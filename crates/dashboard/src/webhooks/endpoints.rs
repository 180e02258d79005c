//! The endpoints of an organization, and their recent deliveries.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use tonearm_domain::{DeliveryState, WebhookDelivery, WebhookDeliveryId, WebhookKind};
use tonearm_service::{DeliveryQuery, WebhookView};

use crate::app::Dashboard;
use crate::edited::Edited;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Choice, Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::paging::cut_to_page;
use crate::path::{PathId, Query};
use crate::session::{Member, Owner};
use crate::text::{Message, t};

use super::status::DeliveryStatus;

/// Rows of the list of deliveries.
const ROWS: usize = 25;

#[derive(Template)]
#[template(path = "webhooks/webhooks.html")]
struct WebhooksPage {
    frame: Frame,
    endpoints: Vec<EndpointCard>,
    secret: Option<Secret>,
    deliveries: Vec<DeliveryRow>,
    states: Vec<Choice>,
    is_first: bool,
    older: Option<String>,
    state: String,
}

struct EndpointCard {
    kind: &'static str,
    title: Message,
    explanation: Message,
    /// The URL as set, or as entered in the form.
    url: Edited<String>,
    /// The id of the webhook, if one is set.
    id: Option<String>,
    failures: u32,
    paused_until: Option<String>,
    old_secret_until: Option<String>,
    problems: Problems,
}

/// A secret on the one page that shows it.
struct Secret {
    title: Message,
    text: String,
}

struct DeliveryRow {
    id: String,
    event: &'static str,
    status: DeliveryStatus,
    attempts: u32,
    created_at: String,
    due_at: Option<String>,
}

#[derive(Deserialize, Default)]
pub(super) struct WebhooksQuery {
    #[serde(default)]
    state: String,
    #[serde(default)]
    before: String,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    Query(parameters): Query<WebhooksQuery>,
) -> Result<Response, PageError> {
    Ok(render(&WebhooksPage::of(&app, &member, parameters).await?))
}

pub(super) async fn set(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(kind): PathId<WebhookKind>,
    fields: Fields,
) -> Result<Response, PageError> {
    match app.webhooks.set(&member.caller(), kind, fields.text_change("url")).await {
        Ok(_) => Ok(Flash::Saved.then(&member.path("/webhooks"))),
        Err(refusal) => {
            let mut problems = Problems::of(refusal)?;
            let status = problems.status();
            let mut page = WebhooksPage::of(&app, &member, WebhooksQuery::default()).await?;
            if let Some(at) = page.endpoints.iter().position(|card| card.kind == kind.as_str()) {
                let card = page.endpoints.remove(at);
                let url = card.url.sent("url", &fields, &mut problems);
                page.endpoints.insert(at, EndpointCard { url, problems, ..card });
            }
            Ok(render_with(status, &page))
        }
    }
}

pub(super) async fn remove(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(kind): PathId<WebhookKind>,
) -> Result<Response, PageError> {
    app.webhooks.remove(&member.caller(), kind).await?;
    Ok(Flash::EndpointRemoved.then(&member.path("/webhooks")))
}

pub(super) async fn reveal(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(kind): PathId<WebhookKind>,
) -> Result<Response, PageError> {
    let text = app.webhooks.secret(&member.caller(), kind).await?;
    show(&app, &member, kind, text).await
}

pub(super) async fn rotate(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(kind): PathId<WebhookKind>,
) -> Result<Response, PageError> {
    let rotated = app.webhooks.rotate(&member.caller(), kind).await?;
    show(&app, &member, kind, rotated.secret).await
}

pub(super) async fn test(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(kind): PathId<WebhookKind>,
) -> Result<Response, PageError> {
    let id = app.webhooks.send_test(&member.caller(), kind).await?;
    Ok(Flash::TestSent.then(&member.path(&format!("/webhooks/deliveries/{id}"))))
}

pub(super) async fn replay_failed(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(kind): PathId<WebhookKind>,
) -> Result<Response, PageError> {
    app.webhooks.replay_failed(&member.caller(), kind).await?;
    Ok(Flash::Replayed.then(&member.path("/webhooks")))
}

async fn show(
    app: &Dashboard,
    member: &Member<Owner>,
    kind: WebhookKind,
    text: String,
) -> Result<Response, PageError> {
    let secret = Some(Secret { title: title_of_secret(kind), text });
    Ok(render(&WebhooksPage { secret, ..WebhooksPage::of(app, member, WebhooksQuery::default()).await? }))
}

fn title(kind: WebhookKind) -> Message {
    t(match kind {
        WebhookKind::Track => "webhooks-tracks",
        WebhookKind::File => "webhooks-files",
        WebhookKind::Collection => "webhooks-collections",
    })
}

fn title_of_secret(kind: WebhookKind) -> Message {
    t(match kind {
        WebhookKind::Track => "webhooks-secret-of-tracks",
        WebhookKind::File => "webhooks-secret-of-files",
        WebhookKind::Collection => "webhooks-secret-of-collections",
    })
}

fn explanation(kind: WebhookKind) -> Message {
    t(match kind {
        WebhookKind::Track => "webhooks-tracks-hint",
        WebhookKind::File => "webhooks-files-hint",
        WebhookKind::Collection => "webhooks-collections-hint",
    })
}

fn states(chosen: &str) -> Vec<Choice> {
    [
        ("", "webhooks-all"),
        ("pending", "webhooks-pending"),
        ("delivered", "webhooks-delivered"),
        ("failed", "webhooks-failed"),
    ]
    .map(|(state, title)| Choice::new(state, t(title).to_string(), state == chosen))
    .into()
}

impl WebhooksPage {
    async fn of(
        app: &Dashboard,
        member: &Member<Owner>,
        parameters: WebhooksQuery,
    ) -> Result<Self, PageError> {
        let caller = member.caller();
        let set = app.webhooks.endpoints(&caller).await?;
        let kinds = [WebhookKind::Track, WebhookKind::File, WebhookKind::Collection];
        let endpoints = kinds.map(|kind| EndpointCard::of(kind, set.iter().find(|view| view.kind == kind)));
        let query = DeliveryQuery { webhook: None, state: parameters.state.parse().ok() };
        let before = parameters.before.parse::<WebhookDeliveryId>().ok();
        let mut deliveries = app.webhooks.deliveries(&caller, query, before, ROWS as u64 + 1).await?;
        let older = cut_to_page(&mut deliveries, ROWS).map(|last| last.id.to_string());
        let state = query.state.map(DeliveryState::as_str).unwrap_or_default();
        Ok(Self {
            frame: member.frame(t("base-webhooks"), Section::Webhooks),
            endpoints: endpoints.into(),
            secret: None,
            deliveries: deliveries.into_iter().map(DeliveryRow::of).collect(),
            states: states(state),
            is_first: before.is_none(),
            older,
            state: state.to_owned(),
        })
    }
}

impl EndpointCard {
    fn of(kind: WebhookKind, view: Option<&WebhookView>) -> Self {
        let health = view.map(|view| view.health).unwrap_or_default();
        Self {
            kind: kind.as_str(),
            title: title(kind),
            explanation: explanation(kind),
            url: Edited::new(view.map(|view| view.url.clone())),
            id: view.map(|view| view.id.to_string()),
            failures: health.failures,
            paused_until: health.paused_until.map(|at| at.to_string()),
            old_secret_until: view.and_then(|view| view.old_secret_until).map(|at| at.to_string()),
            problems: Problems::default(),
        }
    }
}

impl DeliveryRow {
    fn of(delivery: WebhookDelivery) -> Self {
        Self {
            id: delivery.id.to_string(),
            event: delivery.event.as_str(),
            status: DeliveryStatus::of(&delivery),
            attempts: delivery.attempts,
            created_at: delivery.created_at.to_string(),
            due_at: delivery
                .due_at
                .filter(|_| delivery.state == DeliveryState::Pending)
                .map(|at| at.to_string()),
        }
    }
}
