//! The target: where backups are stored.

use std::collections::HashMap;
use std::path::Path;

use bytes::Bytes;
use futures::TryStreamExt;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;
use tonearm_blobs::{BlobError, Blobs, FileName, NamedFiles, StorageUrl};

use super::error::BackupError;
use super::manifest::{BackupPart, BackupSummary, MANIFEST, Manifest};
use super::part::PartFile;
use super::time::BackupTime;
use crate::inventory::ReadFailures;

/// The folder of all backups.
const CATALOG: &str = "catalog";
/// The folder of the object pool, which all backups share.
const OBJECTS: &str = "objects";
/// The largest manifest, in bytes.
const LARGEST_MANIFEST: usize = 16 * 1024 * 1024;

/// A folder, or a prefix in a bucket, that contains backups.
#[derive(Debug, Clone)]
pub struct BackupTarget {
    files: NamedFiles,
    objects: Blobs,
}

/// The backups of a target.
#[derive(Debug)]
pub struct FoundBackups {
    /// The complete backups, oldest first.
    pub complete: Vec<BackupSummary>,
    /// The backups whose manifest cannot be read, with the reason.
    pub unreadable: Vec<(BackupTime, BackupError)>,
}

/// The manifests of a target, oldest first.
#[derive(Default)]
pub(super) struct Manifests {
    pub(super) complete: Vec<Manifest>,
    /// Damaged ones, and those of a newer version.
    pub(super) unreadable: Vec<(BackupTime, BackupError)>,
}

impl BackupTarget {
    /// Opens a target for backups. A folder is created if it does not exist.
    pub async fn open(url: &StorageUrl) -> Result<Self, BackupError> {
        let files = NamedFiles::open(url).await.map_err(BackupError::Target)?;
        let objects = Blobs::open(&url.below(OBJECTS)).await.map_err(BackupError::Target)?;
        Ok(Self { files, objects })
    }

    /// Opens a target to read its backups, even on a medium that cannot be written to. Nothing is created.
    pub async fn open_to_read(url: &StorageUrl) -> Result<Self, BackupError> {
        let files = match (NamedFiles::open_to_read(url).await, url.folder()) {
            (Err(_), Some(folder)) if !folder.exists() => {
                return Err(BackupError::NoTarget(folder.to_owned()));
            }
            (opened, _) => opened.map_err(BackupError::Target)?,
        };
        let objects = Blobs::open_to_read(url, OBJECTS, CATALOG).map_err(BackupError::Target)?;
        Ok(Self { files, objects })
    }

    /// The backups that have a manifest.
    pub async fn list(&self) -> Result<FoundBackups, BackupError> {
        let Manifests { complete, unreadable } = self.backups().await?;
        Ok(FoundBackups { complete: complete.iter().map(BackupSummary::from).collect(), unreadable })
    }

    pub(super) fn objects(&self) -> &Blobs {
        &self.objects
    }

    /// All manifests. An unusable manifest does not prevent the use of the others.
    pub(super) async fn backups(&self) -> Result<Manifests, BackupError> {
        self.backups_beside(Manifests::default()).await
    }

    /// All current manifests. Manifests that were read before are not read again.
    pub(super) async fn backups_beside(&self, read: Manifests) -> Result<Manifests, BackupError> {
        let mut complete: HashMap<BackupTime, Manifest> =
            read.complete.into_iter().map(|manifest| (manifest.made_at, manifest)).collect();
        let mut unreadable: HashMap<BackupTime, BackupError> = read.unreadable.into_iter().collect();
        let mut found = Manifests::default();
        for time in self.times().await? {
            if let Some(manifest) = complete.remove(&time) {
                found.complete.push(manifest);
                continue;
            }
            let read = match unreadable.remove(&time) {
                Some(error) => Err(error),
                None => self.manifest_or_damage(time).await?,
            };
            match read {
                Ok(manifest) => found.complete.push(manifest),
                Err(error) => found.unreadable.push((time, error)),
            }
        }
        Ok(found)
    }

    /// A manifest, or why it cannot be used.
    async fn manifest_or_damage(
        &self,
        time: BackupTime,
    ) -> Result<Result<Manifest, BackupError>, BackupError> {
        match self.manifest(time).await {
            Ok(manifest) => Ok(Ok(manifest)),
            Err(error @ (BackupError::Broken { .. } | BackupError::Format(_))) => Ok(Err(error)),
            Err(BackupError::Target(error)) => {
                ReadFailures::of(&self.objects).tolerate(error).await.map_err(BackupError::Target)?;
                let name = file(time, MANIFEST)?;
                Ok(Err(BackupError::broken(name.as_str(), "cannot be read")))
            }
            Err(error) => Err(error),
        }
    }

    /// The newest backup, or the one of a time. Only its manifest is read.
    pub(super) async fn find(&self, time: Option<BackupTime>) -> Result<Manifest, BackupError> {
        let times = self.times().await?;
        let found = match time {
            Some(time) => {
                times.into_iter().find(|found| *found == time).ok_or(BackupError::NoSuchBackup(time))?
            }
            None => times.into_iter().next_back().ok_or(BackupError::NoBackup)?,
        };
        self.manifest(found).await
    }

