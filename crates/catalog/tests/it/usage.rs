//! Counts are added once, and summed by day, track and variant.

use sea_orm::ConnectionTrait;
use tonearm_catalog::{Catalog, CoverObjects, StorageUsage, UsageFilter, UsageTracks};
use tonearm_domain::{
    Ambient, CoverOwner, Day, ExpiredRows, FileData, FileOutcome, KeyScope, LimitOffset, Meter,
    OrganizationId, ShortId, Source, Track, UsageBatch, UsageCounts,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    a_batch_is_added_once,
    batches_add_up,
    batches_of_many_nodes_at_once_add_up,
    large_batches_are_added_whole,
    sums_are_by_day_track_and_variant,
    a_scope_sees_its_own,
    batches_are_forgotten_in_time,
    storage_is_what_living_files_take,
    what_others_added_is_summed,
);

const DAY: i64 = 86_400;

fn filter(ambient: &Ambient, organization_id: OrganizationId) -> UsageFilter {
    let to = Day::of(ambient.now()).plus_days(10);
    UsageFilter { organization_id, from: to.plus_days(-20), to, scope: KeyScope::Organization }
}

fn bytes(ambient: &Ambient, organization: OrganizationId, folder: ShortId, bytes: u64) -> UsageBatch {
    let meter = Meter::new();
    let hq = "hq".parse().unwrap();
    meter.count(organization, folder, Some(&hq), UsageCounts::bytes(bytes), ambient.now());
    meter.take(ambient).unwrap()
}

async fn a_batch_is_added_once(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let organization = ambient.record_id();
    let batch = bytes(&ambient, organization, ambient.short_id(), 7);
    assert!(catalog.add_usage(&batch, ambient.now()).await.unwrap());
    assert!(!catalog.add_usage(&batch, ambient.now()).await.unwrap());
    // Another process does not add it again either.
    assert!(!database.catalog().await.add_usage(&batch, ambient.now()).await.unwrap());
    let total = catalog.total_usage(&filter(&ambient, organization)).await.unwrap();
    assert_eq!(total, UsageCounts::bytes(7));
    let nobody = catalog.total_usage(&filter(&ambient, ambient.record_id())).await.unwrap();
    assert_eq!(nobody, UsageCounts::default());
}

async fn batches_add_up(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, folder) = (ambient.record_id(), ambient.short_id());
    let meter = Meter::new();
    let mut expected = UsageCounts::default();
    for n in 0..5 {
        for counts in [
            UsageCounts::STREAM_REDIRECT,
            UsageCounts::TRACK_FETCH,
            UsageCounts::DOWNLOAD,
            UsageCounts::START,
            UsageCounts::bytes(1 << (n * 7)),
        ] {
            meter.count(organization, folder, None, counts, ambient.now());
            expected += counts;
        }
        catalog.add_usage(&meter.take(&ambient).unwrap(), ambient.now()).await.unwrap();
        clock.advance_seconds(1);
    }
    assert_eq!(catalog.total_usage(&filter(&ambient, organization)).await.unwrap(), expected);
    assert_eq!(expected.plays(), 10);
}

async fn batches_of_many_nodes_at_once_add_up(database: TestDatabase) {
    let (ambient, _) = ambient();
    let organization: OrganizationId = ambient.record_id();
    let folders: Vec<ShortId> = (0..20).map(|_| ambient.short_id()).collect();
    let first = database.catalog().await;
    let mut nodes = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (catalog, ambient, folders) = (database.catalog().await, ambient.clone(), folders.clone());
        nodes.spawn(async move {
            for _ in 0..5 {
                let meter = Meter::new();
                for folder in &folders {
                    meter.count(organization, *folder, None, UsageCounts::bytes(1), ambient.now());
                }
                catalog.add_usage(&meter.take(&ambient).unwrap(), ambient.now()).await.unwrap();
            }
        });
    }
    nodes.join_all().await;
    let total = first.total_usage(&filter(&ambient, organization)).await.unwrap();
    assert_eq!(total, UsageCounts::bytes(4 * 5 * 20));
}

async fn large_batches_are_added_whole(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let organization = ambient.record_id();
    let meter = Meter::new();
    for _ in 0..7001 {
        meter.count(organization, ambient.short_id(), None, UsageCounts::bytes(1), ambient.now());
    }
    catalog.add_usage(&meter.take(&ambient).unwrap(), ambient.now()).await.unwrap();
    let filter = filter(&ambient, organization);
    assert_eq!(catalog.total_usage(&filter).await.unwrap(), UsageCounts::bytes(7001));
    let (count, page) = catalog.usage_by_track(&filter, LimitOffset::default()).await.unwrap();
    assert_eq!((count.total, count.played, page.len()), (7001, 0, 50));
}

async fn titled_track(catalog: &Catalog, ambient: &Ambient) -> Track {
    let (_, collection) = stored_collection(catalog, ambient).await;
    let mut track = bare_track(ambient, &collection);
    track.info.tags.insert("title".to_owned(), "Song".to_owned());
    stored_track(catalog, track).await
}

