//! Jobs that wait for a part of the service.

use std::collections::{HashMap, HashSet};

use tonearm_catalog::{Catalog, Wait};
use tonearm_domain::{Ambient, ClaimedJob, Job, Outage, TrackId};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::jobs::queue;

crate::on_both!(
    a_job_waits_for_an_outage,
    an_outage_is_not_a_failure,
    a_later_run_knows_since_when_it_fails,
    one_of_those_that_wait_is_tried_early,
    no_job_is_always_the_one_tried_early,
    what_waits_is_released_in_batches,
    tracks_show_what_they_wait_for,
    a_lost_lease_lets_nothing_wait,
);

const LEASE_SECONDS: i64 = 60;

async fn claim(catalog: &Catalog, ambient: &Ambient) -> Option<ClaimedJob> {
    let until = ambient.now().plus_seconds(LEASE_SECONDS);
    catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap()
}

/// Lets a job wait for this many seconds, with an early retry after 20.
async fn wait(
    catalog: &Catalog,
    ambient: &Ambient,
    claimed: &ClaimedJob,
    outage: Outage,
    seconds: i64,
) -> bool {
    let now = ambient.now();
    let (run_at, probe_at) = (now.plus_seconds(seconds), Some(now.plus_seconds(20)));
    let wait = Wait { outage, failed_at: now, run_at, probe_at, reason: "it is\0 away" };
    catalog.wait_job(claimed, wait).await.unwrap()
}

/// Queues this many jobs, and lets each wait for the store for this many seconds.
async fn waiting(catalog: &Catalog, ambient: &Ambient, count: usize, seconds: i64) {
    for _ in 0..count {
        queue(catalog, ambient, ambient.now()).await;
    }
    for _ in 0..count {
        let claimed = claim(catalog, ambient).await.unwrap();
        assert!(wait(catalog, ambient, &claimed, Outage::Store, seconds).await);
    }
}

async fn a_job_waits_for_an_outage(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let claimed = claim(&catalog, &ambient).await.unwrap();
    assert_eq!((claimed.waits_for, claimed.failing_since), (None, None));
    assert!(wait(&catalog, &ambient, &claimed, Outage::Store, 900).await);
    let shown = &catalog.pending_jobs().await.unwrap()[0];
    assert_eq!((shown.waits_for, shown.failing_since), (Some(Outage::Store), Some(ambient.now())));
    assert_eq!(shown.last_error.as_deref(), Some("it is\u{FFFD} away"));
    assert_eq!((shown.leased_until, shown.failed_at), (None, None));
    clock.advance_seconds(899);
    assert_eq!(claim(&catalog, &ambient).await, None);
    clock.advance_seconds(1);
    assert!(claim(&catalog, &ambient).await.is_some());
}

/// An outage never counts as a failure, however often it happens, so that no job is given up because of it.
async fn an_outage_is_not_a_failure(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    for _ in 0..50 {
        let claimed = claim(&catalog, &ambient).await.unwrap();
        assert_eq!((claimed.failures, claimed.deaths), (0, 0));
        assert!(wait(&catalog, &ambient, &claimed, Outage::Tools, 900).await);
        clock.advance_seconds(900);
    }
}

async fn a_later_run_knows_since_when_it_fails(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let since = ambient.now();
    for outage in [Outage::Store, Outage::Store, Outage::Disk] {
        let claimed = claim(&catalog, &ambient).await.unwrap();
        wait(&catalog, &ambient, &claimed, outage, 10).await;
        clock.advance_seconds(10);
    }
    let claimed = claim(&catalog, &ambient).await.unwrap();
    assert_eq!((claimed.waits_for, claimed.failing_since), (Some(Outage::Disk), Some(since)));
    wait(&catalog, &ambient, &claimed, Outage::Overload, 10).await;
    clock.advance_seconds(10);
    // Time during which other parts were unavailable does not count as time in which it overloaded the server.
    let claimed = claim(&catalog, &ambient).await.unwrap();
    assert_eq!(claimed.failing_since, Some(since.plus_seconds(30)));
    wait(&catalog, &ambient, &claimed, Outage::Overload, 10).await;
    clock.advance_seconds(10);
    let claimed = claim(&catalog, &ambient).await.unwrap();
    assert_eq!(claimed.failing_since, Some(since.plus_seconds(30)));
    // A run that gets further resets this.
    assert!(catalog.retry_job(&claimed, ambient.now(), "their server is down").await.unwrap());
    let claimed = claim(&catalog, &ambient).await.unwrap();
    assert_eq!((claimed.waits_for, claimed.failing_since, claimed.failures), (None, None, 1));
}

