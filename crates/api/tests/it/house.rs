//! A whole service without a socket. Database, store and ffmpeg are real; the clock is set by hand.

use std::path::PathBuf;

use axum::Router;
use axum::body::{Body, Bytes};
use futures::stream;
use http::{HeaderMap, Method, Request, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tonearm_api::{ApiSettings, App, AppParts};
use tonearm_blobs::Blobs;
use tonearm_catalog::{AuditFilter, Catalog, ConnectOptions};
use tonearm_domain::{
    Ambient, ApiKeyId, CachePolicy, DiskRoom, DiskUse, KeyOverlap, KeyType, Meter, OrganizationId, Patch,
    Recipe, RecipeKind, Selection, Transcode,
};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_fixtures::{ManualClock, TestDatabase, ambient};
use tonearm_media::{Media, MediaConfig};
use tonearm_outbound::Outbound;
use tonearm_service::{
    Access, Admission, Caller, CreateKey, IdempotentAnswers, ImportBuckets, Imports, JobRun, Library, Links,
    LookupLimits, Lookups, Playback, Processing, SigningKeys, Space, Streams, UpdateKey, UpdateQuotas,
    UploadLimits, Uploads, Usage, UsageKeeper, Webhooks,
};
use tonearm_signing::{Secrets, UrlSigner, Vault};
use tower::ServiceExt;

use crate::reply::Reply;

pub(crate) const PUBLIC_URL: &str = "https://api.example.com";
pub(crate) const LIMITS: UploadLimits =
    UploadLimits { max_source_bytes: 2_000_000, max_cover_bytes: 100_000 };

/// An organization with a collection, a key to everything, and the router that serves it.
pub(crate) struct House {
    app: App,
    pub(crate) router: Router,
    pub(crate) clock: ManualClock,
    pub(crate) signer: UrlSigner,
    pub(crate) ambient: Ambient,
    pub(crate) blobs: Blobs,
    pub(crate) organization_id: OrganizationId,
    /// Of type `api`.
    pub(crate) key: String,
    pub(crate) collection_id: String,
    library: Library,
    meter: Meter,
    processing: Processing,
    /// Cancelled when the node would stop.
    pub(crate) shutdown: CancellationToken,
    store: TempDir,
    disk_room: DiskRoom,
    database: TestDatabase,
}

/// A track that waits for its bytes.
pub(crate) struct WaitingTrack {
    /// Its path.
    pub(crate) track: String,
    /// The upload URL of its source.
    pub(crate) url: String,
    pub(crate) cover_url: String,
}

impl House {
    pub(crate) async fn open(database: TestDatabase) -> Self {
        Self::open_with(database, ConnectOptions::default()).await
    }

    /// A house whose organizations have these limits of records.
    pub(crate) async fn open_with(database: TestDatabase, options: ConnectOptions) -> Self {
        let store = TempDir::with_prefix("tonearm-api-").unwrap();
        let objects = format!("file://{}", store.path().join("objects").display()).parse().unwrap();
        let blobs = Blobs::open(&objects).await.unwrap();
        let disk_room = options.disk_room.clone();
        let catalog = Catalog::connect(&database.url.parse().unwrap(), options).await.unwrap();
        let (ambient, clock) = ambient();
        let secrets = Secrets::parse("a secret for tests that is long enough to be one").unwrap();
        let vault = Vault::new(&secrets);
        let outbound = Outbound::new(false).unwrap();
        let imports = Imports::new(ambient.clone(), vault.clone(), outbound.clone());
        let import_buckets =
            ImportBuckets::new(catalog.clone(), ambient.clone(), vault.clone(), outbound.clone());
        let signer = UrlSigner::new(secrets);
        let delivery_url = "https://{org}.cdn.example.com".parse().unwrap();
        let links = Links::new(signer.clone(), ambient.clone(), PUBLIC_URL, delivery_url);
        let library =
            Library::new(catalog.clone(), ambient.clone(), links.clone()).with_imports(imports.clone());
        let scratch: PathBuf = store.path().join("scratch");
        std::fs::create_dir(&scratch).unwrap();
        let meter = Meter::new();
        let lookups = Lookups::new(catalog.clone(), LookupLimits::default());
        let shutdown = CancellationToken::new();
        let app = App::new(AppParts {
            access: Access::new(lookups.clone(), ambient.clone()),
            library: library.clone(),
            uploads: Uploads::new(catalog.clone(), blobs.clone(), ambient.clone(), links.clone(), LIMITS)
                .with_imports(imports),
            repeats: IdempotentAnswers::new(catalog.clone(), ambient.clone()),
            webhooks: Webhooks::new(catalog.clone(), ambient.clone(), links.clone(), vault, outbound),
            import_buckets,
            signing_keys: SigningKeys::new(catalog.clone(), ambient.clone(), signer.clone()),
            playback: Playback::new(
                lookups,
                ambient.clone(),
                links,
                meter.clone(),
                tonearm_api::write_listed_track,
            ),
            usage: Usage::new(catalog.clone(), ambient.clone()),
            streams: Streams::until(shutdown.clone()),
            signer: signer.clone(),
            ambient: ambient.clone(),
            settings: ApiSettings::default(),
        });
        let media = Media::new(MediaConfig::find());
        let processing = Processing::new(catalog, blobs.clone(), media, ambient.clone(), scratch);
        let created = library.create_organization("Example Radio").await.unwrap();
        let mut house = Self {
            router: tonearm_api::router(app.clone()),
            app,
            clock,
            signer,
            ambient,
            blobs,
            organization_id: created.organization.id,
            key: created.api_key.reveal().to_owned(),
            collection_id: String::new(),
            library,
            meter,
            processing,
            shutdown,
            store,
            disk_room,
            database,
        };
        house.collection_id = house.create_collection("First").await;
        house
    }

    /// The same house with other settings.
    pub(crate) fn with(mut self, settings: ApiSettings) -> Self {
        self.app = App::new(AppParts { settings, ..AppParts::clone(&self.app) });
        self.router = tonearm_api::router(self.app.clone());
        self
    }

    /// The same house on a disk that never has enough free space.
    pub(crate) fn without_free_space(self) -> Self {
        let space = Space::new(u64::MAX, [(DiskUse::Store, self.store.path().to_owned())]);
        self.disk_room.note(space.shortage());
        self.admitting_by(Admission::by_space(space))
    }

    /// The same house, refusing uploads that this admission does not admit.
    pub(crate) fn admitting_by(mut self, admission: Admission) -> Self {
        let parts = AppParts::clone(&self.app);
        self.app = App::new(AppParts {
            library: parts.library.clone().with_admission(admission.clone()),
            uploads: parts.uploads.clone().with_admission(admission),
            ..parts
        });
        self.router = tonearm_api::router(self.app.clone());
        self
    }

    /// The same house, refusing uploads while this many jobs are queued.
    pub(crate) fn with_queue_of(self, most: u64) -> Self {
        let (catalog, ambient) = (self.processing.catalog().clone(), self.ambient.clone());
        self.admitting_by(Admission::default().and_by_queue(catalog, ambient, most))
    }

    /// Sets quotas of the organization, as its operator would.
    pub(crate) async fn set_quotas(&self, update: UpdateQuotas) {
        self.library.set_quotas(&Caller::owner(self.organization_id), update).await.unwrap();
    }

    /// Sends a request unchanged. Checks the response for what all responses have in common.
    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        Reply::of(response).await
    }

    /// Sends a request and returns the response unchecked.
    pub(crate) async fn send_raw(&self, request: Request<Body>) -> (StatusCode, HeaderMap, Vec<u8>) {
        Reply::raw(self.router.clone().oneshot(request).await.unwrap()).await
    }

    /// The description that the service serves.
    pub(crate) async fn document(&self) -> Value {
        let request = Request::get("/openapi.json").body(Body::empty()).unwrap();
        let (_, _, body) = self.send_raw(request).await;
        serde_json::from_slice(&body).unwrap()
    }

    /// Sends a request with the key to everything.
    pub(crate) async fn call(&self, method: Method, path: &str, body: Value) -> Reply {
        self.call_as(&self.key, method, path, body).await
    }

    /// Sends a request with a key, or without one if it is empty.
    pub(crate) async fn call_as(&self, key: &str, method: Method, path: &str, body: Value) -> Reply {
        let mut request = Request::builder().method(method).uri(path);
        if !key.is_empty() {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let body = match body {
            Value::Null => Body::empty(),
            body => {
                request = request.header("content-type", "application/json");
                Body::from(body.to_string())
            }
        };
        self.send(request.body(body).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path, Value::Null).await
    }

    /// Without a key.
    pub(crate) async fn get_open(&self, path: &str) -> Reply {
        self.call_as("", Method::GET, path, Value::Null).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.call(Method::POST, path, body).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Reply {
        self.call(Method::PUT, path, body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.call(Method::DELETE, path, Value::Null).await
    }

    pub(crate) async fn create_collection(&self, title: &str) -> String {
        let reply = self.post("/v1/collection", json!({ "title": title })).await;
        reply.json["collection_id"].as_str().unwrap().to_owned()
    }

    /// A track that waits for its bytes, in the collection.
    pub(crate) async fn create_track(&self, file_name: &str) -> Value {
        let body = json!({ "collection_id": self.collection_id, "file_name": file_name });
        let reply = self.post("/v1/track", body).await;
        assert_eq!(reply.status, 200, "{}", reply.json);
        reply.json
    }

    /// The same, with its path and its upload URLs.
    pub(crate) async fn waiting_track(&self) -> WaitingTrack {
        let created = self.create_track("Song.wav").await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        WaitingTrack {
            track: format!("/v1/track/{}", text(&created["track_id"])),
            url: text(&created["track_upload"]["upload_url"]),
            cover_url: text(&created["track_cover_upload"]["upload_url"]),
        }
    }

    /// The status of the track at a path.
    pub(crate) async fn track_status(&self, track: &str) -> String {
        self.get(track).await.expect_ok().json["track"]["track_status_id"].as_str().unwrap().to_owned()
    }

    /// The id of a new upload session for the collection.
    pub(crate) async fn upload_session(&self) -> String {
        let body = json!({ "collection_id": self.collection_id });
        let reply = self.post("/v1/upload_session", body).await.expect_ok();
        reply.json["upload_session_id"].as_str().unwrap().to_owned()
    }

    /// A track that can be played, in the collection.
    pub(crate) async fn ready_track(&self, file_name: &str) -> String {
        self.ready_track_of(file_name, tone()).await
    }

    /// Like [`Self::ready_track`], with these bytes.
    pub(crate) async fn ready_track_of(&self, file_name: &str, bytes: Vec<u8>) -> String {
        let created = self.create_track(file_name).await;
        let url = created["track_upload"]["upload_url"].as_str().unwrap();
        let uploaded = self.upload(url, bytes).await;
        assert_eq!(uploaded.status, 200, "{}", uploaded.json);
        self.run_jobs().await;
        created["track_id"].as_str().unwrap().to_owned()
    }

    /// Puts bytes to an upload URL.
    pub(crate) async fn upload(&self, url: &str, bytes: Vec<u8>) -> Reply {
        self.send(Request::put(local(url)).body(Body::from(bytes)).unwrap()).await
    }

    /// Runs every job that is due, as a worker would.
    pub(crate) async fn run_jobs(&self) {
        loop {
            let now = self.ambient.now();
            let lease = self.ambient.credential_id();
            let claimed =
                self.processing.catalog().claim_job(now, lease, now.plus_seconds(60)).await.unwrap();
            let Some(claimed) = claimed else { return };
            let run = JobRun { claimed, cancel: CancellationToken::new() };
            Box::pin(self.processing.run(&run)).await.unwrap();
        }
    }

    /// Creates a key without using the HTTP interface.
    pub(crate) async fn key(&self, create: CreateKey) -> String {
        self.key_with_id(create).await.0
    }

    /// Like [`Self::key`], with its id.
    pub(crate) async fn key_with_id(&self, create: CreateKey) -> (String, ApiKeyId) {
        let created = self.library.create_key(&Caller::owner(self.organization_id), create).await.unwrap();
        (created.text.reveal().to_owned(), created.key.id)
    }

    /// Gives a key another secret as a person would in the dashboard.
    pub(crate) async fn rotate(&self, id: ApiKeyId, overlap: KeyOverlap) -> String {
        let rotated = self.library.rotate_key(&Caller::owner(self.organization_id), id, overlap).await;
        rotated.unwrap().text.reveal().to_owned()
    }

    /// Ends the old secret of a key as a person would in the dashboard.
    pub(crate) async fn end_old_secret(&self, id: ApiKeyId) {
        self.library.end_old_secret(&Caller::owner(self.organization_id), id).await.unwrap();
    }

    /// Renames a key as a person would in the dashboard.
    pub(crate) async fn rename_key(&self, id: ApiKeyId) {
        let update = UpdateKey { title: Patch::Set("Renamed".to_owned()), ..UpdateKey::default() };
        self.library.update_key(&Caller::owner(self.organization_id), id, update).await.unwrap();
    }

    pub(crate) async fn key_of_type(&self, key_type: KeyType) -> String {
        let mut create = CreateKey::new(key_type, "A key");
        if key_type == KeyType::Share {
            create.variants = Selection::one("hq".parse().unwrap());
        }
        self.key(create).await
    }

    /// An `api` key that reaches only one collection.
    pub(crate) async fn key_to_collection(&self, collection_id: &str) -> String {
        let collection_id = Some(collection_id.parse().unwrap());
        self.key(CreateKey { collection_id, ..CreateKey::new(KeyType::Api, "One collection") }).await
    }

    /// The catalog that the service works on.
    pub(crate) fn catalog(&self) -> &Catalog {
        self.processing.catalog()
    }

    /// Adds a recipe for later uploads, also one that only earlier versions accepted.
    pub(crate) async fn add_recipe(&self, index: &str, kind: Value) {
        let caller = Caller::owner(self.organization_id);
        let (plain, cache) = (RecipeKind::Transcode(Transcode::default()), CachePolicy::default());
        let recipe = self.library.add_recipe(&caller, index.parse().unwrap(), plain, cache).await.unwrap();
        let kind = serde_json::from_value(kind).unwrap();
        let tx = self.catalog().begin().await.unwrap();
        tx.update_recipe(&Recipe { kind, ..recipe }).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The id of a key.
    pub(crate) async fn key_id(&self, key: &str) -> String {
        self.app.access.bearer(key).await.unwrap().id.to_string()
    }

    /// A key of type `api` to everything whose play sessions may list one variant.
    pub(crate) async fn key_to_variant(&self, index: &str) -> String {
        let variants = Selection::one(index.parse().unwrap());
        self.key(CreateKey { variants, ..CreateKey::new(KeyType::Api, "One variant") }).await
    }

    /// The actions and titles in the audit log about one noun, latest first.
    pub(crate) async fn audited(&self, noun: &str) -> Vec<(String, String)> {
        let filter = AuditFilter { action: Some(noun.to_owned()), ..AuditFilter::default() };
        let organization = Some(self.organization_id);
        let lines = self.catalog().audit_entries(organization, &filter, None, 100).await.unwrap();
        lines.into_iter().map(|line| (line.action, line.title.unwrap_or_default())).collect()
    }

    /// Revokes a key.
    pub(crate) async fn revoke(&self, key: &str) {
        let id = self.app.access.bearer(key).await.unwrap().id;
        self.library.revoke_key(&Caller::owner(self.organization_id), id).await.unwrap();
    }

    /// Flushes the counters, as a node does each second.
    pub(crate) async fn keep_counts(&self) {
        UsageKeeper::in_catalog(self.meter.clone(), self.app.usage.clone()).flush().await.unwrap();
    }

    /// Creates another organization, and returns the key to it.
    pub(crate) async fn neighbour(&self) -> String {
        let created = self.library.create_organization("Neighbours").await.unwrap();
        created.api_key.reveal().to_owned()
    }

    /// Makes the database unavailable to the service. This works only with PostgreSQL.
    pub(crate) fn lose_database(&mut self) {
        self.database.lose();
    }

    /// Sets the organization's cover, without using the HTTP interface.
    pub(crate) async fn set_organization_cover(&self, picture: Vec<u8>) {
        let caller = Caller::owner(self.organization_id);
        self.app.uploads.set_organization_cover(&caller, picture.into()).await.unwrap();
    }

    /// The folder of the store.
    pub(crate) fn store(&self) -> &std::path::Path {
        self.store.path()
    }

    /// Makes the store unavailable, like a disk that is no longer mounted.
    pub(crate) fn lose_store(&self) {
        let objects = self.store.path().join("objects");
        std::fs::remove_dir_all(&objects).unwrap();
        std::fs::write(&objects, "not a folder").unwrap();
    }
}

/// Path and query of a URL of this service.
pub(crate) fn local(url: &str) -> &str {
    url.strip_prefix(PUBLIC_URL).unwrap()
}

/// A body that fails after these bytes.
pub(crate) fn broken_after(bytes: &[u8]) -> Body {
    let sent = Ok(Bytes::copy_from_slice(bytes));
    let broken = Err(std::io::Error::other("the client went away"));
    Body::from_stream(stream::iter([sent, broken]))
}

/// A second of sound.
pub(crate) fn tone() -> Vec<u8> {
    wav(&WavSpec {
        seconds: 1.0,
        sample_rate: 22_050,
        channels: 1,
        bits: 16,
        signal: Signal::Sine { hz: 440.0, amplitude: 0.5 },
    })
}
