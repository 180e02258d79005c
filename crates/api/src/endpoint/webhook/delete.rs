//! `DELETE /v1/webhook/{webhook_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::WebhookId;
use tonearm_service::Webhooks;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, WebhookRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = webhook::delete::Deleted)]
pub(crate) struct Deleted {
    webhook_id: WebhookId,
    deleted_webhook: WebhookRecord,
}

/// Removes a webhook with all its deliveries.
#[utoipa::path(
    delete,
    path = "/webhook/{webhook_id}",
    tag = "Webhooks",
    operation_id = "delete_webhook",
    params(("webhook_id" = WebhookId, Path)),
    responses((status = 200, body = Answer<Deleted>, description = "The removed webhook.")),
    security(("api_key" = [])),
)]
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(webhook_id): PathId<WebhookId>,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
) -> Result<Answer<Deleted>, ApiError> {
    let deleted_webhook = webhooks.remove(&caller, webhook_id).await?.into();
    Ok(Answer::traced(request, Deleted { webhook_id, deleted_webhook }))
}
