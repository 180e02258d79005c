//! Damage in the store or in the target neither stops a backup nor removes anything from earlier ones.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::TryStreamExt;
use sea_orm::{ConnectionTrait, Database};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tonearm_blobs::Blobs;
use tonearm_catalog::CoverObjects;
use tonearm_domain::{Cover, CoverOrigin, CoverOwner, CoverSize, ObjectKey, Track, TrackManifest};
use tonearm_fixtures::{BucketProxy, Fault, ProxiedRequest, S3Server, TestDatabase};
use tonearm_service::{
    BackupError, BackupReport, BackupTarget, BackupTerms, Backups, FindingKind, Verification, VerifyError,
    VerifyEvent, VerifyState, VerifyTerms,
};
use tonearm_signing::Secrets;

use crate::store_scene::{Ground, Scene};

crate::on_both!(
    an_object_that_the_store_has_lost_stays_in_backups,
    a_truncated_object_does_not_replace_the_copy_of_an_earlier_backup,
    a_damaged_manifest_hides_no_other_backup,
    an_object_that_cannot_be_read_ends_neither_backup_nor_verification,
    an_object_that_cannot_be_looked_at_ends_neither_backup_nor_verification,
    covers_of_owners_that_cannot_be_looked_at_are_named,
    covers_of_owners_that_the_store_has_lost_are_in_no_new_backup,
    what_the_database_recorded_counts_more_than_an_earlier_backup,
    nothing_is_pruned_while_another_backup_runs,
    a_store_in_which_nothing_can_be_looked_at_has_failed,
    what_nobody_names_costs_no_question_each,
    each_manifest_is_read_once,
    a_backup_does_not_name_a_secret_that_nodes_do_not_use,
    a_row_that_cannot_be_read_ends_neither_backup_nor_verification,
);

async fn a_row_that_cannot_be_read_ends_neither_backup_nor_verification(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let target = Target::new();
    let (damaged, sound) = (scene.name(&scene.stray().await).await, scene.named().await);
    let raw = Database::connect(&database.url).await.unwrap();
    let is_sqlite = database.url.starts_with("sqlite");
    let id = damaged.id.uuid();
    let id = if is_sqlite { format!("x'{}'", id.simple()) } else { format!("'{id}'") };
    let spoil = format!("UPDATE track SET cover_version = 'odd' WHERE id = {id}");
    assert_eq!(raw.execute_unprepared(&spoil).await.unwrap().rows_affected(), 1);
    // The backup has the row as it is, and its objects, and says so.
    let report = target.back_up(&scene, None).await;
    assert_eq!((report.objects, report.damaged, report.damaged_rows), (2, 0, 0));
    assert_eq!(report.unreadable_rows, 1);
    let state = verify_state(&scene).await;
    assert_eq!((state.damaged_rows, state.findings()), (1, 1));

    // Only SQLite can have a value of another type.
    if is_sqlite {
        let spoil = format!("UPDATE track SET created_at = 'odd' WHERE id = {id}");
        assert_eq!(raw.execute_unprepared(&spoil).await.unwrap().rows_affected(), 1);
        let report = target.back_up(&scene, None).await;
        assert_eq!((report.objects, report.damaged, report.damaged_rows), (2, 0, 1));
        assert_eq!(report.unreadable_rows, 0, "it is named once");
        assert_eq!(verify_state(&scene).await.findings(), 1);
    }
    assert!(target.bytes_of(&sound).await.is_some());
    raw.close().await.unwrap();
}

async fn verify_state(scene: &Scene) -> VerifyState {
    let verification = Verification::new(scene.catalog.clone(), scene.blobs.clone(), scene.ambient.clone());
    let state = VerifyState::new(scene.ambient.now());
    verification.run(VerifyTerms::default(), state, &mut |_| {}).await.unwrap()
}

struct Target(TempDir);

impl Target {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    async fn open(&self) -> BackupTarget {
        BackupTarget::open(&self.url("")).await.unwrap()
    }

    fn url(&self, below: &str) -> tonearm_blobs::StorageUrl {
        format!("file://{}{below}", self.0.path().display()).parse().unwrap()
    }

    /// The bytes of an object of the pool.
    async fn bytes_of(&self, key: &ObjectKey) -> Option<Vec<u8>> {
        let pool = Blobs::open(&self.url("/objects")).await.unwrap();
        let body = pool.get(key, None).await.unwrap()?;
        let chunks: Vec<Bytes> = body.stream.try_collect().await.unwrap();
        Some(chunks.concat())
    }

