//! Bulk operations on tracks: the work that requests leave to jobs, and jobs that are killed or given up.

use std::collections::HashSet;
use std::time::Duration;

use sea_orm::{ConnectionTrait, Database};
use tokio_util::sync::CancellationToken;
use tonearm_catalog::{Change, JobState, NewJob};
use tonearm_domain::{
    ClaimedJob, CollectionId, FileOutcome, Job, JobQueue, OrganizationId, Origin, Patch, PersonId,
    RecipeKind, Rendering, Total, Track, TrackId, TrackManifest, TrackStatus, Transcode, VariantId,
};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, CreateTrack, JobError, JobRun, Refusal, UpdateRecipe};

use crate::jobs::jobs;
use crate::on_both;
use crate::workshop::{Workshop, sound};

on_both!(
    a_deleted_collection_is_purged_by_whoever_takes_over,
    a_purge_waits_while_there_is_enough_to_tidy,
    rows_that_cannot_be_read_are_purged_too,
    a_restored_collection_goes_on_with_what_it_waited_for,
    a_removed_recipe_leaves_no_names_behind,
    a_recipe_is_rendered_by_many_workers_and_always_ends,
    a_rendering_that_begins_anew_counts_its_own_tracks,
    a_rendering_goes_by_the_recipe_as_it_is_now,
    a_recipe_that_changes_while_it_is_rendered_is_rendered_anew,
    an_upload_needs_no_expiry,
);

/// An organization with a collection of this many waiting tracks.
async fn collection_of(
    workshop: &Workshop,
    count: usize,
    status: TrackStatus,
) -> (Caller, CollectionId, Vec<TrackId>) {
    let (owner, first) = workshop.create().await;
    let first = workshop.catalog.track(owner.organization_id, first).await.unwrap().unwrap();
    let mut tracks = vec![first.id];
    let tx = workshop.catalog.begin().await.unwrap();
    for _ in 1..count {
        let (id, index) = (workshop.ambient.record_id(), workshop.ambient.short_id());
        tx.insert_track(&Track { id, index, status, ..first.clone() }).await.unwrap();
        tracks.push(id);
    }
    tx.commit().await.unwrap();
    (owner, first.collection_id, tracks)
}

async fn claim(workshop: &Workshop) -> ClaimedJob {
    let now = workshop.ambient.now();
    let lease = workshop.ambient.credential_id();
    workshop.catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap().unwrap()
}

async fn run(workshop: &Workshop, claimed: &ClaimedJob, cancel: CancellationToken) -> Result<(), JobError> {
    workshop.processing.run(&JobRun { claimed: claimed.clone(), cancel }).await
}

async fn kinds(workshop: &Workshop) -> Vec<String> {
    let jobs = workshop.catalog.pending_jobs().await.unwrap();
    jobs.into_iter().filter(|job| job.kind != "expire_upload").map(|job| job.kind).collect()
}

async fn a_deleted_collection_is_purged_by_whoever_takes_over(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection_id, tracks) = collection_of(&workshop, 250, TrackStatus::Initialized).await;
    let organization_id = owner.organization_id;
    let before = workshop.catalog.queries();
    workshop.library.delete_collection(&owner, collection_id).await.unwrap();
    assert!(workshop.catalog.queries() - before < 20, "the request does not depend on the tracks");
    assert_eq!(kinds(&workshop).await, ["empty_collection"]);
    for track in &tracks {
        assert_eq!(workshop.catalog.track(organization_id, *track).await.unwrap(), None);
    }
    let refused = workshop.send(&owner, tracks[0], sound()).await.unwrap_err();
    assert!(matches!(refused, Refusal::NotFound(_)), "{refused:?}");

    // The job is killed after its first batch.
    let killed = CancellationToken::new();
    workshop.catalog.on_commit({
        let killed = killed.clone();
        move |changes| {
            if changes.iter().any(|change| matches!(change, Change::Track(_))) {
                killed.cancel();
            }
        }
    });
    let first = claim(&workshop).await;
    assert_eq!(first.job, Job::EmptyCollection { organization_id, collection_id });
    assert!(matches!(run(&workshop, &first, killed).await, Err(JobError::Cancelled)));
    let queued = kinds(&workshop).await.into_iter().filter(|kind| kind == "purge_track").count();
    assert_eq!(queued, 200);
    workshop.clock.advance_seconds(61);
    let mut second = None;
    // The queued purges may run before or after it, in any order.
    while second.is_none() {
        let claimed = claim(&workshop).await;
        if claimed.id == first.id {
            second = Some(claimed);
        } else {
            run(&workshop, &claimed, CancellationToken::new()).await.unwrap();
        }
    }
    let late = run(&workshop, &first, CancellationToken::new()).await;
    assert!(matches!(late, Err(JobError::LeaseLost)), "{late:?}");
    run(&workshop, &second.unwrap(), CancellationToken::new()).await.unwrap();
    workshop.run_all().await;
    assert_eq!(kinds(&workshop).await, Vec::<String>::new());
    for track in tracks {
        let left = workshop.catalog.track_even_deleted(organization_id, track).await.unwrap().unwrap();
        assert_eq!(left.file_name, "", "it is purged");
    }
    let left = workshop.catalog.collection_even_deleted(organization_id, collection_id).await.unwrap();
    assert_eq!(left.unwrap().title, "");
}

