//! `POST /v1/webhook/{webhook_id}/replay_failed`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::WebhookId;
use tonearm_service::Webhooks;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = webhook::replay_failed::Replayed)]
pub(crate) struct Replayed {
    webhook_id: WebhookId,
    /// Number of deliveries that are sent again.
    count: u64,
}

/// Resends all events whose delivery to a webhook failed.
#[utoipa::path(
    post,
    path = "/webhook/{webhook_id}/replay_failed",
    tag = "Webhooks",
    operation_id = "replay_failed_webhook_deliveries",
    params(("webhook_id" = WebhookId, Path)),
    responses((status = 200, body = Answer<Replayed>, description = "How many deliveries are pending again.")),
    security(("api_key" = [])),
)]
pub(crate) async fn replay_failed(
    ManageKey(caller): ManageKey,
    PathId(webhook_id): PathId<WebhookId>,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
) -> Result<Answer<Replayed>, ApiError> {
    let count = webhooks.replay_failed(&caller, webhook_id).await?;
    Ok(Answer::traced(request, Replayed { webhook_id, count }))
}