    async fn try_to_back_up(&self, scene: &Scene, keep: Option<u64>) -> Result<BackupReport, BackupError> {
        back_up_to(&self.open().await, self.0.path(), scene, Secrets::from_bytes([1; 32]), keep).await
    }

    async fn back_up(&self, scene: &Scene, keep: Option<u64>) -> BackupReport {
        self.try_to_back_up(scene, keep).await.unwrap()
    }

    fn manifests(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.0.path().join("catalog")).unwrap();
        let mut paths: Vec<PathBuf> =
            folders.map(|folder| folder.unwrap().path().join("manifest.json")).collect();
        paths.sort();
        paths
    }
}

async fn back_up_to(
    target: &BackupTarget,
    scratch: &Path,
    scene: &Scene,
    secrets: Secrets,
    keep: Option<u64>,
) -> Result<BackupReport, BackupError> {
    // Each backup has its own time.
    scene.clock.advance_seconds(1);
    let backups = Backups::new(
        (scene.catalog.clone(), scene.blobs.clone()),
        scene.ambient.clone(),
        secrets,
        scratch.to_owned(),
        "0.1.0",
    );
    let terms = BackupTerms { keep: keep.and_then(NonZeroU64::new), ..BackupTerms::default() };
    Ok(backups.run(target, terms, &mut |_| {}).await?.1)
}

async fn scene(database: &TestDatabase) -> (Ground, Scene) {
    let ground = Ground::beside(database);
    let scene = Scene::set(database, ground.open().await).await;
    scene.identity().establish().await.unwrap();
    (ground, scene)
}

async fn an_object_that_the_store_has_lost_stays_in_backups(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let target = Target::new();
    let (key, other) = (scene.named().await, scene.named().await);
    assert_eq!(target.back_up(&scene, None).await.objects, 2);
    scene.blobs.delete(&key).await.unwrap();
    // All objects are older than a day, so that they may be pruned.
    scene.clock.advance_seconds(10 * 365 * 86_400);
    for _ in 0..3 {
        let report = target.back_up(&scene, Some(1)).await;
        let counted = (report.objects, report.rescued, report.damaged, report.pruned, report.pruned_objects);
        assert_eq!(counted, (2, 1, 0, 1, 0));
    }
    assert_eq!(target.bytes_of(&key).await.as_deref(), Some(&b"sound"[..]));

    // Copied back from the target, it is no longer lost, and unreferenced objects are pruned again.
    scene.blobs.put_bytes(&key, Bytes::from_static(b"sound")).await.unwrap();
    let report = target.back_up(&scene, Some(1)).await;
    assert_eq!((report.objects, report.rescued, report.damaged), (2, 0, 0));
    assert!(target.bytes_of(&other).await.is_some());
}

/// No length is recorded for manifests and covers.
async fn a_truncated_object_does_not_replace_the_copy_of_an_earlier_backup(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let target = Target::new();
    let track = scene.name(&scene.stray().await).await;
    let organization_id = scene.caller.organization_id;
    let tx = scene.catalog.begin().await.unwrap();
    tx.next_manifest(organization_id, track.id, None).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    let named = scene.catalog.named_track(track.id).await.unwrap().unwrap();
    let manifest = named.objects.iter().find(|object| TrackManifest::generation(&object.key).is_some());
    let key = manifest.unwrap().key.clone();
    scene.blobs.put_bytes(&key, Bytes::from_static(b"the whole manifest")).await.unwrap();
    assert_eq!(target.back_up(&scene, None).await.objects, 2);

    scene.blobs.delete(&key).await.unwrap();
    scene.blobs.put_bytes(&key, Bytes::from_static(b"the wh")).await.unwrap();
    for _ in 0..2 {
        let report = target.back_up(&scene, None).await;
        assert_eq!((report.objects, report.copied, report.rescued, report.damaged), (2, 0, 1, 0));
        assert_eq!(target.bytes_of(&key).await.as_deref(), Some(&b"the whole manifest"[..]));
    }
}

async fn a_damaged_manifest_hides_no_other_backup(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let target = Target::new();
    let key = scene.named().await;
    for _ in 0..2 {
        target.back_up(&scene, None).await;
    }
    std::fs::write(&target.manifests()[0], "damaged").unwrap();
    let found = target.open().await.list().await.unwrap();
    assert_eq!((found.complete.len(), found.unreadable.len()), (1, 1));
    assert!(matches!(found.unreadable[0].1, BackupError::Broken { .. }));

    // The objects of an unreadable backup are unknown, so none are pruned.
    let pool = Blobs::open(&target.url("/objects")).await.unwrap();
    let unnamed = scene.stray().await;
    pool.put_bytes(&unnamed, Bytes::from_static(b"sound")).await.unwrap();
    scene.clock.advance_seconds(10 * 365 * 86_400);
    let report = target.back_up(&scene, Some(1)).await;
    assert_eq!((report.pruned, report.pruned_objects, report.damaged), (1, 0, 0));
    assert!(target.bytes_of(&key).await.is_some());
    assert!(target.bytes_of(&unnamed).await.is_some());
}

