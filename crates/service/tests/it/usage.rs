//! Counts are stored exactly once, whatever happens on the way.

use std::path::PathBuf;

use tempfile::TempDir;
use tonearm_blobs::Blobs;
use tonearm_domain::{Ambient, Meter, ObjectKey, OrganizationId, UsageCounts};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, LookupLimits, Usage, UsageGroup, UsageKeeper, UsagePeriod};

use crate::on_both;
use crate::station::Station;

on_both!(
    counts_are_kept_once,
    counts_wait_for_the_catalog,
    counts_come_through_the_store_once,
    many_batches_cost_as_much_as_few,
    what_is_no_batch_is_left_alone,
    what_is_left_on_the_disk_is_kept_at_the_next_start,
    what_is_left_on_the_disk_counts_once,
    files_that_are_no_good_are_set_aside,
);

struct Scene {
    station: Station,
    ambient: Ambient,
    meter: Meter,
    usage: Usage,
    blobs: Blobs,
    store: TempDir,
}

impl Scene {
    async fn set(database: TestDatabase) -> Self {
        let station = Box::pin(Station::open(database, LookupLimits::default())).await;
        let (ambient, _) = tonearm_fixtures::ambient();
        let store = TempDir::new().unwrap();
        let url = format!("file://{}/objects", store.path().display());
        let blobs = Blobs::open(&url.parse().unwrap()).await.unwrap();
        let usage = Usage::new(station.node.catalog.clone(), ambient.clone());
        Self { station, ambient, meter: Meter::new(), usage, blobs, store }
    }

    fn organization(&self) -> OrganizationId {
        self.station.caller.organization_id
    }

    fn count(&self, bytes: u64) {
        let track = &self.station.track;
        self.meter.count(
            track.organization_id,
            track.index,
            None,
            UsageCounts::bytes(bytes),
            self.ambient.now(),
        );
    }

    async fn kept(&self) -> u64 {
        let caller = Caller::owner(self.organization());
        let period = UsagePeriod::new(None, None, self.usage.today()).unwrap();
        let window = tonearm_domain::LimitOffset::default();
        self.usage.report(&caller, period, UsageGroup::Day, window).await.unwrap().total.bytes
    }

    /// The keeper of a process that leaves on the disk what it cannot store.
    fn keeper(&self) -> UsageKeeper {
        let keeper = UsageKeeper::in_catalog(self.meter.clone(), self.usage.clone());
        keeper.leaving_in(self.folder())
    }

    fn folder(&self) -> PathBuf {
        self.store.path().join("unstored")
    }

    /// The names of the files left on the disk.
    fn left(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.folder()) else { return Vec::new() };
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    async fn stored(&self) -> usize {
        use futures::StreamExt as _;
        self.blobs.list(Some(ObjectKey::RESERVED), None).count().await
    }
}

async fn counts_are_kept_once(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let mut keeper = UsageKeeper::in_catalog(scene.meter.clone(), scene.usage.clone());
    keeper.flush().await.unwrap();
    scene.count(5);
    keeper.flush().await.unwrap();
    keeper.flush().await.unwrap();
    assert_eq!(scene.kept().await, 5);
    scene.count(7);
    keeper.flush().await.unwrap();
    assert_eq!(scene.kept().await, 12);
    // A lost response: the batch had been added, and is added again.
    scene.count(1);
    let batch = scene.meter.take(&scene.ambient).unwrap();
    assert!(scene.usage.add(&batch).await.unwrap());
    assert!(!scene.usage.add(&batch).await.unwrap());
    assert_eq!(scene.kept().await, 13);
}

async fn many_batches_cost_as_much_as_few(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let (meter, blobs) = (scene.meter.clone(), scene.blobs.clone());
    let mut keeper = UsageKeeper::in_store(meter, blobs, scene.ambient.clone());
    let mut statements = Vec::new();
    for batches in [2, 40] {
        for _ in 0..batches {
            scene.count(5);
            keeper.flush().await.unwrap();
        }
        let (queries, added) = scene.station.node.count(scene.usage.add_stored(&scene.blobs)).await;
        assert_eq!((added.unwrap(), scene.stored().await), (batches, 0));
        statements.push(queries);
    }
    assert_eq!(statements[0], statements[1]);
    assert_eq!(scene.kept().await, 210);
}

async fn counts_wait_for_the_catalog(database: TestDatabase) {
    let scene = Scene::set(database).await;
    // A missing folder stands for any unavailable store.
    let mut keeper = UsageKeeper::in_store(scene.meter.clone(), scene.blobs.clone(), scene.ambient.clone());
    let objects = scene.store.path().join("objects");
    let away = scene.store.path().join("away");
    std::fs::rename(&objects, &away).unwrap();
    std::fs::write(&objects, "not a folder").unwrap();
    scene.count(5);
    assert!(keeper.flush().await.is_err());
    scene.count(7);
    assert!(keeper.flush().await.is_err());
    std::fs::remove_file(&objects).unwrap();
    std::fs::rename(&away, &objects).unwrap();
    keeper.flush().await.unwrap();
    assert_eq!(scene.stored().await, 2);
    assert_eq!(scene.usage.add_stored(&scene.blobs).await.unwrap(), 2);
    assert_eq!(scene.kept().await, 12);
}

