//! Resolves durable names to objects.
//!
//! A node with a catalog reads the catalog, and falls back to the store if the catalog is unavailable. A node without
//! one reads the store.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use futures::TryStreamExt;
use futures::future::BoxFuture;
use moka::future::Cache;
use tonearm_blobs::{BlobError, Blobs};
use tonearm_domain::{DurableName, ObjectKey, OrganizationId, ShortId, Timestamp, TrackManifest};
use tonearm_telemetry::Cache as CacheName;

/// Maximum number of bytes that manifests take in memory: enough for some thousands of manifests.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Bytes of a cache entry without its files, and of each file.
const OVERHEAD: usize = 300;
const FILE: usize = 120;

/// Attempts to find the manifest, if it is replaced between being listed and being read.
const TRIES: usize = 3;

/// An error of a manifest source.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// A source of manifests, which map the durable names of a track to objects.
pub trait ManifestSource: Send + Sync {
    /// The current manifest of a track; none if there is no such track.
    fn manifest(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
    ) -> BoxFuture<'_, Result<Option<TrackManifest>, SourceError>>;
}

/// A catalog, and how long it may take to answer.
#[derive(Clone)]
pub(crate) struct CatalogSource {
    pub(crate) source: Arc<dyn ManifestSource>,
    pub(crate) timeout: Duration,
}

impl CatalogSource {
    async fn manifest(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
    ) -> Result<Option<TrackManifest>, SourceError> {
        let answer = self.source.manifest(organization_id, folder);
        match tokio::time::timeout(self.timeout, answer).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no response within {:?}", self.timeout).into()),
        }
    }
}

/// A track, and the second in which its manifest was requested: a manifest that was read in an earlier second is never
/// used.
type Moment = (OrganizationId, ShortId, i64);

/// Resolves durable names. Cloning is cheap and shares the cached manifests.
#[derive(Clone)]
pub(crate) struct Manifests {
    catalog: Option<CatalogSource>,
    blobs: Blobs,
    cache: Cache<Moment, Option<Arc<TrackManifest>>>,
}

impl Manifests {
    pub(crate) fn new(blobs: Blobs, catalog: Option<CatalogSource>) -> Self {
        let weigh = |_: &Moment, manifest: &Option<Arc<TrackManifest>>| {
            let files = manifest.as_ref().map_or(0, |manifest| manifest.len());
            u32::try_from(OVERHEAD + files * FILE).unwrap_or(u32::MAX)
        };
        // After this time no request uses the entry any more.
        let lifetime = Duration::from_secs(2);
        let cache = Cache::builder().max_capacity(MOST_BYTES).weigher(weigh).time_to_live(lifetime).build();
        Self { catalog, blobs, cache }
    }

    /// The object that a name stands for; none if no such object exists.
    pub(crate) async fn resolve(
        &self,
        name: &DurableName,
        now: Timestamp,
    ) -> Result<Option<ObjectKey>, Arc<BlobError>> {
        let DurableName { organization_id, folder, .. } = *name;
        let moment = (organization_id, folder, now.unix_seconds());
        // Simultaneous requests share one read.
        let mut is_hit = true;
        let read = async {
            is_hit = false;
            self.read(organization_id, folder).await
        };
        let manifest = self.cache.try_get_with(moment, read).await;
        tonearm_telemetry::looked_up(CacheName::DurableNames, is_hit);
        let manifest = manifest?;
        let file = manifest.as_ref().and_then(|manifest| manifest.file(&name.variant, name.content_type));
        Ok(file.map(|file| ObjectKey { organization_id, folder, file: file.clone() }))
    }

    async fn read(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
    ) -> Result<Option<Arc<TrackManifest>>, BlobError> {
        if let Some(catalog) = &self.catalog {
            match catalog.manifest(organization_id, folder).await {
                Ok(manifest) => return Ok(manifest.map(Arc::new)),
                Err(error) => {
                    let error: &dyn Error = &*error;
                    tracing::warn!(error, "the database failed; resolving a durable name from the store");
                }
            }
        }
        Ok(self.stored(organization_id, folder).await?.map(Arc::new))
    }

    /// The newest readable manifest in the store.
    async fn stored(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
    ) -> Result<Option<TrackManifest>, BlobError> {
        let mut was_empty = false;
        for _ in 0..TRIES {
            let listed = self.blobs.list(Some(organization_id), Some(folder));
            let newest_first = listed.try_filter_map(async |(key, meta)| {
                let generation = TrackManifest::generation(&key);
                Ok(generation
                    .filter(|_| meta.size <= TrackManifest::MAX_BYTES)
                    .map(|generation| (generation, key)))
            });
            let mut manifests: Vec<_> = newest_first.try_collect().await?;
            if manifests.is_empty() {
                // A listing made while one manifest replaces another may show neither of them.
                if was_empty {
                    return Ok(None);
                }
                was_empty = true;
                continue;
            }
            manifests.sort_by(|(one, _), (other, _)| other.cmp(one));
            for (_, key) in manifests {
                if let Some(manifest) = self.fetch(&key).await? {
                    return Ok(Some(manifest));
                }
            }
        }
        Ok(None)
    }

    async fn fetch(&self, key: &ObjectKey) -> Result<Option<TrackManifest>, BlobError> {
        let Some(body) = self.blobs.get(key, None).await? else { return Ok(None) };
        let bytes: BytesMut = body.stream.try_collect().await?;
        Ok(serde_json::from_slice(&bytes).ok())
    }
}