async fn rows_that_cannot_be_read_are_purged_too(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection_id, tracks) = collection_of(&workshop, 2, TrackStatus::Initialized).await;
    workshop.library.delete_collection(&owner, collection_id).await.unwrap();
    let raw = Database::connect(&database.url).await.unwrap();
    for damage in ["UPDATE track SET info = '7'", "UPDATE collection SET theme = '7'"] {
        assert!(raw.execute_unprepared(damage).await.unwrap().rows_affected() > 0);
    }
    assert!(workshop.catalog.track_even_deleted(owner.organization_id, tracks[0]).await.is_err());
    workshop.run_all().await;
    assert_eq!(kinds(&workshop).await, Vec::<String>::new());
    for track in tracks {
        let left = workshop.catalog.track_even_deleted(owner.organization_id, track).await.unwrap().unwrap();
        assert_eq!(left.file_name, "", "it is purged");
    }
    raw.close().await.unwrap();
}

async fn a_purge_waits_while_there_is_enough_to_tidy(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection_id, tracks) = collection_of(&workshop, 3, TrackStatus::Initialized).await;
    let organization_id = owner.organization_id;
    workshop.library.delete_collection(&owner, collection_id).await.unwrap();
    let now = workshop.ambient.now();
    let others = (0..2000).map(|_| {
        let job = Job::PurgeTrack { organization_id, track_id: workshop.ambient.record_id() };
        NewJob::new(job, workshop.ambient.record_id(), now.plus_millis(1))
    });
    let tx = workshop.catalog.begin().await.unwrap();
    tx.enqueue_all(others.collect()).await.unwrap();
    tx.commit().await.unwrap();
    let claimed = claim(&workshop).await;
    workshop.clock.advance_millis(1);
    run(&workshop, &claimed, CancellationToken::new()).await.unwrap();
    let jobs = workshop.catalog.pending_jobs().await.unwrap();
    let waits = jobs.iter().find(|job| job.job.as_ref() == Some(&claimed.job)).unwrap();
    assert_eq!(waits.run_at, workshop.ambient.now().plus_seconds(5));
    assert_eq!(jobs.iter().filter(|job| job.kind == "purge_track").count(), 2000);
    for job in jobs.iter().filter(|job| job.kind == "purge_track").take(1) {
        let tx = workshop.catalog.begin().await.unwrap();
        tx.delete_job(job.id).await.unwrap();
        tx.commit().await.unwrap();
    }
    workshop.clock.advance_seconds(5);
    let (waits, mut rest) = (waits.id, Vec::new());
    loop {
        let claimed = claim(&workshop).await;
        if claimed.id == waits {
            run(&workshop, &claimed, CancellationToken::new()).await.unwrap();
            break;
        }
        // These are held by other workers.
        rest.push(claimed);
    }
    assert_eq!(rest.len(), 1999);
    let jobs = workshop.catalog.pending_jobs().await.unwrap();
    let purged: HashSet<_> = jobs.iter().filter_map(|job| job.track_id).collect();
    assert!(tracks.iter().all(|track| purged.contains(track)));
}

