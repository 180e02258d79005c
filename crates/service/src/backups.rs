//! Backups: the catalog in a format that both databases can load, and the objects that it names.
//!
//! A target has a folder `catalog/<time>/` for each backup and one pool, `objects/`, for all of them. A backup first
//! reads a snapshot of the catalog. Then it copies the objects that the catalog names and the pool does not have. It
//! writes the manifest last, so a backup without one is incomplete. Everything that is copied is compared with the
//! recorded hashes.

mod copying;
mod error;
mod gathering;
mod hold;
mod loading;
mod manifest;
mod object_list;
mod own_secrets;
mod owner_covers;
mod part;
mod pruning;
mod restore_report;
mod restoring;
mod returning;
mod target;
mod time;
mod transfer;

use std::num::NonZeroU64;
use std::path::PathBuf;

use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, LastBackup};
use tonearm_domain::{Ambient, ObjectKey};
use tonearm_signing::Secrets;

pub use error::BackupError;
pub use manifest::BackupSummary;
pub use restore_report::RestoreReport;
pub use restoring::{RestoreTerms, Restores};
pub use target::{BackupTarget, FoundBackups};
pub use time::BackupTime;

use copying::Copying;
use hold::Hold;
use manifest::{FORMAT, Manifest};
use part::PartFile;

/// Options of a backup.
#[derive(Debug, Clone, Copy, Default)]
pub struct BackupTerms {
    /// The maximum number of bytes to copy per second.
    pub bytes_per_second: Option<NonZeroU64>,
    /// The number of backups to keep. `None` keeps all.
    pub keep: Option<NonZeroU64>,
}

/// An event during a backup or a restore.
#[derive(Debug)]
pub enum BackupEvent<'a> {
    /// The rows of a table were read or loaded.
    Table {
        /// Its name.
        name: &'a str,
        /// How many rows there are.
        rows: u64,
    },
    /// Objects were listed.
    Listed {
        /// The number of objects so far.
        objects: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// Objects were copied, or exist already.
    Copied {
        /// The number of objects so far.
        objects: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// An object is damaged in the store, and the backup keeps the copy of an earlier backup.
    Rescued {
        /// The object.
        key: &'a ObjectKey,
        /// Why.
        reason: &'static str,
    },
    /// A row is not in the backup, cannot be read by the service, or could not be loaded.
    Row {
        /// Its table.
        table: &'a str,
        /// Its id. If several columns identify it, their values, separated by slashes.
        id: &'a str,
        /// Why.
        reason: &'a str,
    },
    /// An object could not be copied.
    Problem {
        /// The object.
        key: &'a ObjectKey,
        /// Why.
        reason: &'static str,
    },
}

/// The callback that receives each event.
pub(crate) type OnEvent<'a> = &'a mut (dyn FnMut(BackupEvent<'_>) + Send);

/// The result of a backup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackupReport {
    /// Rows of all tables.
    pub rows: u64,
    /// Objects in the backup.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Objects that this run copied.
    pub copied: u64,
    /// Their bytes.
    pub copied_bytes: u64,
    /// Objects that were removed after the catalog snapshot and before they could be copied. This happens if the hold
    /// on removals has expired because the database was unavailable for too long to renew it.
    pub gone: u64,
    /// Objects that are not in the backup although the catalog names them: they are missing in the store, have wrong
    /// bytes, or cannot be read.
    pub damaged: u64,
    /// Rows that are not in the backup, because they cannot be read.
    pub damaged_rows: u64,
    /// Rows that are in the backup as they are, although the service cannot read them, or only without their metadata.
    pub unreadable_rows: u64,
    /// Objects with such damage for which the backup keeps the copy of an earlier backup.
    pub rescued: u64,
    /// Older backups that were removed.
    pub pruned: u64,
    /// Objects that were removed with the older backups.
    pub pruned_objects: u64,
}

/// Makes backups.
#[derive(Clone)]
pub struct Backups {
    catalog: Catalog,
    blobs: Blobs,
    ambient: Ambient,
    secrets: Secrets,
    /// A folder for temporary files.
    scratch: PathBuf,
    version: &'static str,
}

impl Backups {
    /// Makes backups of this catalog and this store. `version` is the version of the program.
    pub fn new(
        (catalog, blobs): (Catalog, Blobs),
        ambient: Ambient,
        secrets: Secrets,
        scratch: PathBuf,
        version: &'static str,
    ) -> Self {
        Self { catalog, blobs, ambient, secrets, scratch, version }
    }

    /// Makes a backup. If it is run again after an interruption, it copies only what is missing. No node removes
    /// objects while it runs.
    pub async fn run(
        &self,
        target: &BackupTarget,
        terms: BackupTerms,
        on_event: OnEvent<'_>,
    ) -> Result<(BackupTime, BackupReport), BackupError> {
        self.check_secrets().await?;
        let hold = Hold::begin(&self.catalog, &self.ambient).await?;
        let made = self.make(target, terms, &hold, on_event).await;
        hold.release().await;
        made
    }

    async fn make(
        &self,
        target: &BackupTarget,
        terms: BackupTerms,
        hold: &Hold,
        on_event: OnEvent<'_>,
    ) -> Result<(BackupTime, BackupReport), BackupError> {
        let time = BackupTime::new(self.ambient.now());
        let earlier = target.backups().await?;
        earlier.unreadable.iter().for_each(|(time, error)| {
            tracing::warn!(backup = %time, %error, "an earlier backup cannot be used");
        });
        let mut report = BackupReport::default();
        let mut gathered = self.gather(&mut report, on_event).await?;
        let newest = earlier.complete.last();
        let copying = Copying { backups: self, target, previous: newest, terms };
        let objects = copying.run(&mut gathered, &mut report, on_event).await?;
        let manifest = Manifest {
            format: FORMAT,
            version: self.version.to_owned(),
            made_at: time,
            database: gathered.backend.to_owned(),
            steps: gathered.steps.clone(),
            store: gathered.store.map(|id| id.to_string()),
            secrets: self.secrets.fingerprints(),
            tables: gathered.tables.iter().map(|(table, _)| table.clone()).collect(),
            parts: Vec::new(),
            objects: report.objects,
            bytes: report.bytes,
        };
        let parts: Vec<PartFile> = gathered.tables.into_iter().map(|(_, part)| part).collect();
        target.finish(manifest, parts.iter().chain([&objects])).await?;
        self.note(time).await;
        if let Some(keep) = terms.keep
            && self.may_prune(hold).await?
        {
            pruning::prune((target, earlier), keep, (self.ambient.now(), &self.scratch), &mut report).await?;
        }
        Ok((time, report))
    }

    /// Older backups are removed only while no other backup runs: the parts and objects that a running backup has
    /// written look like those of an interrupted one until its manifest exists.
    async fn may_prune(&self, hold: &Hold) -> Result<bool, BackupError> {
        let is_only_one = hold.is_only_one(&self.ambient).await?;
        if !is_only_one {
            tracing::warn!("older backups are not removed, since another backup is running");
        }
        Ok(is_only_one)
    }

    /// Records the backup, so that nodes can report it. A failure is only logged, as the backup is complete anyway.
    async fn note(&self, time: BackupTime) {
        let backup = LastBackup { made_at: time.at(), finished_at: self.ambient.now() };
        if let Err(error) = self.catalog.note_backup(backup).await {
            tracing::warn!(%error, "the backup is complete, but could not be recorded in the database");
        }
    }
}
