//! Bulk operations on tracks: deleting and restoring collections, their counts, removed recipes, and the jobs for them.

use sea_orm::ConnectionTrait;
use tonearm_catalog::{Catalog, NewJob};
use tonearm_domain::{
    Ambient, Collection, Cursor, Deletion, FileData, Job, JobQueue, KeyScope, LimitOffset, Organization,
    PageQuery, Recipe, SearchWords, Timestamp, Total, Track, TrackId, TrackSort, TrackStatus, VariantIndex,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    tracks_of_a_deleted_collection_are_nowhere,
    own_recipes_give_way_to_those_of_the_organization,
    a_purge_goes_through_a_collection_in_batches,
    tracks_that_were_marked_with_their_collection_come_back,
    tracks_that_were_marked_with_their_collection_are_purged_with_it,
    tracks_are_counted_whatever_happens,
    a_removed_recipe_is_gone_before_its_files,
    many_jobs_are_queued_at_once,
    an_upload_leaves_no_job_behind,
    a_rendering_of_an_earlier_version_goes_on,
);

const HOUR: i64 = 3600;

fn for_an_hour(ambient: &Ambient) -> Deletion {
    Deletion { at: ambient.now(), restorable_until: Some(ambient.now().plus_seconds(HOUR)) }
}

async fn delete(catalog: &Catalog, collection: &Collection, deletion: impl Into<Deletion>) {
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_collection(collection.organization_id, collection.id, deletion).await.unwrap());
    tx.commit().await.unwrap();
}

async fn restore(catalog: &Catalog, collection: &Collection, now: Timestamp) {
    let tx = catalog.begin().await.unwrap();
    let restored = tx.restore_collection(collection.organization_id, collection.id, now).await.unwrap();
    assert_eq!(restored.as_ref(), Some(collection));
    tx.commit().await.unwrap();
}