async fn sums_are_by_day_track_and_variant(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let track = titled_track(&catalog, &ambient).await;
    let (organization, cover) = (track.organization_id, ambient.short_id());
    let [hq, lq] = ["hq", "lq"].map(|name| name.parse().unwrap());
    let meter = Meter::new();
    let first_day = Day::of(ambient.now());
    let count = |folder, variant, counts, now| meter.count(organization, folder, variant, counts, now);
    count(track.index, Some(&hq), UsageCounts::bytes(100), ambient.now());
    count(track.index, None, UsageCounts::TRACK_FETCH, ambient.now());
    clock.advance_seconds(2 * DAY);
    count(track.index, Some(&lq), UsageCounts::bytes(10), ambient.now());
    count(cover, Some(&hq), UsageCounts::bytes(1), ambient.now());
    catalog.add_usage(&meter.take(&ambient).unwrap(), ambient.now()).await.unwrap();
    let whole = filter(&ambient, organization);

    let days = catalog.usage_by_day(&whole).await.unwrap();
    let days: Vec<_> = days.iter().map(|row| (row.day, row.counts.bytes, row.counts.plays())).collect();
    assert_eq!(days, [(first_day, 100, 1), (first_day.plus_days(2), 11, 0)]);

    let (found, tracks) = catalog.usage_by_track(&whole, LimitOffset::default()).await.unwrap();
    let rows: Vec<_> = tracks.iter().map(|row| (row.folder, row.track_id, row.counts.bytes)).collect();
    assert_eq!(rows, [(track.index, Some(track.id), 110), (cover, None, 1)]);
    // Deliveries of other files, such as covers, are not plays.
    assert_eq!((found, tracks[0].title.as_deref()), (UsageTracks { total: 2, played: 1 }, Some("Song")));
    let second = LimitOffset::new(Some(1), Some(1)).unwrap();
    assert_eq!(catalog.usage_by_track(&whole, second).await.unwrap(), (found, tracks[1..].to_vec()));
    let behind = LimitOffset::new(Some(1), Some(2)).unwrap();
    assert_eq!(catalog.usage_by_track(&whole, behind).await.unwrap(), (found, Vec::new()));

    let (found, variants) = catalog.usage_by_variant(&whole, LimitOffset::default()).await.unwrap();
    let rows: Vec<_> = variants.into_iter().map(|row| (row.variant, row.counts.bytes)).collect();
    assert_eq!((found, rows), (3, vec![(Some(hq), 101), (Some(lq), 10), (None, 0)]));

    // A period includes both of its ends.
    let only = |from, to| UsageFilter { from, to, ..whole };
    let bytes = async |filter| catalog.total_usage(&filter).await.unwrap().bytes;
    assert_eq!(bytes(only(first_day, first_day)).await, 100);
    assert_eq!(bytes(only(first_day, first_day.plus_days(1))).await, 100);
    assert_eq!(bytes(only(first_day.plus_days(1), first_day.plus_days(2))).await, 11);
}

