//! A database and an object store, and their contents.

use bytes::Bytes;
use futures::TryStreamExt;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, ConnectOptions};
use tonearm_domain::{
    Ambient, ContentType, Job, KeepDeleted, ObjectFile, ObjectKey, Source, Track, TrackStatus, VariantIndex,
};
use tonearm_fixtures::{ManualClock, S3Server, TestDatabase, ambient};
use tonearm_media::{Media, MediaConfig};
use tonearm_service::{
    Caller, CreateCollection, CreateTrack, JobError, JobRun, Library, Links, Processing, StoreIdentity,
    Sweeps, Verification, VerifyState, VerifyTerms,
};
use tonearm_signing::{Secrets, UrlSigner};

/// The storage of a store; kept until the end of the test.
pub(crate) enum Ground {
    Folder(TempDir),
    S3(S3Server),
}

impl Ground {
    /// A folder beside SQLite, and a bucket beside PostgreSQL.
    pub(crate) fn beside(database: &TestDatabase) -> Self {
        match database.url.starts_with("sqlite") {
            true => Self::Folder(TempDir::new().unwrap()),
            false => Self::S3(S3Server::start()),
        }
    }

    pub(crate) async fn open(&self) -> Blobs {
        let url = match self {
            Self::Folder(folder) => format!("file://{}/objects", folder.path().display()),
            Self::S3(server) => server.url(),
        };
        Blobs::open(&url.parse().unwrap()).await.unwrap()
    }
}

/// One node over a database and a store.
pub(crate) struct Scene {
    pub(crate) catalog: Catalog,
    pub(crate) blobs: Blobs,
    pub(crate) library: Library,
    pub(crate) caller: Caller,
    pub(crate) clock: ManualClock,
    pub(crate) ambient: Ambient,
    processing: Processing,
    _scratch: TempDir,
}