async fn stored_tracks(catalog: &Catalog, ambient: &Ambient, collection: &Collection, count: usize) {
    let tx = catalog.begin().await.unwrap();
    for _ in 0..count {
        tx.insert_track(&bare_track(ambient, collection)).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// A playable track with a source, a recipe of its own and a file rendered by it.
async fn playable(
    catalog: &Catalog,
    ambient: &Ambient,
    organization: &Organization,
    collection: &Collection,
) -> (Track, Recipe) {
    let mut track = Track { status: TrackStatus::Ready, ..bare_track(ambient, collection) };
    track.source = Some(source(ambient, &track));
    let track = stored_track(catalog, track).await;
    let own = recipe(ambient, organization, Some(&track), "own", 0);
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&own).await.unwrap();
    tx.put_track_file(&made_file(ambient, &track, &own, FileData::NONE)).await.unwrap();
    tx.update_track(&track).await.unwrap();
    tx.commit().await.unwrap();
    (track, own)
}

/// The number of queries that return the track, and the number of all queries that may return tracks.
async fn places(catalog: &Catalog, track: &Track) -> (usize, usize) {
    let (organization, collection, id) = (track.organization_id, track.collection_id, track.id);
    let index = VariantIndex::from_static("own");
    let list = async |within, words: Option<&str>| {
        let words = words.and_then(SearchWords::parse);
        let query = PageQuery { words, sort: TrackSort::Newest, cursor: Cursor::First, limit: 10 };
        let page = catalog.track_page(organization, within, &query).await.unwrap();
        assert_eq!(page.total, Total::Exactly(page.rows.len() as u64));
        !page.rows.is_empty()
    };
    let scope = KeyScope::Organization;
    let tx = catalog.begin().await.unwrap();
    let in_transaction = [
        tx.track(organization, id).await.unwrap().is_some(),
        tx.update_track(track).await.is_ok(),
        !tx.renderable_tracks(organization, None, 10).await.unwrap().is_empty(),
        !tx.own_variants(organization, scope, &["own"]).await.unwrap().is_empty(),
    ];
    drop(tx);
    let mut is_playable = false;
    let each = |_| is_playable = true;
    catalog.each_playable_track(organization, collection, None, each).await.unwrap();
    let by_reading = [
        catalog.track(organization, id).await.unwrap().is_some(),
        catalog.track_is_living(organization, id).await.unwrap(),
        catalog.tracks_in_collection(organization, collection, None, LimitOffset::default()).await.unwrap().0
            > 0,
        is_playable,
        !catalog.shared_tracks(organization, collection, None, &index, (None, 9)).await.unwrap().0.is_empty(),
        list(None, None).await,
        list(Some(collection), None).await,
        list(None, Some("take")).await,
        list(Some(collection), Some("take")).await,
        list(None, Some(track.index.as_str())).await,
        !catalog.manifest(organization, track.index).await.unwrap().is_empty(),
        catalog.count_renderable_tracks(organization).await.unwrap() > 0,
        catalog.storage_usage(organization, scope).await.unwrap().bytes > 0,
        catalog.storage_by_track(organization, scope, LimitOffset::default()).await.unwrap().0 > 0,
    ];
    let all: Vec<bool> = by_reading.into_iter().chain(in_transaction).collect();
    (all.iter().filter(|found| **found).count(), all.len())
}

async fn tracks_of_a_deleted_collection_are_nowhere(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (track, _) = playable(&catalog, &ambient, &organization, &collection).await;
    let (found, all) = places(&catalog, &track).await;
    assert_eq!(found, all);
    delete(&catalog, &collection, for_an_hour(&ambient)).await;
    assert_eq!(places(&catalog, &track).await.0, 0);
    assert_eq!(catalog.track_count(organization.id, collection.id).await.unwrap(), None);
    let key = track.source.as_ref().unwrap().key.clone();
    assert!(catalog.object_is_known(&key).await.unwrap(), "it can be restored");
    restore(&catalog, &collection, ambient.now()).await;
    assert_eq!(places(&catalog, &track).await, (all, all));

    // Tracks that wait for their bytes or are being processed.
    for status in [TrackStatus::Initialized, TrackStatus::Processing] {
        let waits = Track { status, ..bare_track(&ambient, &collection) };
        let waits = stored_track(&catalog, waits).await;
        let later = waits.upload_expires_at.plus_seconds(60);
        let seen = async || {
            let is_renewed = catalog.renew_upload(organization.id, waits.id, later).await.unwrap();
            let made = catalog.tracks_in_the_making(organization.id, None).await.unwrap();
            (is_renewed, made.iter().any(|(id, ..)| *id == waits.id))
        };
        let expected = (status == TrackStatus::Initialized, status == TrackStatus::Processing);
        assert_eq!(seen().await, expected);
        delete(&catalog, &collection, for_an_hour(&ambient)).await;
        assert_eq!(seen().await, (false, false));
        let tx = catalog.begin().await.unwrap();
        assert!(!tx.soft_delete_track(organization.id, waits.id, ambient.now()).await.unwrap());
        drop(tx);
        restore(&catalog, &collection, ambient.now()).await;
    }
}

async fn own_recipes_give_way_to_those_of_the_organization(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (track, own) = playable(&catalog, &ambient, &organization, &collection).await;
    let other = bare_collection(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_collection(&other).await.unwrap();
    tx.commit().await.unwrap();
    let kept = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let mut apart = recipe(&ambient, &organization, Some(&kept), "apart", 0);
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&apart).await.unwrap();
    tx.commit().await.unwrap();

    let taking = recipe(&ambient, &organization, None, "own", 5);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.insert_recipe(&taking).await.is_err(), "the track has it");
    drop(tx);
    delete(&catalog, &collection, for_an_hour(&ambient)).await;
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&taking).await.unwrap();
    tx.commit().await.unwrap();
    restore(&catalog, &collection, ambient.now()).await;
    assert_eq!(catalog.recipe(organization.id, own.id).await.unwrap(), None);
    let names = async |track: TrackId| {
        let recipes = catalog.recipes_for_track(organization.id, track).await.unwrap();
        recipes.iter().map(|recipe| recipe.index.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(track.id).await, ["own"]);
    assert_eq!(names(kept.id).await, ["own", "apart"]);
    assert_eq!(catalog.files_of_track(track.id).await.unwrap(), []);
    apart.index = VariantIndex::from_static("own");
    let tx = catalog.begin().await.unwrap();
    assert!(tx.update_recipe(&apart).await.is_err());
}

