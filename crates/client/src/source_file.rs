//! A file that is uploaded, and whether it is still the same.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::{Stream, TryStreamExt};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio_util::io::ReaderStream;

/// Size of each read, in bytes.
const CHUNK: usize = 256 * 1024;

/// Why a file cannot be uploaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It cannot be opened or read.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// A folder, a pipe, a device.
    #[error("this is not a regular file")]
    NoFile,
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// It was changed in the meantime.
    #[error("the file changed while it was being uploaded; upload it again when it is complete")]
    Changed,
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Identifies a version of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    size: u64,
    modified: (i64, i64),
    file: (u64, u64),
}

impl FileStamp {
    /// The stamp of a file.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            file: (metadata.dev(), metadata.ino()),
        }
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// Called with the number of bytes that were read since the last call. Returns whether to go on.
pub type HashProgress<'a> = &'a dyn Fn(u64) -> bool;

/// A file with its hash.
#[derive(Debug, Clone)]
pub struct SourceFile {
    path: PathBuf,
    stamp: FileStamp,
    sha256: [u8; 32],
}

impl SourceFile {
    /// Reads a file to its end. This blocks, for as long as the file takes.
    pub fn hash(path: &Path, progress: HashProgress<'_>) -> Result<Self, FileError> {
        // Anything but a regular file is never opened: a pipe would wait for a writer.
        if !std::fs::metadata(path)?.is_file() {
            return Err(FileError::NoFile);
        }
        let mut file = File::open(path)?;
        let before = file.metadata()?;
        if !before.is_file() {
            return Err(FileError::NoFile);
        }
        if before.size() == 0 {
            return Err(FileError::Empty);
        }
        let (mut hash, mut buffer) = (Sha256::new(), vec![0; CHUNK]);
        loop {
            let read = match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            hash.update(&buffer[..read]);
            if !progress(read as u64) {
                return Err(FileError::Stopped);
            }
        }
        let stamp = FileStamp::of(&before);
        if FileStamp::of(&file.metadata()?) != stamp {
            return Err(FileError::Changed);
        }
        Ok(Self { path: path.to_owned(), stamp, sha256: hash.finalize().into() })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name, as far as it is Unicode.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.stamp.size
    }

    /// The SHA-256 of its bytes.
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// Fails if the file is no longer what was hashed.
    pub(crate) fn check(&self, metadata: &Metadata) -> Result<(), FileError> {
        if FileStamp::of(metadata) == self.stamp { Ok(()) } else { Err(FileError::Changed) }
    }

    /// The bytes from `start` to `end`. `position` follows what has been read.
    pub(crate) async fn bytes(
        &self,
        (start, end): (u64, u64),
        position: Arc<AtomicU64>,
    ) -> Result<impl Stream<Item = io::Result<Bytes>> + Send + 'static, FileError> {
        let mut file = tokio::fs::File::open(&self.path).await?;
        self.check(&file.metadata().await?)?;
        file.seek(io::SeekFrom::Start(start)).await?;
        let stream = ReaderStream::with_capacity(file.take(end - start), CHUNK);
        Ok(stream.inspect_ok(move |chunk| {
            position.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn go_on(_: u64) -> bool {
        true
    }

    #[test]
    fn a_file_is_hashed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wav");
        let bytes = vec![7; CHUNK * 2 + 1];
        std::fs::write(&path, &bytes).unwrap();
        let hashed = SourceFile::hash(&path, &go_on).unwrap();
        assert_eq!((hashed.size(), hashed.name().as_str()), (bytes.len() as u64, "a.wav"));
        assert_eq!(hashed.sha256(), <[u8; 32]>::from(Sha256::digest(&bytes)));
        hashed.check(&path.metadata().unwrap()).unwrap();
        File::options().append(true).open(&path).unwrap().write_all(b"x").unwrap();
        assert_eq!(hashed.check(&path.metadata().unwrap()), Err(FileError::Changed));
        // While it is read.
        let append = |_| File::options().append(true).open(&path).unwrap().write_all(b"x").is_ok();
        let once = AtomicU64::new(0);
        let progress = |_| once.fetch_add(1, Ordering::Relaxed) > 0 || append(0);
        assert_eq!(SourceFile::hash(&path, &progress).err(), Some(FileError::Changed));
        assert_eq!(SourceFile::hash(&path, &|_| false).err(), Some(FileError::Stopped));
    }

    #[test]
    fn what_is_no_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(SourceFile::hash(folder.path(), &go_on).err(), Some(FileError::NoFile));
        let empty = folder.path().join("empty.mp3");
        File::create(&empty).unwrap();
        assert_eq!(SourceFile::hash(&empty, &go_on).err(), Some(FileError::Empty));
        let missing = SourceFile::hash(&folder.path().join("missing"), &go_on).err();
        assert!(matches!(missing, Some(FileError::Unreadable(_))), "{missing:?}");
    }
}
