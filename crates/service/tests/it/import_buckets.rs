//! Sources that are imported from buckets, on a real S3 server.

use futures::TryStreamExt;
use sea_orm::{ConnectionTrait, Database};
use tonearm_catalog::{AuditFilter, SealedAt};
use tonearm_domain::{BucketName, ErrorCode, LimitOffset, MOST_IMPORT_BUCKETS, TrackId, TrackStatus};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{BucketProxy, Fault, FileAnswer, FileServer, S3Server, TestDatabase};
use tonearm_service::{
    Caller, CreateCollection, CreateTrack, CreateUploadSession, JobError, Refusal, SetImportBucket,
};

use crate::workshop::{Workshop, sound};

crate::on_both!(
    an_object_is_imported_like_a_file,
    keys_are_taken_as_they_are,
    an_import_goes_on_where_it_broke_off,
    an_object_that_changes_meanwhile_is_never_mixed,
    what_the_bucket_refuses_is_told,
    credentials_are_those_of_the_organization,
    removed_credentials_end_imports_that_wait,
    credentials_that_ended_are_not_used,
    credentials_that_change_count_from_the_next_attempt,
    secrets_are_sealed_and_never_shown,
    a_secret_goes_where_it_was_entered_for,
    redirects_are_told_nothing,
    buckets_are_bounded,
    holders_of_upload_sessions_import_too,
);

fn bucket() -> BucketName {
    S3Server::BUCKET.parse().unwrap()
}

fn set(endpoint: String, secret: &str) -> SetImportBucket {
    SetImportBucket {
        endpoint: Some(endpoint),
        region: None,
        access_key_id: S3Server::CREDENTIALS.0.parse().unwrap(),
        secret_access_key: Some(secret.to_owned()),
    }
}

fn good(endpoint: String) -> SetImportBucket {
    set(endpoint, S3Server::CREDENTIALS.1)
}

fn url(key: &str) -> String {
    format!("s3://{}/{key}", S3Server::BUCKET)
}

/// A sound that does not arrive in one piece.
fn long_sound() -> Vec<u8> {
    wav(&WavSpec { seconds: 5.0, ..WavSpec::default() })
}

impl Workshop {
    async fn owner(&self) -> Caller {
        let organization = self.library.create_organization("Example Radio").await.unwrap();
        Caller::owner(organization.organization.id)
    }

    /// An organization with credentials for the bucket of this server.
    async fn owner_with(&self, endpoint: String) -> Caller {
        let owner = self.owner().await;
        self.import_buckets.set(&owner, bucket(), good(endpoint)).await.unwrap();
        owner
    }

    async fn ask_for(&self, owner: &Caller, source_url: &str) -> Result<TrackId, Refusal> {
        let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
        let (collection, _) = self.library.create_collection(owner, create).await.unwrap();
        let create = CreateTrack {
            collection_id: Some(collection.collection.id),
            source_url: Some(source_url.to_owned()),
            ..CreateTrack::default()
        };
        Ok(self.library.create_track(owner, create).await?.0.track.id)
    }

    /// Imports an object; returns its bytes, or the reason for the failure.
    async fn imported(&self, owner: &Caller, key: &str) -> Result<Vec<u8>, String> {
        let id = self.ask_for(owner, &url(key)).await.unwrap();
        self.try_import().await.unwrap();
        self.outcome(owner, id).await
    }

    async fn outcome(&self, owner: &Caller, id: TrackId) -> Result<Vec<u8>, String> {
        let track = self.track(owner, id).await;
        let Some(source) = track.source else {
            assert_eq!(track.status, TrackStatus::InitError);
            assert_eq!(self.catalog.import(id).await.unwrap(), None);
            return Err(track.status_reason.unwrap());
        };
        assert_eq!(track.status, TrackStatus::Processing);
        let stored = self.blobs.get(&source.key, None).await.unwrap().unwrap();
        Ok(stored.stream.try_collect::<Vec<_>>().await.unwrap().concat())
    }
}