async fn a_purge_goes_through_a_collection_in_batches(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    stored_tracks(&catalog, &ambient, &collection, 25).await;
    let (whole, own) = playable(&catalog, &ambient, &organization, &collection).await;
    delete(&catalog, &collection, for_an_hour(&ambient)).await;
    clock.advance_seconds(HOUR);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.begin_purge_of_collection(organization.id, collection.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    let mut marked = Vec::new();
    for expected in [10, 10, 6, 0] {
        let tx = catalog.begin().await.unwrap();
        assert_eq!(tx.has_unmarked_tracks(collection.id).await.unwrap(), expected > 0);
        let batch = tx.mark_tracks_for_purge(collection.id, ambient.now(), 10).await.unwrap();
        assert_eq!(batch.len(), expected);
        tx.commit().await.unwrap();
        marked.extend(batch);
    }
    marked.sort();
    marked.dedup();
    assert_eq!(marked.len(), 26);
    for id in marked {
        let tx = catalog.begin().await.unwrap();
        assert!(tx.begin_purge_of_track(organization.id, id, ambient.now()).await.unwrap());
        assert_eq!(tx.restore_track(organization.id, id, ambient.now()).await.unwrap(), None);
    }
    assert_eq!(catalog.files_of_track(whole.id).await.unwrap(), []);
    assert_eq!(catalog.recipe(organization.id, own.id).await.unwrap(), None);
}

/// Deletes a collection as earlier versions did: they marked its tracks together with it.
async fn delete_as_before(
    database: &TestDatabase,
    catalog: &Catalog,
    collection: &Collection,
    deletion: Deletion,
) {
    delete(catalog, collection, deletion).await;
    let (at, until) = (deletion.at.unix_millis(), deletion.restorable_until.unwrap().unix_millis());
    let raw = database.raw().await;
    for statement in [
        format!("UPDATE track_file SET deleted_at = {at} WHERE deleted_at IS NULL"),
        format!("UPDATE variant SET deleted_at = {at} WHERE deleted_at IS NULL AND track_id IS NOT NULL"),
        format!("UPDATE track SET deleted_at = {at}, restorable_until = {until} WHERE deleted_at IS NULL"),
    ] {
        raw.execute_unprepared(&statement).await.unwrap();
    }
    raw.close().await.unwrap();
}

/// Restores at most `most` marked tracks, and returns the result.
async fn resume(catalog: &Catalog, collection: &Collection, most: u64) -> Option<u64> {
    let tx = catalog.begin().await.unwrap();
    let owner = collection.organization_id;
    let restored = tx.restore_marked_tracks(owner, collection.id, most).await.unwrap();
    if restored.is_some() {
        tx.commit().await.unwrap();
    }
    restored
}

async fn begins_purge(catalog: &Catalog, track: &Track, now: Timestamp) -> bool {
    let tx = catalog.begin().await.unwrap();
    let begun = tx.begin_purge_of_track(track.organization_id, track.id, now).await.unwrap();
    tx.commit().await.unwrap();
    begun
}

async fn tracks_that_were_marked_with_their_collection_come_back(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (whole, _) = playable(&catalog, &ambient, &organization, &collection).await;
    let by_itself = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(organization.id, by_itself.id, for_an_hour(&ambient)).await.unwrap();
    tx.commit().await.unwrap();
    stored_tracks(&catalog, &ambient, &collection, 4).await;
    clock.advance_seconds(1);
    delete_as_before(&database, &catalog, &collection, for_an_hour(&ambient)).await;

    clock.advance_seconds(HOUR - 1);
    restore(&catalog, &collection, ambient.now()).await;
    // The jobs of the deletion are due now. They must not purge tracks that are not restored yet.
    clock.advance_seconds(1);
    assert!(!begins_purge(&catalog, &whole, ambient.now()).await);
    assert_eq!(resume(&catalog, &collection, 2).await, Some(2));
    assert_eq!(catalog.track_count(organization.id, collection.id).await.unwrap(), Some(2));

    // Deleted again, the collection keeps the remaining tracks marked, until the time of this deletion has passed.
    let again = for_an_hour(&ambient);
    delete(&catalog, &collection, again).await;
    assert_eq!(resume(&catalog, &collection, 2).await, None);
    assert!(!begins_purge(&catalog, &whole, ambient.now()).await);
    clock.advance_seconds(60);
    restore(&catalog, &collection, ambient.now()).await;
    let mut back = Vec::new();
    while let Some(count @ 1..) = resume(&catalog, &collection, 2).await {
        back.push(count);
    }
    assert_eq!(back, [2, 1]);
    assert_eq!(catalog.track_count(organization.id, collection.id).await.unwrap(), Some(5));
    let listed = catalog.tracks_in_collection(organization.id, collection.id, None, LimitOffset::default());
    assert_eq!(listed.await.unwrap().0, 5);
    let (found, all) = places(&catalog, &whole).await;
    assert_eq!(found, all);
    let still = catalog.track(organization.id, by_itself.id).await.unwrap();
    assert_eq!(still, None, "it was deleted by itself");
}

async fn tracks_that_were_marked_with_their_collection_are_purged_with_it(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (whole, _) = playable(&catalog, &ambient, &organization, &collection).await;
    stored_tracks(&catalog, &ambient, &collection, 4).await;
    delete_as_before(&database, &catalog, &collection, for_an_hour(&ambient)).await;
    // Without a second deletion, their own jobs would purge them when the collection is due.
    assert!(!begins_purge(&catalog, &whole, ambient.now()).await);
    clock.advance_seconds(HOUR / 2);
    restore(&catalog, &collection, ambient.now()).await;
    assert_eq!(resume(&catalog, &collection, 2).await, Some(2));
    delete(&catalog, &collection, for_an_hour(&ambient)).await;
    clock.advance_seconds(HOUR / 2);
    assert!(!begins_purge(&catalog, &whole, ambient.now()).await, "by its own job, which is too early now");

    clock.advance_seconds(HOUR / 2);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.begin_purge_of_collection(organization.id, collection.id, ambient.now()).await.unwrap());
    let mut marked = 0;
    loop {
        let batch = tx.mark_tracks_for_purge(collection.id, ambient.now(), 2).await.unwrap();
        marked += batch.len();
        if batch.is_empty() {
            break;
        }
    }
    tx.commit().await.unwrap();
    assert_eq!(marked, 5);
    assert!(begins_purge(&catalog, &whole, ambient.now()).await);
}