async fn a_restored_collection_goes_on_with_what_it_waited_for(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, collection_id, tracks) = collection_of(&workshop, 230, TrackStatus::Processing).await;
    let organization_id = owner.organization_id;
    let person = Caller::person(organization_id, PersonId::from_uuid(uuid::Uuid::nil()));
    workshop.library.delete_collection(&person, collection_id).await.unwrap();
    assert!(workshop.run_next().await.is_none(), "it can be restored");
    let before = workshop.catalog.queries();
    workshop.library.restore_collection(&person, collection_id).await.unwrap();
    assert!(workshop.catalog.queries() - before < 20, "the request does not depend on the tracks");
    for track in &tracks {
        assert!(workshop.catalog.track(organization_id, *track).await.unwrap().is_some());
    }
    assert_eq!(workshop.catalog.track_count(organization_id, collection_id).await.unwrap(), Some(230));
    let claimed = claim(&workshop).await;
    assert_eq!(claimed.job, Job::ResumeCollection { organization_id, collection_id, cursor: None });
    run(&workshop, &claimed, CancellationToken::new()).await.unwrap();
    let queued = kinds(&workshop).await;
    assert_eq!(queued.iter().filter(|kind| *kind == "process_track").count(), 229);

    // If the collection is deleted again, nothing is resumed.
    workshop.library.delete_collection(&person, collection_id).await.unwrap();
    workshop.library.restore_collection(&person, collection_id).await.unwrap();
    workshop.library.delete_collection(&person, collection_id).await.unwrap();
    let tx = workshop.catalog.begin().await.unwrap();
    let job = Job::ResumeCollection { organization_id, collection_id, cursor: None };
    tx.enqueue(job, workshop.ambient.record_id(), workshop.ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    workshop.run_all().await;
    let left: HashSet<String> = kinds(&workshop).await.into_iter().collect();
    assert_eq!(left, HashSet::from(["empty_collection".to_owned()]), "those that waited found nothing to do");
}

pub(crate) async fn stored_manifest(workshop: &Workshop, track: &Track) -> TrackManifest {
    use futures::TryStreamExt;
    let listed = workshop.blobs.list(Some(track.organization_id), Some(track.index));
    let keys: Vec<_> = listed.map_ok(|(key, _)| key).try_collect().await.unwrap();
    let manifests = keys.iter().filter(|key| TrackManifest::generation(key).is_some());
    let newest = manifests.max_by_key(|key| TrackManifest::generation(key).unwrap().number()).unwrap();
    let body = workshop.blobs.get(newest, None).await.unwrap().unwrap();
    let bytes: bytes::BytesMut = body.stream.try_collect().await.unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// An organization with this many processed tracks.
async fn made(workshop: &Workshop, count: usize) -> (Caller, Vec<Track>) {
    let (owner, first) = workshop.create().await;
    let mut tracks = vec![workshop.catalog.track(owner.organization_id, first).await.unwrap().unwrap()];
    for _ in 1..count {
        let create = CreateTrack {
            collection_id: Some(tracks[0].collection_id),
            file_name: "tone.wav".to_owned(),
            ..CreateTrack::default()
        };
        tracks.push(workshop.library.create_track(&owner, create).await.unwrap().0.track);
    }
    for track in &tracks {
        workshop.give_cover(track).await;
        workshop.send(&owner, track.id, sound()).await.unwrap();
    }
    workshop.run_all().await;
    (owner, tracks)
}

async fn a_removed_recipe_leaves_no_names_behind(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, tracks) = made(&workshop, 2).await;
    let recipes = workshop.library.recipes(&owner).await.unwrap();
    let hq = &recipes.iter().find(|view| view.recipe.index.as_str() == "hq").unwrap().recipe;
    let file_of = async |track: &Track| {
        let files = workshop.catalog.files_of_track(track.id).await.unwrap();
        files.into_iter().find(|file| file.recipe.id == hq.id)
    };
    let FileOutcome::Made { key, .. } = file_of(&tracks[0]).await.unwrap().outcome else { panic!() };
    let before = stored_manifest(&workshop, &tracks[0]).await;
    assert!(before.file(&hq.index, key.file.content_type).is_some());

    workshop.library.remove_recipe(&owner, hq.id).await.unwrap();
    assert!(matches!(workshop.library.remove_recipe(&owner, hq.id).await, Err(Refusal::NotFound(_))));
    assert!(file_of(&tracks[0]).await.is_none(), "at once");
    let removed = workshop.library.recipes_being_removed(&owner).await.unwrap();
    assert_eq!((removed.len(), removed[0].1), (1, Total::Exactly(2)));
    workshop.run_all().await;
    assert_eq!(workshop.library.recipes_being_removed(&owner).await.unwrap(), []);
    for track in &tracks {
        let manifest = stored_manifest(&workshop, track).await;
        assert!(manifest.file(&hq.index, key.file.content_type).is_none());
        assert_eq!(manifest, workshop.catalog.manifest(owner.organization_id, track.index).await.unwrap());
    }
    assert!(!workshop.catalog.object_is_known(&key).await.unwrap(), "the sweep removes it");
    assert_eq!(kinds(&workshop).await, Vec::<String>::new());
}

