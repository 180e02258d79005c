//! Sources imported from a URL, from servers that behave well or badly.

use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt;
use tokio_util::sync::CancellationToken;
use tonearm_catalog::{JobFilter, JobState, PendingJob, Purpose, Right, RoundRobin, act_on, in_request};
use tonearm_domain::{
    Deletion, ErrorCode, JobQueue, KeepDeleted, KeyType, LimitOffset, Outage, Track, TrackId, TrackStatus,
    WebhookKind,
};
use tonearm_fixtures::{FileAnswer, FileServer, TestDatabase};
use tonearm_media::MediaConfig;
use tonearm_service::{
    Caller, CreateCollection, CreateKey, CreateTrack, CreateUploadSession, CreatedKey, DeliveryQuery,
    JobError, JobRun, Refusal,
};

use crate::jobs::jobs;
use crate::workshop::{Workshop, sound};

crate::on_both!(
    an_imported_file_is_processed_like_an_upload,
    files_are_called_what_somebody_calls_them,
    a_failure_is_told,
    a_server_that_fails_is_asked_again,
    a_server_says_when_it_may_be_asked_again,
    a_server_that_says_when_loses_no_import,
    the_time_to_fetch_is_one_for_all_runs,
    nothing_is_left_of_what_does_not_arrive,
    what_cannot_be_resumed_is_fetched_anew,
    deletion_calls_an_import_off_and_restoration_goes_on,
    whichever_source_is_there_first_counts,
    a_track_is_not_given_up_while_it_is_imported,
    another_worker_takes_over,
    a_run_that_is_to_stop_leaves_nothing,
    an_outage_of_the_store_is_waited_for,
    urls_are_secret,
    imports_are_dropped_with_their_job,
    upload_sessions_import_too,
    imports_end_with_the_right_to_them,
    progress_is_told,
);

impl Workshop {
    /// Creates an organization with one collection and a track that is imported, optionally with a file name.
    async fn import(&self, url: String, file_name: &str) -> (Caller, TrackId) {
        let organization = self.library.create_organization("Example Radio").await.unwrap();
        let owner = Caller::owner(organization.organization.id);
        let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
        let (collection, _) = self.library.create_collection(&owner, create).await.unwrap();
        let create = CreateTrack {
            collection_id: Some(collection.collection.id),
            file_name: file_name.to_owned(),
            source_url: Some(url),
            ..CreateTrack::default()
        };
        let (created, _) = self.library.create_track(&owner, create).await.unwrap();
        (owner, created.track.id)
    }

    pub(crate) async fn track(&self, owner: &Caller, id: TrackId) -> Track {
        self.catalog.track(owner.organization_id, id).await.unwrap().unwrap()
    }

    async fn objects(&self) -> usize {
        self.blobs.list(None, None).try_collect::<Vec<_>>().await.unwrap().len()
    }

    /// The jobs of a kind.
    pub(crate) async fn jobs_of(&self, kind: &str) -> Vec<PendingJob> {
        let filter = JobFilter { kind: Some(kind.to_owned()), state: None };
        self.catalog.jobs(filter, LimitOffset::default()).await.unwrap().1
    }

    /// Claims the import that is due.
    async fn claim_import(&self) -> JobRun {
        self.catalog.release_expired_leases(self.ambient.now(), 60_000).await.unwrap();
        self.claim_in(JobQueue::Imports).await
    }

    async fn claim_in(&self, queue: JobQueue) -> JobRun {
        let (now, lease) = (self.ambient.now(), self.ambient.credential_id());
        let round_robin = RoundRobin { queue, after: None, except: &[] };
        let claimed =
            self.catalog.claim_next(round_robin, now, lease, now.plus_seconds(60)).await.unwrap().unwrap();
        JobRun { claimed, cancel: CancellationToken::new() }
    }