async fn a_scope_sees_its_own(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = titled_track(&catalog, &ambient).await;
    let other = titled_track(&catalog, &ambient).await;
    for (folder, size) in [(track.index, 5), (ambient.short_id(), 50)] {
        let batch = bytes(&ambient, track.organization_id, folder, size);
        catalog.add_usage(&batch, ambient.now()).await.unwrap();
    }
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(track.organization_id, track.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    for (scope, expected) in [
        (KeyScope::Organization, 55),
        // Usage still counts after the track is deleted.
        (KeyScope::Collection(track.collection_id), 5),
        (KeyScope::Track(track.collection_id, track.id), 5),
        (KeyScope::Track(track.collection_id, other.id), 0),
        (KeyScope::Collection(other.collection_id), 0),
    ] {
        let filter = UsageFilter { scope, ..filter(&ambient, track.organization_id) };
        assert_eq!(catalog.total_usage(&filter).await.unwrap().bytes, expected, "{scope:?}");
    }
}

async fn batches_are_forgotten_in_time(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization = ambient.record_id();
    let [old, seen_again] = [1, 2].map(|n| bytes(&ambient, organization, ambient.short_id(), n));
    for batch in [&old, &seen_again] {
        catalog.add_usage(batch, ambient.now()).await.unwrap();
    }
    let then = ambient.now();
    clock.advance_seconds(60);
    assert!(!catalog.add_usage(&seen_again, ambient.now()).await.unwrap());
    let forgotten = catalog.delete_expired(ExpiredRows::UsageBatches, then, 1000);
    assert_eq!(forgotten.await.unwrap(), 1);
    assert!(!catalog.add_usage(&seen_again, ambient.now()).await.unwrap());
    assert!(catalog.add_usage(&old, ambient.now()).await.unwrap());
}

async fn storage_is_what_living_files_take(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let id = organization.id;
    let storage = async |scope| catalog.storage_usage(id, scope).await.unwrap();
    assert_eq!(storage(KeyScope::Organization).await, StorageUsage { tracks: 0, bytes: 0 });
    let [small, large] = [100, 1000].map(|size| {
        let track = bare_track(&ambient, &collection);
        let source = Some(Source { size, ..source(&ambient, &track) });
        Track { source, ..track }
    });
    let recipes = tonearm_domain::default_recipes(id, &ambient);
    let tx = catalog.begin().await.unwrap();
    for track in [&small, &large] {
        tx.insert_track(track).await.unwrap();
        // The original is the source under another name, and is counted once.
        let source = track.source.as_ref().unwrap();
        for (recipe, own, size) in [(&recipes[0], false, 7), (&recipes[1], true, source.size)] {
            let mut file = made_file(&ambient, track, recipe, FileData::NONE);
            let FileOutcome::Made { key, size: made, .. } = &mut file.outcome else { unreachable!() };
            *made = size;
            if own {
                *key = source.key.clone();
            }
            tx.put_track_file(&file).await.unwrap();
        }
        // Files are counted when the track is written after them, as at the end of its processing.
        tx.update_track(track).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(storage(KeyScope::Organization).await, StorageUsage { tracks: 2, bytes: 1114 });
    assert_eq!(
        storage(KeyScope::Track(collection.id, small.id)).await,
        StorageUsage { tracks: 1, bytes: 107 }
    );
    assert_eq!(storage(KeyScope::Collection(ambient.record_id())).await.tracks, 0);
    // Covers count once they are measured: those of tracks with the tracks, the others on their own.
    let tx = catalog.begin().await.unwrap();
    let owners =
        [CoverOwner::Track(large.id), CoverOwner::Collection(collection.id), CoverOwner::Organization];
    for (owner, bytes) in owners.into_iter().zip([20, 3, 4]) {
        tx.record_covers(id, owner, 5, CoverObjects::default()).await.unwrap();
        tx.record_covers(id, owner, bytes, CoverObjects::default()).await.unwrap();
        tx.record_covers(ambient.record_id(), owner, 77, CoverObjects::default()).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(storage(KeyScope::Organization).await, StorageUsage { tracks: 2, bytes: 1141 });
    assert_eq!(storage(KeyScope::Collection(collection.id)).await, StorageUsage { tracks: 2, bytes: 1137 });
    assert_eq!(
        storage(KeyScope::Track(collection.id, large.id)).await,
        StorageUsage { tracks: 1, bytes: 1027 }
    );
    let by_track = async || {
        let found =
            catalog.storage_by_track(id, KeyScope::Organization, LimitOffset::default()).await.unwrap();
        (found.0, found.1.iter().map(|row| (row.track_id, row.bytes)).collect::<Vec<_>>())
    };
    assert_eq!(by_track().await, (2, vec![(large.id, 1027), (small.id, 107)]));
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(id, large.id, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(by_track().await, (1, vec![(small.id, 107)]));
    assert_eq!(storage(KeyScope::Organization).await, StorageUsage { tracks: 1, bytes: 114 });
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_collection(id, collection.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(storage(KeyScope::Organization).await, StorageUsage { tracks: 0, bytes: 4 });
    assert_eq!(by_track().await, (0, Vec::new()));
}

/// A node of the previous version, which knows of no sums, updates only the rows of tracks.
async fn what_others_added_is_summed(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let track = titled_track(&catalog, &ambient).await;
    let (meter, filter) = (Meter::new(), filter(&ambient, track.organization_id));
    let play = |meter: &Meter| {
        meter.count(track.organization_id, track.index, None, UsageCounts::STREAM_REDIRECT, ambient.now());
        meter.take(&ambient).unwrap()
    };
    assert!(catalog.add_usage(&play(&meter), ambient.now()).await.unwrap());
    assert_eq!(catalog.sum_foreign_usage().await.unwrap(), 0, "everything is summed");
    let foreign = play(&meter);
    assert!(catalog.add_usage(&foreign, ambient.now()).await.unwrap());
    let raw = database.raw().await;
    for statement in ["UPDATE usage_sum SET stream_redirects = 1", "UPDATE usage_batch SET is_summed = FALSE"]
    {
        raw.execute_unprepared(statement).await.unwrap();
    }
    let plays = async |scope| {
        let filter = UsageFilter { scope, ..filter };
        catalog.total_usage(&filter).await.unwrap().stream_redirects
    };
    assert_eq!(plays(KeyScope::Organization).await, 1);
    assert_eq!(catalog.sum_foreign_usage().await.unwrap(), 1);
    for scope in [
        KeyScope::Organization,
        KeyScope::Collection(track.collection_id),
        KeyScope::Track(track.collection_id, track.id),
    ] {
        assert_eq!(plays(scope).await, 2, "{scope:?}");
    }
    assert_eq!(catalog.sum_foreign_usage().await.unwrap(), 0);
    assert!(catalog.add_usage(&play(&meter), ambient.now()).await.unwrap());
    assert_eq!(plays(KeyScope::Collection(track.collection_id)).await, 3);
}
