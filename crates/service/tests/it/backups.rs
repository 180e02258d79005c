//! What is damaged, in the store or in the target, ends no backup and takes nothing away from earlier ones.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::TryStreamExt;
use tempfile::TempDir;
use tonearm_blobs::Blobs;
use tonearm_domain::{ObjectKey, TrackManifest};
use tonearm_fixtures::{BucketProxy, Fault, S3Server, TestDatabase};
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
);

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
        // Each backup has a time of its own.
        scene.clock.advance_seconds(1);
        let backups = Backups::new(
            (scene.catalog.clone(), scene.blobs.clone()),
            scene.ambient.clone(),
            Secrets::from_bytes([1; 32]),
            self.0.path().to_owned(),
            "0.1.0",
        );
        let terms = BackupTerms { keep: keep.and_then(NonZeroU64::new), ..BackupTerms::default() };
        Ok(backups.run(&self.open().await, terms, &mut |_| {}).await?.1)
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

    // Copied back from the target, it is lost no longer, and what nobody names is pruned again.
    scene.blobs.put_bytes(&key, Bytes::from_static(b"sound")).await.unwrap();
    let report = target.back_up(&scene, Some(1)).await;
    assert_eq!((report.objects, report.rescued, report.damaged), (2, 0, 0));
    assert!(target.bytes_of(&other).await.is_some());
}

/// Nobody recorded the length of manifests and covers.
async fn a_truncated_object_does_not_replace_the_copy_of_an_earlier_backup(database: TestDatabase) {
    let (_ground, scene) = scene(&database).await;
    let target = Target::new();
    let track = scene.name(&scene.stray().await).await;
    let organization_id = scene.caller.organization_id;
    let tx = scene.catalog.begin().await.unwrap();
    tx.next_manifest(organization_id, track.id).await.unwrap().unwrap();
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

    // Nobody knows which objects it names, so none are pruned.
    let pool = Blobs::open(&target.url("/objects")).await.unwrap();
    let unnamed = scene.stray().await;
    pool.put_bytes(&unnamed, Bytes::from_static(b"sound")).await.unwrap();
    scene.clock.advance_seconds(10 * 365 * 86_400);
    let report = target.back_up(&scene, Some(1)).await;
    assert_eq!((report.pruned, report.pruned_objects, report.damaged), (1, 0, 0));
    assert!(target.bytes_of(&key).await.is_some());
    assert!(target.bytes_of(&unnamed).await.is_some());
}

/// A store whose objects are read by way of a proxy.
async fn behind_a_proxy(database: &TestDatabase) -> (S3Server, BucketProxy, Scene) {
    let server = S3Server::start();
    let proxy = BucketProxy::start(&server);
    let blobs = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap();
    let scene = Scene::set(database, blobs).await;
    scene.identity().establish().await.unwrap();
    (server, proxy, scene)
}

/// The kinds of what a deep verification finds.
async fn verified(scene: &Scene) -> Result<Vec<FindingKind>, VerifyError> {
    let verification = Verification::new(scene.catalog.clone(), scene.blobs.clone(), scene.ambient.clone());
    let mut kinds = Vec::new();
    let mut hear = |event: VerifyEvent<'_>| {
        if let VerifyEvent::Finding(finding) = event {
            kinds.push(finding.kind);
        }
    };
    let terms = VerifyTerms { is_deep: true, ..VerifyTerms::default() };
    verification.run(terms, VerifyState::new(scene.ambient.now()), &mut hear).await?;
    Ok(kinds)
}

async fn an_object_that_cannot_be_read_ends_neither_backup_nor_verification(database: TestDatabase) {
    let (_server, proxy, scene) = behind_a_proxy(&database).await;
    let (key, _) = (scene.named().await, scene.named().await);
    let name = key.to_string();
    proxy.set(move |seen| (seen.method == "GET" && seen.target.contains(&name)).then_some(Fault::Deny));
    assert_eq!(verified(&scene).await.unwrap(), [FindingKind::UnreadableObject]);
    let target = Target::new();
    let report = target.back_up(&scene, None).await;
    assert_eq!((report.objects, report.damaged), (1, 1));

    // If nothing else can be read either, the store has failed.
    let lists = AtomicUsize::new(0);
    proxy.set(move |seen| {
        let is_list = seen.target.contains("list-type");
        let is_first = is_list && lists.fetch_add(1, Ordering::SeqCst) == 0;
        (seen.method == "GET" && !is_first).then_some(Fault::Deny)
    });
    assert!(matches!(verified(&scene).await, Err(VerifyError::Store(_))));
    proxy.heal();
    assert_eq!(target.back_up(&scene, None).await.objects, 2);
}
