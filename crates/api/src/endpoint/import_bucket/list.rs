//! `GET /v1/import_bucket`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::ImportBuckets;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ListQuery, ManageKey, Paged};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ImportBucketRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = import_bucket::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results, regardless of the page.
    count: u64,
    import_buckets: Vec<ImportBucketRecord>,
}

/// Lists the buckets that the organization has credentials for, by name, without their secrets.
#[utoipa::path(
    get,
    path = "/import_bucket",
    tag = "Import buckets",
    operation_id = "list_import_buckets",
    params(ListQuery),
    responses((status = 200, body = Answer<Listed>, description = "A page of results, and their total number.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    Paged(page): Paged,
    request: CurrentRequest,
    State(import_buckets): State<ImportBuckets>,
) -> Result<Answer<Listed>, ApiError> {
    let (count, buckets) = import_buckets.page(&caller, page).await?;
    let import_buckets = buckets.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count, import_buckets }))
}
