//! The setup for processing, with an ffmpeg that does almost nothing.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, ConnectOptions, JobFilter};
use tonearm_domain::{
    Ambient, Colour, Cover, CoverOrigin, Inputs, Job, LimitOffset, RecordLimits, SourceSlot, Track, TrackId,
};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{ManualClock, TestDatabase, ambient};
use tonearm_media::{Media, MediaConfig};
use tonearm_outbound::{FetchLimits, Outbound};
use tonearm_service::{
    AcceptedUpload, Caller, CreateCollection, CreateTrack, ImportBuckets, Imports, JobError, JobRun, Library,
    Links, Processing, Refusal, Resealing, UploadLimits, UploadTerms, Uploads, Webhooks,
};
use tonearm_signing::{Secrets, UrlSigner, Vault};

/// The bitrate that the replacement ffmpeg cannot encode.
pub(crate) const FAILING_BITRATE: u16 = 320;

/// Limits for servers of tests, which are on this machine.
const FETCHING: FetchLimits =
    FetchLimits { pause: Duration::from_millis(1), ..FetchLimits::of_file(u64::MAX) };

/// Everything that processes tracks, over one database and a folder.
pub(crate) struct Workshop {
    pub(crate) catalog: Catalog,
    pub(crate) blobs: Blobs,
    pub(crate) library: Library,
    pub(crate) uploads: Uploads,
    pub(crate) processing: Processing,
    pub(crate) webhooks: Webhooks,
    pub(crate) links: Links,
    pub(crate) import_buckets: ImportBuckets,
    pub(crate) resealing: Resealing,
    pub(crate) ambient: Ambient,
    pub(crate) clock: ManualClock,
    _folder: TempDir,
}

impl Workshop {
    /// With a script in place of ffmpeg.
    pub(crate) async fn open(database: &TestDatabase) -> Self {
        Self::open_small(database, RecordLimits::default()).await
    }