async fn rendering(workshop: &Workshop, owner: &Caller, id: VariantId) -> Rendering {
    workshop.catalog.rendering(owner.organization_id, id).await.unwrap().unwrap()
}

async fn late_recipe(workshop: &Workshop, owner: &Caller) -> VariantId {
    let kind = RecipeKind::Transcode(Transcode::default());
    workshop
        .library
        .add_recipe(owner, "late".parse().unwrap(), kind, tonearm_domain::CachePolicy::default())
        .await
        .unwrap()
        .id
}

fn turn_of(job: &Job) -> Option<(OrganizationId, TrackId)> {
    match job {
        Job::RenderTrack { organization_id, track_id, .. } => Some((*organization_id, *track_id)),
        _ => None,
    }
}

async fn a_recipe_is_rendered_by_many_workers_and_always_ends(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, tracks) = made(&workshop, 4).await;
    let late = late_recipe(&workshop, &owner).await;
    let begun = workshop.library.render_existing(&owner, late).await.unwrap();
    assert_eq!((begun.total, begun.percent()), (4, 0));
    workshop.run_next().await.unwrap().unwrap();
    let queued = rendering(&workshop, &owner, late).await;
    assert_eq!((queued.examined, queued.done, queued.is_at_end), (4, 0, true));
    assert_eq!(kinds(&workshop).await, ["render_track"; 4]);

    // Two workers concurrently.
    let (one, other) = (claim(&workshop).await, claim(&workshop).await);
    assert!(turn_of(&one.job).is_some() && turn_of(&one.job) != turn_of(&other.job));
    let (first, second) = tokio::join!(
        run(&workshop, &one, CancellationToken::new()),
        run(&workshop, &other, CancellationToken::new()),
    );
    first.unwrap();
    second.unwrap();
    assert_eq!(rendering(&workshop, &owner, late).await.done, 2);
    // One job is given up, and one track is deleted before its job runs.
    let mut given_up = claim(&workshop).await;
    while turn_of(&given_up.job).is_none() {
        // The manifests of the rendered tracks.
        run(&workshop, &given_up, CancellationToken::new()).await.unwrap();
        given_up = claim(&workshop).await;
    }
    workshop.processing.give_up(&given_up, "it killed its workers").await.unwrap();
    let counted = rendering(&workshop, &owner, late).await;
    assert_eq!((counted.done, counted.failed, counted.finished_at), (3, 1, None));
    let jobs_left = workshop.catalog.pending_jobs().await.unwrap();
    let last = jobs_left.iter().find(|job| job.state() == JobState::Waiting && job.kind == "render_track");
    workshop.library.delete_track(&owner, last.unwrap().track_id.unwrap()).await.unwrap();
    workshop.run_all().await;
    let ended = rendering(&workshop, &owner, late).await;
    assert_eq!((ended.done, ended.failed, ended.percent()), (4, 1, 100));
    assert_eq!(ended.finished_at, Some(workshop.ambient.now()));

    // Retried by hand, the track is rendered and not counted again.
    let (_, track_id) = turn_of(&given_up.job).unwrap();
    assert!(jobs(&workshop).retry(Origin::command_line(), given_up.id).await.unwrap());
    workshop.run_all().await;
    let files = workshop.catalog.files_of_track(track_id).await.unwrap();
    assert!(files.iter().any(|file| file.recipe.id == late && file.is_made()));
    assert_eq!(rendering(&workshop, &owner, late).await, ended);
    assert_eq!(kinds(&workshop).await, Vec::<String>::new());

    // Tracks that have the file already are counted at once.
    workshop.library.render_existing(&owner, late).await.unwrap();
    workshop.run_next().await.unwrap().unwrap();
    let again = rendering(&workshop, &owner, late).await;
    assert_eq!((again.total, again.done, again.finished_at.is_some()), (3, 3, true));
    assert_eq!(tracks.len(), 4);
}