async fn tracks_are_counted_whatever_happens(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (mut living, mut trashed, mut is_there) = (Vec::new(), Vec::new(), true);
    for _ in 0..150 {
        clock.advance_seconds(1);
        let [what, which] = ambient.random::<2>().map(usize::from);
        let tx = catalog.begin().await.unwrap();
        let now = ambient.now();
        match what % 8 {
            0..=2 => {
                let track = bare_track(&ambient, &collection);
                let inserted = tx.insert_track(&track).await;
                assert_eq!(inserted.is_ok(), is_there);
                if is_there {
                    living.push(track.id);
                    tx.commit().await.unwrap();
                }
            }
            3 | 4 if !living.is_empty() => {
                let id = living[which % living.len()];
                let deleted = tx.soft_delete_track(organization.id, id, for_an_hour(&ambient)).await;
                assert_eq!(deleted.unwrap(), is_there);
                if is_there {
                    living.retain(|other| *other != id);
                    trashed.push(id);
                    tx.commit().await.unwrap();
                }
            }
            5 if !trashed.is_empty() => {
                let id = trashed[which % trashed.len()];
                let restored = tx.restore_track(organization.id, id, now).await;
                assert_eq!(restored.is_ok(), is_there);
                if is_there {
                    assert!(restored.unwrap().is_some());
                    trashed.retain(|other| *other != id);
                    living.push(id);
                    tx.commit().await.unwrap();
                }
            }
            6 | 7 => {
                let (id, deletion) = (collection.id, for_an_hour(&ambient));
                if is_there {
                    assert!(tx.soft_delete_collection(organization.id, id, deletion).await.unwrap());
                } else {
                    assert!(tx.restore_collection(organization.id, id, now).await.unwrap().is_some());
                }
                is_there = !is_there;
                tx.commit().await.unwrap();
            }
            _ => {}
        }
        let count = catalog.track_count(organization.id, collection.id).await.unwrap();
        assert_eq!(count, is_there.then_some(living.len() as u64));
        let page = LimitOffset::new(Some(1), None).unwrap();
        let listed = catalog.tracks_in_collection(organization.id, collection.id, None, page).await.unwrap();
        assert_eq!(listed.0, count.unwrap_or(0));
    }
}

