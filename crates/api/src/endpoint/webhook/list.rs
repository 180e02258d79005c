//! `GET /v1/webhook`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Webhooks;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::ManageKey;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, WebhookRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = webhook::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results.
    count: usize,
    webhooks: Vec<WebhookRecord>,
}

/// Lists the webhooks of the organization, without their secrets: at most one of each kind.
#[utoipa::path(
    get,
    path = "/webhook",
    tag = "Webhooks",
    operation_id = "list_webhooks",
    responses((status = 200, body = Answer<Listed>, description = "All webhooks.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
) -> Result<Answer<Listed>, ApiError> {
    let endpoints = webhooks.endpoints(&caller).await?;
    Ok(Answer::traced(
        request,
        Listed { count: endpoints.len(), webhooks: endpoints.into_iter().map(Into::into).collect() },
    ))
}
