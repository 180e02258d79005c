//! A draft as one file that grows, `{root}/.tmp/upload-{id}`. Its writer holds a lock on the file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::mem;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tempfile::TempPath;
use tokio::task::{JoinHandle, spawn_blocking};
use tonearm_domain::{ObjectKey, UploadId};

use super::files::{Root, TEMPORARIES, unless_missing};
use super::writing::{move_into_place, sync_folders};
use crate::draft::{DraftError, DraftNames, DraftState, DraftStore, NAMED_BY_BYTES, RunningDigest};
use crate::error::BlobError;
use crate::object::Stored;

/// The prefix of the file names of drafts.
pub(super) const PREFIX: &str = "upload-";
/// Bytes written in one go, so that a switch to a blocking thread costs little.
const BATCH: usize = 1024 * 1024;
/// The pause between attempts to lock a file, and the number of attempts.
const WAITED: Duration = Duration::from_millis(20);
const WAITED_TIMES: usize = 50;
/// Attempts to open a file that another process moves away meanwhile.
const ATTEMPTS: usize = 10;

/// The file, and the digest of what is in it.
struct Growing {
    file: File,
    size: u64,
    digest: RunningDigest,
}

pub(super) struct FolderDraft {
    root: Root,
    path: PathBuf,
    names: DraftNames,
    state: DraftState,
    /// `None` for a draft that was published already.
    writing: Option<JoinHandle<io::Result<Growing>>>,
    batch: Vec<Bytes>,
    batch_size: usize,
}

fn draft_path(root: &Path, id: UploadId) -> PathBuf {
    root.join(TEMPORARIES).join(format!("{PREFIX}{id}"))
}

impl FolderDraft {
    pub(super) async fn open(
        root: Root,
        id: UploadId,
        state: DraftState,
        names: DraftNames,
    ) -> Result<Self, DraftError> {
        let path = draft_path(&root.path, id);
        for _ in 1..WAITED_TIMES {
            match Self::try_open(root.clone(), path.clone(), state.clone(), names.clone()).await {
                // A dropped writer may still be finishing its last step.
                Err(DraftError::InUse) => tokio::time::sleep(WAITED).await,
                opened => return opened,
            }
        }
        Self::try_open(root, path, state, names).await
    }

    async fn try_open(
        root: Root,
        path: PathBuf,
        state: DraftState,
        names: DraftNames,
    ) -> Result<Self, DraftError> {
        spawn_blocking(move || {
            root.temporaries()?;
            let writing = match open_growing(&path, &state) {
                Ok(growing) => Some(spawn_blocking(move || Ok(growing))),
                Err(DraftError::Lost) if is_published(&root.path, &state)? => None,
                Err(error) => return Err(error),
            };
            Ok(Self { root, path, names, state, writing, batch: Vec::new(), batch_size: 0 })
        })
        .await?
    }

    /// Runs `work` on the file, off the reactor, after the write that is in progress.
    async fn next<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Growing) -> io::Result<T> + Send + 'static,
    ) -> Result<T, DraftError> {
        let mut growing = self.writing.take().ok_or(DraftError::Lost)?.await??;
        let (growing, result) = spawn_blocking(move || {
            let result = work(&mut growing);
            (growing, result)
        })
        .await?;
        self.writing = Some(spawn_blocking(move || Ok(growing)));
        Ok(result?)
    }
}

#[async_trait]
impl DraftStore for FolderDraft {
    async fn write(&mut self, bytes: Bytes) -> Result<(), DraftError> {
        self.batch_size += bytes.len();
        self.batch.push(bytes);
        if self.batch_size < BATCH {
            return Ok(());
        }
        let mut growing = self.writing.take().ok_or(DraftError::Lost)?.await??;
        let batch = mem::take(&mut self.batch);
        self.batch_size = 0;
        self.writing = Some(spawn_blocking(move || growing.write(&batch).map(|()| growing)));
        Ok(())
    }

