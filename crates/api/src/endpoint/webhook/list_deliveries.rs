//! `GET /v1/webhook/{webhook_id}/delivery`

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use tonearm_domain::{DeliveryState, LimitError, LimitOffset, WebhookDeliveryId, WebhookId};
use tonearm_service::{DeliveryQuery, Webhooks};
use utoipa::{IntoParams, ToSchema};

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId, query};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, DeliveryRecord};

/// The filters and the page in the query.
pub(crate) struct DeliveriesQuery {
    state: Option<DeliveryState>,
    limit: u64,
    cursor: Option<WebhookDeliveryId>,
}

/// All as text, so that what is none of it is told by its own name.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeliveriesQueryText {
    /// Only deliveries in this state. Default: all.
    #[param(value_type = Option<DeliveryState>)]
    state: Option<String>,
    /// Maximum number of results. Default: 50.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200, default = 50)]
    limit: Option<String>,
    /// Empty for the first page, which is also the default, then the `next_cursor` of the previous page.
    #[param(required = false)]
    cursor: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for DeliveriesQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let text: DeliveriesQueryText = query(parts)?;
        let state = text.state.as_deref().map(str::parse).transpose();
        let limit = text.limit.as_deref().map(str::parse).transpose().map_err(|_| LimitError::Limit);
        let page = limit.and_then(|limit| LimitOffset::new(limit, None));
        let cursor = text.cursor.as_deref().filter(|cursor| !cursor.is_empty()).map(str::parse).transpose();
        let not_ours = "must be empty, or the `next_cursor` of a previous page";
        Ok(Self {
            state: state.map_err(|error| ApiError::invalid("state", error))?,
            limit: page.map_err(|error| ApiError::invalid("limit", error))?.limit(),
            cursor: cursor.map_err(|_| ApiError::invalid("cursor", not_ours))?,
        })
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = webhook::list_deliveries::Listed)]
pub(crate) struct Listed {
    webhook_id: WebhookId,
    deliveries: Vec<DeliveryRecord>,
    /// The `cursor` of the next page; null on the last one.
    next_cursor: Option<WebhookDeliveryId>,
}

/// Lists the deliveries to a webhook, the latest first.
///
/// Deliveries are kept for 14 days after they end, unless the operator has chosen another time.
#[utoipa::path(
    get,
    path = "/webhook/{webhook_id}/delivery",
    tag = "Webhooks",
    operation_id = "list_webhook_deliveries",
    params(("webhook_id" = WebhookId, Path), DeliveriesQueryText),
    responses((status = 200, body = Answer<Listed>, description = "A page of results.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list_deliveries(
    ManageKey(caller): ManageKey,
    PathId(webhook_id): PathId<WebhookId>,
    DeliveriesQuery { state, limit, cursor }: DeliveriesQuery,
    request: CurrentRequest,
    State(webhooks): State<Webhooks>,
) -> Result<Answer<Listed>, ApiError> {
    let query = DeliveryQuery { webhook: Some(webhook_id.into()), state };
    // One more than the limit is read, to find out whether there are older ones.
    let mut deliveries = webhooks.deliveries(&caller, query, cursor, limit + 1).await?;
    let has_older = deliveries.len() as u64 > limit;
    deliveries.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next_cursor = deliveries.last().filter(|_| has_older).map(|last| last.id);
    let deliveries = deliveries.iter().map(DeliveryRecord::from).collect();
    Ok(Answer::traced(request, Listed { webhook_id, deliveries, next_cursor }))
}