/// A store whose objects are read through a proxy.
async fn behind_a_proxy(database: &TestDatabase) -> (S3Server, BucketProxy, Scene) {
    let server = S3Server::start();
    let proxy = BucketProxy::start(&server);
    let blobs = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap();
    let scene = Scene::set(database, blobs).await;
    scene.identity().establish().await.unwrap();
    (server, proxy, scene)
}

/// The kinds of findings of a deep verification.
async fn verified(scene: &Scene) -> Result<Vec<FindingKind>, VerifyError> {
    verified_by(scene, VerifyTerms { is_deep: true, ..VerifyTerms::default() }).await
}

async fn verified_by(scene: &Scene, terms: VerifyTerms) -> Result<Vec<FindingKind>, VerifyError> {
    let verification = Verification::new(scene.catalog.clone(), scene.blobs.clone(), scene.ambient.clone());
    let mut kinds = Vec::new();
    let mut hear = |event: VerifyEvent<'_>| {
        if let VerifyEvent::Finding(finding) = event {
            kinds.push(finding.kind);
        }
    };
    verification.run(terms, VerifyState::new(scene.ambient.now()), &mut hear).await?;
    Ok(kinds)
}

async fn an_object_that_cannot_be_read_ends_neither_backup_nor_verification(database: TestDatabase) {
    let (_server, proxy, scene) = behind_a_proxy(&database).await;
    let (key, _) = (scene.named().await, scene.named().await);
    let name = key.to_string();
    proxy.set(move |request| {
        (request.method == "GET" && request.target.contains(&name)).then_some(Fault::Deny)
    });
    assert_eq!(verified(&scene).await.unwrap(), [FindingKind::UnreadableObject]);
    let target = Target::new();
    let report = target.back_up(&scene, None).await;
    assert_eq!((report.objects, report.damaged), (1, 1));

    // If nothing else can be read either, the store has failed.
    let lists = AtomicUsize::new(0);
    proxy.set(move |request| {
        let is_list = request.target.contains("list-type");
        let is_first = is_list && lists.fetch_add(1, Ordering::SeqCst) == 0;
        (request.method == "GET" && !is_first).then_some(Fault::Deny)
    });
    assert!(matches!(verified(&scene).await, Err(VerifyError::Store(_))));
    proxy.heal();
    assert_eq!(target.back_up(&scene, None).await.objects, 2);
}

/// An object that is listed with a length other than the one in its row is looked up again.
async fn an_object_that_cannot_be_looked_at_ends_neither_backup_nor_verification(database: TestDatabase) {
    let (_server, proxy, scene) = behind_a_proxy(&database).await;
    let (key, _) = (scene.named().await, scene.named().await);
    let target = Target::new();
    assert_eq!(target.back_up(&scene, None).await.objects, 2);
    scene.blobs.delete(&key).await.unwrap();
    scene.blobs.put_bytes(&key, Bytes::from_static(b"other sound")).await.unwrap();
    assert_eq!(verified(&scene).await.unwrap(), [FindingKind::WrongLength]);
    let name = key.to_string();
    proxy.set(move |request| {
        (request.method == "HEAD" && request.target.contains(&name)).then_some(Fault::Deny)
    });
    for is_deep in [false, true] {
        let terms = VerifyTerms { is_deep, ..VerifyTerms::default() };
        assert_eq!(verified_by(&scene, terms).await.unwrap(), [FindingKind::UnreadableObject]);
    }
    let report = target.back_up(&scene, None).await;
    assert_eq!((report.objects, report.copied, report.rescued, report.damaged), (2, 0, 1, 0));
    assert_eq!(target.bytes_of(&key).await.as_deref(), Some(&b"sound"[..]));
    let report = Target::new().back_up(&scene, None).await;
    assert_eq!((report.objects, report.rescued, report.damaged), (1, 0, 1));

    // If nothing can be listed after the start either, the store has failed.
    let lists = AtomicUsize::new(0);
    proxy.set(move |request| {
        let is_first_list = request.target.contains("list-type") && lists.fetch_add(1, Ordering::SeqCst) == 0;
        (!is_first_list).then_some(Fault::Deny)
    });
    let quick = verified_by(&scene, VerifyTerms::default()).await;
    assert!(matches!(quick, Err(VerifyError::Store(_))), "{quick:?}");
}