    /// Runs the import that is due as a worker does.
    pub(crate) async fn try_import(&self) -> Result<(), JobError> {
        let run = self.claim_import().await;
        let result = self.processing.run(&run).await;
        if let Err(JobError::Retry(failure)) = &result {
            match run.claimed.next_try(failure.wait, 0, self.ambient.now()) {
                None => self.processing.give_up(&run.claimed, &failure.reason).await.unwrap(),
                Some(next) if next.is_failure => {
                    let now = self.ambient.now();
                    self.catalog.retry_job(&run.claimed, now, &failure.reason).await.unwrap();
                }
                Some(next) => {
                    self.catalog.put_off_job(&run.claimed, next.at, &failure.reason).await.unwrap();
                }
            }
        }
        result
    }

    /// Runs the maintenance job that is due, and no import.
    async fn run_upkeep(&self) {
        let run = self.claim_in(JobQueue::Maintenance).await;
        self.processing.run(&run).await.unwrap();
    }

    /// Asserts that nothing is left of an import but its track.
    async fn expect_nothing_left(&self, id: TrackId) {
        assert_eq!(self.objects().await, 0);
        assert_eq!(self.catalog.import(id).await.unwrap(), None);
        assert!(self.jobs_of("import_source").await.is_empty());
        assert!(self.jobs_of("expire_upload").await.is_empty());
    }
}

async fn an_imported_file_is_processed_like_an_upload(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|_| FileAnswer::whole(&sound())).await;
    let (owner, id) = workshop.import(server.url("/tones/A%20tone.wav?token=secret"), "").await;
    let track = workshop.track(&owner, id).await;
    assert_eq!((track.status, track.file_name.as_str()), (TrackStatus::Initialized, "A tone.wav"));
    workshop.try_import().await.unwrap();
    let track = workshop.track(&owner, id).await;
    let source = track.source.clone().unwrap();
    assert_eq!((track.status, track.status_reason.as_ref()), (TrackStatus::Processing, None));
    assert_eq!((source.size, source.key.file.content_type.extension()), (sound().len() as u64, "wav"));
    let stored = workshop.blobs.get(&source.key, None).await.unwrap().unwrap();
    assert_eq!(stored.stream.try_collect::<Vec<_>>().await.unwrap().concat(), sound());
    assert_eq!(workshop.catalog.import(id).await.unwrap(), None);
    assert!(workshop.jobs_of("import_source").await.is_empty());
    assert!(workshop.jobs_of("expire_upload").await.is_empty());
    workshop.give_cover(&track).await;
    workshop.run_all().await;
    assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Ready);
}

async fn files_are_called_what_somebody_calls_them(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let plain = FileServer::start(|_| FileAnswer::whole(&sound())).await;
    let naming = FileServer::start(|_| {
        FileAnswer::whole(&sound()).with("content-disposition", "attachment; filename=\"theirs:1.wav\"")
    })
    .await;
    for (url, own, expected, original) in [
        (plain.url("/of%20url.wav"), "", "of url.wav", "of url.wav"),
        (plain.url("/"), "", "audio", "audio"),
        (naming.url("/of_url.wav"), "", "theirs_1.wav", "theirs:1.wav"),
        (naming.url("/of_url.wav"), "mine.wav", "mine.wav", "mine.wav"),
    ] {
        let (owner, id) = workshop.import(url, own).await;
        workshop.try_import().await.unwrap();
        let track = workshop.track(&owner, id).await;
        assert_eq!(
            (track.file_name.as_str(), track.file_name_original.as_deref()),
            (expected, Some(original))
        );
    }
}

async fn a_failure_is_told(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|_| FileAnswer::status("404 Not Found")).await;
    let (owner, id) = workshop.import(server.url("/secret-path.mp3"), "").await;
    workshop.webhooks.set(&owner, WebhookKind::Track, "http://127.0.0.1:8080/hook".into()).await.unwrap();
    workshop.try_import().await.unwrap();
    let track = workshop.track(&owner, id).await;
    let reason =
        format!("the import from {} failed: there is no file at this URL (404 Not Found)", server.host());
    assert_eq!((track.status, track.status_reason), (TrackStatus::InitError, Some(reason)));
    workshop.expect_nothing_left(id).await;
    let told = workshop.webhooks.deliveries(&owner, DeliveryQuery::default(), None, 10).await.unwrap();
    assert_eq!(told.len(), 1);
    // The file may be uploaded instead, as long as the upload URL is valid.
    workshop.send(&owner, id, sound()).await.unwrap();
    assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Processing);
}

