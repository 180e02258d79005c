//! Quotas of organizations hold for concurrent requests, and leave room when they are raised or something is deleted.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::channel::mpsc::UnboundedSender;
use futures::future::join_all;
use tokio::task::JoinHandle;
use tonearm_domain::{
    CachePolicy, CollectionId, CoverOwner, FileOutcome, Job, LevelsSettings, Origin, Patch, PersonId,
    QuotaKind, Quotas, RecipeKind, RecordLimits, SourceSlot, Track, TrackFile, TrackId, TrackStatus,
    Transcode, UploadKind,
};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{
    Admission, AuditFilter, BeginUpload, Caller, CreateCollection, CreateTrack, CreateUploadSession, Refusal,
    Resource, UpdateQuotas, UploadPermit, UploadPiece, UploadRefusal, UploadTerms,
};

use crate::history::picture;
use crate::on_both;
use crate::workshop::{Workshop, sound};

on_both!(
    of_many_uploads_at_once_only_those_that_fit_are_kept,
    what_is_arriving_counts_at_all_nodes,
    what_arrived_at_a_node_that_died_is_forgotten,
    replaced_covers_count_until_they_are_removed,
    of_many_tracks_at_once_only_those_that_fit_are_made,
    a_quota_that_is_raised_lets_more_in,
    minutes_are_passed_once,
    a_purge_makes_room,
    what_is_restored_has_to_fit,
    only_what_is_limited_is_asked_about,
    a_full_queue_lets_others_in,
    a_recipe_that_is_removed_leaves_no_track_incomplete,
    levels_have_to_fit_into_the_database,
);

fn quotas(bytes: Option<u64>, tracks: Option<u64>, minutes: Option<u64>) -> UpdateQuotas {
    let patch = |limit: Option<u64>| limit.map_or(Patch::Clear, Patch::Set);
    UpdateQuotas { bytes: patch(bytes), tracks: patch(tracks), minutes: patch(minutes) }
}

/// An organization with a collection and a track in it that waits for its bytes.
async fn organization(workshop: &Workshop) -> (Caller, CollectionId, TrackId) {
    let (owner, track) = workshop.create().await;
    let track = workshop.catalog.track(owner.organization_id, track).await.unwrap().unwrap();
    (owner, track.collection_id, track.id)
}

async fn create(
    workshop: &Workshop,
    owner: &Caller,
    collection_id: CollectionId,
) -> Result<TrackId, Refusal> {
    let create = CreateTrack {
        collection_id: Some(collection_id),
        file_name: "tone.wav".to_owned(),
        ..CreateTrack::default()
    };
    Ok(workshop.library.create_track(owner, create).await?.0.track.id)
}

#[track_caller]
fn exceeded<T: std::fmt::Debug>(result: Result<T, Refusal>) -> QuotaKind {
    match result {
        Err(Refusal::QuotaExceeded(exceeded)) => exceeded.kind,
        other => panic!("{other:?}"),
    }
}

async fn objects(workshop: &Workshop) -> usize {
    workshop.blobs.list(None, None).count().await
}

/// All uploads begin while there is room for each of them; some announce their size, and others do not.
async fn of_many_uploads_at_once_only_those_that_fit_are_kept(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection, first) = organization(&workshop).await;
    let mut tracks = vec![first];
    for _ in 1..20 {
        tracks.push(create(&workshop, &owner, collection).await.unwrap());
    }
    let size = 10_000;
    workshop.library.set_quotas(&owner, quotas(Some(5 * size + 9_999), None, None)).await.unwrap();
    let uploads = tracks.iter().enumerate().map(|(at, track)| {
        let (uploads, owner, track) = (workshop.uploads.clone(), owner.clone(), *track);
        let terms = UploadTerms { size: (at % 2 == 0).then_some(size), ..UploadTerms::default() };
        tokio::spawn(async move {
            let chunks = (0..10).map(|_| Ok(Bytes::from(vec![7; 1000])));
            let body = futures::stream::iter(chunks).then(|chunk| async {
                tokio::task::yield_now().await;
                chunk
            });
            let id = owner.organization_id;
            uploads.accept_source(owner.origin, SourceSlot::of_track(id, track), Box::pin(body), terms).await
        })
    });
    let results: Vec<_> = join_all(uploads).await.into_iter().map(|result| result.unwrap()).collect();
    let (kept, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    // Those that arrive at the same time may displace one another.
    assert!((1..=5).contains(&kept.len()), "{}", kept.len());
    refused.into_iter().for_each(|result| assert_eq!(exceeded(result), QuotaKind::Bytes));
    assert_eq!(objects(&workshop).await, kept.len(), "what was refused left nothing");
    assert_eq!(workshop.library.quotas(&owner).await.unwrap().used.bytes, kept.len() as u64 * size);
}

