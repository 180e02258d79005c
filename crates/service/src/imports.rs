//! Imports of sources from a URL: how they are requested, and how they end.

pub(crate) mod buckets;
mod trouble;

use std::time::Duration;

use tonearm_catalog::{Catalog, CatalogError, Transaction};
use tonearm_domain::{
    Ambient, AuditAction, ErrorCode, Import, Job, OrganizationId, Origin, S3Url, Track, TrackId, TrackStatus,
};
use tonearm_outbound::{FetchError, FetchLimits, Fetched, GuardError, Outbound, SourceUrl, SourceUrlError};
use tonearm_signing::Vault;

use crate::audit::{self, AuditedAction};
use crate::refusal::Refusal;
use crate::webhooks::events;

pub use buckets::{ImportBucketView, ImportBuckets, SetImportBucket};
pub(crate) use trouble::ImportError;

/// The file name if neither the caller nor the URL gives one.
const NAMELESS: &str = "audio";

/// Imports sources. Their URLs may contain secrets, so they are stored sealed and only as long as they are needed.
#[derive(Clone)]
pub struct Imports {
    ambient: Ambient,
    vault: Vault,
    outbound: Outbound,
    limits: FetchLimits,
    is_enabled: bool,
}

/// An import that is requested together with a new track.
pub(crate) struct NewImport {
    imports: Imports,
    source: SourceUrl,
    is_named: bool,
}

impl Imports {
    /// Creates the use cases. URLs are sealed with `vault`, and files are fetched through `outbound`.
    pub fn new(ambient: Ambient, vault: Vault, outbound: Outbound) -> Self {
        Self { ambient, vault, outbound, limits: FetchLimits::of_file(u64::MAX), is_enabled: true }
    }

    /// Sets whether new imports are accepted.
    pub fn enabled(self, is_enabled: bool) -> Self {
        Self { is_enabled, ..self }
    }

    /// Sets other limits. The code that accepts the file limits the size too.
    pub fn within(self, limits: FetchLimits) -> Self {
        Self { limits, ..self }
    }

    /// Whether new imports are accepted.
    pub(crate) fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    /// Begins to fetch a file of at most `max_bytes` that was fetched for `spent` before. An object in a bucket is fetched with the organization's current
    /// credentials.
    pub(crate) async fn fetch(
        &self,
        catalog: &Catalog,
        import: &Import,
        max_bytes: u64,
        spent: Duration,
    ) -> Result<Fetched, ImportError> {
        let opened = self.vault.open(&vault_context(import.track_id), &import.url);
        let url = opened.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
            let lost = "its URL cannot be decrypted, as its master secret is gone; create the track again";
            FetchError::Final(lost.to_owned())
        })?;
        let limits = FetchLimits { max_bytes: self.limits.max_bytes.min(max_bytes), spent, ..self.limits };
        let Ok(at) = url.parse::<S3Url>() else { return Ok(self.outbound.fetch(&url, limits).await?) };
        let access =
            buckets::access(catalog, &self.vault, import.organization_id, &at.bucket, self.ambient.now())
                .await?;
        Ok(self.outbound.fetch_object(access, at, limits).await?)
    }
}

pub(crate) fn vault_context(id: TrackId) -> String {
    format!("import/{id}")
}

/// Checks the URL to import a new track from. Names the track's file after the URL unless it has a name.
pub(crate) fn take(
    imports: Option<&Imports>,
    source_url: Option<String>,
    file_name: &mut String,
) -> Result<Option<NewImport>, Refusal> {
    let Some(url) = source_url else { return Ok(None) };
    let imports = imports.filter(|imports| imports.is_enabled).ok_or(Refusal::Forbidden {
        code: ErrorCode::ImportsDisabled,
        message: "this service does not import files from URLs; upload the file instead",
    })?;
    let source = imports.outbound.check_source_url(&url).map_err(|error| {
        let message = match error {
            SourceUrlError::Guard(GuardError::Malformed) => {
                "must be a URL such as https://example.com/song.mp3".to_owned()
            }
            error => error.to_string(),
        };
        Refusal::invalid("source_url", message)
    })?;
    let is_named = !file_name.trim().is_empty();
    if !is_named {
        *file_name = source.file_name.clone().unwrap_or_else(|| NAMELESS.to_owned());
    }
    Ok(Some(NewImport { imports: imports.clone(), source, is_named }))
}

impl NewImport {
    /// Queues the import in the transaction that creates its track. The audit log records only the host, or the bucket,
    /// for which the organization must have credentials.
    pub(crate) async fn queue(self, tx: &Transaction, origin: Origin, track: &Track) -> Result<(), Refusal> {
        if let Some(bucket) = &self.source.bucket {
            buckets::require(tx, track.organization_id, bucket, self.imports.ambient.now()).await?;
        }
        let Imports { ambient, vault, .. } = &self.imports;
        let import = Import {
            track_id: track.id,
            organization_id: track.organization_id,
            url: vault.seal(&vault_context(track.id), ambient.random(), self.source.url.as_bytes()),
            host: self.source.host,
            is_named: self.is_named,
            spent: Duration::ZERO,
            received: 0,
            size: None,
            created_at: ambient.now(),
            person_id: origin.actor.person_id(),
        };
        tx.insert_import(&import).await?;
        enqueue(tx, ambient, track).await?;
        let (action, subject_id) = (AuditAction::TrackImport, track.id.uuid());
        let done = AuditedAction { action, subject_id, title: &import.host };
        Ok(audit::record_of(tx, ambient, Some(track.organization_id), origin, done).await?)
    }
}

async fn enqueue(tx: &Transaction, ambient: &Ambient, track: &Track) -> Result<(), CatalogError> {
    let (organization_id, track_id) = (track.organization_id, track.id);
    let job = Job::ImportSource { organization_id, track_id };
    tx.enqueue(job, ambient.record_id(), ambient.now(), Some(&format!("import {track_id}"))).await
}

/// Queues an import again whose job ended without doing anything while its track was deleted.
pub(crate) async fn resume(tx: &Transaction, ambient: &Ambient, track: &Track) -> Result<(), CatalogError> {
    if track.status != TrackStatus::Initialized || tx.import(track.id).await?.is_none() {
        return Ok(());
    }
    enqueue(tx, ambient, track).await
}

/// Ends an import as failed. The import of a deleted track stays, and resumes when the track is restored.
pub(crate) async fn fail(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: OrganizationId,
    track_id: TrackId,
    reason: &str,
) -> Result<(), CatalogError> {
    let Some(mut track) = tx.track(organization_id, track_id).await? else { return Ok(()) };
    let Some(import) = tx.import(track_id).await? else { return Ok(()) };
    tx.delete_import(track_id).await?;
    let previous = track.status;
    let Ok(status) = previous.fail_import() else { return Ok(()) };
    track.status = status;
    track.status_reason = Some(format!("the import from {} failed: {reason}", import.host));
    tx.update_track(&track).await?;
    tx.delete_upload_expiry(track_id).await?;
    events::track_settled(tx, ambient, &track, previous).await
}