async fn a_server_that_fails_is_asked_again(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|request| match request.number {
        0 => FileAnswer::status("503 Service Unavailable"),
        1 => FileAnswer::whole(&sound()),
        _ => FileAnswer::status("500 Internal Server Error"),
    })
    .await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    let failed = workshop.try_import().await;
    assert!(matches!(failed, Err(JobError::Retry(_))), "{failed:?}");
    let track = workshop.track(&owner, id).await;
    let reason = format!(
        "the import from {} will be tried again: the server responded with 503 Service Unavailable",
        server.host()
    );
    assert_eq!((track.status, track.status_reason), (TrackStatus::Initialized, Some(reason)));
    workshop.try_import().await.unwrap();
    let track = workshop.track(&owner, id).await;
    assert_eq!((track.status, &track.status_reason), (TrackStatus::Processing, &None));
    workshop.send(&owner, id, sound()).await.unwrap_err();

    let before = workshop.objects().await;
    let (owner, id) = workshop.import(server.url("/b.wav"), "").await;
    for attempt in 1..=8 {
        let failed = workshop.try_import().await;
        assert!(matches!(failed, Err(JobError::Retry(_))), "attempt {attempt}: {failed:?}");
    }
    let track = workshop.track(&owner, id).await;
    assert_eq!(track.status, TrackStatus::InitError);
    let reason = track.status_reason.unwrap();
    assert!(reason.contains("failed: given up after 8 attempts: the server responded with 500"), "{reason}");
    assert_eq!(workshop.catalog.import(id).await.unwrap(), None);
    assert_eq!(workshop.objects().await, before);
    // The job stays visible, but cannot be retried, as its import is over.
    let [given_up] = &workshop.jobs_of("import_source").await[..] else { panic!("not one job") };
    assert_eq!(given_up.state(), JobState::Failed);
    let refused = jobs(&workshop).retry(owner.origin, given_up.id).await;
    assert!(
        matches!(refused, Err(Refusal::Unprocessable { code: ErrorCode::ImportOver, .. })),
        "{refused:?}"
    );
}

async fn a_server_says_when_it_may_be_asked_again(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|request| match request.number {
        0 => FileAnswer::status("429 Too Many Requests").with("retry-after", "600"),
        _ => FileAnswer::whole(&sound()),
    })
    .await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    let put_off = workshop.try_import().await;
    assert!(matches!(put_off, Err(JobError::Retry(_))), "{put_off:?}");
    let [waiting] = &workshop.jobs_of("import_source").await[..] else { panic!("not one job") };
    assert!(waiting.last_error.is_some());
    assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Initialized);
    assert!(waiting.run_at > workshop.ambient.now().plus_seconds(590), "{waiting:?}");
}

/// A server that is restarted and asks for a second of patience, ten times.
async fn a_server_that_says_when_loses_no_import(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|request| match request.number {
        0..10 => FileAnswer::status("503 Service Unavailable").with("retry-after", "1"),
        _ => FileAnswer::whole(&sound()),
    })
    .await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    for _ in 0..10 {
        let put_off = workshop.try_import().await;
        assert!(matches!(put_off, Err(JobError::Retry(_))), "{put_off:?}");
        assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Initialized);
        workshop.clock.advance_seconds(3600);
    }
    workshop.try_import().await.unwrap();
    assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Processing);
}

async fn the_time_to_fetch_is_one_for_all_runs(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|_| FileAnswer::whole(&sound())).await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    let six_hours = Duration::from_secs(6 * 3600);
    workshop.catalog.note_import_progress(id, 0, None, six_hours).await.unwrap();
    workshop.try_import().await.unwrap();
    let track = workshop.track(&owner, id).await;
    assert_eq!(track.status, TrackStatus::InitError);
    let reason = track.status_reason.unwrap();
    assert!(reason.contains("failed: the file could not be fetched within 360 minutes"), "{reason}");
    assert_eq!(server.requests().len(), 0);

    // A run adds what it has spent, also if it fails.
    let broken = FileServer::start(|_| FileAnswer::status("503 Later")).await;
    let (_, id) = workshop.import(broken.url("/a.wav"), "").await;
    workshop.catalog.note_import_progress(id, 0, None, six_hours / 2).await.unwrap();
    workshop.try_import().await.unwrap_err();
    let spent = workshop.catalog.import(id).await.unwrap().unwrap().spent;
    assert!(spent > six_hours / 2, "{spent:?}");
}

