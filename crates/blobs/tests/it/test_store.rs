//! The two stores that the contract is tested against, and objects to store.

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, TryStreamExt, stream};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tonearm_blobs::{Blobs, BoxError, ObjectBody};
use tonearm_domain::{Ambient, ContentType, ObjectFile, ObjectKey, OrganizationId, ShortId, UploadId};
use tonearm_fixtures::{S3Server, ambient};

/// A fresh, empty store and its storage.
pub(crate) struct TestStore {
    pub(crate) blobs: Blobs,
    ground: Ground,
    ambient: Ambient,
}

enum Ground {
    Folder(TempDir),
    S3(Box<S3Server>),
}

impl TestStore {
    pub(crate) async fn folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}/objects", folder.path().display());
        Self::open(&url, Ground::Folder(folder)).await
    }

    pub(crate) async fn s3() -> Self {
        let server = S3Server::start();
        let url = server.url_with_prefix("/some/prefix");
        Self::open(&url, Ground::S3(Box::new(server))).await
    }

    async fn open(url: &str, ground: Ground) -> Self {
        Self { blobs: Blobs::open(&url.parse().unwrap()).await.unwrap(), ground, ambient: ambient().0 }
    }

    /// A key in a folder of its own.
    pub(crate) fn key(&self) -> ObjectKey {
        self.key_in(self.ambient.record_id(), self.ambient.short_id())
    }

    pub(crate) fn key_in(&self, organization_id: OrganizationId, folder: ShortId) -> ObjectKey {
        self.key_of(organization_id, folder, ContentType::Mp3)
    }

    pub(crate) fn key_of(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
        content_type: ContentType,
    ) -> ObjectKey {
        let file =
            ObjectFile { label: "hq".parse().unwrap(), version: self.ambient.short_id(), content_type };
        ObjectKey { organization_id, folder, file }
    }

    pub(crate) fn upload_id(&self) -> UploadId {
        self.ambient.credential_id()
    }

    pub(crate) fn organization(&self) -> OrganizationId {
        self.ambient.record_id()
    }

    pub(crate) fn short_id(&self) -> ShortId {
        self.ambient.short_id()
    }

    /// Waits until no object and no part of one is left. In S3, the leftovers of a put are removed in the background; a
    /// folder has no background work, but a blocking thread may still be at its last step.
    pub(crate) async fn becomes_empty(&self) {
        for _ in 0..500 {
            let found = self.leftovers();
            let listed: Vec<_> = self.blobs.list(None, None).try_collect().await.unwrap();
            if found.is_empty() && listed.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("this stays: {:?}", self.leftovers());
    }

    /// Files that contain bytes of objects, complete or not.
    fn leftovers(&self) -> Vec<PathBuf> {
        match &self.ground {
            Ground::S3(server) => server
                .files()
                .into_iter()
                // The server's metadata of objects stays when they are deleted.
                .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with(".bucket-"))
                .collect(),
            Ground::Folder(folder) => std::fs::read_dir(folder.path().join("objects/.tmp"))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect(),
        }
    }
}

/// `size` bytes that vary.
pub(crate) fn pattern(size: usize) -> Bytes {
    (0..size).map(|at| (at * 31 + at / 251) as u8).collect()
}

/// A body that sends the bytes in chunks of an odd size.
pub(crate) fn body(bytes: &Bytes) -> impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static {
    const CHUNK: usize = 60_001;
    let bytes = bytes.clone();
    let starts = (0..bytes.len()).step_by(CHUNK);
    let chunks: Vec<_> = starts.map(|start| Ok(bytes.slice(start..bytes.len().min(start + CHUNK)))).collect();
    stream::iter(chunks)
}

pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// All bytes of a body, whose number must match its range.
pub(crate) async fn read(body: ObjectBody) -> Vec<u8> {
    let bytes = body.stream.try_collect::<Vec<_>>().await.unwrap().concat();
    assert_eq!(bytes.len() as u64, body.range.end - body.range.start);
    bytes
}

/// Waits until a condition is true, for ten seconds at most.
#[track_caller]
pub(crate) fn eventually(is_so: impl FnMut() -> bool) -> impl Future<Output = ()> {
    let (mut is_so, asker) = (is_so, std::panic::Location::caller());
    async move {
        for _ in 0..2000 {
            if is_so() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("what {asker} waits for does not happen");
    }
}
