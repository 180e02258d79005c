//! Files that are not objects: those of backups, next to the objects that they name.

use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use tokio::task::spawn_blocking;
use tokio_util::io::ReaderStream;

use crate::error::{BlobError, BoxError, PutError};
use crate::folder::{self, Root};
use crate::object::{OnFailure, PutTerms, Stored};
use crate::s3::S3Store;
use crate::storage_url::{StorageUrl, StoreLocation};
use crate::store::Incoming;

/// Size of each read from a local file, in bytes.
const CHUNK: usize = 256 * 1024;
/// The longest name, in bytes.
const LONGEST: usize = 200;

/// The name of a file: segments of `a-z`, `A-Z`, `0-9`, `_`, `-` and `.`, joined by `/`. No segment begins with a dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileName(String);

/// Text that is not the name of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a file")]
pub struct FileNameError;

impl FileName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for FileName {
    type Err = FileNameError;

    fn from_str(text: &str) -> Result<Self, FileNameError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let is_segment =
            |part: &str| !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_plain);
        let is_name = text.len() <= LONGEST && text.split('/').all(is_segment);
        if is_name { Ok(Self(text.to_owned())) } else { Err(FileNameError) }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A folder, or a part of a bucket, with files by name. A file is visible only once it is whole, and durable once it is put.
#[derive(Clone)]
pub struct NamedFiles(Backend);

#[derive(Clone)]
enum Backend {
    Folder(Root),
    Bucket(S3Store),
}

impl NamedFiles {
    /// Opens a folder or bucket. A folder is created (mode 0700) if it does not exist.
    pub async fn open(url: &StorageUrl) -> Result<Self, BlobError> {
        Ok(Self(match url.location() {
            StoreLocation::Folder(path) => {
                let root = Root::at(path.clone());
                Backend::Folder(spawn_blocking(move || root.create().map(|()| root)).await??)
            }
            StoreLocation::Bucket(bucket) => Backend::Bucket(S3Store::open(bucket)?),
        }))
    }

    /// Opens a folder or bucket to read it. Nothing is created; a folder must exist.
    pub async fn open_to_read(url: &StorageUrl) -> Result<Self, BlobError> {
        Ok(Self(match url.location() {
            StoreLocation::Folder(path) => {
                tokio::fs::metadata(path).await?;
                Backend::Folder(Root::to_read(path.clone(), path.clone()))
            }
            StoreLocation::Bucket(bucket) => Backend::Bucket(S3Store::open(bucket)?),
        }))
    }

    /// Puts a copy of a local file. An existing file of that name is replaced.
    pub async fn put_file(&self, name: &FileName, path: &Path) -> Result<Stored, PutError> {
        let interrupted = |error: io::Error| PutError::Interrupted(error.into());
        let file = tokio::fs::File::open(path).await.map_err(interrupted)?;
        let size = file.metadata().await.map_err(interrupted)?.len();
        let body = ReaderStream::with_capacity(file, CHUNK).map_err(|error| -> BoxError { error.into() });
        self.put(name, body.boxed(), Some(size)).await
    }

    /// Puts bytes that are already in memory.
    pub async fn put_bytes(&self, name: &FileName, bytes: Bytes) -> Result<Stored, PutError> {
        let size = bytes.len() as u64;
        let body = futures::stream::iter([Ok::<_, BoxError>(bytes)]);
        self.put(name, body.boxed(), Some(size)).await
    }

    async fn put(
        &self,
        name: &FileName,
        body: Incoming<'_>,
        expected_size: Option<u64>,
    ) -> Result<Stored, PutError> {
        let terms = PutTerms { expected_size, on_failure: OnFailure::Leave, ..PutTerms::default() };
        match &self.0 {
            Backend::Folder(root) => folder::put_named(root, name.as_str(), body, terms).await,
            Backend::Bucket(bucket) => bucket.put_named(name.as_str(), body, terms).await,
        }
    }

    /// The bytes of a file; `None` if there is no such file.
    pub async fn get(
        &self,
        name: &FileName,
    ) -> Result<Option<BoxStream<'static, Result<Bytes, BlobError>>>, BlobError> {
        match &self.0 {
            Backend::Folder(root) => {
                let Some(file) = folder::open_named(root, name.as_str()).await? else { return Ok(None) };
                let file = tokio::fs::File::from_std(file);
                Ok(Some(ReaderStream::with_capacity(file, CHUNK).map_err(BlobError::from).boxed()))
            }
            Backend::Bucket(bucket) => bucket.get_named(name.as_str()).await,
        }
    }

    /// The bytes of a small file; `None` if there is no such file. Fails if the file has more than `most` bytes.
    pub async fn read(&self, name: &FileName, most: usize) -> Result<Option<Vec<u8>>, BlobError> {
        let Some(mut stream) = self.get(name).await? else { return Ok(None) };
        let mut bytes = Vec::new();
        while let Some(chunk) = stream.try_next().await? {
            if bytes.len() + chunk.len() > most {
                return Err(BlobError::unavailable("a file is larger than it may be", name.to_string()));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Some(bytes))
    }

    /// The names of all files in a folder and below it, sorted. The folder should have a bounded number of them.
    pub async fn list(&self, folder: &FileName) -> Result<Vec<FileName>, BlobError> {
        let names = match &self.0 {
            Backend::Folder(root) => folder::list_named(root, folder.as_str()).await?,
            Backend::Bucket(bucket) => bucket.list_named(folder.as_str()).await?,
        };
        let mut names: Vec<FileName> = names.iter().filter_map(|name| name.parse().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Deletes a file. Succeeds if it does not exist.
    pub async fn delete(&self, name: &FileName) -> Result<(), BlobError> {
        match &self.0 {
            Backend::Folder(root) => folder::delete_named(root, name.as_str()).await,
            Backend::Bucket(bucket) => bucket.delete_named(name.as_str()).await,
        }
    }
}

impl fmt::Debug for NamedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NamedFiles")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside() {
        for good in ["manifest.json", "catalog/20300101T000000Z/track.jsonl.gz", "a_b-c"] {
            assert_eq!(good.parse::<FileName>().unwrap().as_str(), good);
        }
        for bad in ["", "/", "/a", "a/", "a//b", "..", "a/../b", ".tmp", "a b", "a\\b", "ä", &"a".repeat(201)]
        {
            assert_eq!(bad.parse::<FileName>(), Err(FileNameError), "{bad}");
        }
    }
}