async fn nothing_is_left_of_what_does_not_arrive(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let large = (1 << 30) + 1;
    let html = FileAnswer::whole(b"<html>").with("content-type", "text/html");
    let gzip = FileAnswer::whole(&sound()).with("content-encoding", "gzip");
    let answers = [
        (html, "the URL leads to a document (text/html), not to an audio file"),
        (gzip, "the server sends the file with Content-Encoding gzip"),
        (FileAnswer::whole(b""), "the file is empty"),
        (FileAnswer::unmeasured(b""), "the file is empty"),
        (FileAnswer::redirect("302 Found", "/again"), "the server redirects more than 5 times"),
        (FileAnswer::redirect("302 Found", "http://example.com:22/"), "the server redirects to an address"),
        (
            FileAnswer::whole(&sound()).with("content-length", &large.to_string()),
            "the file has 1073741825 bytes",
        ),
    ];
    for (answer, expected) in answers {
        let server = FileServer::start(move |_| answer.clone()).await;
        let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
        workshop.try_import().await.unwrap();
        let track = workshop.track(&owner, id).await;
        assert_eq!(track.status, TrackStatus::InitError, "{expected}");
        let start = format!("the import from {} failed: {expected}", server.host());
        assert!(track.status_reason.as_ref().unwrap().starts_with(&start), "{:?}", track.status_reason);
        workshop.expect_nothing_left(id).await;
    }
}

async fn what_cannot_be_resumed_is_fetched_anew(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    // The file changes with each request. The third attempt gets it whole.
    let server = FileServer::start(|request| {
        let tag = request.number.to_string();
        match request.number {
            0..4 => FileAnswer::of(request, &sound(), &tag).cut(100),
            _ => FileAnswer::of(request, &sound(), &tag),
        }
    })
    .await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    workshop.try_import().await.unwrap();
    let track = workshop.track(&owner, id).await;
    assert_eq!((track.status, track.source.unwrap().size), (TrackStatus::Processing, sound().len() as u64));
    assert_eq!((workshop.objects().await, server.requests().len()), (1, 5));

    let never = FileServer::start(|_| FileAnswer::whole(&sound()).cut(100)).await;
    let (owner, id) = workshop.import(never.url("/a.wav"), "").await;
    let failed = workshop.try_import().await;
    assert!(matches!(failed, Err(JobError::Retry(_))), "{failed:?}");
    assert_eq!(
        (workshop.track(&owner, id).await.status, never.requests().len()),
        (TrackStatus::Initialized, 4)
    );
}

async fn deletion_calls_an_import_off_and_restoration_goes_on(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|request| match request.number {
        0 => FileAnswer::whole(&sound()).cut(100).hang(),
        _ => FileAnswer::whole(&sound()),
    })
    .await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    let run = workshop.claim_import().await;
    let deletion = async {
        server.wait_for(1).await;
        let keep = KeepDeleted::default();
        let tx = workshop.catalog.begin().await.unwrap();
        let deletion = Deletion::by(owner.origin.actor, workshop.ambient.now(), keep);
        let until = Some(workshop.ambient.now().plus_seconds(3600));
        let deletion = Deletion { restorable_until: until, ..deletion };
        tx.soft_delete_track(owner.organization_id, id, deletion).await.unwrap();
        tx.commit().await.unwrap();
    };
    let (ended, ()) = tokio::join!(workshop.processing.run(&run), deletion);
    ended.unwrap();
    assert_eq!(workshop.objects().await, 0);
    assert!(workshop.jobs_of("import_source").await.is_empty());

    workshop.library.restore_track(&owner, id).await.unwrap();
    workshop.try_import().await.unwrap();
    assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Processing);
    // An import that runs after the deletion fetches nothing.
    let before = server.requests().len();
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    workshop.library.delete_track(&owner, id).await.unwrap();
    workshop.try_import().await.unwrap();
    assert!(workshop.jobs_of("import_source").await.is_empty());
    assert_eq!(server.requests().len(), before);
}