    /// The times of the backups that have a manifest, oldest first.
    async fn times(&self) -> Result<Vec<BackupTime>, BackupError> {
        let names = self.names().await?;
        let files = names.iter().filter_map(split);
        let mut times: Vec<BackupTime> =
            files.filter(|(_, part)| *part == MANIFEST).map(|(time, _)| time).collect();
        times.sort_unstable();
        Ok(times)
    }

    async fn manifest(&self, time: BackupTime) -> Result<Manifest, BackupError> {
        let name = file(time, MANIFEST)?;
        let bytes = self.files.read(&name, LARGEST_MANIFEST).await.map_err(BackupError::Target)?;
        let bytes = bytes.ok_or_else(|| BackupError::broken(name.as_str(), "is missing"))?;
        let manifest = Manifest::from_bytes(&bytes)?;
        if manifest.made_at != time {
            return Err(BackupError::broken(name.as_str(), "is the one of another backup"));
        }
        Ok(manifest)
    }

    /// All files of all backups, complete or not.
    async fn names(&self) -> Result<Vec<FileName>, BackupError> {
        self.files.list(&name(CATALOG)?).await.map_err(BackupError::Target)
    }

    /// Stores the parts, and then the manifest, which completes the backup.
    pub(super) async fn finish(
        &self,
        mut manifest: Manifest,
        parts: impl Iterator<Item = &PartFile> + Send,
    ) -> Result<(), BackupError> {
        let time = manifest.made_at;
        for local in parts {
            let name = file(time, &local.part.name)?;
            let stored = self.files.put_file(&name, local.path()).await.map_err(BackupError::of_put)?;
            if hex::encode(stored.sha256) != local.part.sha256 {
                return Err(BackupError::broken(&local.part.name, "was changed while it was stored"));
            }
            manifest.parts.push(local.part.clone());
        }
        let bytes = Bytes::from(manifest.to_bytes()?);
        self.files.put_bytes(&file(time, MANIFEST)?, bytes).await.map_err(BackupError::of_put)?;
        Ok(())
    }

    /// Downloads a part into a folder, and checks its hash.
    pub(super) async fn fetch(
        &self,
        time: BackupTime,
        part: &BackupPart,
        folder: &Path,
    ) -> Result<PartFile, BackupError> {
        let name = file(time, &part.name)?;
        let stream = self.files.get(&name).await.map_err(BackupError::Target)?;
        let mut stream = stream.ok_or_else(|| BackupError::broken(name.as_str(), "is missing"))?;
        let (local, path) = tempfile::Builder::new().prefix("part-").tempfile_in(folder)?.into_parts();
        let mut local = tokio::fs::File::from_std(local);
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        loop {
            match stream.try_next().await {
                Ok(Some(chunk)) => {
                    bytes += chunk.len() as u64;
                    if bytes > part.bytes {
                        return Err(BackupError::broken(name.as_str(), "is longer than was recorded"));
                    }
                    hash.update(&chunk);
                    local.write_all(&chunk).await?;
                }
                Ok(None) => break,
                Err(BlobError::Corrupt) => {
                    return Err(BackupError::broken(name.as_str(), "is shorter than was recorded"));
                }
                Err(error) => return Err(BackupError::Target(error)),
            }
        }
        local.flush().await?;
        if bytes != part.bytes || hex::encode(hash.finalize()) != part.sha256 {
            return Err(BackupError::broken(name.as_str(), "has another hash than was recorded"));
        }
        Ok(PartFile::fetched(part.clone(), path))
    }

    /// Removes a backup, the manifest first.
    pub(super) async fn remove(&self, time: BackupTime) -> Result<(), BackupError> {
        let delete = async |name: &FileName| self.files.delete(name).await.map_err(BackupError::Target);
        delete(&file(time, MANIFEST)?).await?;
        for name in self.files.list(&folder(time)?).await.map_err(BackupError::Target)? {
            delete(&name).await?;
        }
        Ok(())
    }

    /// The times of backups without a manifest.
    pub(super) async fn incomplete(&self) -> Result<Vec<BackupTime>, BackupError> {
        let names = self.names().await?;
        let files: Vec<(BackupTime, &str)> = names.iter().filter_map(split).collect();
        let is_complete = |time: BackupTime| files.contains(&(time, MANIFEST));
        let mut times: Vec<BackupTime> =
            files.iter().map(|(time, _)| *time).filter(|time| !is_complete(*time)).collect();
        times.dedup();
        Ok(times)
    }
}

/// The backup and the part that a file name denotes.
fn split(name: &FileName) -> Option<(BackupTime, &str)> {
    let (time, part) = name.as_str().strip_prefix(CATALOG)?.strip_prefix('/')?.split_once('/')?;
    Some((time.parse().ok()?, part))
}

fn name(text: &str) -> Result<FileName, BackupError> {
    text.parse().map_err(|_| BackupError::broken(text, "is not the name of a part"))
}

fn folder(time: BackupTime) -> Result<FileName, BackupError> {
    name(&format!("{CATALOG}/{time}"))
}

fn file(time: BackupTime, part: &str) -> Result<FileName, BackupError> {
    name(&format!("{CATALOG}/{time}/{part}"))
}