/// Gives the organization a cover whose files all have these bytes, and returns their keys.
async fn give_cover(scene: &Scene, bytes: &'static [u8]) -> [ObjectKey; 3] {
    let tx = scene.catalog.begin().await.unwrap();
    let mut organization = tx.organization(scene.caller.organization_id).await.unwrap().unwrap();
    let cover = Cover { version: scene.ambient.short_id(), origin: CoverOrigin::Uploaded };
    organization.cover = Some(cover);
    tx.update_organization(&organization).await.unwrap();
    tx.commit().await.unwrap();
    let sizes = CoverSize::LISTED.map(|size| cover.key(organization.id, organization.folder, size));
    for key in &sizes {
        scene.blobs.put_bytes(key, Bytes::from_static(bytes)).await.unwrap();
    }
    sizes
}

/// Records that the files of the organization's cover have these bytes.
async fn record_cover(scene: &Scene, sizes: &[ObjectKey], bytes: &[u8]) {
    let mut objects = CoverObjects::default();
    for key in sizes {
        objects.insert(key, bytes.len() as u64, Sha256::digest(bytes).into());
    }
    let tx = scene.catalog.begin().await.unwrap();
    let owner = CoverOwner::Organization;
    tx.record_covers(scene.caller.organization_id, owner, 1, objects).await.unwrap();
    tx.commit().await.unwrap();
}

async fn replace(scene: &Scene, key: &ObjectKey, bytes: &'static [u8]) {
    scene.blobs.delete(key).await.unwrap();
    scene.blobs.put_bytes(key, Bytes::from_static(bytes)).await.unwrap();
}

async fn covers_of_owners_that_the_store_has_lost_are_in_no_new_backup(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    scene.named().await;
    let sizes = give_cover(&scene, b"picture").await;
    record_cover(&scene, &sizes, b"picture").await;
    let target = Target::new();
    let counted = |report: BackupReport| (report.objects, report.rescued, report.damaged);
    assert_eq!(counted(target.back_up(&scene, None).await), (4, 0, 0));
    scene.blobs.delete(&sizes[0]).await.unwrap();
    replace(&scene, &sizes[1], b"pict").await;
    // With the same number of bytes: only reading the object detects this.
    replace(&scene, &sizes[2], b"PICTURE").await;
    let mut found = verified(&scene).await.unwrap();
    found.sort_by_key(|kind| format!("{kind:?}"));
    let all = [FindingKind::MissingObject, FindingKind::WrongHash, FindingKind::WrongLength];
    assert_eq!(found, all);
    assert_eq!(counted(target.back_up(&scene, None).await), (4, 2, 0));
    for key in &sizes {
        assert_eq!(target.bytes_of(key).await.as_deref(), Some(&b"picture"[..]), "{key}");
    }
    assert_eq!(counted(Target::new().back_up(&scene, None).await), (1, 0, 3));
}

/// What an earlier run recorded differs from what the database recorded later, so the copy is read.
async fn what_the_database_recorded_counts_more_than_an_earlier_backup(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let sizes = give_cover(&scene, b"picture").await;
    let target = Target::new();
    assert_eq!(target.back_up(&scene, None).await.copied, 3);
    record_cover(&scene, &sizes, b"PICTURE").await;
    for key in &sizes {
        replace(&scene, key, b"PICTURE").await;
    }
    let report = target.back_up(&scene, None).await;
    assert_eq!((report.objects, report.copied, report.damaged), (3, 3, 0));
    assert_eq!(target.bytes_of(&sizes[0]).await.as_deref(), Some(&b"PICTURE"[..]));
    assert_eq!(target.back_up(&scene, None).await.copied, 0);
}

async fn nothing_is_pruned_while_another_backup_runs(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    scene.named().await;
    let target = Target::new();
    target.back_up(&scene, None).await;
    let another = scene.ambient.record_id();
    scene.catalog.hold_removals(another, scene.ambient.now()).await.unwrap();
    assert_eq!(target.back_up(&scene, Some(1)).await.pruned, 0);
    scene.catalog.release_removals(another).await.unwrap();
    assert_eq!(target.back_up(&scene, Some(1)).await.pruned, 2);
}