async fn a_removed_recipe_is_gone_before_its_files(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let common = recipe(&ambient, &organization, None, "common", 0);
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&common).await.unwrap();
    tx.commit().await.unwrap();
    let mut tracks = Vec::new();
    for _ in 0..5 {
        let track = Track { status: TrackStatus::Ready, ..bare_track(&ambient, &collection) };
        let track = stored_track(&catalog, track).await;
        let tx = catalog.begin().await.unwrap();
        tx.put_track_file(&made_file(&ambient, &track, &common, FileData::NONE)).await.unwrap();
        tx.commit().await.unwrap();
        tracks.push(track);
    }
    assert_eq!(catalog.recipes_being_removed(organization.id).await.unwrap(), []);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_recipe(organization.id, common.id, ambient.now()).await.unwrap());
    assert!(!tx.soft_delete_recipe(organization.id, common.id, ambient.now()).await.unwrap());
    tx.insert_recipe(&recipe(&ambient, &organization, None, "common", 1)).await.unwrap();
    let next = tx.next_manifest(organization.id, tracks[0].id, None).await.unwrap().unwrap();
    assert!(next.manifest.is_empty());
    assert_eq!(tx.files_of_track(tracks[0].id).await.unwrap(), []);
    tx.commit().await.unwrap();
    let ids: Vec<TrackId> = tracks.iter().map(|track| track.id).collect();
    assert_eq!(catalog.files_of_tracks(&ids).await.unwrap(), []);
    assert!(catalog.manifest(organization.id, tracks[0].index).await.unwrap().is_empty());
    let index = VariantIndex::from_static("common");
    assert_eq!(
        catalog.shared_tracks(organization.id, collection.id, None, &index, (None, 9)).await.unwrap().0,
        []
    );
    let left = async || {
        let removed = catalog.recipes_being_removed(organization.id).await.unwrap();
        removed.into_iter().map(|(recipe, left)| (recipe.id, left)).collect::<Vec<_>>()
    };
    assert_eq!(left().await, [(common.id, Total::Exactly(5))]);

    // This includes the files of tracks that are deleted meanwhile.
    delete(&catalog, &collection, for_an_hour(&ambient)).await;
    let mut freed = Vec::new();
    for (expected, rest) in [(2, 3), (2, 1), (1, 0), (0, 0)] {
        let tx = catalog.begin().await.unwrap();
        let (batch, _) = tx.delete_files_of_recipe(common.id, ambient.now(), 2).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(batch.len(), expected);
        freed.extend(batch.into_iter().map(|(track, _)| track));
        assert_eq!(left().await, [(common.id, Total::Exactly(rest))]);
    }
    freed.sort();
    let mut ids = ids;
    ids.sort();
    assert_eq!(freed, ids);
    let tx = catalog.begin().await.unwrap();
    tx.delete_removed_recipe(organization.id, common.id).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(left().await, []);
    assert_eq!(catalog.recipes(organization.id).await.unwrap().len(), 1);
}