async fn whichever_source_is_there_first_counts(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|request| match request.number {
        0 => FileAnswer::whole(&sound()).cut(100).hang(),
        _ => FileAnswer::whole(&sound()),
    })
    .await;
    // An upload while the import runs.
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    let run = workshop.claim_import().await;
    let upload = async {
        server.wait_for(1).await;
        workshop.send(&owner, id, b"something else".to_vec()).await.unwrap();
    };
    let (ended, ()) = tokio::join!(workshop.processing.run(&run), upload);
    ended.unwrap();
    let source = workshop.track(&owner, id).await.source.unwrap();
    assert_eq!((source.size, workshop.objects().await), (14, 1));
    assert!(workshop.jobs_of("import_source").await.is_empty());
    assert_eq!(workshop.catalog.import(id).await.unwrap(), None);
    // An upload before it runs.
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    workshop.send(&owner, id, b"something else".to_vec()).await.unwrap();
    workshop.try_import().await.unwrap();
    assert_eq!((workshop.track(&owner, id).await.source.unwrap().size, server.requests().len()), (14, 1));
    // An upload after it.
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    workshop.try_import().await.unwrap();
    let refused = workshop.send(&owner, id, sound()).await;
    assert!(matches!(refused, Err(Refusal::Conflict { code: ErrorCode::UploadUrlUsed, .. })), "{refused:?}");
}

async fn a_track_is_not_given_up_while_it_is_imported(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|_| FileAnswer::status("503 Service Unavailable")).await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    for _ in 0..3 {
        workshop.clock.advance_seconds(3601);
        workshop.run_upkeep().await;
        assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Initialized);
        assert_eq!(workshop.jobs_of("expire_upload").await.len(), 1);
    }
    let tx = workshop.catalog.begin().await.unwrap();
    tx.delete_import(id).await.unwrap();
    tx.commit().await.unwrap();
    workshop.clock.advance_seconds(3601);
    workshop.run_all().await;
    let track = workshop.track(&owner, id).await;
    let reason = "no file was uploaded before the upload URL expired";
    assert_eq!((track.status, track.status_reason.as_deref()), (TrackStatus::InitError, Some(reason)));
}

async fn another_worker_takes_over(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|request| match request.number {
        0 => FileAnswer::whole(&sound()).cut(100).hang(),
        _ => FileAnswer::whole(&sound()),
    })
    .await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    // A run that dies: it is dropped halfway.
    let dying = workshop.claim_import().await;
    tokio::select! {
        ended = workshop.processing.run(&dying) => panic!("{ended:?}"),
        () = server.wait_for(1) => {}
    }
    workshop.clock.advance_seconds(61);
    workshop.try_import().await.unwrap();
    assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Processing);
    assert_eq!(workshop.objects().await, 1);
    // The first run, continued later, changes nothing.
    workshop.processing.run(&dying).await.unwrap_err();
    assert_eq!(workshop.objects().await, 1);
}

async fn a_run_that_is_to_stop_leaves_nothing(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|_| FileAnswer::whole(&sound()).cut(100).hang()).await;
    let (_, id) = workshop.import(server.url("/a.wav"), "").await;
    let run = workshop.claim_import().await;
    let cancelled = async {
        server.wait_for(1).await;
        run.cancel.cancel();
    };
    let (ended, ()) = tokio::join!(workshop.processing.run(&run), cancelled);
    assert!(matches!(ended, Err(JobError::Cancelled)), "{ended:?}");
    assert!(workshop.catalog.import(id).await.unwrap().is_some());
    assert_eq!(workshop.objects().await, 0);
}

