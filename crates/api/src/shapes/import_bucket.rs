//! Buckets that files are imported from.

use serde::Serialize;
use tonearm_domain::{AccessKeyId, BucketName, BucketRegion, OrganizationId, Timestamp};
use tonearm_service::ImportBucketView;
use utoipa::ToSchema;

/// The record of a bucket that files are imported from, without the secret.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImportBucketRecord {
    bucket: BucketName,
    organization_id: OrganizationId,
    /// The S3-compatible store; null for Amazon S3.
    endpoint: Option<String>,
    region: BucketRegion,
    access_key_id: AccessKeyId,
    /// Whether the secret access key is stored. False if it was encrypted with a master secret that is gone: set it again.
    has_secret: bool,
    /// When imports stop using them. They end with the API key that set them.
    expires_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<ImportBucketView> for ImportBucketRecord {
    fn from(view: ImportBucketView) -> Self {
        Self {
            bucket: view.bucket,
            organization_id: view.organization_id,
            endpoint: view.endpoint,
            region: view.region,
            access_key_id: view.access_key_id,
            has_secret: view.has_secret,
            expires_at: view.expires_at,
            created_at: view.created_at,
        }
    }
}
