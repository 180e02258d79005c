//! Queueing jobs and claiming them.

use std::collections::HashSet;
use std::time::Duration;

use tonearm_catalog::{Catalog, CatalogError, Wakeup, WorkKind};
use tonearm_domain::{Ambient, Job, JobClass, JobId, Timestamp};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    every_kind_comes_back,
    jobs_run_in_their_time,
    a_rolled_back_transaction_queues_nothing,
    waiting_jobs_may_be_unique,
    workers_are_woken_by_commits,
    claimers_never_get_the_same_job,
    unreadable_jobs_wait,
    unknown_kinds_are_left_alone,
);

pub(crate) async fn queue(catalog: &Catalog, ambient: &Ambient, run_at: Timestamp) -> JobId {
    let id = ambient.record_id();
    let tx = catalog.begin().await.unwrap();
    tx.enqueue(Job::SweepObjects {}, id, run_at, None).await.unwrap();
    tx.commit().await.unwrap();
    id
}

async fn every_kind_comes_back(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization_id, track_id) = (ambient.record_id(), ambient.record_id());
    let jobs = [
        Job::ProcessTrack { organization_id, track_id },
        Job::TranscribeTrack { organization_id, track_id },
        Job::ExpireUpload { organization_id, track_id },
        Job::PurgeTrack { organization_id, track_id },
        Job::ResumeCollection { organization_id, collection_id: ambient.record_id(), cursor: Some(track_id) },
        Job::SweepObjects {},
    ];
    for (job, seconds) in jobs.iter().zip(0..) {
        let run_at = ambient.now().plus_seconds(seconds - 10);
        let tx = catalog.begin().await.unwrap();
        tx.enqueue(job.clone(), ambient.record_id(), run_at, None).await.unwrap();
        tx.commit().await.unwrap();
    }
    let until = ambient.now().plus_seconds(60);
    for job in jobs {
        let lease = ambient.credential_id();
        let claimed = catalog.claim_job(ambient.now(), lease, until).await.unwrap().unwrap();
        assert_eq!((claimed.job, claimed.attempt), (job, 1));
        assert_eq!((claimed.lease, claimed.leased_until), (lease, until));
    }
    assert_eq!(catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap(), None);
}

async fn jobs_run_in_their_time(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let later = queue(&catalog, &ambient, ambient.now().plus_seconds(10)).await;
    let sooner = queue(&catalog, &ambient, ambient.now().plus_seconds(5)).await;
    let claim = || async {
        let until = ambient.now().plus_seconds(1000);
        let claimed = catalog.claim_job(ambient.now(), ambient.credential_id(), until).await;
        claimed.unwrap().map(|claimed| claimed.id)
    };
    assert_eq!(claim().await, None);
    clock.advance_seconds(10);
    assert_eq!(claim().await, Some(sooner));
    assert_eq!(claim().await, Some(later));
    assert_eq!(claim().await, None);
    let pending = catalog.pending_jobs().await.unwrap();
    assert_eq!(pending.iter().map(|job| job.id).collect::<Vec<_>>(), [sooner, later]);
    assert_eq!((pending[0].kind.as_str(), pending[0].attempts), ("sweep_objects", 1));
}

async fn a_rolled_back_transaction_queues_nothing(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let organization = bare_organization(&ambient);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.enqueue(Job::SweepObjects {}, ambient.record_id(), ambient.now(), None).await.unwrap();
    drop(tx);
    assert_eq!(catalog.pending_jobs().await.unwrap(), []);
    assert_eq!(catalog.organization(organization.id).await.unwrap(), None);
    let woken = catalog.wakeups(WorkKind::Jobs(JobClass::Maintenance));
    assert!(tokio::time::timeout(Duration::ZERO, woken.next()).await.is_err());
}

async fn waiting_jobs_may_be_unique(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let enqueue = |unique| {
        let (catalog, ambient) = (&catalog, &ambient);
        async move {
            let tx = catalog.begin().await.unwrap();
            tx.enqueue(Job::SweepObjects {}, ambient.record_id(), ambient.now(), unique).await.unwrap();
            tx.commit().await.unwrap();
            catalog.pending_jobs().await.unwrap().len()
        }
    };
    assert_eq!(enqueue(Some("sweep")).await, 1);
    assert_eq!(enqueue(Some("sweep")).await, 1);
    assert_eq!(enqueue(Some("another")).await, 2);
    assert_eq!(enqueue(None).await, 3);
    assert_eq!(enqueue(None).await, 4);
    // A running job does not count as queued: it may have begun before the change that the next one is for.
    let until = ambient.now().plus_seconds(1);
    for _ in 0..4 {
        catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap().unwrap();
    }
    assert_eq!(enqueue(Some("sweep")).await, 5);
    assert_eq!(enqueue(Some("sweep")).await, 5);
}