async fn an_outage_of_the_store_is_waited_for(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("objects");
    let store = Some(format!("file://{}", broken.display()));
    let workshop = Workshop::open_with(&database, folder, store, MediaConfig::find()).await;
    let server = FileServer::start(|_| FileAnswer::whole(&sound())).await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    // A file blocks the path where the store creates its folders.
    std::fs::remove_dir_all(&broken).unwrap();
    std::fs::write(&broken, "in the way").unwrap();
    let run = workshop.claim_import().await;
    let failed = workshop.processing.run(&run).await;
    assert!(matches!(failed, Err(JobError::Outage { outage: Outage::Store, .. })), "{failed:?}");
    let track = workshop.track(&owner, id).await;
    assert_eq!((track.status, track.status_reason), (TrackStatus::Initialized, None));
    assert!(workshop.catalog.import(id).await.unwrap().is_some());
}

async fn urls_are_secret(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let url = "http://files.example.com/a.wav?token=very-secret";
    let (owner, id) = workshop.import(url.to_owned(), "").await;
    let import = workshop.catalog.import(id).await.unwrap().unwrap();
    assert_eq!(import.host, "files.example.com");
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!holds(&import.url, "secret") && !holds(&import.url, "example"));
    for job in workshop.jobs_of("import_source").await {
        assert!(!format!("{job:?}").contains("example.com"), "{job:?}");
    }
    let view = workshop.library.track(&owner, id).await.unwrap();
    assert!(view.is_importing && !format!("{view:?}").contains("secret"), "{view:?}");
    let audited = workshop
        .catalog
        .audit_entries(Some(owner.organization_id), &tonearm_catalog::AuditFilter::default(), None, 10)
        .await
        .unwrap();
    let asked = audited.iter().find(|entry| entry.action == "track.import").unwrap();
    assert_eq!(asked.title.as_deref(), Some("files.example.com"));
    assert_eq!(workshop.resealing.reseal().await.unwrap().kept, 1);
    // If its master secret is gone, the import fails.
    let tx = workshop.catalog.begin().await.unwrap();
    let found = workshop.catalog.sealed().await.unwrap().remove(0);
    tx.replace_sealed(&found, b"of another secret".to_vec()).await.unwrap();
    tx.commit().await.unwrap();
    workshop.try_import().await.unwrap();
    let reason = workshop.track(&owner, id).await.status_reason.unwrap();
    assert!(
        reason.ends_with("its URL cannot be decrypted, as its master secret is gone; create the track again")
    );
}

async fn imports_are_dropped_with_their_job(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.import("http://files.example.com/a.wav".to_owned(), "").await;
    let job = workshop.jobs_of("import_source").await.remove(0);
    assert!(jobs(&workshop).drop_job(owner.origin, job.id).await.unwrap());
    let track = workshop.track(&owner, id).await;
    let reason = "the import from files.example.com failed: it was cancelled";
    assert_eq!((track.status, track.status_reason.as_deref()), (TrackStatus::InitError, Some(reason)));
    workshop.expect_nothing_left(id).await;
}

async fn upload_sessions_import_too(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|_| FileAnswer::whole(&sound())).await;
    let (owner, first) = workshop.create().await;
    let create = |path: &str| CreateTrack { source_url: Some(server.url(path)), ..CreateTrack::default() };
    let session = CreateUploadSession {
        collection_id: Some(workshop.track(&owner, first).await.collection_id),
        track: Some(create("/one.wav")),
        ..CreateUploadSession::default()
    };
    let session = workshop.uploads.create_upload_session(&owner, session).await.unwrap();
    let id = session.view.session.id;
    let (_, two) = workshop.uploads.create_session_track(None, id, create("/two.wav")).await.unwrap();
    for track in [session.track.unwrap().track.track, two.track.track] {
        assert!(workshop.catalog.import(track.id).await.unwrap().is_some());
        assert_eq!(track.upload_session_id, Some(id));
    }
    let nowhere = CreateTrack { source_url: Some("ftp://example.com/".to_owned()), ..CreateTrack::default() };
    let refused = workshop.uploads.create_session_track(None, id, nowhere).await;
    assert!(matches!(refused, Err(Refusal::Invalid { field: "source_url", .. })), "{:?}", refused.err());
}

