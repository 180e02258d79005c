//! Objects in an S3-compatible bucket.

mod draft;
mod named;
mod names;
mod waiting;
mod writing;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig,
};
use tonearm_domain::{ObjectKey, OrganizationId, ShortId, Timestamp, UploadId};

use self::draft::BucketWriter;
use self::names::Names;
use self::waiting::{each_in_time, exactly, in_time};
use crate::chunks::Chunks;
use crate::draft::{DraftError, DraftNames, DraftState, DraftStore};
use crate::error::{BlobError, PutError};
use crate::object::{ObjectBody, ObjectMeta, OpenObject, PutTerms, Stored, clamp};
use crate::storage_url::Bucket;
use crate::store::{Incoming, Listed, Store};

/// What [`Blobs::check`](crate::Blobs::check) writes. No object has such a name.
const PROBE: &str = ".tonearm-check";
/// A request waits for its answer, so giving up early beats succeeding late.
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
/// Between two packets of an answer. Reads have deadlines of their own besides ([`waiting`]). There is no limit on the
/// whole, as a player may take minutes to fetch a file.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Amazon's own default, which stores that have no regions expect as well.
const DEFAULT_REGION: &str = "us-east-1";

#[derive(Clone)]
pub(crate) struct S3Store {
    client: Arc<AmazonS3>,
    prefix: Path,
    names: Arc<Names>,
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
            // TLS already protects what is sent, so hashing every part once more for the signature is spared.
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
        Ok(Self { client: Arc::new(client), prefix, names: Arc::default() })
    }

    fn path(&self, key: &ObjectKey) -> Path {
        let file = key.file.to_string();
        self.folder(key.organization_id, Some(key.folder)).join(file)
    }

    fn folder(&self, organization: OrganizationId, folder: Option<ShortId>) -> Path {
        let path = self.prefix.clone().join(organization.to_string());
        match folder {
            Some(folder) => path.join(folder.as_str()),
            None => path,
        }
    }

    /// The object's key, unless something else is stored under that path.
    fn key(&self, path: &Path) -> Option<ObjectKey> {
        let path = path.as_ref();
        let inside = match self.prefix.as_ref() {
            "" => path,
            prefix => path.strip_prefix(prefix)?.strip_prefix('/')?,
        };
        inside.parse().ok()
    }

    /// What is known of an object. An answer of 404 to `HEAD` does not say whose it is, so a `GET` is asked for the code.
    async fn meta(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, object_store::Error> {
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

    /// An answer without bytes, for ranges that have none: S3 refuses these.
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

    async fn begin_get(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> Result<Option<ObjectBody>, BlobError> {
        // Stores count with signed numbers, and no object is as large as these go.
        let range = range.map(|range| range.start..range.end.min(i64::MAX as u64));
        if let Some(range) = range.clone().filter(Range::is_empty) {
            return self.empty_part(key, range).await.map_err(failure);
        }
        let options = GetOptions { range: range.clone().map(GetRange::Bounded), ..GetOptions::default() };
        let answer = match (if_there(self.client.get_opts(&self.path(key), options).await), range) {
            (Ok(answer), _) => answer,
            // Perhaps it was refused for starting behind the end, which only the size can tell.
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

#[async_trait]
impl Store for S3Store {
    async fn put(&self, key: &ObjectKey, body: Incoming<'_>, terms: PutTerms) -> Result<Stored, PutError> {
        writing::put(&self.client, &self.names, self.path(key), body, terms).await
    }

    async fn copy(&self, from: &ObjectKey, to: &ObjectKey) -> Result<Option<u64>, BlobError> {
        let Some(meta) = self.head(from).await? else { return Ok(None) };
        if meta.size <= writing::MOST_COPIED {
            let (from, to) = (self.path(from), self.path(to));
            let copied = writing::copy(&self.client, &self.names, from, to);
            return Ok(in_time(copied).await?.then_some(meta.size));
        }
        let Some(body) = self.get(from, None).await? else { return Ok(None) };
        let terms = PutTerms { expected_size: Some(meta.size), ..PutTerms::default() };
        match self.put(to, body.stream.map_err(Into::into).boxed(), terms).await {
            Ok(stored) => Ok(Some(stored.size)),
            Err(PutError::Store(error)) => Err(error),
            Err(error) => Err(BlobError::unavailable("an object of the bucket could not be copied", error)),
        }
    }

    async fn get(&self, key: &ObjectKey, range: Option<Range<u64>>) -> Result<Option<ObjectBody>, BlobError> {
        in_time(self.begin_get(key, range)).await
    }

    fn at_hand(&self, _: &ObjectKey) -> Option<OpenObject> {
        None
    }

    async fn head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        in_time(async { self.meta(key).await.map_err(failure) }).await
    }

    async fn delete_many(&self, keys: Vec<ObjectKey>) -> Result<(), BlobError> {
        let paths: Vec<_> = keys.iter().map(|key| Ok(self.path(key))).collect();
        let deleted = self.client.delete_stream(stream::iter(paths).boxed());
        each_in_time(deleted.map(|answer| if_there(answer).map_err(failure)).boxed())
            .try_for_each(|_| future::ready(Ok(())))
            .await
    }

    fn list(
        &self,
        organization: Option<OrganizationId>,
        folder: Option<ShortId>,
        after: Option<&ObjectKey>,
    ) -> BoxStream<'_, Result<Listed, BlobError>> {
        let below = match organization {
            Some(organization) => self.folder(organization, folder),
            None => self.prefix.clone(),
        };
        let after = after.map(|after| self.path(after));
        let listed = match &after {
            Some(after) => self.client.list_with_offset(Some(&below), after),
            None => self.client.list(Some(&below)),
        };
        each_in_time(listed.map_err(failure))
            .try_filter_map(move |meta| {
                // Some stores ignore `start-after`.
                let is_later = after.as_ref().is_none_or(|after| meta.location.as_ref() > after.as_ref());
                let key = self.key(&meta.location).filter(|_| is_later);
                let wanted = key.filter(|key| folder.is_none_or(|folder| key.folder == folder));
                future::ready(Ok(wanted.map(|key| (key, meta_of(&meta)))))
            })
            .boxed()
    }

    fn local_path(&self, _: &ObjectKey) -> Option<PathBuf> {
        None
    }

    async fn check(&self) -> Result<(), BlobError> {
        let probe = self.prefix.clone().join(PROBE);
        let put = self.client.put(&probe, PutPayload::from_static(b"probe"));
        in_time(async { put.await.map_err(failure).map(drop) }).await
    }

    async fn open_draft(
        &self,
        _: UploadId,
        state: DraftState,
        names: DraftNames,
    ) -> Result<Box<dyn DraftStore>, DraftError> {
        Ok(Box::new(BucketWriter::open(self.clone(), state, names).await?))
    }

    async fn remove_draft(&self, _: UploadId, state: DraftState) -> Result<(), BlobError> {
        draft::remove(self, state).await
    }

    async fn remove_temporaries(&self, _: Timestamp) -> Result<u64, BlobError> {
        Ok(0)
    }
}

/// TLS needs a provider of cryptography for the whole process. Whoever came first has chosen.
fn install_tls_provider() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // This fails only if another thread was quicker, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// `None` where the bucket says that it has no such object. A 404 without that code is of a proxy in front of it, or of a
/// bucket that is not there.
fn if_there<T>(result: object_store::Result<T>) -> object_store::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error @ object_store::Error::NotFound { .. }) if error.to_string().contains("NoSuchKey") => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The code is only in the text of the answer; there is no text in the answer to a `HEAD`.
fn is_about_bucket(error: &object_store::Error) -> bool {
    error.to_string().contains("NoSuchBucket")
}

fn failure(error: object_store::Error) -> BlobError {
    use object_store::Error::{PermissionDenied, Unauthenticated};
    // Stores of one's own can be full. They say so by a status that is only in the text of the error.
    if error.to_string().contains("507 Insufficient Storage") {
        return BlobError::Full;
    }
    let sentence = match &error {
        error if is_about_bucket(error) => "the bucket does not exist",
        PermissionDenied { .. } | Unauthenticated { .. } => "the bucket rejects the credentials",
        _ => "the bucket is unreachable or does not work",
    };
    BlobError::unavailable(sentence, error)
}

fn meta_of(meta: &object_store::ObjectMeta) -> ObjectMeta {
    let epoch = Timestamp::from_unix_millis(0).expect("1970 is a representable year");
    ObjectMeta { size: meta.size, modified: epoch.plus_millis(meta.last_modified.timestamp_millis()) }
}