type Chunks = UnboundedSender<Result<Bytes, BodyError>>;
type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// How a source is sent whose sender pauses.
#[derive(Debug, Clone, Copy)]
enum Way {
    Announced,
    Unannounced,
    Resumable,
}

/// An upload that is held open, and its outcome.
struct Held {
    chunks: Chunks,
    outcome: JoinHandle<Result<(), Refusal>>,
}

impl Held {
    fn begin(workshop: &Workshop, owner: &Caller, track: TrackId, way: Way) -> Self {
        let (chunks, body) = futures::channel::mpsc::unbounded();
        let (uploads, owner) = (workshop.uploads.clone(), owner.clone());
        let slot = SourceSlot::of_track(owner.organization_id, track);
        let size = matches!(way, Way::Announced).then_some(60_000);
        let outcome = tokio::spawn(async move {
            let Way::Resumable = way else {
                let terms = UploadTerms { size, ..UploadTerms::default() };
                return uploads.accept_source(owner.origin, slot, body, terms).await.map(drop);
            };
            let begin = BeginUpload { kind: UploadKind::Url, length: None, sha256: None, metadata: None };
            let begun = async {
                let upload = uploads.begin_upload(UploadPermit::Track(slot), begin).await?;
                let (offset, length, check, on_durable) = (0, None, None, None);
                let piece = UploadPiece { offset, size, length, is_last: true, check, on_durable, body };
                uploads.append(owner.origin, upload.id, piece).await
            };
            match begun.await {
                Ok(_) => Ok(()),
                Err(UploadRefusal::Refused(refusal)) => Err(refusal),
                Err(UploadRefusal::Interrupted(error)) => Err(Refusal::Interrupted(error)),
                Err(other) => panic!("{other}"),
            }
        });
        Self { chunks, outcome }
    }

