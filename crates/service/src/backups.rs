//! Backups: the catalog in a form that both databases can load, and the objects that it names.
//!
//! A target has `catalog/<time>/` for each backup and one pool, `objects/`, for all of them. The catalog is read first, as it
//! was at one moment; then the objects are copied that it names and that the pool does not have; the manifest comes last, so
//! a backup without one is incomplete. Everything that is copied is compared with the hashes that are known.

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

/// How a backup is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct BackupTerms {
    /// Bytes that are copied in a second at most.
    pub bytes_per_second: Option<NonZeroU64>,
    /// How many backups are kept; all for `None`.
    pub keep: Option<NonZeroU64>,
}

/// What happens meanwhile.
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
        /// How many so far.
        objects: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// Objects were copied, or are there already.
    Copied {
        /// How many so far.
        objects: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// An object is damaged in the store, and the backup keeps the copy of an earlier one.
    Rescued {
        /// Which one.
        key: &'a ObjectKey,
        /// Why.
        reason: &'static str,
    },
    /// An object could not be copied.
    Problem {
        /// Which one.
        key: &'a ObjectKey,
        /// Why.
        reason: &'static str,
    },
}

/// What is called with each event.
pub(crate) type OnEvent<'a> = &'a mut (dyn FnMut(BackupEvent<'_>) + Send);

/// What became of a backup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackupReport {
    /// Rows of all tables.
    pub rows: u64,
    /// Objects that the backup has.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those that were copied by this run.
    pub copied: u64,
    /// Their bytes.
    pub copied_bytes: u64,
    /// Objects that were removed between the moment of the catalog and their turn, since the hold on removals had ended: the
    /// database was unavailable for too long to renew it.
    pub gone: u64,
    /// Objects that the backup does not have: they are missing in the store although the catalog names them, or have wrong
    /// bytes, or cannot be read.
    pub damaged: u64,
    /// Objects with such damage of which the backup keeps the copy of an earlier one.
    pub rescued: u64,
    /// Older backups that were removed.
    pub pruned: u64,
    /// Objects that were removed with them.
    pub pruned_objects: u64,
}

/// Makes backups.
#[derive(Clone)]
pub struct Backups {
    catalog: Catalog,
    blobs: Blobs,
    ambient: Ambient,
    secrets: Secrets,
    /// A folder for files that are being written.
    scratch: PathBuf,
    version: &'static str,
}

impl Backups {
    /// Of this catalog and this store. `version` is the one of the program.
    pub fn new(
        (catalog, blobs): (Catalog, Blobs),
        ambient: Ambient,
        secrets: Secrets,
        scratch: PathBuf,
        version: &'static str,
    ) -> Self {
        Self { catalog, blobs, ambient, secrets, scratch, version }
    }

    /// Makes a backup. Run again after an interruption, it copies only what is missing. Meanwhile nobody removes objects.
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

    /// Parts and objects that another backup has written and not linked yet look like those of an interrupted one.
    async fn may_prune(&self, hold: &Hold) -> Result<bool, BackupError> {
        let is_only_one = hold.is_only_one(&self.ambient).await?;
        if !is_only_one {
            tracing::warn!("older backups are not removed, since another backup is running");
        }
        Ok(is_only_one)
    }

    /// Lets nodes tell that there is a backup. It is there, whether they know of it or not.
    async fn note(&self, time: BackupTime) {
        let backup = LastBackup { made_at: time.at(), finished_at: self.ambient.now() };
        if let Err(error) = self.catalog.note_backup(backup).await {
            tracing::warn!(%error, "the backup is complete, but could not be recorded in the database");
        }
    }
}
