//! `PUT /v1/webhook/{webhook_id}`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{Text, WebhookId};
use tonearm_service::Webhooks;
use utoipa::ToSchema;

use super::read::WebhookResponse;
use crate::error::ApiError;
use crate::extract::{Body, ManageKey, PathId, required};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// The URL of a webhook. The use case checks whether events may be sent to it.
pub(crate) type WebhookUrl = Text<2000>;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = webhook::update::Fields)]
pub(crate) struct UpdateWebhookBody {
    /// An http or https URL with a public address.
    #[schema(required, value_type = String, format = "uri", min_length = 1, max_length = 2000)]
    url: Option<WebhookUrl>,
}

/// Changes the URL of a webhook, also for events that are already queued.
///
/// The webhook keeps its kind and its secret, and is no longer paused.
#[utoipa::path(
    put,
    path = "/webhook/{webhook_id}",
    tag = "Webhooks",
    operation_id = "update_webhook",
    params(("webhook_id" = WebhookId, Path)),
    request_body(content = UpdateWebhookBody, example = json!({ "url": "https://example.com/new-hook" })),
    responses((status = 200, body = Answer<WebhookResponse>, description = "The updated webhook.")),
    security(("api_key" = [])),
)]
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(webhook_id): PathId<WebhookId>,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
    Body(body): Body<UpdateWebhookBody>,
) -> Result<Answer<WebhookResponse>, ApiError> {
    let url = required("url", body.url)?;
    let webhook = webhooks.move_to(&caller, webhook_id, url.as_str()).await?.into();
    Ok(Answer::traced(request, WebhookResponse { webhook_id, webhook }))
}