    /// Sends bytes, and waits until this many are counted in the quota.
    async fn send(&self, workshop: &Workshop, owner: &Caller, bytes: usize, counted: std::ops::Range<u64>) {
        self.chunks.unbounded_send(Ok(Bytes::from(vec![7; bytes]))).unwrap();
        while !counted.contains(&workshop.library.quotas(owner).await.unwrap().used.bytes) {
            assert!(!self.outcome.is_finished(), "the upload has ended");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    async fn break_off(self) {
        self.chunks.unbounded_send(Err("the connection is gone".into())).unwrap();
        assert!(matches!(self.outcome.await.unwrap(), Err(Refusal::Interrupted(_))));
    }
}

/// What has arrived counts while the rest is on its way, whoever receives it and however it is sent.
async fn what_is_arriving_counts_at_all_nodes(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let other = Workshop::open(&database).await;
    let ways = [Way::Announced, Way::Unannounced, Way::Resumable];
    for (first, second) in ways.iter().flat_map(|first| ways.map(|second| (*first, second))) {
        let (owner, collection, _) = organization(&workshop).await;
        workshop.library.set_quotas(&owner, quotas(Some(100_000), None, None)).await.unwrap();
        let track = async || create(&workshop, &owner, collection).await.unwrap();
        let held = Held::begin(&workshop, &owner, track().await, first);
        held.send(&workshop, &owner, 55_000, 55_000..60_001).await;
        let late = Held::begin(&other, &owner, track().await, second);
        // It may have been refused because of its announced size already.
        let _ = late.chunks.unbounded_send(Ok(Bytes::from(vec![7; 50_000])));
        assert_eq!(exceeded(late.outcome.await.unwrap()), QuotaKind::Bytes, "{first:?} {second:?}");
        let small = Held::begin(&other, &owner, track().await, Way::Unannounced);
        small.send(&workshop, &owner, 10_000, 65_000..73_000).await;
        small.break_off().await;
        held.chunks.unbounded_send(Ok(Bytes::from(vec![7; 5000]))).unwrap();
        drop(held.chunks);
        held.outcome.await.unwrap().unwrap();
        assert_eq!(workshop.library.quotas(&owner).await.unwrap().used.bytes, 60_000, "{first:?} {second:?}");
    }
}

async fn what_arrived_at_a_node_that_died_is_forgotten(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection, first) = organization(&workshop).await;
    let second = create(&workshop, &owner, collection).await.unwrap();
    workshop.library.set_quotas(&owner, quotas(Some(100_000), None, None)).await.unwrap();
    // Nothing of a runtime that ends is run to its end. Its node has connections of its own.
    let (other, dying) = (Workshop::open(&database).await, tokio::runtime::Runtime::new().unwrap());
    let held = {
        let _there = dying.enter();
        Held::begin(&other, &owner, first, Way::Unannounced)
    };
    held.send(&workshop, &owner, 90_000, 90_000..91_000).await;
    dying.shutdown_background();
    let _ = held.outcome.await;
    assert_eq!(exceeded(workshop.send(&owner, second, vec![7; 20_000]).await), QuotaKind::Bytes);
    workshop.clock.advance_seconds(900);
    let tx = workshop.catalog.begin().await.unwrap();
    tx.enqueue(Job::ForgetExpired {}, workshop.ambient.record_id(), workshop.ambient.now(), None)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    workshop.run_all().await;
    workshop.send(&owner, second, vec![7; 20_000]).await.unwrap();
}

async fn of_many_tracks_at_once_only_those_that_fit_are_made(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection, _) = organization(&workshop).await;
    workshop.library.set_quotas(&owner, quotas(None, Some(5), None)).await.unwrap();
    let other = CreateCollection { title: "Second".to_owned(), ..CreateCollection::default() };
    let other = workshop.library.create_collection(&owner, other).await.unwrap().0.collection.id;
    let session = CreateUploadSession { collection_id: Some(other), ..CreateUploadSession::default() };
    let session = workshop.uploads.create_upload_session(&owner, session).await.unwrap().view.session.id;
    let attempts = (0..20).map(|at| {
        let (library, uploads, owner) = (workshop.library.clone(), workshop.uploads.clone(), owner.clone());
        let create = CreateTrack { file_name: "tone.wav".to_owned(), ..CreateTrack::default() };
        tokio::spawn(async move {
            let in_collection = |id| CreateTrack { collection_id: Some(id), ..create.clone() };
            match at % 3 {
                0 => library.create_track(&owner, in_collection(collection)).await.map(|_| ()),
                1 => uploads.create_session_track(None, session, create).await.map(|_| ()),
                _ => {
                    let session = CreateUploadSession {
                        collection_id: Some(other),
                        track: Some(create),
                        ..CreateUploadSession::default()
                    };
                    uploads.create_upload_session(&owner, session).await.map(|_| ())
                }
            }
        })
    });
    let results: Vec<_> = join_all(attempts).await.into_iter().map(|result| result.unwrap()).collect();
    let (made, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    // One track existed already.
    assert_eq!(made.len(), 4);
    refused.into_iter().for_each(|result| assert_eq!(exceeded(result), QuotaKind::Tracks));
    assert_eq!(workshop.library.quotas(&owner).await.unwrap().used.tracks, 5);
}

async fn a_quota_that_is_raised_lets_more_in(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection, first) = organization(&workshop).await;
    let set = async |update| workshop.library.set_quotas(&owner, update).await.unwrap();
    let nothing = [
        (quotas(Some(0), None, None), QuotaKind::Bytes),
        (quotas(None, Some(0), None), QuotaKind::Tracks),
        (quotas(None, None, Some(0)), QuotaKind::Minutes),
    ];
    for (update, kind) in nothing {
        set(update).await;
        assert_eq!(exceeded(create(&workshop, &owner, collection).await), kind);
    }
    // Quotas that an update leaves out stay unchanged.
    set(quotas(Some(500), Some(1), None)).await;
    let raised = set(UpdateQuotas { tracks: Patch::Set(2), ..UpdateQuotas::default() }).await;
    assert_eq!(raised, Quotas { bytes: Some(500), tracks: Some(2), minutes: None });
    let second = create(&workshop, &owner, collection).await.unwrap();
    assert_eq!(exceeded(create(&workshop, &owner, collection).await), QuotaKind::Tracks);
    assert_eq!(exceeded(workshop.send(&owner, first, vec![7; 501]).await), QuotaKind::Bytes);
    workshop.send(&owner, first, vec![7; 500]).await.unwrap();
    assert_eq!(exceeded(workshop.send(&owner, second, vec![7; 1]).await), QuotaKind::Bytes);
    set(quotas(Some(501), None, None)).await;
    workshop.send(&owner, second, vec![7; 1]).await.unwrap();
    set(quotas(None, None, None)).await;
    create(&workshop, &owner, collection).await.unwrap();
    let unknown = Caller::owner(workshop.ambient.record_id());
    let refused = workshop.library.set_quotas(&unknown, quotas(Some(1), None, None)).await;
    assert!(matches!(refused, Err(Refusal::NotFound(Resource::Organization))), "{refused:?}");
    let audit = tonearm_service::Audit::new(workshop.catalog.clone());
    let entries = audit.entries(&owner, &AuditFilter::default(), None, 100).await.unwrap();
    assert_eq!(entries.iter().filter(|entry| entry.action == "organization.update").count(), 7);
}

