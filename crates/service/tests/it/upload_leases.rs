//! Two nodes finish the same upload, because the store answers one of them late: what was acknowledged stays.

use std::time::Duration;

use bytes::Bytes;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tonearm_catalog::UploadLease;
use tonearm_domain::{SourceSlot, TrackId, TrackStatus, Upload, UploadKind};
use tonearm_fixtures::{BucketProxy, Fault, S3Server, TestDatabase};
use tonearm_media::MediaConfig;
use tonearm_service::{
    BeginUpload, Caller, UploadPermit, UploadPiece, UploadProgress, UploadRefusal, Uploads,
};

use crate::on_both;
use crate::workshop::{Workshop, sound, write_scripts};

on_both!(
    what_another_node_finished_stays,
    what_another_node_only_looked_at_stays,
    an_upload_that_expires_while_it_is_continued_stays,
);

/// Longer than a lease, in seconds.
const LATER: i64 = 20;

/// Two nodes, one of which reaches the bucket through a proxy.
struct Scene {
    late: Workshop,
    other: Workshop,
    proxy: BucketProxy,
    owner: Caller,
    track_id: TrackId,
    _server: S3Server,
}

impl Scene {
    async fn open(database_url: &str) -> Self {
        let server = S3Server::start();
        let proxy = BucketProxy::start(&server);
        let late = workshop(database_url, proxy.url().to_owned()).await;
        let other = workshop(database_url, server.url()).await;
        let (owner, track_id) = late.create().await;
        Self { late, other, proxy, owner, track_id, _server: server }
    }

    async fn begin(&self) -> Upload {
        let slot = SourceSlot::of_track(self.owner.organization_id, self.track_id);
        let begin = BeginUpload { kind: UploadKind::Url, length: None, sha256: None, metadata: None };
        self.late.uploads.begin_upload(UploadPermit::Track(slot), begin).await.unwrap()
    }

    /// Sends everything to the first node. Returns once its object is on the way to the bucket, where it is held.
    async fn send_late(&self, upload: &Upload) -> JoinHandle<Result<UploadProgress, UploadRefusal>> {
        self.proxy.set(|request| {
            (request.method == "PUT" && request.target.contains("/source.")).then_some(Fault::Hold)
        });
        let (uploads, owner, id) = (self.late.uploads.clone(), self.owner.clone(), upload.id);
        let sending =
            tokio::spawn(async move { uploads.append(owner.origin, id, last_piece(0, sound())).await });
        while !self.proxy.requests().iter().any(|request| request.target.contains("/source.")) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        sending
    }

    async fn assert_ready(&self) {
        self.other.run_all().await;
        let track = self.other.catalog.track(self.owner.organization_id, self.track_id).await;
        let track = track.unwrap().unwrap();
        assert_eq!(track.status, TrackStatus::Ready, "{:?}", track.status_reason);
        let source = track.source.unwrap();
        assert_eq!(source.size, sound().len() as u64);
        let object = self.other.blobs.head(&source.key).await.unwrap();
        assert_eq!(object.map(|object| object.size), Some(source.size));
    }
}

async fn workshop(database_url: &str, store: String) -> Workshop {
    let folder = TempDir::new().unwrap();
    let (ffmpeg, ffprobe) = write_scripts(folder.path());
    let config = MediaConfig { ffmpeg, ffprobe, concurrency: 8, ..MediaConfig::find() };
    Workshop::open_at(database_url, folder, Some(store), config).await
}

fn last_piece(
    offset: u64,
    bytes: Vec<u8>,
) -> UploadPiece<impl futures::Stream<Item = Result<Bytes, Failed>> + Send + Unpin> {
    let size = Some(bytes.len() as u64);
    let body = futures::stream::iter([Ok(bytes.into())]);
    UploadPiece { offset, size, length: None, is_last: true, check: None, on_durable: None, body }
}

type Failed = Box<dyn std::error::Error + Send + Sync>;

/// Asks for the offset and sends what is missing, as clients do after an interruption.
async fn go_on(uploads: &Uploads, owner: &Caller, upload: &Upload) -> u64 {
    let known = uploads.upload(upload.id).await.unwrap();
    let rest = sound().split_off(usize::try_from(known.offset).unwrap());
    let progress = uploads.append(owner.origin, upload.id, last_piece(known.offset, rest)).await.unwrap();
    progress.accepted.unwrap().size
}

async fn what_another_node_finished_stays(database: TestDatabase) {
    let scene = Scene::open(&database.url).await;
    let upload = scene.begin().await;
    let late = scene.send_late(&upload).await;
    scene.other.clock.advance_seconds(LATER);
    let acknowledged = go_on(&scene.other.uploads, &scene.owner, &upload).await;
    assert_eq!(acknowledged, sound().len() as u64);
    scene.proxy.release();
    let late = late.await.unwrap();
    assert!(matches!(late, Err(UploadRefusal::Locked | UploadRefusal::Refused(_))), "{late:?}");
    scene.assert_ready().await;
}

async fn what_another_node_only_looked_at_stays(database: TestDatabase) {
    let scene = Scene::open(&database.url).await;
    let upload = scene.begin().await;
    let late = scene.send_late(&upload).await;
    scene.other.clock.advance_seconds(LATER);
    assert_eq!(scene.other.uploads.upload(upload.id).await.unwrap().offset, sound().len() as u64);
    scene.proxy.release();
    late.await.unwrap().unwrap_err();
    go_on(&scene.other.uploads, &scene.owner, &upload).await;
    scene.assert_ready().await;
}

/// A node that stood still after it had found the upload to be expired.
async fn an_upload_that_expires_while_it_is_continued_stays(database: TestDatabase) {
    let scene = Scene::open(&database.url).await;
    let upload = scene.begin().await;
    let late = scene.late.ambient.now();
    go_on(&scene.other.uploads, &scene.owner, &upload).await;
    let tx = scene.late.catalog.begin().await.unwrap();
    assert!(tx.delete_expired_upload(upload.id, late).await.unwrap().is_none());
    assert!(tx.delete_held_upload(upload.id, scene.late.ambient.credential_id()).await.unwrap().is_none());
    tx.commit().await.unwrap();
    scene.assert_ready().await;
}

/// The lease is renewed while the store is at work, however long that takes.
#[tokio::test]
async fn a_lease_lasts_as_long_as_the_store_takes() {
    let database = TestDatabase::migrated_sqlite(tonearm_fixtures::migrate!()).await;
    let scene = Scene::open(&database.url).await;
    let upload = scene.begin().await;
    let late = scene.send_late(&upload).await;
    scene.late.clock.advance_seconds(25 * 3600);
    let (catalog, now) = (&scene.late.catalog, scene.late.ambient.now());
    assert_eq!(catalog.expired_uploads(now, 1).await.unwrap().len(), 1);
    // The next renewal is due within three seconds.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(3)).await;
    tokio::time::resume();
    while !catalog.expired_uploads(now, 1).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let other = scene.late.ambient.credential_id();
    let taken = catalog.lease_upload(upload.id, other, now, now.plus_seconds(15)).await.unwrap();
    assert_eq!(taken, UploadLease::Taken);
    scene.proxy.release();
    assert!(late.await.unwrap().unwrap().accepted.is_some());
}
