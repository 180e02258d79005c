//! `PUT /v1/import_bucket/{bucket}`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{AccessKeyId, BucketName, BucketRegion, Text};
use tonearm_service::{ImportBuckets, SetImportBucket};
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::extract::{Body, ManageKey, PathId, required};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ImportBucketRecord};

#[derive(Deserialize, ToSchema)]
#[schema(as = import_bucket::set::Fields)]
pub(crate) struct SetImportBucketBody {
    /// URL of an S3-compatible store, such as `https://s3.example.com`, with a public address. Omitted or null: Amazon S3.
    #[schema(value_type = Option<String>, format = "uri", min_length = 1, max_length = 2000)]
    endpoint: Option<Text<2000>>,
    /// Default: `us-east-1`.
    region: Option<BucketRegion>,
    #[schema(required, value_type = AccessKeyId)]
    access_key_id: Option<AccessKeyId>,
    /// It is stored encrypted and never returned. Omitted or null: the stored one is kept, provided that `endpoint` and
    /// `access_key_id` do not change.
    #[schema(value_type = Option<NotBlank<1000>>)]
    secret_access_key: Option<Text<1000>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = import_bucket::set::Saved)]
pub(crate) struct Saved {
    import_bucket: ImportBucketRecord,
}

/// Sets the credentials with which files are imported from a bucket, in place of those that are stored.
///
/// All fields are replaced. An organization can have credentials for up to 100 buckets. They are not tried; an import whose
/// credentials are refused fails with a reason.
#[utoipa::path(
    put,
    path = "/import_bucket/{bucket}",
    tag = "Import buckets",
    operation_id = "set_import_bucket",
    params(("bucket" = BucketName, Path, description = "The name of the bucket.")),
    request_body(content = SetImportBucketBody, example = json!({
 "region": "eu-central-1",
 "access_key_id": "AKIAIOSFODNN7EXAMPLE",
 "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
 })),
    responses(
        (status = 200, body = Answer<Saved>, description = "The record of the bucket, without the secret."),
        (status = 409, body = ErrorBody, description = "The organization has credentials for 100 other buckets."),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn set(
    ManageKey(caller): ManageKey,
    PathId(bucket): PathId<BucketName>,
    request: CurrentRequest,
    State(import_buckets): State<ImportBuckets>,
    Body(body): Body<SetImportBucketBody>,
) -> Result<Answer<Saved>, ApiError> {
    let set = SetImportBucket {
        endpoint: body.endpoint.map(Into::into),
        region: body.region,
        access_key_id: required("access_key_id", body.access_key_id)?,
        secret_access_key: body.secret_access_key.map(Into::into),
    };
    let import_bucket = import_buckets.set(&caller, bucket, set).await?.into();
    Ok(Answer::traced(request, Saved { import_bucket }))
}