/// The duration of a sound is known only once it is uploaded: the upload that exceeds the quota is kept, and no other
/// follows.
async fn minutes_are_passed_once(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection, first) = organization(&workshop).await;
    workshop.library.set_quotas(&owner, quotas(None, None, Some(2))).await.unwrap();
    let waiting = create(&workshop, &owner, collection).await.unwrap();
    workshop.send(&owner, first, sound()).await.unwrap();
    let lasts = async |id, seconds| {
        let tx = workshop.catalog.begin().await.unwrap();
        let mut track = tx.track(owner.organization_id, id).await.unwrap().unwrap();
        track.duration = seconds;
        tx.update_track(&track).await.unwrap();
        tx.commit().await.unwrap();
    };
    lasts(first, 119.9).await;
    let last = create(&workshop, &owner, collection).await.unwrap();
    workshop.send(&owner, last, sound()).await.unwrap();
    lasts(last, 600.0).await;
    assert_eq!(workshop.library.quotas(&owner).await.unwrap().used.minutes(), 12);
    assert_eq!(exceeded(create(&workshop, &owner, collection).await), QuotaKind::Minutes);
    assert_eq!(exceeded(workshop.send(&owner, waiting, sound()).await), QuotaKind::Minutes);
    workshop.library.delete_track(&owner, last).await.unwrap();
    workshop.send(&owner, waiting, sound()).await.unwrap();
}

async fn a_purge_makes_room(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection, first) = organization(&workshop).await;
    workshop.library.set_quotas(&owner, quotas(Some(1000), Some(1), None)).await.unwrap();
    workshop.send(&owner, first, vec![7; 1000]).await.unwrap();
    workshop.library.delete_track(&owner, first).await.unwrap();
    // The track's place is free at once, but the bytes of its files are not.
    assert_eq!(exceeded(create(&workshop, &owner, collection).await), QuotaKind::Bytes);
    workshop.run_all().await;
    let second = create(&workshop, &owner, collection).await.unwrap();
    workshop.send(&owner, second, vec![7; 1000]).await.unwrap();
}

async fn what_is_restored_has_to_fit(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection, first) = organization(&workshop).await;
    let organization_id = owner.organization_id;
    // Tracks that people delete are kept for a while.
    let person = Caller {
        origin: Origin {
            actor: tonearm_domain::Actor::Person(PersonId::from_uuid(uuid::Uuid::nil())),
            address: None,
        },
        ..owner.clone()
    };
    workshop.library.set_quotas(&owner, quotas(None, Some(1), None)).await.unwrap();
    workshop.library.delete_track(&person, first).await.unwrap();
    let second = create(&workshop, &owner, collection).await.unwrap();
    assert_eq!(exceeded(workshop.library.restore_track(&owner, first).await), QuotaKind::Tracks);
    assert!(workshop.catalog.track(organization_id, first).await.unwrap().is_none());
    workshop.library.delete_collection(&person, collection).await.unwrap();
    let other = CreateCollection { title: "Second".to_owned(), ..CreateCollection::default() };
    let other = workshop.library.create_collection(&owner, other).await.unwrap().0.collection.id;
    let third = create(&workshop, &owner, other).await.unwrap();
    assert_eq!(exceeded(workshop.library.restore_collection(&owner, collection).await), QuotaKind::Tracks);
    workshop.library.delete_track(&owner, third).await.unwrap();
    workshop.library.restore_collection(&owner, collection).await.unwrap();
    assert!(workshop.catalog.track(organization_id, second).await.unwrap().is_some());
    workshop.library.set_quotas(&owner, quotas(None, Some(2), None)).await.unwrap();
    workshop.library.restore_track(&owner, first).await.unwrap();
}

