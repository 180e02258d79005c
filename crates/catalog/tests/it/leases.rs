//! Leases: how long a job is held, and what a worker can still do after it lost one.

use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, ClaimedJob};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::jobs::queue;
use crate::samples::*;

crate::on_both!(
    a_lease_runs_out,
    a_lease_can_be_renewed,
    a_returned_lease_counts_no_attempt,
    a_finished_job_is_gone,
    a_lost_lease_finishes_nothing,
    a_failed_job_waits,
    a_job_is_put_off_without_a_failure,
    a_job_is_given_up,
);

const LEASE_SECONDS: i64 = 30;

async fn claim(catalog: &Catalog, ambient: &Ambient) -> Option<ClaimedJob> {
    let until = ambient.now().plus_seconds(LEASE_SECONDS);
    catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap()
}

async fn a_lease_runs_out(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let id = queue(&catalog, &ambient, ambient.now()).await;
    let first = claim(&catalog, &ambient).await.unwrap();
    clock.advance_millis(LEASE_SECONDS * 1000 - 1);
    assert_eq!(claim(&catalog, &ambient).await, None);
    clock.advance_millis(1);
    let second = claim(&catalog, &ambient).await.unwrap();
    assert_eq!((first.id, first.attempt), (id, 1));
    assert_eq!((second.id, second.attempt), (id, 2));
    assert_ne!(first.lease, second.lease);

    let later = ambient.now().plus_seconds(1000);
    assert!(!catalog.renew_lease(&first, later).await.unwrap());
    assert!(!catalog.return_lease(&first).await.unwrap());
    assert!(!catalog.retry_job(&first, later, "too late").await.unwrap());
    assert!(!catalog.put_off_job(&first, later, "too late").await.unwrap());
    let tx = catalog.begin().await.unwrap();
    assert!(!tx.finish_job(&first).await.unwrap());
    assert!(!tx.give_up_job(&first, later, "too late").await.unwrap());
    assert!(tx.finish_job(&second).await.unwrap());
}

async fn a_lease_can_be_renewed(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let claimed = claim(&catalog, &ambient).await.unwrap();
    for _ in 0..3 {
        clock.advance_seconds(LEASE_SECONDS - 1);
        let until = ambient.now().plus_seconds(LEASE_SECONDS);
        assert!(catalog.renew_lease(&claimed, until).await.unwrap());
        assert_eq!(claim(&catalog, &ambient).await, None);
    }
    // The lease has expired, but no other worker has claimed the job: it can still be renewed.
    clock.advance_seconds(LEASE_SECONDS + 1);
    let until = ambient.now().plus_seconds(LEASE_SECONDS);
    assert!(catalog.renew_lease(&claimed, until).await.unwrap());
    assert_eq!(claim(&catalog, &ambient).await, None);
}

async fn a_returned_lease_counts_no_attempt(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    for _ in 0..3 {
        let claimed = claim(&catalog, &ambient).await.unwrap();
        assert_eq!(claimed.attempt, 1);
        assert!(catalog.return_lease(&claimed).await.unwrap());
        assert!(!catalog.return_lease(&claimed).await.unwrap());
    }
    assert_eq!(catalog.pending_jobs().await.unwrap()[0].attempts, 0);
}

async fn a_finished_job_is_gone(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let claimed = claim(&catalog, &ambient).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    assert!(tx.finish_job(&claimed).await.unwrap());
    assert!(!tx.finish_job(&claimed).await.unwrap());
    tx.commit().await.unwrap();
    clock.advance_seconds(LEASE_SECONDS * 10);
    assert_eq!(claim(&catalog, &ambient).await, None);
    assert_eq!(catalog.pending_jobs().await.unwrap(), []);
}

async fn a_lost_lease_finishes_nothing(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let lost = claim(&catalog, &ambient).await.unwrap();
    clock.advance_seconds(LEASE_SECONDS);
    let held = claim(&catalog, &ambient).await.unwrap();
    for (claimed, wins) in [(&lost, false), (&held, true)] {
        let organization = bare_organization(&ambient);
        let tx = catalog.begin().await.unwrap();
        tx.insert_organization(&organization).await.unwrap();
        let finished = tx.finish_job(claimed).await.unwrap();
        assert_eq!(finished, wins);
        match finished {
            true => tx.commit().await.unwrap(),
            false => drop(tx),
        }
        assert_eq!(catalog.organization(organization.id).await.unwrap().is_some(), wins);
    }
    assert_eq!(catalog.pending_jobs().await.unwrap(), []);
}

async fn a_failed_job_waits(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let claimed = claim(&catalog, &ambient).await.unwrap();
    let run_at = ambient.now().plus_seconds(4);
    assert!(catalog.retry_job(&claimed, run_at, "no\0 room").await.unwrap());
    assert!(!catalog.retry_job(&claimed, run_at, "again").await.unwrap());
    let waiting = &catalog.pending_jobs().await.unwrap()[0];
    assert_eq!(waiting.last_error.as_deref(), Some("no\u{FFFD} room"));
    assert_eq!((waiting.run_at, waiting.leased_until, waiting.failed_at), (run_at, None, None));
    assert_eq!(claim(&catalog, &ambient).await, None);
    clock.advance_seconds(4);
    assert_eq!(claim(&catalog, &ambient).await.unwrap().attempt, 2);
}

async fn a_job_is_put_off_without_a_failure(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let claimed = claim(&catalog, &ambient).await.unwrap();
    let run_at = ambient.now().plus_seconds(4);
    assert!(catalog.put_off_job(&claimed, run_at, "not yet").await.unwrap());
    assert_eq!(catalog.pending_jobs().await.unwrap()[0].last_error.as_deref(), Some("not yet"));
    assert_eq!(claim(&catalog, &ambient).await, None);
    clock.advance_seconds(4);
    let again = claim(&catalog, &ambient).await.unwrap();
    assert_eq!((again.attempt, again.failures), (2, 0));
    assert!(catalog.retry_job(&again, ambient.now(), "failed").await.unwrap());
    assert_eq!(claim(&catalog, &ambient).await.unwrap().failures, 1);
}

async fn a_job_is_given_up(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let id = queue(&catalog, &ambient, ambient.now()).await;
    let claimed = claim(&catalog, &ambient).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    assert!(tx.give_up_job(&claimed, ambient.now(), "It never worked.").await.unwrap());
    tx.commit().await.unwrap();
    let given_up = &catalog.pending_jobs().await.unwrap()[0];
    assert_eq!((given_up.id, given_up.failed_at), (id, Some(ambient.now())));
    assert_eq!(given_up.last_error.as_deref(), Some("It never worked."));
    clock.advance_seconds(LEASE_SECONDS * 100);
    assert_eq!(claim(&catalog, &ambient).await, None);
    assert!(!catalog.renew_lease(&claimed, ambient.now()).await.unwrap());
}
