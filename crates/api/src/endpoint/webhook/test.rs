//! `POST /v1/webhook/{webhook_id}/test`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{WebhookDeliveryId, WebhookId};
use tonearm_service::Webhooks;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// The response to queueing a delivery.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = webhook::test::Queued)]
pub(crate) struct Queued {
    pub(super) webhook_id: WebhookId,
    pub(super) delivery_id: WebhookDeliveryId,
}

/// Sends the event `webhook.test` to a webhook immediately, even if it is paused.
#[utoipa::path(
    post,
    path = "/webhook/{webhook_id}/test",
    tag = "Webhooks",
    operation_id = "test_webhook",
    params(("webhook_id" = WebhookId, Path)),
    responses((status = 200, body = Answer<Queued>, description = "The delivery, whose record shows the response of the receiver.")),
    security(("api_key" = [])),
)]
pub(crate) async fn test(
    ManageKey(caller): ManageKey,
    PathId(webhook_id): PathId<WebhookId>,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
) -> Result<Answer<Queued>, ApiError> {
    let delivery_id = webhooks.send_test(&caller, webhook_id).await?;
    Ok(Answer::traced(request, Queued { webhook_id, delivery_id }))
}