/// An organization without quotas costs one lookup, and does not wait for a lock.
async fn only_what_is_limited_is_asked_about(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (limited, collection, _) = organization(&workshop).await;
    let (free, open, _) = organization(&workshop).await;
    workshop.library.set_quotas(&limited, quotas(Some(1 << 40), None, None)).await.unwrap();
    if database.url.starts_with("sqlite") {
        // All writers wait for each other.
        return;
    }
    let tx = workshop.catalog.begin().await.unwrap();
    tx.quotas(limited.organization_id).await.unwrap();
    create(&workshop, &free, open).await.unwrap();
    drop(tx);
    create(&workshop, &limited, collection).await.unwrap();
}

async fn a_full_queue_lets_others_in(database: TestDatabase) {
    let mut workshop = Workshop::open(&database).await;
    let (busy, collection, first) = organization(&workshop).await;
    let (idle, _, other) = organization(&workshop).await;
    let (catalog, ambient) = (workshop.catalog.clone(), workshop.ambient.clone());
    let admission = Admission::default().and_by_queue(catalog, ambient, 1);
    workshop.library = workshop.library.with_admission(admission.clone());
    workshop.uploads = workshop.uploads.with_admission(admission);
    workshop.send(&busy, first, sound()).await.unwrap();
    workshop.clock.advance_seconds(1);
    let before = workshop.catalog.queries();
    for _ in 0..10 {
        assert!(matches!(create(&workshop, &busy, collection).await, Err(Refusal::Busy)));
    }
    let asked = workshop.catalog.queries() - before;
    workshop.send(&idle, other, sound()).await.unwrap();
    let second = create(&workshop, &idle, collection_of(&workshop, &idle).await).await;
    assert!(matches!(second, Err(Refusal::Busy)), "it has one waiting itself");
    assert!(asked <= 41, "{asked}");
    for (owner, id) in [(&busy, first), (&idle, other)] {
        let track = workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
        workshop.give_cover(&track).await;
    }
    workshop.run_all().await;
    workshop.clock.advance_seconds(1);
    create(&workshop, &busy, collection).await.unwrap();
}

async fn levels_have_to_fit_into_the_database(database: TestDatabase) {
    let most = 300_000;
    let workshop =
        Workshop::open_small(&database, RecordLimits { records: None, metadata: Some(most) }).await;
    let (owner, collection, first) = organization(&workshop).await;
    for (name, num_samples) in [("fine", 1_000), ("finest", 100_000)] {
        let kind = RecipeKind::Levels(LevelsSettings { num_samples, ..LevelsSettings::default() });
        let add = workshop.library.add_recipe(&owner, name.parse().unwrap(), kind, CachePolicy::Private);
        add.await.unwrap();
    }
    let track = async |id| workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
    let second = create(&workshop, &owner, collection).await.unwrap();
    for id in [first, second] {
        workshop.give_cover(&track(id).await).await;
        workshop.send(&owner, id, sound()).await.unwrap();
        while let Some(result) = workshop.run_next().await {
            result.unwrap();
            assert!(!workshop.is_queued(&[Job::ForgetExpired {}]).await, "nothing was stored in vain");
        }
    }
    let used = async || workshop.catalog.record_usage(owner.organization_id).await.unwrap().metadata;
    assert!(used().await <= most, "{}", used().await);
    let files = workshop.catalog.files_of_track(second).await.unwrap();
    let refused = files.iter().filter_map(|file| match &file.outcome {
        FileOutcome::Failed { reason } => Some((file.recipe.index.as_str(), reason.as_str())),
        FileOutcome::Made { .. } => None,
    });
    let (refused, reasons): (Vec<_>, Vec<_>) = refused.unzip();
    assert_eq!(refused, ["finest"]);
    assert!(
        reasons.iter().all(|reason| reason.contains("raise limits.max_metadata, then retry")),
        "{reasons:?}"
    );
    assert_eq!(track(second).await.status, TrackStatus::Incomplete);

    // Where nothing may be added, no source is accepted whose files would add something.
    let third = create(&workshop, &owner, collection).await.unwrap();
    let tx = workshop.catalog.begin().await.unwrap();
    let padding = "x".repeat(most as usize);
    tx.update_track(&Track { transcription: Some(padding), ..track(first).await }).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(exceeded(workshop.send(&owner, third, sound()).await), QuotaKind::Metadata);
}