    /// Like [`Self::open`], with these limits of records.
    pub(crate) async fn open_small(database: &TestDatabase, record_limits: RecordLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ffmpeg, ffprobe) = write_scripts(folder.path());
        let config = MediaConfig { ffmpeg, ffprobe, concurrency: 8, ..MediaConfig::find() };
        Self::open_limited(&database.url, record_limits, folder, None, config).await
    }

    /// With these tools and this store; the store is a folder if no URL is given.
    pub(crate) async fn open_with(
        database: &TestDatabase,
        folder: TempDir,
        store: Option<String>,
        config: MediaConfig,
    ) -> Self {
        Self::open_at(&database.url, folder, store, config).await
    }

    /// Like [`Self::open_with`], over a database at this URL.
    pub(crate) async fn open_at(
        database_url: &str,
        folder: TempDir,
        store: Option<String>,
        config: MediaConfig,
    ) -> Self {
        Self::open_limited(database_url, RecordLimits::default(), folder, store, config).await
    }

    /// Like [`Self::open_at`], with these limits of records.
    pub(crate) async fn open_limited(
        database_url: &str,
        record_limits: RecordLimits,
        folder: TempDir,
        store: Option<String>,
        config: MediaConfig,
    ) -> Self {
        let options = ConnectOptions { record_limits, ..ConnectOptions::default() };
        let catalog = Catalog::connect(&database_url.parse().unwrap(), options).await.unwrap();
        let (ambient, clock) = ambient();
        let store = store.unwrap_or_else(|| format!("file://{}", folder.path().join("objects").display()));
        let blobs = Blobs::open(&store.parse().unwrap()).await.unwrap();
        let secrets = Secrets::parse("a secret for tests that is long enough to be one").unwrap();
        let delivery_url = "https://cdn.example.com".parse().unwrap();
        let vault = Vault::new(&secrets);
        let signer = UrlSigner::new(secrets);
        let links = Links::new(signer, ambient.clone(), "https://api.example.com", delivery_url);
        let limits = UploadLimits { max_source_bytes: 1 << 30, max_cover_bytes: 1 << 20 };
        let scratch = folder.path().join("scratch");
        std::fs::create_dir(&scratch).unwrap();
        let media = Media::new(config);
        let outbound = Outbound::new(true).unwrap();
        let imports = Imports::new(ambient.clone(), vault.clone(), outbound.clone()).within(FETCHING);
        let uploads = Uploads::new(catalog.clone(), blobs.clone(), ambient.clone(), links.clone(), limits)
            .with_imports(imports.clone());
        let library = Library::new(catalog.clone(), ambient.clone(), links.clone());
        let processing = Processing::new(catalog.clone(), blobs.clone(), media, ambient.clone(), scratch);
        Self {
            library: library.with_imports(imports.clone()),
            processing: processing.with_imports(imports, uploads.clone()),
            import_buckets: ImportBuckets::new(
                catalog.clone(),
                ambient.clone(),
                vault.clone(),
                outbound.clone(),
            ),
            resealing: Resealing::new(catalog.clone(), ambient.clone(), vault.clone()),
            webhooks: Webhooks::new(catalog.clone(), ambient.clone(), links.clone(), vault, outbound),
            links,
            uploads,
            catalog,
            blobs,
            ambient,
            clock,
            _folder: folder,
        }
    }

    /// Creates an organization with one collection and uploads a track to it.
    pub(crate) async fn upload(&self, bytes: Vec<u8>) -> (Caller, TrackId) {
        let (owner, track_id) = self.create().await;
        self.send(&owner, track_id, bytes).await.unwrap();
        (owner, track_id)
    }

    /// Creates an organization with one collection and a track in it.
    pub(crate) async fn create(&self) -> (Caller, TrackId) {
        let organization = self.library.create_organization("Example Radio").await.unwrap();
        let owner = Caller::owner(organization.organization.id);
        let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
        let (collection, _) = self.library.create_collection(&owner, create).await.unwrap();
        let create = CreateTrack {
            collection_id: Some(collection.collection.id),
            file_name: "tone.wav".to_owned(),
            ..CreateTrack::default()
        };
        let (created, _) = self.library.create_track(&owner, create).await.unwrap();
        (owner, created.track.id)
    }

    /// Uploads the source of a track.
    pub(crate) async fn send(
        &self,
        owner: &Caller,
        track_id: TrackId,
        bytes: Vec<u8>,
    ) -> Result<AcceptedUpload, Refusal> {
        self.send_to(owner, SourceSlot::of_track(owner.organization_id, track_id), bytes).await
    }

    /// Uploads a source of a track to this slot.
    pub(crate) async fn send_to(
        &self,
        owner: &Caller,
        slot: SourceSlot,
        bytes: Vec<u8>,
    ) -> Result<AcceptedUpload, Refusal> {
        let (body, terms) = (futures::stream::iter([Ok(bytes.into())]), UploadTerms::default());
        Box::pin(self.uploads.accept_source(owner.origin, slot, body, terms)).await
    }

    /// Gives a track a cover, so that none is drawn: drawing takes longer than everything else.
    pub(crate) async fn give_cover(&self, track: &Track) {
        let cover = Some(Cover { version: self.ambient.short_id(), origin: CoverOrigin::Generated });
        let track = Track { cover, ..track.clone() };
        let made_from =
            Inputs { colour: Colour::DEFAULT, takes_cover: true, takes_theme: true, picture: None };
        let tx = self.catalog.begin().await.unwrap();
        tx.update_track(&track).await.unwrap();
        tx.put_cover_basis(track.id, made_from.own_cover_basis(&track).as_deref()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Claims the job that is due and runs it. Returns its result; a failed job is due again at once.
    pub(crate) async fn run_next(&self) -> Option<Result<(), JobError>> {
        let now = self.ambient.now();
        let lease = self.ambient.credential_id();
        let claimed = self.catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap()?;
        let run = JobRun { claimed, cancel: CancellationToken::new() };
        let result = self.processing.run(&run).await;
        if let Err(error) = &result {
            self.catalog.retry_job(&run.claimed, now, &error.to_string()).await.unwrap();
        }
        Some(result)
    }

    /// Runs all jobs that are due; none of them may fail.
    pub(crate) async fn run_all(&self) {
        while let Some(result) = self.run_next().await {
            result.unwrap();
        }
    }

    /// Whether one of these jobs waits or runs.
    pub(crate) async fn is_queued(&self, jobs: &[Job]) -> bool {
        for wanted in jobs {
            // Only jobs of this kind, because there may be many others.
            let filter = JobFilter { kind: Some(wanted.kind().to_owned()), state: None };
            let most = LimitOffset::new(Some(200), None).unwrap();
            let (_, found) = self.catalog.jobs(filter, most).await.unwrap();
            if found.iter().any(|found| found.job.as_ref() == Some(wanted)) {
                return true;
            }
        }
        false
    }
}

/// A short sound that is read without a decoder.
pub(crate) fn sound() -> Vec<u8> {
    wav(&WavSpec { seconds: 0.05, ..WavSpec::default() })
}

/// An ffmpeg that writes a few bytes to every output, and silence or progress to stdout, and fails for one bitrate; and
/// an ffprobe with a constant result.
pub(crate) fn write_scripts(folder: &Path) -> (PathBuf, PathBuf) {
    let ffmpeg = format!(
        r#"samples=
for word in "$@"; do
    case $word in
        {FAILING_BITRATE}k) echo "Conversion failed!" >&2; exit 1 ;;
        f32le) samples=1 ;;
        file:*.webp) echo picture > "${{word#file:}}" ;;
        file:*/out* | file:*/speech.mp3) echo sound > "${{word#file:}}" ;;
    esac
done
if [ "$samples" ]; then exec head -c 4096 /dev/zero; else echo out_time_us=50000; fi"#
    );
    let found = r#"{"streams": [{"index": 0, "codec_type": "audio", "codec_name": "pcm_s16le", "sample_rate": "8000",
"channels": 1, "duration": "0.5", "disposition": {"default": 1, "attached_pic": 0}}],
"format": {"format_name": "wav", "duration": "0.5", "probe_score": 99}}"#;
    let ffprobe = format!("echo '{found}'");
    (write_script(folder, "ffmpeg", &ffmpeg), write_script(folder, "ffprobe", &ffprobe))
}

fn write_script(folder: &Path, name: &str, commands: &str) -> PathBuf {
    let path = folder.join(name);
    write_program(&path, commands);
    path
}

/// Replaces an ffmpeg of [`write_scripts`] with one that encodes pictures only.
pub(crate) fn encode_no_sound(ffmpeg: &Path) {
    let pictures = r#"for word in "$@"; do case $word in file:*.webp) echo picture > "${word#file:}"; found=1 ;; esac; done
if [ "$found" ]; then exit; fi; echo "Conversion failed!" >&2; exit 1"#;
    write_program(ffmpeg, pictures);
}

/// Writes a shell script, replacing an existing program.
pub(crate) fn write_program(path: &Path, commands: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{commands}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
