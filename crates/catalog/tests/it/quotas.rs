//! Quotas of organizations and their usage. Triggers count the usage, whatever writes the rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use sea_orm::ConnectionTrait;
use tonearm_catalog::{Catalog, CoverObjects, NearQuota, PurgedTitles};
use tonearm_domain::{
    Ambient, Collection, CoverOwner, Deletion, Job, JobQueue, Organization, QuotaKind, QuotaUsage, Quotas,
    Source, Track,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    quotas_are_set_and_removed,
    bytes_count_until_they_are_purged,
    tracks_and_minutes_count_until_they_are_deleted,
    lengths_that_no_sound_has_do_not_count,
    a_moved_track_counts_once,
    those_with_a_quota_follow_one_another,
    a_backlog_is_counted_as_far_as_it_matters,
    those_that_are_nearly_used_up_are_told,
);

async fn set(catalog: &Catalog, organization: &Organization, quotas: Quotas) {
    let tx = catalog.begin().await.unwrap();
    tx.set_quotas(organization.id, quotas).await.unwrap();
    tx.commit().await.unwrap();
}

/// A track with a source of this many bytes and a duration in seconds.
async fn track_of(
    catalog: &Catalog,
    ambient: &Ambient,
    collection: &Collection,
    size: u64,
    duration: f64,
) -> Track {
    let track = bare_track(ambient, collection);
    let source = Some(Source { size, ..source(ambient, &track) });
    let track = stored_track(catalog, Track { duration, ..track }).await;
    let track = Track { source, ..track };
    let tx = catalog.begin().await.unwrap();
    tx.update_track(&track).await.unwrap();
    tx.commit().await.unwrap();
    track
}

async fn quotas_are_set_and_removed(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let (other, _) = stored_collection(&catalog, &ambient).await;
    let none = Quotas::default();
    assert_eq!(catalog.quotas(organization.id).await.unwrap(), none);
    for quotas in [
        Quotas { bytes: Some(0), tracks: None, minutes: Some(7) },
        Quotas { bytes: Some(i64::MAX as u64), tracks: Some(5), minutes: None },
        none,
    ] {
        set(&catalog, &organization, quotas).await;
        assert_eq!(catalog.quotas(organization.id).await.unwrap(), quotas);
        assert_eq!(catalog.quotas(other.id).await.unwrap(), none);
        let tx = catalog.begin().await.unwrap();
        assert_eq!(tx.quotas(organization.id).await.unwrap(), quotas);
    }
}

