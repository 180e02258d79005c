//! Credentials of organizations for the buckets that they import from.

use tonearm_catalog::{Catalog, Transaction};
use tonearm_domain::{
    AccessKeyId, Ambient, AuditAction, BucketName, BucketRegion, ErrorCode, ImportBucket, LimitOffset,
    MOST_IMPORT_BUCKETS, OrganizationId, Timestamp,
};
use tonearm_outbound::{BucketAccess, FetchError, GuardError, Outbound};
use tonearm_signing::Vault;

use super::ImportError;
use crate::audit;
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// The maximum length of a secret access key and of an endpoint, in characters.
const LONGEST_SECRET: usize = 1000;
const LONGEST_ENDPOINT: usize = 2000;

/// Manages the credentials for buckets that organizations import from.
#[derive(Clone)]
pub struct ImportBuckets {
    catalog: Catalog,
    ambient: Ambient,
    vault: Vault,
    outbound: Outbound,
}

/// A bucket as users see it. The secret is never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportBucketView {
    /// Whose credentials these are.
    pub organization_id: OrganizationId,
    /// The bucket.
    pub bucket: BucketName,
    /// The endpoint of the store; `None` for Amazon S3.
    pub endpoint: Option<String>,
    /// The region that requests are signed for.
    pub region: BucketRegion,
    /// The public half of the credentials.
    pub access_key_id: AccessKeyId,
    /// Whether the secret half can be decrypted. It cannot if it was sealed under a master secret that is no longer
    /// known.
    pub has_secret: bool,
    /// When the bucket was first set.
    pub created_at: Timestamp,
    /// When the credentials end, since the API key that set them does.
    pub expires_at: Option<Timestamp>,
}

/// New credentials, and the store for which they are valid. Does not implement `Debug`, which would show the secret.
#[derive(Clone)]
pub struct SetImportBucket {
    /// The endpoint of the store, such as `https://store.example.com`; `None` for Amazon S3.
    pub endpoint: Option<String>,
    /// The region; `None` for `us-east-1`.
    pub region: Option<BucketRegion>,
    /// The public half of the credentials.
    pub access_key_id: AccessKeyId,
    /// The secret half; `None` keeps the existing one.
    pub secret_access_key: Option<String>,
}

pub(crate) fn vault_context(id: OrganizationId, bucket: &BucketName) -> String {
    format!("import_bucket/{id}/{bucket}")
}

impl ImportBuckets {
    /// Creates the use cases for this catalog. Secrets are sealed with `vault`, and endpoints must be allowed by
    /// `outbound`.
    pub fn new(catalog: Catalog, ambient: Ambient, vault: Vault, outbound: Outbound) -> Self {
        Self { catalog, ambient, vault, outbound }
    }

    /// The number of buckets that the organization has credentials for, and a page of them, ordered by name.
    pub async fn page(
        &self,
        caller: &Caller,
        page: LimitOffset,
    ) -> Result<(u64, Vec<ImportBucketView>), Refusal> {
        caller.require_whole_organization()?;
        let (count, buckets) = self.catalog.import_bucket_page(caller.organization_id, page).await?;
        Ok((count, buckets.into_iter().map(|bucket| self.view(bucket)).collect()))
    }

    /// Sets the credentials for a bucket, and replaces existing ones. Waiting imports use the new credentials.
    pub async fn set(
        &self,
        caller: &Caller,
        bucket: BucketName,
        set: SetImportBucket,
    ) -> Result<ImportBucketView, Refusal> {
        caller.require_no_limits()?;
        let id = caller.organization_id;
        let endpoint = set.endpoint.as_deref().map(|text| self.endpoint(text)).transpose()?;
        let secret = set.secret_access_key.as_deref().map(secret).transpose()?;
        let tx = self.catalog.begin().await?;
        // This locks the organization, so that concurrent calls cannot exceed the limit of buckets.
        tx.organization(id).await?.ok_or(Refusal::NotFound(Resource::Organization))?;
        let latest = caller.latest_end(&tx).await?;
        let existing = tx.import_bucket(id, &bucket).await?;
        if let Some(existing) = &existing {
            latest.require(existing.expires_at)?;
        }
        if existing.is_none() && tx.count_import_buckets(id).await? >= MOST_IMPORT_BUCKETS {
            let message = format!(
                "the organization has credentials for {MOST_IMPORT_BUCKETS} buckets and can have no more; remove one"
            );
            return Err(Refusal::Conflict { code: ErrorCode::TooManyImportBuckets, message });
        }
        let created_at = existing.as_ref().map_or_else(|| self.ambient.now(), |existing| existing.created_at);
        // A secret ends with the API key that entered it.
        let (expires_at, made_by) = match (&secret, &existing) {
            (None, Some(existing)) => (existing.expires_at, existing.made_by),
            _ => (latest.of_new(None)?, caller.origin.actor.api_key_id()),
        };
        let secret = match secret {
            Some(secret) => {
                self.vault.seal(&vault_context(id, &bucket), self.ambient.random(), secret.as_bytes())
            }
            None => existing_secret(existing, endpoint.as_deref(), &set.access_key_id)?,
        };
        let region = set.region.unwrap_or_default();
        let access_key_id = set.access_key_id;
        let bucket = ImportBucket {
            organization_id: id,
            bucket,
            endpoint,
            region,
            access_key_id,
            secret,
            created_at,
            expires_at,
            made_by,
        };
        tx.put_import_bucket(&bucket).await?;
        let name = bucket.bucket.as_str();
        audit::record_named(&tx, &self.ambient, caller, AuditAction::ImportBucketSet, name).await?;
        tx.commit().await?;
        Ok(self.view(bucket))
    }

