//! The sweep removes objects that no row references, and nothing else.

use tokio_util::sync::CancellationToken;
use tonearm_domain::SweepRules;
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, JobError};

use crate::on_both;
use crate::store_scene::{Ground, Scene};

on_both!(
    what_stays_unknown_for_a_day_is_removed,
    young_objects_are_left_alone,
    what_becomes_known_stays,
    what_can_be_taken_back_stays,
    much_is_removed_only_when_it_is_confirmed,
    a_sweep_goes_on_where_it_was,
    a_sweep_that_was_overtaken_stops,
    the_wrong_database_removes_nothing,
    the_empty_database_removes_nothing,
);

const HOUR: i64 = 3600;

async fn scene(database: &TestDatabase, ground: &Ground) -> Scene {
    let scene = Scene::set(database, ground.open().await).await;
    scene.identity().establish().await.unwrap();
    scene
}

async fn what_stays_unknown_for_a_day_is_removed(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = scene(&database, &ground).await;
    let known = scene.named().await;
    let strays = scene.strays(5).await;
    scene.sweep().await;
    assert_eq!(scene.objects().await.len(), 6, "noted, not removed");
    assert_eq!(scene.sweeps().view().await.unwrap().noted, 5);

    scene.clock.advance_seconds(12 * HOUR);
    let late = scene.stray().await;
    scene.sweep().await;
    assert_eq!(scene.objects().await.len(), 7, "not a day later");

    scene.clock.advance_seconds(12 * HOUR);
    scene.sweep().await;
    let mut left = [known.clone(), late.clone()];
    left.sort_by_key(ToString::to_string);
    assert_eq!(scene.objects().await, left, "{strays:?} are gone");
    let view = scene.sweeps().view().await.unwrap();
    let sweep = view.sweep.unwrap();
    assert_eq!((sweep.seen, sweep.unknown, sweep.removed, sweep.due, view.noted), (7, 6, 5, 0, 1));

    scene.clock.advance_seconds(12 * HOUR);
    scene.sweep().await;
    assert_eq!(scene.objects().await, [known]);
    assert_eq!(scene.reserved().await, 1, "the identity stays");
    assert_eq!(scene.sweeps().view().await.unwrap().noted, 0);
}

async fn young_objects_are_left_alone(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = scene(&database, &ground).await;
    let key = scene.stray().await;
    let put_at = scene.blobs.head(&key).await.unwrap().unwrap().modified;
    scene.clock.set(put_at.plus_seconds(SweepRules::GRACE_SECONDS));
    scene.sweep().await;
    assert_eq!(scene.sweeps().view().await.unwrap().noted, 0, "an upload may be under way");
    scene.clock.advance_seconds(1);
    scene.sweep().await;
    assert_eq!(scene.sweeps().view().await.unwrap().noted, 1);
}

async fn what_becomes_known_stays(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = scene(&database, &ground).await;
    let key = scene.stray().await;
    scene.sweep().await;
    // As if the upload had been in progress all the time.
    let track = scene.name(&key).await;
    scene.clock.advance_seconds(25 * HOUR);
    scene.sweep().await;
    assert_eq!(scene.objects().await, std::slice::from_ref(&key));
    assert_eq!(scene.sweeps().view().await.unwrap().noted, 0);

    // When it is unknown again, its day starts over.
    let tx = scene.catalog.begin().await.unwrap();
    let mut track = tx.track(scene.caller.organization_id, track.id).await.unwrap().unwrap();
    track.source = None;
    tx.update_track(&track).await.unwrap();
    tx.commit().await.unwrap();
    scene.sweep().await;
    assert_eq!(scene.objects().await, [key]);
    scene.clock.advance_seconds(25 * HOUR);
    scene.sweep().await;
    assert!(scene.objects().await.is_empty());
}

async fn what_can_be_taken_back_stays(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = scene(&database, &ground).await;
    let key = scene.stray().await;
    let track = scene.name(&key).await;
    // Only deletions by people can be undone.
    let person = Caller::person(scene.caller.organization_id, scene.ambient.record_id());
    scene.library.delete_track(&person, track.id).await.unwrap();
    scene.drop_jobs().await;
    for _ in 0..3 {
        scene.sweep().await;
        scene.clock.advance_seconds(25 * HOUR);
    }
    assert_eq!(scene.objects().await, std::slice::from_ref(&key));
    scene.library.restore_track(&person, track.id).await.unwrap();
    scene.drop_jobs().await;
    scene.sweep().await;
    assert_eq!(scene.objects().await, [key]);
}