async fn an_object_is_imported_like_a_file(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    server.put_object("tones/A tone.wav", &sound());
    let owner = workshop.owner_with(server.endpoint()).await;
    let id = workshop.ask_for(&owner, &url("tones/A tone.wav")).await.unwrap();
    let track = workshop.track(&owner, id).await;
    assert_eq!((track.status, track.file_name.as_str()), (TrackStatus::Initialized, "A tone.wav"));
    let shown = workshop.library.track_progress(&owner, id).await.unwrap().reason.unwrap();
    assert_eq!(shown, format!("Importing the file from s3://{}.", S3Server::BUCKET));
    workshop.try_import().await.unwrap();
    assert_eq!(workshop.outcome(&owner, id).await.unwrap(), sound());
    let track = workshop.track(&owner, id).await;
    workshop.give_cover(&track).await;
    workshop.run_all().await;
    assert_eq!(workshop.track(&owner, id).await.status, TrackStatus::Ready);
}

async fn keys_are_taken_as_they_are(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    let owner = workshop.owner_with(server.endpoint()).await;
    let keys = [
        "100%.wav",
        "a%20b.wav",
        "%2e%2e/a.wav",
        "Größe/日 本.wav",
        "what?now#then.wav",
        "a..b/..c.wav",
        "+&=;:@$,!'()*~^`{}|<>\"[].wav",
        " spaces ",
    ];
    for (number, key) in keys.into_iter().enumerate() {
        // Each file is different, so that none can be mistaken for another.
        let content = [sound(), vec![0; number]].concat();
        server.put_object(key, &content);
        assert_eq!(workshop.imported(&owner, key).await.as_ref(), Ok(&content), "{key}");
    }
    server.put_object("inside/a.wav", &sound());
    for key in ["inside/../inside/a.wav", "../a.wav", "./a.wav"] {
        let refused = workshop.ask_for(&owner, &url(key)).await;
        assert!(matches!(refused, Err(Refusal::Invalid { field: "source_url", .. })), "{key}: {refused:?}");
    }
}

async fn an_import_goes_on_where_it_broke_off(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    let proxy = BucketProxy::start(&server);
    let third = long_sound().len() as u64 / 3 + 1;
    proxy.set(move |_| Some(Fault::Cut(third)));
    server.put_object("a.wav", &long_sound());
    let owner = workshop.owner_with(proxy.endpoint()).await;
    assert_eq!(workshop.imported(&owner, "a.wav").await.unwrap(), long_sound());
    let requests = proxy.requests();
    let ranges: Vec<_> = requests.iter().map(|request| request.range.clone()).collect();
    let rest = |part: u64| Some(format!("bytes={}-", part * third));
    assert_eq!(ranges, [None, rest(1), rest(2)]);
    // URLs contain no credentials.
    assert!(requests.iter().all(|request| !request.target.contains('?')), "{requests:?}");
}

async fn an_object_that_changes_meanwhile_is_never_mixed(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    // A server that sends ranges whatever the ETag is, as some do.
    let (one, other) = (vec![b'1'; 1000], vec![b'2'; 1000]);
    let expected = other.clone();
    let server = FileServer::start(move |request| match (request.number, request.start()) {
        (0, _) => FileAnswer::whole(&one).with("etag", "\"one\"").cut(500),
        (_, Some(start)) => FileAnswer::rest(&other, start).with("etag", "\"other\""),
        (_, None) => FileAnswer::whole(&other).with("etag", "\"other\""),
    })
    .await;
    let owner = workshop.owner_with(server.url("")).await;
    assert_eq!(workshop.imported(&owner, "a.wav").await.unwrap(), expected);
    let asked = server.requests();
    assert_eq!(asked.len(), 3);
    assert_eq!(
        (asked[1].header("if-match"), asked[1].header("if-range")),
        (Some("\"one\""), Some("\"one\""))
    );
}

