//! `GET /v1/webhook/{webhook_id}/delivery/{delivery_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{WebhookDeliveryId, WebhookId};
use tonearm_service::Webhooks;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, FullDelivery};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = webhook::read_delivery::Found)]
pub(crate) struct DeliveryResponse {
    webhook_id: WebhookId,
    delivery_id: WebhookDeliveryId,
    delivery: FullDelivery,
}

/// Returns a delivery with its payload and its last attempts.
#[utoipa::path(
    get,
    path = "/webhook/{webhook_id}/delivery/{delivery_id}",
    tag = "Webhooks",
    operation_id = "read_webhook_delivery",
    params(("webhook_id" = WebhookId, Path), ("delivery_id" = WebhookDeliveryId, Path)),
    responses((status = 200, body = Answer<DeliveryResponse>, description = "The delivery.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read_delivery(
    ManageKey(caller): ManageKey,
    PathId(webhook_id): PathId<WebhookId>,
    PathId(delivery_id): PathId<WebhookDeliveryId>,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
) -> Result<Answer<DeliveryResponse>, ApiError> {
    let delivery = webhooks.delivery_to(&caller, webhook_id, delivery_id).await?.into();
    Ok(Answer::traced(request, DeliveryResponse { webhook_id, delivery_id, delivery }))
}