async fn counts_come_through_the_store_once(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let mut keeper = UsageKeeper::in_store(scene.meter.clone(), scene.blobs.clone(), scene.ambient.clone());
    keeper.flush().await.unwrap();
    assert_eq!(scene.stored().await, 0, "nothing counted, nothing written");
    for bytes in [1, 10, 100] {
        scene.count(bytes);
        keeper.flush().await.unwrap();
    }
    assert_eq!(scene.stored().await, 3);
    // Two nodes add concurrently; one of them may find that a batch is taken, and retries later.
    let other = Usage::new(scene.station.node.catalog.clone(), scene.ambient.clone());
    let (one, two) = tokio::join!(scene.usage.add_stored(&scene.blobs), other.add_stored(&scene.blobs));
    assert!(one.is_ok() || two.is_ok());
    scene.usage.add_stored(&scene.blobs).await.unwrap();
    assert_eq!((scene.stored().await, scene.kept().await), (0, 111));
    assert_eq!(scene.usage.add_stored(&scene.blobs).await.unwrap(), 0);

    // A node dies after adding a batch and before removing it.
    scene.count(1000);
    keeper.flush().await.unwrap();
    let objects = scene.store.path().join("objects");
    let saved = scene.store.path().join("saved");
    copy(&objects, &saved);
    assert_eq!(scene.usage.add_stored(&scene.blobs).await.unwrap(), 1);
    std::fs::remove_dir_all(&objects).unwrap();
    copy(&saved, &objects);
    assert_eq!(scene.stored().await, 1);
    assert_eq!(scene.usage.add_stored(&scene.blobs).await.unwrap(), 0);
    assert_eq!((scene.stored().await, scene.kept().await), (0, 1111));
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

async fn what_is_no_batch_is_left_alone(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let mut keeper = UsageKeeper::in_store(scene.meter.clone(), scene.blobs.clone(), scene.ambient.clone());
    scene.count(1);
    keeper.flush().await.unwrap();
    let name = "00000000-0000-0000-0000-000000000000/usagebatches/batch.zzzzzzzzzzzz.json";
    scene.blobs.put_bytes(&name.parse().unwrap(), "{\"id\": 7}".into()).await.unwrap();
    assert_eq!(scene.usage.add_stored(&scene.blobs).await.unwrap(), 1);
    assert_eq!((scene.stored().await, scene.kept().await), (1, 1));
}

async fn what_is_left_on_the_disk_is_kept_at_the_next_start(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let keeper = || {
        let keeper = UsageKeeper::in_store(scene.meter.clone(), scene.blobs.clone(), scene.ambient.clone());
        keeper.leaving_in(scene.folder())
    };
    let objects = scene.store.path().join("objects");
    let away = scene.store.path().join("away");
    std::fs::rename(&objects, &away).unwrap();
    std::fs::write(&objects, "not a folder").unwrap();
    let mut first = keeper();
    scene.count(5);
    assert!(first.flush().await.is_err());
    scene.count(7);
    assert_eq!(first.leave().await.unwrap(), 2, "the batch that was tried, and what came after it");
    assert_eq!(scene.left().len(), 2);
    // The next process ends during the outage too, and removes nothing.
    scene.count(100);
    let mut second = keeper();
    assert!(second.flush().await.is_err());
    assert_eq!(second.leave().await.unwrap(), 1);
    assert_eq!(scene.left().len(), 3);
    std::fs::remove_file(&objects).unwrap();
    std::fs::rename(&away, &objects).unwrap();
    keeper().flush().await.unwrap();
    assert_eq!((scene.left().len(), scene.stored().await), (0, 3));
    scene.usage.add_stored(&scene.blobs).await.unwrap();
    assert_eq!(scene.kept().await, 112);
}

async fn what_is_left_on_the_disk_counts_once(database: TestDatabase) {
    let scene = Scene::set(database).await;
    scene.count(5);
    assert_eq!(scene.keeper().leave().await.unwrap(), 1);
    let name = scene.left().remove(0);
    let json = std::fs::read(scene.folder().join(&name)).unwrap();
    scene.keeper().flush().await.unwrap();
    assert_eq!((scene.left().len(), scene.kept().await), (0, 5));
    // A process dies between the two steps: the batch was added, and its file is still there.
    std::fs::write(scene.folder().join(&name), &json).unwrap();
    scene.keeper().flush().await.unwrap();
    assert_eq!((scene.left().len(), scene.kept().await), (0, 5));
}

async fn files_that_are_no_good_are_set_aside(database: TestDatabase) {
    let scene = Scene::set(database).await;
    let mut keeper = scene.keeper();
    // A batch so old that it is no longer known whether it was counted.
    scene.count(1000);
    let mut old = scene.meter.take(&scene.ambient).unwrap();
    old.taken_at = old.taken_at.plus_seconds(-8 * 24 * 3600);
    scene.count(5);
    assert_eq!(keeper.leave().await.unwrap(), 1);
    for (name, json) in [
        ("0.json", &b"{\"id\": 7}"[..]),
        ("1.json", b""),
        ("2.json", b"\xff\xfe"),
        ("3.json", &serde_json::to_vec(&old).unwrap()),
        ("4.tmp", b"half a ba"),
    ] {
        std::fs::write(scene.folder().join(name), json).unwrap();
    }
    let mut next = scene.keeper();
    next.flush().await.unwrap();
    assert_eq!(scene.left(), ["0.unread", "1.unread", "2.unread", "3.unread"]);
    assert_eq!(scene.kept().await, 5);
    // They are not read again, and they count towards the limit of files left later.
    scene.keeper().flush().await.unwrap();
    for number in 4..1000 {
        std::fs::write(scene.folder().join(format!("{number}.unread")), "").unwrap();
    }
    scene.count(1);
    assert!(scene.keeper().leave().await.is_err(), "there are too many files");
}