    /// Removes the credentials for a bucket. Waiting imports from it fail when they run.
    pub async fn remove(&self, caller: &Caller, bucket: &BucketName) -> Result<ImportBucketView, Refusal> {
        caller.require_no_limits()?;
        let tx = self.catalog.begin().await?;
        let not_found = Refusal::NotFound(Resource::ImportBucket);
        let Some(removed) = tx.import_bucket_to_end(caller.organization_id, bucket).await? else {
            return Err(not_found);
        };
        if !tx.delete_import_bucket(caller.organization_id, bucket).await? {
            return Err(not_found);
        }
        let name = bucket.as_str();
        audit::record_named(&tx, &self.ambient, caller, AuditAction::ImportBucketRemove, name).await?;
        tx.commit().await?;
        Ok(self.view(removed))
    }

    fn endpoint(&self, text: &str) -> Result<String, Refusal> {
        if text.chars().count() > LONGEST_ENDPOINT {
            let message = format!("must have at most {LONGEST_ENDPOINT} characters");
            return Err(Refusal::invalid("endpoint", message));
        }
        self.outbound.check_endpoint(text.trim()).map_err(|error| {
            let message = match error {
                GuardError::Malformed => "must be a URL such as https://s3.example.com".to_owned(),
                error => error.to_string(),
            };
            Refusal::invalid("endpoint", message)
        })
    }

    fn view(&self, bucket: ImportBucket) -> ImportBucketView {
        let context = vault_context(bucket.organization_id, &bucket.bucket);
        ImportBucketView {
            has_secret: self.vault.open(&context, &bucket.secret).is_some(),
            organization_id: bucket.organization_id,
            bucket: bucket.bucket,
            endpoint: bucket.endpoint,
            region: bucket.region,
            access_key_id: bucket.access_key_id,
            created_at: bucket.created_at,
            expires_at: bucket.expires_at,
        }
    }
}

fn secret(text: &str) -> Result<&str, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        Err(Refusal::invalid("secret_access_key", "cannot be empty"))
    } else if text.chars().count() > LONGEST_SECRET {
        let message = format!("must have at most {LONGEST_SECRET} characters");
        Err(Refusal::invalid("secret_access_key", message))
    } else {
        Ok(text)
    }
}

/// The existing secret. It is kept only if the access key id and the endpoint are those for which it was entered.
fn existing_secret(
    existing: Option<ImportBucket>,
    endpoint: Option<&str>,
    access_key_id: &AccessKeyId,
) -> Result<Vec<u8>, Refusal> {
    let existing = existing.ok_or_else(|| Refusal::invalid("secret_access_key", "is required"))?;
    if existing.endpoint.as_deref() != endpoint || existing.access_key_id != *access_key_id {
        let message = "is required if the endpoint or the access key id changes";
        return Err(Refusal::invalid("secret_access_key", message));
    }
    Ok(existing.secret)
}

/// Refuses an import from a bucket that the organization has no credentials for.
pub(crate) async fn require(
    tx: &Transaction,
    organization: OrganizationId,
    bucket: &BucketName,
    now: Timestamp,
) -> Result<(), Refusal> {
    if tx.has_import_bucket(organization, bucket, now).await? {
        return Ok(());
    }
    let message = format!(
        "the organization has no credentials for the bucket {bucket}; set them with PUT /v1/import_bucket/{bucket} or \
         `tonearm import-bucket set`"
    );
    Err(Refusal::invalid("source_url", message))
}

/// The current credentials of an organization for a bucket.
pub(crate) async fn access(
    catalog: &Catalog,
    vault: &Vault,
    organization: OrganizationId,
    bucket: &BucketName,
    now: Timestamp,
) -> Result<BucketAccess, ImportError> {
    let found = catalog.import_bucket(organization, bucket).await?;
    let is_live = |found: &ImportBucket| found.expires_at.is_none_or(|end| now < end);
    let found = found.filter(is_live).ok_or_else(|| {
        FetchError::Final(format!(
            "the organization no longer has credentials for the bucket {bucket}; set them, and create the track again"
        ))
    })?;
    let opened = vault.open(&vault_context(organization, bucket), &found.secret);
    let secret_access_key = opened.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
        FetchError::Final(format!(
            "the credentials for the bucket {bucket} cannot be decrypted, as their master secret is gone; set them \
             again, and create the track again"
        ))
    })?;
    let ImportBucket { endpoint, region, access_key_id, .. } = found;
    Ok(BucketAccess { endpoint, region, access_key_id, secret_access_key })
}