async fn a_rendering_that_begins_anew_counts_its_own_tracks(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, _) = made(&workshop, 3).await;
    let late = late_recipe(&workshop, &owner).await;
    workshop.library.render_existing(&owner, late).await.unwrap();
    workshop.run_next().await.unwrap().unwrap();
    assert_eq!(kinds(&workshop).await, ["render_track"; 3]);
    workshop.clock.advance_seconds(1);
    workshop.library.render_existing(&owner, late).await.unwrap();
    workshop.run_all().await;
    let ended = rendering(&workshop, &owner, late).await;
    assert_eq!((ended.done, ended.failed, ended.examined), (3, 0, 3));
    assert!(ended.finished_at.is_some());

    // A job that is dropped by hand is counted, so that the rendering ends.
    let kind = RecipeKind::Transcode(Transcode { bitrate: 64, ..Transcode::default() });
    let other = workshop
        .library
        .add_recipe(&owner, "other".parse().unwrap(), kind, tonearm_domain::CachePolicy::default())
        .await
        .unwrap()
        .id;
    workshop.library.render_existing(&owner, other).await.unwrap();
    workshop.run_next().await.unwrap().unwrap();
    let pending = workshop.catalog.pending_jobs().await.unwrap();
    let dropped = pending.iter().find(|job| job.kind == "render_track").unwrap().id;
    assert!(jobs(&workshop).drop_job(Origin::command_line(), dropped).await.unwrap());
    workshop.run_all().await;
    let ended = rendering(&workshop, &owner, other).await;
    assert_eq!((ended.done, ended.failed, ended.finished_at.is_some()), (3, 1, true));
}

/// A recipe is changed and rendered again while a node queues the tracks of the previous rendering.
async fn a_rendering_goes_by_the_recipe_as_it_is_now(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, _) = made(&workshop, 1).await;
    let late = late_recipe(&workshop, &owner).await;
    workshop.library.render_existing(&owner, late).await.unwrap();
    workshop.run_all().await;
    workshop.library.render_existing(&owner, late).await.unwrap();
    let queueing = claim(&workshop).await;
    assert!(matches!(queueing.job, Job::QueueRendering { .. }), "{queueing:?}");

    let change = workshop.catalog.begin().await.unwrap();
    let mut recipe = change.recipe(owner.organization_id, late).await.unwrap().unwrap();
    let mut queued = std::pin::pin!(run(&workshop, &queueing, CancellationToken::new()));
    let waits = tokio::time::timeout(Duration::from_millis(300), queued.as_mut()).await;
    assert!(waits.is_err(), "it waits for the change: {waits:?}");
    recipe.kind = RecipeKind::Transcode(Transcode { bitrate: 64, ..Transcode::default() });
    change.update_recipe(&recipe).await.unwrap();
    workshop.clock.advance_seconds(1);
    let anew = Rendering::begun(owner.organization_id, late, 1, workshop.ambient.now());
    change.put_rendering(&anew).await.unwrap();
    change.commit().await.unwrap();
    queued.await.unwrap();
    assert_eq!(rendering(&workshop, &owner, late).await.done, 0, "the file has the settings of before");
    assert_eq!(kinds(&workshop).await, ["render_track"]);
}

async fn a_recipe_that_changes_while_it_is_rendered_is_rendered_anew(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, tracks) = made(&workshop, 2).await;
    let late = late_recipe(&workshop, &owner).await;
    let begun = workshop.library.render_existing(&owner, late).await.unwrap();
    workshop.run_next().await.unwrap().unwrap();
    let one = claim(&workshop).await;
    run(&workshop, &one, CancellationToken::new()).await.unwrap();
    assert_eq!(rendering(&workshop, &owner, late).await.done, 1);
    let kind = RecipeKind::Transcode(Transcode { bitrate: 64, ..Transcode::default() });
    let update = UpdateRecipe { kind: Patch::Set(kind.clone()), ..UpdateRecipe::default() };
    workshop.library.update_recipe(&owner, late, update).await.unwrap();
    let anew = rendering(&workshop, &owner, late).await;
    assert!(anew.started_at > begun.started_at, "its jobs are told apart, though the clock stands still");
    assert_eq!((anew.done, anew.total), (0, 2));
    workshop.run_all().await;
    assert_eq!(rendering(&workshop, &owner, late).await.percent(), 100);
    for track in &tracks {
        let files = workshop.catalog.files_of_track(track.id).await.unwrap();
        let file = files.iter().find(|file| file.recipe.id == late).unwrap();
        assert_eq!((file.is_made(), &file.recipe.kind), (true, &kind));
    }
}

async fn an_upload_needs_no_expiry(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, track_id) = workshop.create().await;
    let expiry = Job::ExpireUpload { organization_id: owner.organization_id, track_id };
    assert_eq!(expiry.queue(), JobQueue::Maintenance);
    assert!(workshop.is_queued(std::slice::from_ref(&expiry)).await);
    workshop.send(&owner, track_id, sound()).await.unwrap();
    assert!(!workshop.is_queued(&[expiry]).await);
}