async fn covers_of_owners_that_cannot_be_looked_at_are_named(database: TestDatabase) {
    let (_server, proxy, scene) = behind_a_proxy(&database).await;
    scene.named().await;
    let sizes = give_cover(&scene, b"picture").await;
    assert_eq!(verified(&scene).await.unwrap(), []);
    let name = sizes[0].to_string();
    proxy.set(move |request| {
        (request.method == "HEAD" && request.target.contains(&name)).then_some(Fault::Deny)
    });
    let terms = VerifyTerms::default();
    assert_eq!(verified_by(&scene, terms).await.unwrap(), [FindingKind::UnreadableObject]);
    // Only reading the object detects this.
    let name = sizes[1].to_string();
    proxy.set(move |request| {
        (request.method == "GET" && request.target.contains(&name)).then_some(Fault::Deny)
    });
    assert_eq!(verified_by(&scene, terms).await.unwrap(), []);
    assert_eq!(verified(&scene).await.unwrap(), [FindingKind::UnreadableObject]);
}

/// The store responds, but every lookup of many objects fails.
async fn a_store_in_which_nothing_can_be_looked_at_has_failed(database: TestDatabase) {
    let (_server, proxy, scene) = behind_a_proxy(&database).await;
    let key = scene.stray().await;
    let model = scene.name(&key).await;
    let tx = scene.catalog.begin().await.unwrap();
    for _ in 0..40 {
        let version = scene.ambient.short_id();
        let cover = Cover { version, origin: CoverOrigin::Uploaded };
        let (id, index) = (scene.ambient.record_id(), scene.ambient.short_id());
        let track = Track { id, index, cover: Some(cover), ..model.clone() };
        tx.insert_track(&track).await.unwrap();
    }
    tx.commit().await.unwrap();
    proxy.set(|request| (request.method == "HEAD").then_some(Fault::Deny));
    let verified = verified_by(&scene, VerifyTerms::default()).await;
    assert!(matches!(verified, Err(VerifyError::Store(_))), "{verified:?}");
    let backup = Target::new().try_to_back_up(&scene, None).await;
    assert!(matches!(backup, Err(BackupError::Store(_))), "{backup:?}");
}

async fn what_nobody_names_costs_no_question_each(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let target = Target::new();
    let key = scene.named().await;
    target.back_up(&scene, None).await;
    let questions = async || {
        let before = scene.catalog.queries();
        assert_eq!(target.back_up(&scene, None).await.objects, 1);
        scene.catalog.queries() - before
    };
    let few = questions().await;
    let pool = Blobs::open(&target.url("/objects")).await.unwrap();
    for _ in 0..40 {
        pool.put_bytes(&scene.stray().await, Bytes::from_static(b"sound")).await.unwrap();
    }
    let many = questions().await;
    assert!(many < few + 20, "{few} questions without strays and {many} with 40");
    assert!(target.bytes_of(&key).await.is_some());
}

async fn each_manifest_is_read_once(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    scene.named().await;
    let server = S3Server::start();
    let proxy = BucketProxy::start(&server);
    let target = BackupTarget::open(&proxy.url().parse().unwrap()).await.unwrap();
    let folder = TempDir::new().unwrap();
    for _ in 0..4 {
        back_up_to(&target, folder.path(), &scene, Secrets::from_bytes([1; 32]), Some(3)).await.unwrap();
    }
    let requests: Vec<ProxiedRequest> = proxy.requests();
    let reads = |name: &str| {
        let is_read = |request: &&ProxiedRequest| request.method == "GET" && request.target.contains(name);
        requests.iter().filter(is_read).filter(|request| request.target.contains("manifest.json")).count()
    };
    let newest = target.list().await.unwrap().complete.pop().unwrap().backup.to_string();
    assert_eq!(
        reads("manifest.json"),
        1 + 2 + 3 + 4,
        "the last run reads those of three earlier ones and its own"
    );
    assert_eq!(reads(&newest), 1);
}

async fn a_backup_does_not_name_a_secret_that_nodes_do_not_use(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    scene.named().await;
    let target = Target::new();
    let secrets = Secrets::from_bytes([2; 32]);
    let fingerprint = secrets.fingerprints().remove(0);
    scene.catalog.note_master_secret(&fingerprint, &[], scene.ambient.now()).await.unwrap();
    let refused = target.try_to_back_up(&scene, None).await;
    assert!(matches!(refused, Err(BackupError::WrongSecret)), "{refused:?}");
    assert!(target.open().await.list().await.unwrap().complete.is_empty());
    let opened = target.open().await;
    back_up_to(&opened, target.0.path(), &scene, secrets, None).await.unwrap();
}