async fn what_the_bucket_refuses_is_told(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    server.put_object("a.wav", &sound());
    let owner = workshop.owner_with(server.endpoint()).await;
    let name = S3Server::BUCKET;
    let failed = workshop.imported(&owner, "missing.wav").await.unwrap_err();
    let start =
        format!("the import from s3://{name} failed: the bucket {name} has no object with this key (404");
    assert!(failed.starts_with(&start), "{failed}");

    workshop.import_buckets.set(&owner, bucket(), set(server.endpoint(), "another secret")).await.unwrap();
    let failed = workshop.imported(&owner, "a.wav").await.unwrap_err();
    let part = format!("the bucket {name} refuses the credentials");
    assert!(failed.contains(&part) && failed.contains("SignatureDoesNotMatch"), "{failed}");
    assert!(!failed.contains("another secret"), "{failed}");

    let stranger = SetImportBucket { access_key_id: "nobody".parse().unwrap(), ..good(server.endpoint()) };
    workshop.import_buckets.set(&owner, bucket(), stranger).await.unwrap();
    let failed = workshop.imported(&owner, "a.wav").await.unwrap_err();
    assert!(failed.contains(&part), "{failed}");

    // A store that is unavailable may come back.
    workshop.import_buckets.set(&owner, bucket(), good("http://127.0.0.1:1024".to_owned())).await.unwrap();
    workshop.ask_for(&owner, &url("a.wav")).await.unwrap();
    let failed = workshop.try_import().await;
    assert!(matches!(failed, Err(JobError::Retry(_))), "{failed:?}");
}

async fn credentials_are_those_of_the_organization(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    server.put_object("a.wav", &sound());
    workshop.owner_with(server.endpoint()).await;
    let other = workshop.owner().await;
    let refused = workshop.ask_for(&other, &url("a.wav")).await.unwrap_err();
    let Refusal::Invalid { field: "source_url", message } = refused else { panic!("{refused:?}") };
    assert!(
        message.starts_with("the organization has no credentials for the bucket tonearm; set them"),
        "{message}"
    );
    assert!(workshop.jobs_of("import_source").await.is_empty());
    let (count, found) = workshop.import_buckets.page(&other, LimitOffset::default()).await.unwrap();
    assert_eq!((count, found.len()), (0, 0));
    let removed = workshop.import_buckets.remove(&other, &bucket()).await;
    assert!(matches!(removed, Err(Refusal::NotFound(_))), "{removed:?}");
    // An organization uses its own credentials, even for a bucket with the same name.
    workshop.import_buckets.set(&other, bucket(), set(server.endpoint(), "wrong")).await.unwrap();
    let failed = workshop.imported(&other, "a.wav").await.unwrap_err();
    assert!(failed.contains("refuses the credentials"), "{failed}");
}

async fn removed_credentials_end_imports_that_wait(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    server.put_object("a.wav", &sound());
    let owner = workshop.owner_with(server.endpoint()).await;
    let id = workshop.ask_for(&owner, &url("a.wav")).await.unwrap();
    workshop.import_buckets.remove(&owner, &bucket()).await.unwrap();
    workshop.try_import().await.unwrap();
    let failed = workshop.outcome(&owner, id).await.unwrap_err();
    assert!(failed.contains("no longer has credentials for the bucket tonearm; set them"), "{failed}");
    let again = workshop.import_buckets.remove(&owner, &bucket()).await;
    assert!(matches!(again, Err(Refusal::NotFound(_))), "{again:?}");
    let filter = AuditFilter { action: Some("import_bucket".to_owned()), ..AuditFilter::default() };
    let lines = workshop.catalog.audit_entries(Some(owner.organization_id), &filter, None, 9).await.unwrap();
    let mut told: Vec<_> =
        lines.iter().map(|line| (line.action.as_str(), line.title.as_deref().unwrap())).collect();
    told.sort_unstable();
    assert_eq!(told, [("import_bucket.remove", "tonearm"), ("import_bucket.set", "tonearm")]);
}

async fn credentials_that_ended_are_not_used(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    server.put_object("a.wav", &sound());
    let owner = workshop.owner_with(server.endpoint()).await;
    let id = workshop.ask_for(&owner, &url("a.wav")).await.unwrap();
    let raw = Database::connect(&database.url).await.unwrap();
    let end = format!("UPDATE import_bucket SET expires_at = {}", workshop.ambient.now().unix_millis());
    raw.execute_unprepared(&end).await.unwrap();
    workshop.try_import().await.unwrap();
    let failed = workshop.outcome(&owner, id).await.unwrap_err();
    assert!(failed.contains("no longer has credentials for the bucket tonearm; set them"), "{failed}");
    let refused = workshop.ask_for(&owner, &url("a.wav")).await;
    assert!(matches!(refused, Err(Refusal::Invalid { field: "source_url", .. })), "{refused:?}");
}