async fn much_is_removed_only_when_it_is_confirmed(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = scene(&database, &ground).await;
    let known = scene.named().await;
    scene.strays(101).await;
    scene.sweep().await;
    assert_eq!(scene.sweeps().confirm().await.unwrap(), None, "there is nothing to confirm yet");
    for _ in 0..2 {
        scene.clock.advance_seconds(25 * HOUR);
        scene.sweep().await;
        assert_eq!(scene.objects().await.len(), 102, "it waits for a person");
        let sweep = scene.sweeps().view().await.unwrap().sweep.unwrap();
        assert_eq!((sweep.due, sweep.removed), (101, 0));
    }
    // Objects found after the sweep that a person reviewed are not confirmed with it.
    let late = scene.stray().await;
    assert_eq!(scene.sweeps().confirm().await.unwrap(), Some(101));
    assert_eq!(scene.jobs().await, ["sweep_objects"]);
    scene.drop_jobs().await;
    scene.sweep().await;
    let mut left = [known, late];
    left.sort_by_key(ToString::to_string);
    assert_eq!(scene.objects().await, left);
    let sweep = scene.sweeps().view().await.unwrap().sweep.unwrap();
    assert_eq!((sweep.due, sweep.due_until, sweep.confirmed_until, sweep.removed), (0, None, None, 101));
}

async fn a_sweep_goes_on_where_it_was(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = scene(&database, &ground).await;
    let strays = scene.strays(9).await;
    // A sweep that was killed after its first five objects.
    let tx = scene.catalog.begin().await.unwrap();
    let before = tx.begin_sweep(scene.ambient.now()).await.unwrap();
    let mut after = before.clone();
    (after.last_key, after.seen, after.unknown) = (Some(strays[4].clone()), 5, 5);
    tx.note_unknown_objects(&strays[..5], before.started_at, scene.ambient.now(), 100).await.unwrap();
    assert!(tx.advance_sweep(&before, &after).await.unwrap());
    tx.commit().await.unwrap();

    scene.clock.advance_seconds(HOUR);
    scene.sweep().await;
    let view = scene.sweeps().view().await.unwrap();
    let sweep = view.sweep.unwrap();
    assert_eq!((sweep.started_at, sweep.is_running), (before.started_at, false));
    assert_eq!((sweep.seen, sweep.unknown, view.noted), (9, 9, 9), "each was looked at once");
    // The objects noted first have been unknown for a day; the others have not yet.
    scene.clock.advance_seconds(23 * HOUR);
    scene.sweep().await;
    assert_eq!(scene.objects().await, strays[5..]);
}

async fn a_sweep_that_was_overtaken_stops(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = scene(&database, &ground).await;
    let strays = scene.strays(2).await;
    let stopped = CancellationToken::new();
    stopped.cancel();
    let run = scene.sweep_until(stopped).await;
    assert!(matches!(run, Err(JobError::Cancelled)), "{run:?}");
    scene.drop_jobs().await;
    let slow = scene.catalog.sweep().await.unwrap().unwrap();
    assert!(slow.is_running && slow.last_key.is_none());
    // Another worker continues, and then the slow one comes back.
    scene.sweep().await;
    let ahead = tonearm_catalog::Sweep { last_key: Some(strays[0].clone()), ..slow.clone() };
    let tx = scene.catalog.begin().await.unwrap();
    assert!(!tx.advance_sweep(&slow, &ahead).await.unwrap());
    assert!(!tx.finish_sweep(&slow, scene.ambient.now(), None, None).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(scene.objects().await, strays);
}

async fn the_wrong_database_removes_nothing(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = scene(&database, &ground).await;
    scene.strays(3).await;
    let other_place = match database.url.starts_with("sqlite") {
        true => TestDatabase::sqlite(),
        false => TestDatabase::postgres().await,
    };
    // The other database has been used with its own store.
    let other_ground = Ground::beside(&database);
    self::scene(&other_place, &other_ground).await;
    removes_nothing(&other_place, &ground, "belongs to the object store").await;
}

async fn the_empty_database_removes_nothing(database: TestDatabase) {
    let ground = Ground::beside(&database);
    Scene::set(&TestDatabase::sqlite(), ground.open().await).await.strays(27).await;
    removes_nothing(&database, &ground, "do not seem to belong together").await;
}

async fn removes_nothing(database: &TestDatabase, ground: &Ground, reason: &str) {
    let scene = Scene::set(database, ground.open().await).await;
    let before = scene.objects().await;
    for _ in 0..3 {
        scene.sweep().await;
        scene.clock.advance_seconds(25 * HOUR);
    }
    assert_eq!(scene.objects().await, before);
    let view = scene.sweeps().view().await.unwrap();
    let refusal = view.sweep.unwrap().refusal.unwrap();
    assert!(refusal.contains(reason) && refusal.contains("tonearm store adopt"), "{refusal}");
    assert_eq!(view.noted, 0);
}