async fn bytes_count_until_they_are_purged(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let id = organization.id;
    let bytes = async || catalog.quota_usage(id).await.unwrap().bytes;
    assert_eq!(catalog.quota_usage(id).await.unwrap(), QuotaUsage::default());
    let [first, second] = [
        track_of(&catalog, &ambient, &collection, 1000, 0.0).await,
        track_of(&catalog, &ambient, &collection, 100, 0.0).await,
    ];
    let tx = catalog.begin().await.unwrap();
    for (owner, bytes) in [
        (CoverOwner::Track(first.id), 20),
        (CoverOwner::Collection(collection.id), 3),
        (CoverOwner::Organization, 4),
    ] {
        tx.record_covers(id, owner, bytes, CoverObjects::default()).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(bytes().await, 1127);
    let now = ambient.now();
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(id, first.id, now).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(bytes().await, 1127, "its files are still there");
    let tx = catalog.begin().await.unwrap();
    assert!(tx.purge_track(id, first.id, now, PurgedTitles::Removed).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(bytes().await, 107);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_collection(id, collection.id, now).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(bytes().await, 107);
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.mark_tracks_for_purge(collection.id, now, 10).await.unwrap(), [second.id]);
    assert!(tx.purge_track(id, second.id, now, PurgedTitles::Kept).await.unwrap());
    assert!(tx.purge_collection(id, collection.id).await.unwrap());
    assert_eq!(tx.quota_usage(id).await.unwrap().bytes, 4, "a transaction sees what it did");
    tx.commit().await.unwrap();
    assert_eq!(bytes().await, 4);
}

async fn tracks_and_minutes_count_until_they_are_deleted(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let used = async || {
        let used = catalog.quota_usage(organization.id).await.unwrap();
        (used.tracks, used.milliseconds)
    };
    let short = track_of(&catalog, &ambient, &collection, 1, 1.25).await;
    let mut long = track_of(&catalog, &ambient, &collection, 1, 0.0).await;
    assert_eq!(used().await, (2, 1250));
    long.duration = 3600.0004;
    for _ in 0..2 {
        let tx = catalog.begin().await.unwrap();
        tx.update_track(&long).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(used().await, (2, 3_601_250));
    }
    let later = ambient.now().plus_seconds(60);
    let deletion = Deletion { at: ambient.now(), restorable_until: Some(later) };
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(organization.id, long.id, deletion).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(used().await, (1, 1250));
    let tx = catalog.begin().await.unwrap();
    assert!(tx.restore_track(organization.id, long.id, ambient.now()).await.unwrap().is_some());
    tx.commit().await.unwrap();
    assert_eq!(used().await, (2, 3_601_250));
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_collection(organization.id, collection.id, deletion).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(used().await, (0, 0));
    let tx = catalog.begin().await.unwrap();
    tx.restore_collection(organization.id, collection.id, ambient.now()).await.unwrap().unwrap();
    assert!(tx.soft_delete_track(organization.id, short.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(used().await, (1, 3_600_000));
}

async fn lengths_that_no_sound_has_do_not_count(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    for duration in [-5.0, 1e9, 1e300, f64::MIN] {
        track_of(&catalog, &ambient, &collection, 1, duration).await;
    }
    track_of(&catalog, &ambient, &collection, 1, 2.0).await;
    let used = catalog.quota_usage(organization.id).await.unwrap();
    assert_eq!(used, QuotaUsage { bytes: 5, tracks: 5, milliseconds: 2000 });
}

/// A single statement that changes the collection of a track.
async fn a_moved_track_counts_once(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, from) = stored_collection(&catalog, &ambient).await;
    let to = bare_collection(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_collection(&to).await.unwrap();
    tx.commit().await.unwrap();
    let moved = track_of(&catalog, &ambient, &from, 50, 2.0).await;
    track_of(&catalog, &ambient, &from, 7, 1.0).await;
    let raw = database.raw().await;
    let id = |id: uuid::Uuid| match database.url.starts_with("sqlite") {
        true => format!("x'{}'", id.simple()),
        false => format!("'{id}'"),
    };
    let statement =
        format!("UPDATE track SET collection_id = {} WHERE id = {}", id(to.id.uuid()), id(moved.id.uuid()));
    assert_eq!(raw.execute_unprepared(&statement).await.unwrap().rows_affected(), 1);
    let used = catalog.quota_usage(organization.id).await.unwrap();
    assert_eq!((used.bytes, used.milliseconds), (57, 3000));
    let sums = raw.query_all_raw(sea_orm::Statement::from_string(
        raw.get_database_backend(),
        "SELECT kept_bytes, sound_millis FROM collection ORDER BY kept_bytes",
    ));
    let sums: Vec<(i64, i64)> = sums
        .await
        .unwrap()
        .iter()
        .map(|row| (row.try_get("", "kept_bytes").unwrap(), row.try_get("", "sound_millis").unwrap()))
        .collect();
    assert_eq!(sums, [(7, 1000), (50, 2000)]);
}

/// Each task checks the usage, and adds a track only if there are fewer than five.
async fn those_with_a_quota_follow_one_another(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    set(&catalog, &organization, Quotas { tracks: Some(5), ..Quotas::default() }).await;
    let added = Arc::new(AtomicUsize::new(0));
    let attempts = (0..20).map(|_| {
        let (catalog, added) = (catalog.clone(), added.clone());
        let track = bare_track(&ambient, &collection);
        tokio::spawn(async move {
            let tx = catalog.begin().await.unwrap();
            let quotas = tx.quotas(track.organization_id).await.unwrap();
            if quotas.admit_track(tx.quota_usage(track.organization_id).await.unwrap()).is_ok() {
                tx.insert_track(&track).await.unwrap();
                tx.commit().await.unwrap();
                added.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    join_all(attempts).await.into_iter().for_each(|attempt| attempt.unwrap());
    assert_eq!(added.load(Ordering::Relaxed), 5);
    assert_eq!(catalog.quota_usage(organization.id).await.unwrap().tracks, 5);
}

async fn a_backlog_is_counted_as_far_as_it_matters(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let is_long = async |most| catalog.has_waiting_jobs(JobQueue::Uploads, None, most).await.unwrap();
    let has = async |id, most| catalog.has_waiting_jobs(JobQueue::Uploads, Some(id), most).await.unwrap();
    let organizations = async || catalog.waiting_organizations(JobQueue::Uploads).await.unwrap();
    assert!(!is_long(1).await && !has(organization.id, 1).await);
    assert_eq!(organizations().await, 0);
    let tx = catalog.begin().await.unwrap();
    for seconds in [0, 0, 3600] {
        let job = Job::ProcessTrack { organization_id: organization.id, track_id: ambient.record_id() };
        tx.enqueue(job, ambient.record_id(), ambient.now().plus_seconds(seconds), None).await.unwrap();
    }
    let other = Job::PurgeCollection { organization_id: organization.id, collection_id: collection.id };
    tx.enqueue(other, ambient.record_id(), ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    assert!(is_long(1).await && is_long(3).await && !is_long(4).await);
    assert!(has(organization.id, 3).await && !has(organization.id, 4).await);
    assert!(!has(ambient.record_id(), 1).await);
    assert_eq!(organizations().await, 1);
    // A job that a worker holds is not waiting.
    let until = ambient.now().plus_seconds(60);
    catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap().unwrap();
    assert!(is_long(2).await && !is_long(3).await);
    let tx = catalog.begin().await.unwrap();
    for organization_id in [ambient.record_id(), ambient.record_id()] {
        let job = Job::ProcessTrack { organization_id, track_id: ambient.record_id() };
        tx.enqueue(job, ambient.record_id(), ambient.now(), None).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(organizations().await, 3);
}

async fn those_that_are_nearly_used_up_are_told(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (one, songs) = stored_collection(&catalog, &ambient).await;
    let (other, more) = stored_collection(&catalog, &ambient).await;
    let (unlimited, _) = stored_collection(&catalog, &ambient).await;
    assert_eq!(catalog.near_quotas(10).await.unwrap(), []);
    // 400 bytes, 4 tracks and 244 seconds.
    for _ in 0..4 {
        track_of(&catalog, &ambient, &songs, 100, 61.0).await;
    }
    let deleted = track_of(&catalog, &ambient, &more, 100, 1.0).await;
    set(&catalog, &one, Quotas { bytes: Some(501), tracks: Some(5), minutes: Some(6) }).await;
    set(&catalog, &other, Quotas { bytes: Some(90), tracks: Some(0), minutes: None }).await;
    set(&catalog, &unlimited, Quotas { bytes: None, tracks: Some(1), minutes: None }).await;
    // Deleted tracks use bytes until they are purged, even if they were deleted with their collection.
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(other.id, deleted.id, ambient.now()).await.unwrap());
    assert!(tx.soft_delete_collection(other.id, more.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();

    let near = |organization: &Organization, kind, used, limit| NearQuota {
        organization_id: organization.id,
        name: organization.name.clone(),
        kind,
        used,
        limit,
    };
    let expected = [
        near(&other, QuotaKind::Bytes, 100, 90),
        near(&one, QuotaKind::Minutes, 5, 6),
        near(&one, QuotaKind::Tracks, 4, 5),
    ];
    assert_eq!(catalog.near_quotas(10).await.unwrap(), expected);
    assert_eq!(catalog.near_quotas(2).await.unwrap(), expected[..2]);
    set(&catalog, &one, Quotas { bytes: Some(500), ..Quotas::default() }).await;
    assert_eq!(catalog.near_quotas(10).await.unwrap()[1], near(&one, QuotaKind::Bytes, 400, 500));
    let large = Quotas { bytes: Some(i64::MAX as u64), ..Quotas::default() };
    set(&catalog, &other, large).await;
    assert_eq!(catalog.near_quotas(10).await.unwrap().len(), 1);
}
