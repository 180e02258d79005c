//! The bucket and the paths in it, and reading from it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use futures::{TryStreamExt, stream};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetRange, ObjectStore, ObjectStoreExt, RetryConfig,
};
use tonearm_domain::{ObjectKey, OrganizationId, ShortId, Timestamp};

use super::error::{failure, if_there};
use super::name_locks::NameLocks;
use super::waiting::{each_in_time, exactly};
use crate::chunks::Chunks;
use crate::error::BlobError;
use crate::object::{ObjectMeta, clamp, version_of};
use crate::object_body::ObjectBody;
use crate::storage_url::Bucket;

/// A client waits for its response, so giving up early is better than succeeding late.
const RETRY: RetryConfig = RetryConfig {
    backoff: BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(2),
        base: 2.0,
    },
    max_retries: 4,
    retry_timeout: Duration::from_secs(20),
};
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait between two packets of a response. Reads also have deadlines of their own ([`super::waiting`]).
/// There is no limit for a whole response, as a player may take minutes to fetch a file.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Amazon's own default, which stores that have no regions expect as well.
const DEFAULT_REGION: &str = "us-east-1";

#[derive(Clone)]
pub(crate) struct S3Store {
    pub(super) client: Arc<AmazonS3>,
    pub(super) prefix: Path,
    pub(super) name_locks: Arc<NameLocks>,
}

impl S3Store {
    pub(crate) fn open(bucket: &Bucket) -> Result<Self, BlobError> {
        install_tls_provider();
        let region = bucket.region.as_deref().unwrap_or(DEFAULT_REGION);
        let plain_http = bucket.endpoint.as_ref().is_some_and(|url| url.scheme() == "http");
        let options = ClientOptions::new()
            .with_connect_timeout(CONNECT_TIMEOUT)
            .with_read_timeout(READ_TIMEOUT)
            .with_timeout_disabled()
            .with_allow_http(plain_http);
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&bucket.name)
            .with_region(region)
            .with_client_options(options)
            .with_retry(RETRY)
            .with_virtual_hosted_style_request(bucket.endpoint.is_none())
            // TLS already protects the payload, so it need not be hashed once more for the signature.
            .with_unsigned_payload(!plain_http);
        if let Some(endpoint) = &bucket.endpoint {
            builder = builder.with_endpoint(endpoint.as_str().trim_end_matches('/'));
        }
        if let (Some(id), Some(secret)) = (&bucket.access_key_id, &bucket.secret_access_key) {
            builder = builder.with_access_key_id(id).with_secret_access_key(secret);
        }
        if let Some(token) = &bucket.session_token {
            builder = builder.with_token(token);
        }
        let client = builder
            .build()
            .map_err(|error| BlobError::unavailable("the settings of the bucket are invalid", error))?;
        let prefix = Path::parse(&bucket.prefix)
            .map_err(|error| BlobError::unavailable("the prefix of the bucket is invalid", error))?;
        Ok(Self { client: Arc::new(client), prefix, name_locks: Arc::default() })
    }

    pub(super) fn path(&self, key: &ObjectKey) -> Path {
        let file = key.file.to_string();
        self.folder(key.organization_id, Some(key.folder)).join(file)
    }

    pub(super) fn folder(&self, organization: OrganizationId, folder: Option<ShortId>) -> Path {
        let path = self.prefix.clone().join(organization.to_string());
        match folder {
            Some(folder) => path.join(folder.as_str()),
            None => path,
        }
    }

    /// The object's key, unless something else is stored under that path.
    pub(super) fn key(&self, path: &Path) -> Option<ObjectKey> {
        let path = path.as_ref();
        let inside = match self.prefix.as_ref() {
            "" => path,
            prefix => path.strip_prefix(prefix)?.strip_prefix('/')?,
        };
        inside.parse().ok()
    }

    /// The metadata of an object. A 404 to `HEAD` does not say what is missing, so a `GET` is sent to get the error
    /// code.
    pub(super) async fn meta(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, object_store::Error> {
        let path = self.path(key);
        let answer = match self.client.head(&path).await {
            Err(object_store::Error::NotFound { .. }) => {
                let first = GetOptions { range: Some(GetRange::Bounded(0..1)), ..GetOptions::default() };
                if_there(self.client.get_opts(&path, first).await)?.map(|answer| answer.meta)
            }
            answer => Some(answer?),
        };
        Ok(answer.as_ref().map(meta_of))
    }

    /// A response without bytes, for empty ranges: S3 rejects these.
    async fn empty_part(
        &self,
        key: &ObjectKey,
        range: Range<u64>,
    ) -> Result<Option<ObjectBody>, object_store::Error> {
        let meta = self.meta(key).await?;
        Ok(meta.and_then(|meta| {
            let range = clamp(Some(range), meta.size);
            range.is_empty().then(|| ObjectBody { meta, range, stream: Chunks::of(stream::empty()) })
        }))
    }

    pub(super) async fn begin_get(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> Result<Option<ObjectBody>, BlobError> {
        // Stores use signed numbers, and no object is as large as their maximum.
        let range = range.map(|range| range.start..range.end.min(i64::MAX as u64));
        if let Some(range) = range.clone().filter(Range::is_empty) {
            return self.empty_part(key, range).await.map_err(failure);
        }
        let options = GetOptions { range: range.clone().map(GetRange::Bounded), ..GetOptions::default() };
        let answer = match (if_there(self.client.get_opts(&self.path(key), options).await), range) {
            (Ok(answer), _) => answer,
            // The range may have been rejected because it starts after the end. Only the object's size shows that.
            (Err(error), Some(range)) => {
                return match self.empty_part(key, range).await {
                    Ok(Some(body)) => Ok(Some(body)),
                    _ => Err(failure(error)),
                };
            }
            (Err(error), None) => return Err(failure(error)),
        };
        Ok(answer.map(|answer| {
            let (meta, range) = (meta_of(&answer.meta), answer.range.clone());
            let chunks = each_in_time(answer.into_stream().map_err(failure));
            ObjectBody { meta, stream: Chunks::of(exactly(range.end - range.start, chunks)), range }
        }))
    }
}

/// Installs *ring* as the TLS cryptography provider of the whole process, unless one is installed. HTTP clients cannot
/// be created without one, even for plain HTTP.
fn install_tls_provider() {
    // Fails only if another provider is installed, which is fine too.
    drop(rustls::crypto::ring::default_provider().install_default());
}

pub(super) fn meta_of(meta: &object_store::ObjectMeta) -> ObjectMeta {
    let epoch = Timestamp::from_unix_millis(0).expect("1970 is a representable year");
    // Proxies that compress mark a tag as weak.
    let tag = meta.e_tag.as_deref().unwrap_or_default().trim_start_matches("W/").trim_matches('"');
    ObjectMeta {
        size: meta.size,
        modified: epoch.plus_millis(meta.last_modified.timestamp_millis()),
        version: version_of(tag),
    }
}
