//! Restores a backup into an empty database and its store.
//!
//! The objects are copied first. The rows are loaded last, in one transaction: wherever a restore is interrupted, the
//! database is empty or complete, and running the same command again continues it. Until the database and the store are
//! linked, a mark in the database records which backup its rows came from.

use std::num::NonZeroU64;
use std::path::PathBuf;

use futures::TryStreamExt;
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, ConnectOptions, DatabaseUrl, Migrate, RestoreError, Restoring};
use tonearm_domain::{Ambient, ObjectKey, StoreId};
use tonearm_signing::Secrets;

use super::error::BackupError;
use super::manifest::{BackupMark, Manifest, OBJECTS};
use super::part::PartFile;
use super::restore_report::RestoreReport;
use super::target::BackupTarget;
use super::time::BackupTime;
use super::{OnEvent, loading, returning};
use crate::inventory::Rate;
use crate::store_identity::StoreIdentity;

/// Options of a restore.
#[derive(Debug, Clone, Copy, Default)]
pub struct RestoreTerms {
    /// The backup to restore; the newest for `None`.
    pub backup: Option<BackupTime>,
    /// Whether to restore although the master secret differs from that of the backup.
    pub is_secret_changed: bool,
    /// Whether to restore into a store that belongs to another database.
    pub adopts_store: bool,
    /// Whether to skip rows that the database refuses.
    pub skips_damaged: bool,
    /// The maximum number of bytes to copy per second.
    pub bytes_per_second: Option<NonZeroU64>,
}

/// Restores backups.
pub struct Restores {
    url: DatabaseUrl,
    options: ConnectOptions,
    blobs: Blobs,
    ambient: Ambient,
    secrets: Secrets,
    scratch: PathBuf,
}

impl Restores {
    /// Restores into this database and this store.
    pub fn new(
        (url, options): (DatabaseUrl, ConnectOptions),
        blobs: Blobs,
        ambient: Ambient,
        secrets: Secrets,
        scratch: PathBuf,
    ) -> Self {
        Self { url, options, blobs, ambient, secrets, scratch }
    }

    /// Restores a backup, and links the database to the store. Returns the catalog, which is then ready for use.
    pub async fn run(
        &self,
        target: &BackupTarget,
        terms: RestoreTerms,
        on_event: OnEvent<'_>,
    ) -> Result<(BackupTime, RestoreReport, Catalog), BackupError> {
        let manifest = target.find(terms.backup).await?;
        self.check_secret(&manifest, terms)?;
        let restoring = Restoring::open(&self.url, &self.options, &|_| {}).await?;
        let is_loaded = is_loaded(&restoring, &manifest).await?;
        // All checks come before the objects, whose copying may take hours.
        if !is_loaded {
            restoring.require_empty().await?;
            restoring.prepare(&manifest.steps, &|_| {}).await?;
            restoring.begin().await?.require(&manifest.tables)?;
        }
        self.check_store(&restoring, terms).await?;
        let (tables, objects) = self.fetch(target, &manifest).await?;
        if !is_loaded && !terms.skips_damaged {
            loading::check(&restoring, (&manifest, &tables), on_event).await?;
        }
        let mut report = RestoreReport::default();
        let rate = Rate::new(terms.bytes_per_second);
        returning::return_objects((target, &self.blobs), &objects, &rate, &mut report, on_event).await?;
        match is_loaded {
            true => report.rows = tables.iter().map(|file| file.part.rows).sum(),
            false => {
                loading::load(&restoring, (&manifest, &tables), terms.skips_damaged, &mut report, on_event)
                    .await?;
            }
        }
        report.steps = restoring.finish(&|_| {}).await?;
        let options = ConnectOptions { migrate: Migrate::Never, ..self.options.clone() };
        let catalog = Catalog::connect(&self.url, options).await?;
        StoreIdentity::new(catalog.clone(), self.blobs.clone(), self.ambient.clone()).adopt().await?;
        Ok((manifest.made_at, report, catalog))
    }

    /// Values are sealed under the first master secret. During a rotation, some may still be sealed under another one.
    fn check_secret(&self, manifest: &Manifest, terms: RestoreTerms) -> Result<(), BackupError> {
        if terms.is_secret_changed {
            return Ok(());
        }
        let ours = self.secrets.fingerprints();
        let missing: Vec<String> =
            manifest.secrets.iter().filter(|theirs| !ours.contains(theirs)).cloned().collect();
        match manifest.secrets.first() {
            Some(_) if missing.is_empty() => Ok(()),
            Some(first) if !missing.contains(first) => Err(BackupError::OlderSecrets(missing)),
            _ => Err(BackupError::Secret),
        }
    }

    /// Refuses a store that belongs to another database. Two databases with one store would remove each other's
    /// objects.
    async fn check_store(&self, restoring: &Restoring, terms: RestoreTerms) -> Result<(), BackupError> {
        let own = restoring.store().await?;
        let listed = self.blobs.list(Some(ObjectKey::RESERVED), Some(StoreId::folder()));
        let mut ids = std::pin::pin!(
            listed.try_filter_map(|(key, _)| std::future::ready(Ok(StoreId::of_object(&key))))
        );
        while let Some(id) = ids.try_next().await.map_err(BackupError::Store)? {
            if own != Some(id) && !terms.adopts_store {
                return Err(BackupError::StoreInUse(id.to_string()));
            }
        }
        Ok(())
    }

    async fn fetch(
        &self,
        target: &BackupTarget,
        manifest: &Manifest,
    ) -> Result<(Vec<PartFile>, PartFile), BackupError> {
        let mut tables = Vec::with_capacity(manifest.tables.len());
        for table in &manifest.tables {
            let part = manifest.part(&Manifest::part_of_table(&table.name))?;
            tables.push(target.fetch(manifest.made_at, part, &self.scratch).await?);
        }
        let objects = target.fetch(manifest.made_at, manifest.part(OBJECTS)?, &self.scratch).await?;
        Ok((tables, objects))
    }
}

/// Whether the rows of this backup are already in the database, because an earlier restore was interrupted before it
/// linked the store.
async fn is_loaded(restoring: &Restoring, manifest: &Manifest) -> Result<bool, BackupError> {
    match restoring.unfinished().await? {
        None => Ok(false),
        Some(noted) if noted == manifest.mark().as_str() => Ok(true),
        Some(noted) => {
            Err(RestoreError::Interrupted { backup: BackupMark::name_of(&noted).to_owned() }.into())
        }
    }
}