async fn credentials_that_change_count_from_the_next_attempt(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    let proxy = BucketProxy::start(&server);
    proxy.set(|_| Some(Fault::Unavailable));
    server.put_object("a.wav", &sound());
    let owner = workshop.owner().await;
    workshop.import_buckets.set(&owner, bucket(), set(proxy.endpoint(), "wrong")).await.unwrap();
    let id = workshop.ask_for(&owner, &url("a.wav")).await.unwrap();
    let failed = workshop.try_import().await;
    assert!(matches!(failed, Err(JobError::Retry(_))), "{failed:?}");
    let told = workshop.track(&owner, id).await.status_reason.unwrap();
    assert!(
        told.contains("s3://tonearm will be tried again: the bucket tonearm responded with 503"),
        "{told}"
    );
    workshop.import_buckets.set(&owner, bucket(), good(server.endpoint())).await.unwrap();
    workshop.try_import().await.unwrap();
    assert_eq!(workshop.outcome(&owner, id).await.unwrap(), sound());
}

async fn secrets_are_sealed_and_never_shown(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    server.put_object("secret-key.wav", &sound());
    let owner = workshop.owner_with(server.endpoint()).await;
    let id = workshop.ask_for(&owner, &url("secret-key.wav")).await.unwrap();
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    let row = workshop.catalog.import_bucket(owner.organization_id, &bucket()).await.unwrap().unwrap();
    assert!(!holds(&row.secret, S3Server::CREDENTIALS.1));
    let import = workshop.catalog.import(id).await.unwrap().unwrap();
    assert_eq!(import.host, "s3://tonearm");
    assert!(!holds(&import.url, "secret-key") && !holds(&import.url, "tonearm"));
    let (_, shown) = workshop.import_buckets.page(&owner, LimitOffset::default()).await.unwrap();
    assert!(shown[0].has_secret && !format!("{shown:?}").contains(S3Server::CREDENTIALS.1), "{shown:?}");

    // Resealing covers both. They are sealed with the current master secret, so they are kept.
    let sealed = workshop.catalog.sealed().await.unwrap();
    let at = SealedAt::ImportBucketSecret(owner.organization_id, bucket());
    let found = sealed.iter().find(|found| found.at == at).unwrap();
    assert_eq!(workshop.resealing.reseal().await.unwrap().kept, 2);
    let tx = workshop.catalog.begin().await.unwrap();
    assert!(tx.replace_sealed(found, b"of another secret".to_vec()).await.unwrap());
    assert!(!tx.replace_sealed(found, b"late".to_vec()).await.unwrap());
    tx.commit().await.unwrap();
    // If its master secret is gone, the bucket counts as one without a secret.
    assert_eq!(workshop.resealing.reseal().await.unwrap().lost, [at]);
    let (_, shown) = workshop.import_buckets.page(&owner, LimitOffset::default()).await.unwrap();
    assert!(!shown[0].has_secret);
    workshop.try_import().await.unwrap();
    let failed = workshop.outcome(&owner, id).await.unwrap_err();
    assert!(
        failed.contains("cannot be decrypted, as their master secret is gone; set them again"),
        "{failed}"
    );
}

async fn a_secret_goes_where_it_was_entered_for(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    server.put_object("a.wav", &sound());
    let owner = workshop.owner().await;
    let without = |set: SetImportBucket| SetImportBucket { secret_access_key: None, ..set };
    let asked = async |set: SetImportBucket| workshop.import_buckets.set(&owner, bucket(), set).await;
    let is_refused = |refused: &Result<_, Refusal>| {
        matches!(refused, Err(Refusal::Invalid { field: "secret_access_key", .. }))
    };
    assert!(is_refused(&asked(without(good(server.endpoint()))).await.map(drop)));
    let first = asked(good(server.endpoint())).await.unwrap();
    workshop.clock.advance_seconds(60);
    // The secret is kept for another region, and for the same endpoint with a slash at the end.
    let region = Some("eu-central-1".parse().unwrap());
    let kept = SetImportBucket { region, ..without(good(format!("{}/", server.endpoint()))) };
    let kept = asked(kept).await.unwrap();
    assert_eq!((kept.created_at, kept.has_secret), (first.created_at, true));
    assert_eq!(workshop.imported(&owner, "a.wav").await.unwrap(), sound());
    let elsewhere = without(good("https://store.example.com".to_owned()));
    let amazon = SetImportBucket { endpoint: None, ..without(good(server.endpoint())) };
    let another =
        SetImportBucket { access_key_id: "other".parse().unwrap(), ..without(good(server.endpoint())) };
    for set in [elsewhere, amazon, another] {
        assert!(is_refused(&asked(set).await.map(drop)));
    }
    for endpoint in
        ["", "store.example.com", "https://me:secret@store.example.com", "https://store.example.com:22"]
    {
        let refused = asked(good(endpoint.to_owned())).await;
        assert!(matches!(refused, Err(Refusal::Invalid { field: "endpoint", .. })), "{endpoint}");
    }
}

