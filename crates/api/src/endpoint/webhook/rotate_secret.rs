//! `POST /v1/webhook/{webhook_id}/rotate_secret`

use axum::extract::State;
use tonearm_domain::WebhookId;
use tonearm_service::Webhooks;

use super::create::Created;
use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// Rotates the secret of a webhook. The new one is returned only once; events are also signed with the previous one for a day.
#[utoipa::path(
    post,
    path = "/webhook/{webhook_id}/rotate_secret",
    tag = "Webhooks",
    operation_id = "rotate_webhook_secret",
    params(("webhook_id" = WebhookId, Path)),
    responses((status = 200, body = Answer<Created>, description = "The webhook and its new secret.")),
    security(("api_key" = [])),
)]
pub(crate) async fn rotate_secret(
    ManageKey(caller): ManageKey,
    PathId(webhook_id): PathId<WebhookId>,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
) -> Result<Answer<Created>, ApiError> {
    Ok(Answer::traced(request, webhooks.rotate(&caller, webhook_id).await?.into()))
}
