//! `POST /v1/webhook/{webhook_id}/delivery/{delivery_id}/replay`

use axum::extract::State;
use tonearm_domain::{WebhookDeliveryId, WebhookId};
use tonearm_service::Webhooks;

use super::test::Queued;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// Sends an event again, whatever its state, under the same `webhook-id`.
#[utoipa::path(
    post,
    path = "/webhook/{webhook_id}/delivery/{delivery_id}/replay",
    tag = "Webhooks",
    operation_id = "replay_webhook_delivery",
    params(("webhook_id" = WebhookId, Path), ("delivery_id" = WebhookDeliveryId, Path)),
    responses(
        (status = 200, body = Answer<Queued>, description = "The delivery, which is pending again."),
        (
            status = 409,
            body = ErrorBody,
            description = "The event is being sent at this moment, or the first request with this `Idempotency-Key` is still in progress.",
        ),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn replay(
    ManageKey(caller): ManageKey,
    PathId(webhook_id): PathId<WebhookId>,
    PathId(delivery_id): PathId<WebhookDeliveryId>,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
) -> Result<Answer<Queued>, ApiError> {
    webhooks.require_delivery_to(&caller, webhook_id, delivery_id).await?;
    webhooks.replay(&caller, delivery_id).await?;
    Ok(Answer::traced(request, Queued { webhook_id, delivery_id }))
}