async fn workers_are_woken_by_commits(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let woken = catalog.wakeups(WorkKind::Jobs(JobClass::Maintenance));
    let worker = tokio::spawn(async move { woken.next().await });
    queue(&catalog.clone(), &ambient, ambient.now()).await;
    assert_eq!(worker.await.unwrap(), Wakeup::Here);
}

async fn claimers_never_get_the_same_job(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let tx = catalog.begin().await.unwrap();
    for _ in 0..60 {
        tx.enqueue(Job::SweepObjects {}, ambient.record_id(), ambient.now(), None).await.unwrap();
    }
    tx.commit().await.unwrap();
    // Several processes, each with its own connections.
    let mut claimers = Vec::new();
    for _ in 0..4 {
        let (catalog, ambient) = (database.catalog().await, ambient.clone());
        for _ in 0..2 {
            let (catalog, ambient) = (catalog.clone(), ambient.clone());
            claimers.push(tokio::spawn(async move {
                let (mut ids, until) = (Vec::new(), ambient.now().plus_seconds(60));
                while let Some(claimed) =
                    catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap()
                {
                    ids.push(claimed.id);
                }
                ids
            }));
        }
    }
    let mut all = Vec::new();
    for claimer in claimers {
        all.extend(claimer.await.unwrap());
    }
    assert_eq!(all.len(), 60);
    assert_eq!(all.into_iter().collect::<HashSet<_>>().len(), 60);
}

/// A job that this version cannot read stays for a version that can.
async fn unreadable_jobs_wait(database: TestDatabase) {
    use sea_orm::ConnectionTrait;
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let id = queue(&catalog, &ambient, ambient.now()).await;
    let spoil = r#"UPDATE job SET payload = '{"kind": "of another time"}'"#;
    database.raw().await.execute_unprepared(spoil).await.unwrap();
    let other = queue(&catalog, &ambient, ambient.now().plus_seconds(1)).await;
    let claim = || async {
        let until = ambient.now().plus_seconds(60);
        catalog.claim_job(ambient.now(), ambient.credential_id(), until).await
    };
    assert!(matches!(claim().await.unwrap_err(), CatalogError::Corrupt(_)));
    assert_eq!(claim().await.unwrap(), None);
    let pending = catalog.pending_jobs().await.unwrap();
    let waiting = pending.iter().find(|job| job.id == id).unwrap();
    assert_eq!((waiting.failed_at, waiting.leased_until), (None, None));
    assert_eq!(waiting.run_at, ambient.now().plus_seconds(3600));
    assert!(waiting.last_error.as_deref().unwrap().contains("cannot run"));
    clock.advance_seconds(1);
    let claimed = claim().await.unwrap().unwrap();
    assert_eq!(claimed.id, other);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.finish_job(&claimed).await.unwrap());
    tx.commit().await.unwrap();

    // Once its payload can be read, it starts without failures.
    let mend = format!(
        r#"UPDATE job SET payload = '{{"kind": "sweep_objects"}}' WHERE run_at = {}"#,
        waiting.run_at.unix_millis()
    );
    database.raw().await.execute_unprepared(&mend).await.unwrap();
    clock.advance_seconds(3600);
    let claimed = claim().await.unwrap().unwrap();
    assert_eq!((claimed.id, claimed.failures, claimed.deaths), (id, 0, 0));
}

/// A job of a kind that only a newer version knows is not touched.
async fn unknown_kinds_are_left_alone(database: TestDatabase) {
    use sea_orm::ConnectionTrait;
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let unknown = queue(&catalog, &ambient, ambient.now()).await;
    let rename = "UPDATE job SET kind = 'of another time', payload = '{\"kind\": \"of another time\"}'";
    database.raw().await.execute_unprepared(rename).await.unwrap();
    let known = queue(&catalog, &ambient, ambient.now()).await;
    let before = catalog.pending_jobs().await.unwrap();
    let until = ambient.now().plus_seconds(60);
    let claim = || catalog.claim_job(ambient.now(), ambient.credential_id(), until);
    assert_eq!(claim().await.unwrap().unwrap().id, known);
    assert_eq!(claim().await.unwrap(), None);
    let of = |jobs: Vec<tonearm_catalog::PendingJob>| jobs.into_iter().find(|job| job.id == unknown).unwrap();
    assert_eq!(of(catalog.pending_jobs().await.unwrap()), of(before));
}