async fn progress_is_told(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let half = sound().len() / 2;
    let server = FileServer::start(move |_| FileAnswer::whole(&sound()).cut(half).hang()).await;
    let (owner, id) = workshop.import(server.url("/a.wav"), "").await;
    let told = workshop.library.tracks_in_the_making(&owner).await.unwrap();
    assert_eq!((told.len(), told[0].is_importing, told[0].percent), (1, true, 0));
    let run = workshop.claim_import().await;
    let half_way = async {
        loop {
            let told = workshop.library.track_progress(&owner, id).await.unwrap();
            if told.percent > 0 {
                break told;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let told = tokio::select! {
        ended = workshop.processing.run(&run) => panic!("{ended:?}"),
        told = half_way => told,
    };
    let sentence = format!("Importing the file from {}: {} %.", server.host(), told.percent);
    assert_eq!((told.is_importing, told.reason.as_deref()), (true, Some(&*sentence)));
    assert!((48..=50).contains(&told.percent), "{}", told.percent);
    let view = workshop.library.track(&owner, id).await.unwrap();
    assert_eq!(view.track.status_reason.as_deref(), Some(&*sentence));
}

async fn imports_end_with_the_right_to_them(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let server = FileServer::start(|_| FileAnswer::whole(&sound())).await;
    let organization = workshop.library.create_organization("Example Radio").await.unwrap();
    let owner = Caller::owner(organization.organization.id);
    let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
    let collection_id = workshop.library.create_collection(&owner, create).await.unwrap().0.collection.id;
    let key = CreateKey::new(KeyType::Api, "Leaked");
    let CreatedKey { key, text } = workshop.library.create_key(&owner, key).await.unwrap();
    let create = |number: usize| CreateTrack {
        collection_id: Some(collection_id),
        source_url: Some(server.url(&format!("/{number}.wav"))),
        ..CreateTrack::default()
    };
    let open = async |caller: &Caller| {
        let session = CreateUploadSession { collection_id: Some(collection_id), ..Default::default() };
        workshop.uploads.create_upload_session(caller, session).await.unwrap().view.session.id
    };
    let in_session = async |session, number| {
        workshop.uploads.create_session_track(None, session, create(number)).await.unwrap().1.track.track.id
    };
    let on_key = async {
        assert!(act_on(Right::Key { key: Arc::new(key.clone()), hash: text.hash() }));
        workshop.library.create_track(&Caller::from(&key), create(1)).await.unwrap().0.track.id
    };
    let by_key = in_request(workshop.ambient.clone(), Purpose::Add, Box::pin(on_key), || None).await;
    let in_session_of_key = in_session(open(&Caller::from(&key)).await, 2).await;
    let session = open(&owner).await;
    let in_ended = in_session(session, 3).await;
    let in_other = in_session(open(&owner).await, 4).await;
    // On a page of the dashboard, outside of any session.
    let [gone, stays] = [(); 2].map(|()| workshop.ambient.record_id());
    let on_page = async |person, number| {
        let person = Caller::person(owner.organization_id, person);
        workshop.library.create_track(&person, create(number)).await.unwrap().0.track.id
    };
    let (by_gone, by_other) = (on_page(gone, 5).await, on_page(stays, 6).await);
    let tx = workshop.catalog.begin().await.unwrap();
    tx.end_editing(gone, Some(owner.organization_id), workshop.ambient.now()).await.unwrap();
    tx.end_editing(stays, Some(workshop.ambient.record_id()), workshop.ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    workshop.library.revoke_key(&owner, key.id).await.unwrap();
    workshop.uploads.end_upload_session(&owner, session.uuid()).await.unwrap();
    for _ in 0..6 {
        workshop.try_import().await.unwrap();
    }
    for id in [by_key, in_session_of_key, in_ended, by_gone] {
        let track = workshop.track(&owner, id).await;
        assert_eq!(track.status, TrackStatus::Initialized.fail_import().unwrap());
        assert!(track.status_reason.unwrap().contains("has no right to it any more"));
        assert_eq!(workshop.catalog.import(id).await.unwrap(), None);
    }
    for id in [in_other, by_other] {
        assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Processing);
    }
    assert_eq!(workshop.objects().await, 2);
}