async fn redirects_are_told_nothing(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let elsewhere = FileServer::start(|_| FileAnswer::whole(&sound())).await;
    let target = elsewhere.url("/other.wav");
    let store = FileServer::start(move |_| FileAnswer::redirect("307 Temporary Redirect", &target)).await;
    let owner = workshop.owner_with(store.url("")).await;
    assert_eq!(workshop.imported(&owner, "a.wav").await.unwrap(), sound());
    assert!(store.requests()[0].header("authorization").is_some());
    let [request] = &elsewhere.requests()[..] else { panic!("not one request") };
    assert!(!request.headers.iter().any(|(name, _)| name == "authorization" || name.starts_with("x-amz")));
    // A store that reports in its own way that the bucket is in another region.
    let moved = FileServer::start(|_| {
        FileAnswer::status("301 Moved Permanently").with("x-amz-bucket-region", "eu-west-3")
    })
    .await;
    workshop.import_buckets.set(&owner, bucket(), good(moved.url(""))).await.unwrap();
    let failed = workshop.imported(&owner, "a.wav").await.unwrap_err();
    assert!(failed.contains("the bucket tonearm is in the region eu-west-3"), "{failed}");
}

async fn buckets_are_bounded(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let owner = workshop.owner().await;
    let endpoint = || "https://store.example.com".to_owned();
    let name = |number: u64| format!("music-{number:03}").parse::<BucketName>().unwrap();
    for number in 0..MOST_IMPORT_BUCKETS {
        workshop.import_buckets.set(&owner, name(number), good(endpoint())).await.unwrap();
    }
    let refused = workshop.import_buckets.set(&owner, bucket(), good(endpoint())).await;
    assert!(
        matches!(refused, Err(Refusal::Conflict { code: ErrorCode::TooManyImportBuckets, .. })),
        "{refused:?}"
    );
    // Existing buckets can be changed, and removing one makes room.
    workshop.import_buckets.set(&owner, name(7), good(endpoint())).await.unwrap();
    workshop.import_buckets.remove(&owner, &name(7)).await.unwrap();
    workshop.import_buckets.set(&owner, bucket(), good(endpoint())).await.unwrap();
    let page = LimitOffset::new(Some(2), Some(99)).unwrap();
    let (count, last) = workshop.import_buckets.page(&owner, page).await.unwrap();
    let names: Vec<_> = last.iter().map(|found| found.bucket.as_str()).collect();
    assert_eq!((count, &names[..]), (MOST_IMPORT_BUCKETS, &["tonearm"][..]));
}

async fn holders_of_upload_sessions_import_too(database: TestDatabase) {
    let (workshop, server) = (Workshop::open(&database).await, S3Server::start());
    server.put_object("a.wav", &sound());
    let owner = workshop.owner_with(server.endpoint()).await;
    let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
    let (collection, _) = workshop.library.create_collection(&owner, create).await.unwrap();
    let session = CreateUploadSession {
        collection_id: Some(collection.collection.id),
        ..CreateUploadSession::default()
    };
    let id = workshop.uploads.create_upload_session(&owner, session).await.unwrap().view.session.id;
    let create =
        |source_url: &str| CreateTrack { source_url: Some(source_url.to_owned()), ..CreateTrack::default() };
    let refused = workshop.uploads.create_session_track(None, id, create("s3://other/a.wav")).await;
    assert!(matches!(refused, Err(Refusal::Invalid { field: "source_url", .. })), "{:?}", refused.err());
    let (_, made) = workshop.uploads.create_session_track(None, id, create(&url("a.wav"))).await.unwrap();
    workshop.try_import().await.unwrap();
    assert_eq!(workshop.outcome(&owner, made.track.track.id).await.unwrap(), sound());
}
