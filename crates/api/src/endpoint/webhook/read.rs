//! `GET /v1/webhook/{webhook_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::WebhookId;
use tonearm_service::Webhooks;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, WebhookRecord};

/// The response to reading and updating a webhook.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = webhook::read::Found)]
pub(crate) struct WebhookResponse {
    pub(super) webhook_id: WebhookId,
    pub(super) webhook: WebhookRecord,
}

/// Returns a webhook, without its secret.
#[utoipa::path(
    get,
    path = "/webhook/{webhook_id}",
    tag = "Webhooks",
    operation_id = "read_webhook",
    params(("webhook_id" = WebhookId, Path)),
    responses((status = 200, body = Answer<WebhookResponse>, description = "The webhook.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(webhook_id): PathId<WebhookId>,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
) -> Result<Answer<WebhookResponse>, ApiError> {
    let webhook = webhooks.endpoint(&caller, webhook_id).await?.into();
    Ok(Answer::traced(request, WebhookResponse { webhook_id, webhook }))
}
