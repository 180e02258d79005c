//! Why a backup could not be made or restored.

use std::path::PathBuf;

use tonearm_blobs::{BlobError, PutError};
use tonearm_catalog::{CatalogError, RestoreError};
use tonearm_domain::innermost_cause;

use super::time::BackupTime;
use crate::inventory::WalkError;
use crate::store_identity::IdentityError;

/// Why a backup could not be made or restored. The texts say what to do.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The target is a folder that does not exist.
    #[error("there is no folder {}; check the path, and whether its disk is mounted", .0.display())]
    NoTarget(PathBuf),
    /// The target has no complete backup.
    #[error("there is no complete backup in this target")]
    NoBackup,
    /// The target has no complete backup of this time.
    #[error("there is no complete backup of {0} in this target; `tonearm backup list` shows which there are")]
    NoSuchBackup(BackupTime),
    /// A part differs from what was stored.
    #[error("the backup is damaged: {part} {problem}. Restore another backup, or this one from another copy")]
    Broken {
        /// Which part.
        part: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// A newer version of Tonearm made the backup.
    #[error(
        "the backup has the format {0}, which this version of Tonearm does not know; use a newer version"
    )]
    Format(u32),
    /// The master secret differs from that of the backup.
    #[error(
        "the backup was made with another master secret. Set `secret` to the one of that service. If it is lost, \
         --secret-changed restores without it: secrets of webhooks, keys of transcription providers, credentials for \
         import buckets, authenticator apps, the texts of share links and signing keys of organizations are then lost, \
         and signed URLs become invalid"
    )]
    Secret,
    /// The backup was made while several master secrets were in use, and not all of them are known.
    #[error(
        "the backup was made with several master secrets, and these are missing here: {}. List them in `secret` too, as in \
         that service. If they are lost, --secret-changed restores without them: what is still encrypted with them and \
         the signing keys of organizations that were made under them are then lost",
        .0.join(", ")
    )]
    OlderSecrets(Vec<String>),
    /// The master secret is not the one of the service that is backed up.
    #[error(
        "the master secret is not the one that this service uses, so the backup would name the wrong one. Set `secret` to \
         that of the nodes. If it was replaced because it was lost, start the service with the new one first"
    )]
    WrongSecret,
    /// The database refuses rows of the backup.
    #[error(
        "the database refuses {0} rows of the backup, which are named above. Nothing is restored. Restore another backup, or \
         use --skip-damaged to restore everything but these rows"
    )]
    Refused(u64),
    /// The store belongs to another database.
    #[error(
        "the object store belongs to a database already ({0}). If that database is lost for good, --adopt-store links \
         the store to the restored one; otherwise, set storage_url to an empty place"
    )]
    StoreInUse(String),
    /// A local file could not be used.
    #[error("cannot use a temporary file: {0}")]
    Local(#[from] std::io::Error),
    /// The target of the backup failed.
    #[error("cannot use the target of the backup: {}", innermost_cause(.0).map_or_else(|| .0.to_string(), ToString::to_string))]
    Target(#[source] BlobError),
    /// The object store failed.
    #[error("the object store: {0}")]
    Store(#[source] BlobError),
    /// The catalog failed.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The database to restore into failed or was refused.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// The identity of the database and the store could not be checked or set.
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

impl BackupError {
    pub(super) fn broken(part: &str, problem: &'static str) -> Self {
        Self::Broken { part: part.to_owned(), problem }
    }

    /// The error for a failed put into the target.
    pub(super) fn of_put(error: PutError) -> Self {
        match error {
            PutError::Store(error) => Self::Target(error),
            PutError::Interrupted(source) => Self::Local(std::io::Error::other(source)),
            other => Self::Local(std::io::Error::other(other)),
        }
    }
}

impl From<WalkError> for BackupError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::Store(error) => Self::Store(error),
            WalkError::Catalog(error) => Self::Catalog(error),
        }
    }
}