    async fn flush(&mut self) -> Result<DraftState, DraftError> {
        if self.writing.is_none() && self.batch.is_empty() {
            return Ok(self.state.clone());
        }
        let batch = mem::take(&mut self.batch);
        self.batch_size = 0;
        let (is_new, folder) = (self.state.size == 0, self.root.path.join(TEMPORARIES));
        let (size, digest) = self
            .next(move |growing| {
                growing.write(&batch)?;
                growing.file.sync_data()?;
                if is_new {
                    File::open(folder)?.sync_all()?;
                }
                Ok((growing.size, growing.digest.clone()))
            })
            .await?;
        self.state.size = size;
        self.state.save_digest(&digest);
        Ok(self.state.clone())
    }

    async fn recorded(&mut self) {}

    async fn settle(&mut self) -> Result<DraftState, DraftError> {
        self.flush().await?;
        if self.state.object.is_none() {
            let head = self.next(|growing| head_of(&growing.file)).await?;
            self.state.object = Some(self.names.object(&head));
        }
        Ok(self.state.clone())
    }

    async fn publish(self: Box<Self>) -> Result<(ObjectKey, Stored), DraftError> {
        let Self { root: Root { path: root, .. }, path, state, writing, .. } = *self;
        let (Some(key), Some(digest)) = (state.object.clone(), state.running_digest()) else {
            return Err(DraftError::Lost);
        };
        let stored = Stored { size: state.size, sha256: digest.finish() };
        let Some(writing) = writing else { return Ok((key, stored)) };
        // The file stays locked until it is renamed.
        let growing = writing.await??;
        spawn_blocking(move || {
            growing.file.sync_all()?;
            let object = root.join(key.to_string());
            let mut draft = TempPath::try_from_path(path)?;
            draft.disable_cleanup(true);
            move_into_place(&root, draft, &object)?.disable_cleanup(true);
            sync_folders(&root, &object)?;
            Ok((key, stored))
        })
        .await?
    }
}

impl Growing {
    fn write(&mut self, batch: &[Bytes]) -> io::Result<()> {
        for chunk in batch {
            self.file.write_all(chunk)?;
            self.digest.update(chunk);
            self.size += chunk.len() as u64;
        }
        Ok(())
    }
}

/// Opens the file, locks it and truncates it to the recorded size.
fn open_growing(path: &Path, state: &DraftState) -> Result<Growing, DraftError> {
    let digest = state.running_digest().ok_or(DraftError::Lost)?;
    for _ in 0..ATTEMPTS {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(state.size == 0).mode(0o600);
        let Some(mut file) = unless_missing(options.open(path))? else { return Err(DraftError::Lost) };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DraftError::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        // The previous holder of the lock may have published or removed the file.
        let meta = file.metadata()?;
        if unless_missing(fs::metadata(path))?.is_none_or(|there| there.ino() != meta.ino()) {
            continue;
        }
        if meta.len() < state.size {
            return Err(DraftError::Lost);
        }
        file.set_len(state.size)?;
        file.seek(SeekFrom::Start(state.size))?;
        return Ok(Growing { file, size: state.size, digest });
    }
    Err(DraftError::InUse)
}

fn is_published(root: &Path, state: &DraftState) -> io::Result<bool> {
    let Some(key) = &state.object else { return Ok(false) };
    let there = unless_missing(fs::metadata(root.join(key.to_string())))?;
    Ok(there.is_some_and(|meta| meta.len() == state.size))
}

fn head_of(file: &File) -> io::Result<Vec<u8>> {
    let mut head = vec![0; NAMED_BY_BYTES];
    let mut filled = 0;
    while filled < head.len() {
        match file.read_at(&mut head[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(filled);
    Ok(head)
}

/// Removes the file of a draft.
pub(super) async fn remove(root: PathBuf, id: UploadId) -> Result<(), BlobError> {
    spawn_blocking(move || {
        unless_missing(fs::remove_file(draft_path(&root, id)))?;
        Ok(())
    })
    .await?
}
