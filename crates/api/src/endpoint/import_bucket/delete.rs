//! `DELETE /v1/import_bucket/{bucket}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::BucketName;
use tonearm_service::ImportBuckets;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ImportBucketRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = import_bucket::delete::Deleted)]
pub(crate) struct Deleted {
    deleted_import_bucket: ImportBucketRecord,
}

/// Removes the credentials for a bucket. Queued imports from it fail when they are attempted.
#[utoipa::path(
    delete,
    path = "/import_bucket/{bucket}",
    tag = "Import buckets",
    operation_id = "delete_import_bucket",
    params(("bucket" = BucketName, Path, description = "The name of the bucket.")),
    responses((status = 200, body = Answer<Deleted>, description = "The removed record.")),
    security(("api_key" = [])),
)]
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(bucket): PathId<BucketName>,
    request: CurrentRequest,
    State(import_buckets): State<ImportBuckets>,
) -> Result<Answer<Deleted>, ApiError> {
    let deleted_import_bucket = import_buckets.remove(&caller, &bucket).await?.into();
    Ok(Answer::traced(request, Deleted { deleted_import_bucket }))
}