impl Scene {
    pub(crate) async fn set(database: &TestDatabase, blobs: Blobs) -> Self {
        let catalog =
            Catalog::connect(&database.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
        let (ambient, clock) = ambient();
        let signer = UrlSigner::new(Secrets::from_bytes([1; 32]));
        let delivery_url = "https://cdn.example.com".parse().unwrap();
        let links = Links::new(signer, ambient.clone(), "https://api.example.com", delivery_url);
        let library = Library::new(catalog.clone(), ambient.clone(), links)
            .keeping_deleted(KeepDeleted::new(24 * 30).unwrap());
        let organization = library.create_organization("Example Radio").await.unwrap().organization;
        let scratch = TempDir::new().unwrap();
        let processing = Processing::new(
            catalog.clone(),
            blobs.clone(),
            Media::new(MediaConfig::find()),
            ambient.clone(),
            scratch.path().to_owned(),
        );
        let caller = Caller::owner(organization.id);
        Self { catalog, blobs, library, caller, clock, ambient, processing, _scratch: scratch }
    }

    pub(crate) fn identity(&self) -> StoreIdentity {
        StoreIdentity::new(self.catalog.clone(), self.blobs.clone(), self.ambient.clone())
    }

    pub(crate) fn sweeps(&self) -> Sweeps {
        Sweeps::new(self.catalog.clone(), self.ambient.clone())
    }

    /// Runs one sweep as a worker does.
    pub(crate) async fn sweep(&self) {
        self.sweep_until(CancellationToken::new()).await.unwrap();
        assert!(self.jobs().await.is_empty(), "a sweep ends its job");
    }

    pub(crate) async fn sweep_until(&self, cancel: CancellationToken) -> Result<(), JobError> {
        let job = Job::SweepObjects {};
        let kind = job.kind();
        let tx = self.catalog.begin().await.unwrap();
        tx.enqueue(job, self.ambient.record_id(), self.ambient.now(), Some(kind)).await.unwrap();
        tx.commit().await.unwrap();
        let now = self.ambient.now();
        let lease = self.ambient.credential_id();
        let claimed = self.catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap().unwrap();
        self.processing.run(&JobRun { claimed, cancel }).await
    }

    /// Runs the jobs that are due.
    pub(crate) async fn run_jobs(&self) {
        loop {
            let (now, lease) = (self.ambient.now(), self.ambient.credential_id());
            let claimed = self.catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap();
            let Some(claimed) = claimed else { return };
            let run = JobRun { claimed, cancel: CancellationToken::new() };
            self.processing.run(&run).await.unwrap();
        }
    }

    /// The number of findings of `tonearm verify`.
    pub(crate) async fn findings(&self) -> u64 {
        let verification = Verification::new(self.catalog.clone(), self.blobs.clone(), self.ambient.clone());
        let state = VerifyState::new(self.ambient.now());
        verification.run(VerifyTerms::default(), state, &mut |_| {}).await.unwrap().findings()
    }

    pub(crate) async fn jobs(&self) -> Vec<String> {
        self.catalog.pending_jobs().await.unwrap().into_iter().map(|job| job.kind).collect()
    }

    /// Stores an object that no row references.
    pub(crate) async fn stray(&self) -> ObjectKey {
        let file = ObjectFile {
            label: VariantIndex::from_static("source"),
            version: self.ambient.short_id(),
            content_type: ContentType::Wav,
        };
        let key =
            ObjectKey { organization_id: self.caller.organization_id, folder: self.ambient.short_id(), file };
        self.blobs.put_bytes(&key, Bytes::from_static(b"sound")).await.unwrap();
        key
    }

    pub(crate) async fn strays(&self, count: usize) -> Vec<ObjectKey> {
        let mut keys = Vec::new();
        for _ in 0..count {
            keys.push(self.stray().await);
        }
        keys.sort_by_key(ToString::to_string);
        keys
    }

    /// Records a track whose source is this object.
    pub(crate) async fn name(&self, key: &ObjectKey) -> Track {
        let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
        let (collection, _) = self.library.create_collection(&self.caller, create).await.unwrap();
        let create = CreateTrack {
            collection_id: Some(collection.collection.id),
            file_name: "tone.wav".to_owned(),
            ..CreateTrack::default()
        };
        let (created, _) = self.library.create_track(&self.caller, create).await.unwrap();
        let mut track = created.track;
        track.status = TrackStatus::Ready;
        track.source = Some(Source { key: key.clone(), size: 5, sha256: Sha256::digest(b"sound").into() });
        let tx = self.catalog.begin().await.unwrap();
        tx.update_track(&track).await.unwrap();
        tx.commit().await.unwrap();
        // The jobs that wait for the upload are not needed in these tests.
        self.drop_jobs().await;
        track
    }

    pub(crate) async fn named(&self) -> ObjectKey {
        let key = self.stray().await;
        self.name(&key).await;
        key
    }

    /// Claims and finishes every job, whenever it is due.
    pub(crate) async fn drop_jobs(&self) {
        let later = self.ambient.now().plus_seconds(1_000_000_000);
        let lease = self.ambient.credential_id();
        while let Some(claimed) = self.catalog.claim_job(later, lease, later.plus_seconds(60)).await.unwrap()
        {
            let tx = self.catalog.begin().await.unwrap();
            assert!(tx.finish_job(&claimed).await.unwrap());
            tx.commit().await.unwrap();
        }
    }

    /// The objects in the store, without those that nodes store for each other.
    pub(crate) async fn objects(&self) -> Vec<ObjectKey> {
        let listed: Vec<_> = self.blobs.list_after(None).try_collect().await.unwrap();
        let keys = listed.into_iter().map(|(key, _)| key);
        keys.filter(|key| key.organization_id != ObjectKey::RESERVED).collect()
    }

    /// The number of objects that nodes store for each other.
    pub(crate) async fn reserved(&self) -> usize {
        let listed: Vec<_> = self.blobs.list(Some(ObjectKey::RESERVED), None).try_collect().await.unwrap();
        listed.len()
    }
}