async fn many_jobs_are_queued_at_once(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization_id = ambient.record_id();
    let purges = |count: usize, seconds: i64| -> Vec<NewJob> {
        let run_at = ambient.now().plus_seconds(seconds);
        let job = || Job::PurgeTrack { organization_id, track_id: ambient.record_id() };
        (0..count).map(|_| NewJob::new(job(), ambient.record_id(), run_at)).collect()
    };
    let track_id = ambient.record_id();
    let same = || NewJob {
        unique: Some("once".to_owned()),
        queue: JobQueue::Maintenance,
        ..NewJob::new(Job::PublishManifest { organization_id, track_id }, ambient.record_id(), ambient.now())
    };
    let tx = catalog.begin().await.unwrap();
    tx.enqueue_all(Vec::new()).await.unwrap();
    tx.enqueue_all(purges(1100, 0)).await.unwrap();
    tx.enqueue_all(purges(50, HOUR)).await.unwrap();
    tx.enqueue_all(vec![same(), same()]).await.unwrap();
    tx.enqueue_all(vec![same()]).await.unwrap();
    let has = async |most| {
        tx.has_due_jobs(JobQueue::Maintenance, organization_id, ambient.now(), most).await.unwrap()
    };
    assert_eq!((has(1101).await, has(1102).await), (true, false));
    clock.advance_seconds(HOUR);
    assert_eq!((has(1151).await, has(1152).await), (true, false));
    let others = ambient.record_id();
    assert!(!tx.has_due_jobs(JobQueue::Maintenance, others, ambient.now(), 1).await.unwrap());
    assert!(!tx.has_due_jobs(JobQueue::Uploads, organization_id, ambient.now(), 1).await.unwrap());
    tx.commit().await.unwrap();

    // Only the holder of a job may record its progress.
    let until = ambient.now().plus_seconds(60);
    let claimed = catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap().unwrap();
    let further = Job::PurgeTrack { organization_id, track_id: ambient.record_id() };
    let tx = catalog.begin().await.unwrap();
    assert!(tx.update_job(&claimed, &further).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(catalog.job(claimed.id).await.unwrap().unwrap().job, Some(further.clone()));
    catalog.return_lease(&claimed).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    assert!(!tx.update_job(&claimed, &further).await.unwrap());
}

async fn an_upload_leaves_no_job_behind(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization_id, track_id) = (ambient.record_id(), ambient.record_id());
    let other = ambient.record_id();
    let tx = catalog.begin().await.unwrap();
    for (job, seconds) in [
        (Job::ExpireUpload { organization_id, track_id }, HOUR),
        (Job::ExpireUpload { organization_id, track_id: other }, HOUR),
        (Job::ProcessTrack { organization_id, track_id }, 0),
    ] {
        let run_at = ambient.now().plus_seconds(seconds);
        tx.enqueue(job, ambient.record_id(), run_at, None).await.unwrap();
    }
    tx.delete_upload_expiry(track_id).await.unwrap();
    tx.commit().await.unwrap();
    let left: Vec<_> = catalog.pending_jobs().await.unwrap().into_iter().map(|job| job.track_id).collect();
    assert_eq!(left, [Some(track_id), Some(other)]);
}

async fn a_rendering_of_an_earlier_version_goes_on(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let late = recipe(&ambient, &organization, None, "late", 0);
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let mut rendering = tonearm_domain::Rendering::begun(organization.id, late.id, 9, ambient.now());
    rendering.note_batch(&[track.id], 0, ambient.now());
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&late).await.unwrap();
    tx.put_rendering(&rendering).await.unwrap();
    tx.commit().await.unwrap();
    let read = async || catalog.rendering(organization.id, late.id).await.unwrap().unwrap();
    assert_eq!(read().await, rendering);
    // The earlier version restarts the rendering and counts its steps, and leaves columns that it does not know
    // unchanged.
    clock.advance_seconds(1);
    let started_at = ambient.now().unix_millis();
    let raw = database.raw().await;
    let step = format!("UPDATE rendering SET started_at = {started_at}, done = 4, failed = 1");
    raw.execute_unprepared(&step).await.unwrap();
    let read = read().await;
    assert_eq!((read.examined, read.is_at_end, read.outstanding()), (4, false, 0));
}
