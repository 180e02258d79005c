//! While a backup runs, no node removes an object that the backup may still copy.

use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio_util::sync::CancellationToken;
use tonearm_domain::{Job, RemovalHold, TrackId};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{BackupEvent, BackupReport, BackupTarget, BackupTerms, Backups};
use tonearm_signing::Secrets;

use crate::store_scene::{Ground, Scene};

crate::on_both!(
    what_is_deleted_during_a_backup_is_in_it,
    holds_end_by_themselves,
    a_sweep_waits_for_the_end_of_a_backup,
    a_track_without_its_manifest_is_fine_while_that_is_queued,
);

async fn scene(database: &TestDatabase) -> (Ground, Scene) {
    let ground = Ground::beside(database);
    let scene = Scene::set(database, ground.open().await).await;
    scene.identity().establish().await.unwrap();
    (ground, scene)
}

/// Makes a backup, and runs `meanwhile` right after the snapshot of the rows.
async fn back_up(scene: &Scene, folder: &TempDir, meanwhile: impl AsyncFnOnce() + Send) -> BackupReport {
    let target =
        BackupTarget::open(&format!("file://{}", folder.path().display()).parse().unwrap()).await.unwrap();
    let backups = Backups::new(
        (scene.catalog.clone(), scene.blobs.clone()),
        scene.ambient.clone(),
        Secrets::from_bytes([1; 32]),
        folder.path().to_owned(),
        "0.1.0",
    );
    let mut meanwhile = Some(meanwhile);
    let mut hear = |event: BackupEvent<'_>| {
        if let (BackupEvent::Table { .. }, Some(meanwhile)) = (event, meanwhile.take()) {
            block_in_place(|| Handle::current().block_on(meanwhile()));
        }
    };
    backups.run(&target, BackupTerms::default(), &mut hear).await.unwrap().1
}

async fn delete(scene: &Scene, track: TrackId) {
    scene.library.delete_track(&scene.caller, track).await.unwrap();
    scene.run_jobs().await;
}

async fn what_is_deleted_during_a_backup_is_in_it(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let key = scene.stray().await;
    let track = scene.name(&key).await;
    let folder = TempDir::new().unwrap();
    let report = back_up(&scene, &folder, async || {
        delete(&scene, track.id).await;
        assert_eq!(scene.objects().await, std::slice::from_ref(&key), "kept for the backup");
    })
    .await;
    assert_eq!((report.objects, report.gone, report.damaged), (1, 0, 0));
    assert_eq!(scene.jobs().await, ["purge_track"], "put off");
    scene.clock.advance_seconds(RemovalHold::PUT_OFF_SECONDS);
    scene.run_jobs().await;
    assert!(scene.objects().await.is_empty());
    assert!(scene.jobs().await.is_empty());
}

async fn holds_end_by_themselves(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let (track, now) = (scene.name(&scene.stray().await).await, scene.ambient.now());
    let died = scene.ambient.record_id();
    scene.catalog.hold_removals(died, now).await.unwrap();
    delete(&scene, track.id).await;
    assert_eq!(scene.objects().await.len(), 1);

    // If it is renewed, it lasts from the renewal.
    scene.clock.advance_seconds(60);
    scene.catalog.hold_removals(died, scene.ambient.now()).await.unwrap();
    let end = scene.ambient.now().plus_millis(RemovalHold::MILLIS);
    assert!(scene.catalog.are_removals_held(end.plus_millis(-1)).await.unwrap());
    assert!(!scene.catalog.are_removals_held(end).await.unwrap());
    // A hold whose writer's clock was ahead by a day does not count.
    assert!(!scene.catalog.are_removals_held(now.plus_seconds(-86_400)).await.unwrap());

    scene.clock.set(end);
    scene.run_jobs().await;
    assert!(scene.objects().await.is_empty());
    // Two concurrent holds do not end each other.
    let (one, other) = (scene.ambient.record_id(), scene.ambient.record_id());
    scene.catalog.hold_removals(one, end).await.unwrap();
    scene.catalog.hold_removals(other, end).await.unwrap();
    scene.catalog.release_removals(one).await.unwrap();
    assert!(scene.catalog.are_removals_held(end).await.unwrap());
    scene.catalog.release_removals(other).await.unwrap();
    assert!(!scene.catalog.are_removals_held(end).await.unwrap());
}

async fn a_sweep_waits_for_the_end_of_a_backup(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    scene.named().await;
    let stray = scene.stray().await;
    scene.sweep().await;
    scene.clock.advance_seconds(25 * 3600);
    let hold = scene.ambient.record_id();
    scene.catalog.hold_removals(hold, scene.ambient.now()).await.unwrap();
    scene.sweep_until(CancellationToken::new()).await.unwrap();
    assert!(scene.objects().await.contains(&stray));
    assert_eq!(scene.jobs().await, ["sweep_objects"], "put off");
    scene.catalog.release_removals(hold).await.unwrap();
    scene.clock.advance_seconds(RemovalHold::PUT_OFF_SECONDS);
    scene.run_jobs().await;
    assert!(!scene.objects().await.contains(&stray));
}

/// As in a backup that is made after the row of a manifest's generation and before its object.
async fn a_track_without_its_manifest_is_fine_while_that_is_queued(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let track = scene.name(&scene.stray().await).await;
    let (organization_id, track_id) = (scene.caller.organization_id, track.id);
    let tx = scene.catalog.begin().await.unwrap();
    tx.next_manifest(organization_id, track_id, None).await.unwrap().unwrap();
    let job = Job::PublishManifest { organization_id, track_id };
    tx.enqueue(job, scene.ambient.record_id(), scene.ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(scene.findings().await, 0);
    scene.drop_jobs().await;
    assert_eq!(scene.findings().await, 1);
}