async fn collection_of(workshop: &Workshop, owner: &Caller) -> CollectionId {
    let page = workshop
        .library
        .collections(owner, tonearm_domain::ListWindow::Offset(tonearm_domain::LimitOffset::default()))
        .await
        .unwrap();
    page.rows[0].collection.id
}

/// A file that exceeds the quota is missing only as long as there is a recipe for it.
async fn a_recipe_that_is_removed_leaves_no_track_incomplete(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection, _) = organization(&workshop).await;
    let (index, kind) = ("master".parse().unwrap(), RecipeKind::Transcode(Transcode::default()));
    let master = workshop.library.add_recipe(&owner, index, kind, CachePolicy::default()).await.unwrap();
    let id = create(&workshop, &owner, collection).await.unwrap();
    workshop.send(&owner, id, sound()).await.unwrap();
    workshop.run_all().await;
    let (organization_id, track_id) = (owner.organization_id, id);
    let read = async || workshop.catalog.track(organization_id, track_id).await.unwrap().unwrap();
    let tx = workshop.catalog.begin().await.unwrap();
    let track = tx.track(organization_id, track_id).await.unwrap().unwrap();
    assert_eq!(track.status, TrackStatus::Ready);
    let outcome = FileOutcome::Failed { reason: "exceeds the quota".to_owned() };
    let (id, created_at) = (workshop.ambient.record_id(), workshop.ambient.now());
    let file = TrackFile { id, track_id, recipe: master.clone(), outcome, created_at };
    tx.put_track_file(&file).await.unwrap();
    let status_reason = Some("master: exceeds the quota".to_owned());
    tx.update_track(&Track { status: TrackStatus::Incomplete, status_reason, ..track }).await.unwrap();
    tx.commit().await.unwrap();
    workshop.library.remove_recipe(&owner, master.id).await.unwrap();
    workshop.run_all().await;
    let track = read().await;
    assert_eq!((track.status, track.status_reason), (TrackStatus::Ready, None));
}

/// Each cover replaces the one before, and counts as long as its files are stored.
async fn replaced_covers_count_until_they_are_removed(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection, _) = organization(&workshop).await;
    let organization_id = owner.organization_id;
    let limit = 400_000;
    workshop.library.set_quotas(&owner, quotas(Some(limit), None, None)).await.unwrap();
    let (uploads, blobs) = (&workshop.uploads, &workshop.blobs);
    let cover = async |of| {
        // Whatever follows a picture is kept with it.
        let picture = [&picture(1)[..], &[0; 50_000]].concat();
        uploads.accept_cover(owner.origin, organization_id, of, picture.into()).await
    };
    let used = async || workshop.library.quotas(&owner).await.unwrap().used.bytes;
    let stored = async || -> u64 {
        let sizes = blobs.list(Some(organization_id), None).map(|object| object.unwrap().1.size);
        sizes.collect::<Vec<_>>().await.into_iter().sum()
    };
    let forget = async || {
        let tx = workshop.catalog.begin().await.unwrap();
        let (id, now) = (workshop.ambient.record_id(), workshop.ambient.now());
        tx.enqueue(Job::ForgetExpired {}, id, now, None).await.unwrap();
        tx.commit().await.unwrap();
        workshop.run_all().await;
    };
    for of in [CoverOwner::Collection(collection), CoverOwner::Organization] {
        let mut accepted = 0;
        let exceeded_at = loop {
            match cover(of).await {
                Ok(()) => accepted += 1,
                refused => break exceeded(refused),
            }
            assert!(stored().await <= used().await && accepted < 50, "{accepted}");
        };
        assert_eq!(exceeded_at, QuotaKind::Bytes);
        assert!(accepted > 1, "{accepted}");
        workshop.run_all().await;
        assert_eq!(used().await, stored().await);
        assert!(used().await > limit / 2);
        workshop.library.reset_cover(&owner, of).await.unwrap();
        workshop.run_all().await;
        assert_eq!(used().await, stored().await, "a cover that is removed counts as long as it is there");
        workshop.clock.advance_seconds(24 * 3600);
        forget().await;
        assert_eq!((used().await, stored().await), (0, 0));
    }
}