async fn one_of_those_that_wait_is_tried_early(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    assert_eq!(catalog.probe_outages(ambient.now()).await.unwrap(), 0);
    waiting(&catalog, &ambient, 3, 900).await;
    clock.advance_seconds(19);
    assert_eq!(catalog.probe_outages(ambient.now()).await.unwrap(), 0);
    clock.advance_seconds(1);
    assert_eq!(catalog.probe_outages(ambient.now()).await.unwrap(), 1);
    // Other nodes start no further probe until a worker has claimed this job.
    assert_eq!(catalog.probe_outages(ambient.now()).await.unwrap(), 0);
    let claimed = claim(&catalog, &ambient).await.unwrap();
    assert_eq!(claimed.waits_for, Some(Outage::Store));
    assert_eq!(claim(&catalog, &ambient).await, None);
    assert_eq!(catalog.probe_outages(ambient.now()).await.unwrap(), 1);
}

/// A job that can never succeed must not keep the others waiting for a part that is available again.
async fn no_job_is_always_the_one_tried_early(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    waiting(&catalog, &ambient, 3, 100_000).await;
    let mut tried = HashMap::new();
    for _ in 0..9 {
        clock.advance_seconds(20);
        assert_eq!(catalog.probe_outages(ambient.now()).await.unwrap(), 1);
        let claimed = claim(&catalog, &ambient).await.unwrap();
        *tried.entry(claimed.id).or_insert(0) += 1;
        wait(&catalog, &ambient, &claimed, Outage::Store, 100_000).await;
    }
    assert_eq!(tried.into_values().collect::<Vec<_>>(), [3, 3, 3]);
}

async fn what_waits_is_released_in_batches(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    waiting(&catalog, &ambient, 5, 900).await;
    assert_eq!(catalog.release_waiting(Outage::Disk, ambient.now(), 3).await.unwrap(), 0);
    assert_eq!(catalog.release_waiting(Outage::Store, ambient.now(), 3).await.unwrap(), 3);
    // Jobs that are due already are not counted again.
    assert_eq!(catalog.release_waiting(Outage::Store, ambient.now(), 3).await.unwrap(), 2);
    assert_eq!(catalog.release_waiting(Outage::Store, ambient.now(), 3).await.unwrap(), 0);
    for _ in 0..5 {
        assert_eq!(claim(&catalog, &ambient).await.unwrap().waits_for, Some(Outage::Store));
    }
}

async fn tracks_show_what_they_wait_for(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization_id = ambient.record_id();
    let [one, other]: [TrackId; 2] = [(); 2].map(|()| ambient.record_id());
    for track_id in [one, other] {
        let tx = catalog.begin().await.unwrap();
        let job = Job::ProcessTrack { organization_id, track_id };
        tx.enqueue(job, ambient.record_id(), ambient.now(), None).await.unwrap();
        tx.commit().await.unwrap();
    }
    let queued = async |seconds: i64| {
        catalog.queued_tracks(&[one, other], ambient.now().plus_seconds(-seconds)).await.unwrap()
    };
    assert_eq!((queued(0).await, queued(1).await), (HashSet::from([one, other]), HashSet::new()));
    let claimed = claim(&catalog, &ambient).await.unwrap();
    let track = claimed.job.track_id().unwrap();
    assert_eq!(queued(0).await, [one, other].into_iter().filter(|id| *id != track).collect());
    let since = ambient.now();
    wait(&catalog, &ambient, &claimed, Outage::Memory, 10).await;
    let shown = || async { catalog.waiting_jobs_of_tracks(&[one, other]).await.unwrap() };
    assert_eq!(shown().await, HashMap::from([(track, (Outage::Memory, since))]));
    assert_eq!(catalog.waiting_jobs_of_tracks(&[]).await.unwrap(), HashMap::new());
    // The job still waits during the retry, and no longer once that has succeeded.
    claim(&catalog, &ambient).await.unwrap();
    clock.advance_seconds(10);
    let claimed = claim(&catalog, &ambient).await.unwrap();
    assert_eq!(claimed.job.track_id(), Some(track));
    assert!(shown().await.contains_key(&track));
    let tx = catalog.begin().await.unwrap();
    assert!(tx.finish_job(&claimed).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(shown().await, HashMap::new());
}

async fn a_lost_lease_lets_nothing_wait(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let lost = claim(&catalog, &ambient).await.unwrap();
    clock.advance_seconds(LEASE_SECONDS);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.check_lease(&lost).await.unwrap(), "it is still its own while nobody has taken over");
    drop(tx);
    let held = claim(&catalog, &ambient).await.unwrap();
    assert!(!wait(&catalog, &ambient, &lost, Outage::Store, 10).await);
    let tx = catalog.begin().await.unwrap();
    assert!(!tx.check_lease(&lost).await.unwrap());
    assert!(tx.check_lease(&held).await.unwrap());
    drop(tx);
    assert!(wait(&catalog, &ambient, &held, Outage::Store, 10).await);
}
