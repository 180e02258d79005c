//! Putting an object into the folder.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::path::Path;

use bytes::Bytes;
use tempfile::{NamedTempFile, TempPath};
use tokio::task::{JoinHandle, spawn_blocking};

use super::files::{Root, private_folders};
use crate::error::PutError;
use crate::intake::{Digests, Intake};
use crate::object::{OnFailure, PutTerms, Stored};
use crate::store::Incoming;

/// Bytes written in one go, so that a switch to a blocking thread costs little.
const BATCH: usize = 1024 * 1024;
/// Attempts to create a folder that deletes keep removing. Each time, another delete must have come between.
const ATTEMPTS: usize = 100;

/// A file being written. Dropping it removes the file, wherever it then is. So a put whose future is dropped leaves
/// nothing, although the blocking thread that holds this goes on to the end of its step.
struct Draft {
    file: NamedTempFile,
    digests: Digests,
}

pub(super) async fn put(
    root: &Root,
    path: &Path,
    body: Incoming<'_>,
    terms: PutTerms,
) -> Result<Stored, PutError> {
    let mut intake = Intake::new(body, terms);
    intake.check_announced()?;
    let mut batch = intake.next_batch(BATCH).await?;
    let of_draft = root.clone();
    let mut writing: JoinHandle<io::Result<Draft>> = spawn_blocking(move || Draft::create(&of_draft, &terms));
    while !batch.is_empty() {
        let mut draft = writing.await??;
        let full = mem::take(&mut batch);
        writing = spawn_blocking(move || {
            draft.write(&full)?;
            Ok(draft)
        });
        // The next batch is gathered while this one is written.
        batch = intake.next_batch(BATCH).await?;
    }
    let draft = writing.await??;
    let (root, path) = (root.path.clone(), path.to_owned());
    let (published, stored) = spawn_blocking(move || draft.publish(&root, &path, &terms)).await??;
    published.keep();
    Ok(stored)
}

impl Draft {
    fn create(root: &Root, terms: &PutTerms) -> io::Result<Self> {
        let file = NamedTempFile::with_prefix_in("put-", root.temporaries()?)?;
        Ok(Self { file, digests: Digests::new(terms) })
    }

    fn write(&mut self, batch: &[Bytes]) -> io::Result<()> {
        for chunk in batch {
            self.file.as_file_mut().write_all(chunk)?;
            self.digests.update(chunk);
        }
        Ok(())
    }

    /// Makes the file durable under its name. The object is removed again unless the returned value is kept.
    fn publish(self, root: &Path, path: &Path, terms: &PutTerms) -> Result<(Published, Stored), PutError> {
        let stored = self.digests.finish(terms)?;
        self.file.as_file().sync_all()?;
        let mut published =
            Published { path: move_into_place(root, self.file.into_temp_path(), path)?, size: stored.size };
        if terms.on_failure == OnFailure::Leave {
            published.path.disable_cleanup(true);
        }
        sync_folders(root, path)?;
        Ok((published, stored))
    }
}

/// Copies a file of the store under another name; `None` when there is no such file. A hard link would avoid the copy,
/// but an open file that was deleted by another process is recognised by its number of links.
pub(super) fn copy(root: &Root, from: &Path, to: &Path) -> io::Result<Option<Published>> {
    let Some(mut from) = root.if_there(File::open(from))? else { return Ok(None) };
    let mut draft = NamedTempFile::with_prefix_in("put-", root.temporaries()?)?;
    let root = &root.path;
    // The kernel copies the file, and shares blocks if the file system can.
    let size = io::copy(&mut from, draft.as_file_mut())?;
    draft.as_file().sync_all()?;
    let published = Published { path: move_into_place(root, draft.into_temp_path(), to)?, size };
    sync_folders(root, to)?;
    Ok(Some(published))
}

/// Makes the names of all folders between the root and `path` durable, not only of those created here: another put may
/// have created one and not synced it yet.
pub(super) fn sync_folders(root: &Path, path: &Path) -> io::Result<()> {
    for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(root)) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Renames the draft, and creates the folders above `path`. Retries, since a delete may remove an empty folder right
/// after it was created.
pub(super) fn move_into_place(root: &Path, mut draft: TempPath, path: &Path) -> io::Result<TempPath> {
    for _ in 1..ATTEMPTS {
        match make_folders(root, path).and_then(|()| fs::rename(&draft, path)) {
            Ok(()) => {
                draft.disable_cleanup(true);
                return TempPath::try_from_path(path);
            }
            Err(error) if error.kind() == ErrorKind::NotFound && draft.exists() => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(ErrorKind::ResourceBusy, "the object's folder is removed repeatedly"))
}

/// Creates the folders between the root, which must exist, and `path`.
fn make_folders(root: &Path, path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(root);
    let missing: Vec<_> = folder.ancestors().take_while(|folder| *folder != root).collect();
    for folder in missing.into_iter().rev() {
        match private_folders().create(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// An object in its place. Dropping this removes it unless it is kept.
pub(super) struct Published {
    path: TempPath,
    size: u64,
}

impl Published {
    /// Leaves the object in its place, and returns its size in bytes.
    pub(super) fn keep(mut self) -> u64 {
        self.path.disable_cleanup(true);
        self.size
    }
}
