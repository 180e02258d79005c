//! `POST /v1/webhook`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{WebhookId, WebhookKind};
use tonearm_service::{WebhookWithSecret, Webhooks};
use utoipa::ToSchema;

use super::update::WebhookUrl;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Body, ManageKey, required};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, WebhookRecord};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = webhook::create::Fields)]
pub(crate) struct CreateWebhookBody {
    /// `track`: `track.status_changed`. `file`: `track_file.created` and `track_file.failed`. `collection`:
    /// `collection.created`, `collection.updated` and `collection.deleted`.
    #[schema(required, value_type = WebhookKind)]
    kind: Option<WebhookKind>,
    /// An http or https URL with a public address.
    #[schema(required, value_type = String, format = "uri", min_length = 1, max_length = 2000)]
    url: Option<WebhookUrl>,
}

/// The response to creating a webhook and to rotating its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = webhook::create::Created)]
pub(crate) struct Created {
    webhook_id: WebhookId,
    webhook: WebhookRecord,
    /// The secret that signs the events, `whsec_…`. It is returned only once.
    secret: String,
}

impl From<WebhookWithSecret> for Created {
    fn from(WebhookWithSecret { webhook, secret }: WebhookWithSecret) -> Self {
        Self { webhook_id: webhook.id, webhook: webhook.into(), secret }
    }
}

/// Creates a webhook. Its secret is returned only once.
///
/// An organization has at most one webhook of each kind. The URL of the one of kind `track` is also the organization's
/// `webhook_url`.
#[utoipa::path(
    post,
    path = "/webhook",
    tag = "Webhooks",
    operation_id = "create_webhook",
    request_body(content = CreateWebhookBody, example = json!({ "kind": "track", "url": "https://example.com/hook" })),
    responses(
        (status = 200, body = Answer<Created>, description = "The webhook and its secret, which is returned only once."),
        (
            status = 409,
            body = ErrorBody,
            description = "The organization has a webhook of this kind, or the first request with this `Idempotency-Key` is still in progress.",
        ),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
    Body(body): Body<CreateWebhookBody>,
) -> Result<Answer<Created>, ApiError> {
    let kind = required("kind", body.kind)?;
    let url = required("url", body.url)?;
    Ok(Answer::traced(request, webhooks.add(&caller, kind, url.as_str()).await?.into()))
}
