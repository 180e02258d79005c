//! Counting jobs for metrics.

use tonearm_catalog::{JobTally, Wait};
use tonearm_domain::{Job, JobClass, Outage};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};

crate::on_both!(jobs_are_counted_by_class_kind_and_state, pools_are_told);

async fn jobs_are_counted_by_class_kind_and_state(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    assert_eq!(catalog.job_tallies(ambient.now()).await.unwrap(), []);
    let organization_id = ambient.record_id();
    let upload = || Job::ProcessTrack { organization_id, track_id: ambient.record_id() };
    let import = || Job::ImportSource { organization_id, track_id: ambient.record_id() };
    let tx = catalog.begin().await.unwrap();
    // The first job is claimed and running, the second waits for an outage, the third has been given up; two are due,
    // one is not.
    for (job, due_in) in [
        (upload(), -60),
        (upload(), -50),
        (upload(), -40),
        (upload(), -30),
        (upload(), -20),
        (upload(), 600),
        (import(), -5),
        (Job::SweepObjects {}, 3600),
    ] {
        let run_at = ambient.now().plus_seconds(due_in);
        tx.enqueue(job, ambient.record_id(), run_at, None).await.unwrap();
    }
    tx.commit().await.unwrap();
    let now = ambient.now();
    let until = now.plus_seconds(60);
    let mut claimed = Vec::new();
    for _ in 0..3 {
        claimed.extend(catalog.claim_job(now, ambient.credential_id(), until).await.unwrap());
    }
    let (outage, failed_at) = (Outage::Store, now.plus_seconds(-10));
    let wait = Wait { outage, failed_at, run_at: until, probe_at: None, reason: "away" };
    assert!(catalog.wait_job(&claimed[1], wait).await.unwrap());
    let tx = catalog.begin().await.unwrap();
    assert!(tx.give_up_job(&claimed[2], now.plus_seconds(-7), "no use").await.unwrap());
    tx.commit().await.unwrap();

    let mut tallies = catalog.job_tallies(now).await.unwrap();
    tallies.sort_by(|one, other| (&one.kind, &one.state).cmp(&(&other.kind, &other.state)));
    let tally = |class, kind: &str, state: &str, count, seconds: u64| JobTally {
        class,
        kind: kind.to_owned(),
        state: state.to_owned(),
        count,
        oldest_age_millis: seconds * 1000,
    };
    assert_eq!(
        tallies,
        [
            tally(JobClass::Wait, "import_source", "queued", 1, 5),
            tally(JobClass::Encode, "process_track", "failed", 1, 7),
            tally(JobClass::Encode, "process_track", "queued", 2, 30),
            tally(JobClass::Encode, "process_track", "running", 1, 60),
            // One waits for the store, one for its due time.
            tally(JobClass::Encode, "process_track", "waiting", 2, 10),
            tally(JobClass::Maintenance, "sweep_objects", "waiting", 1, 0),
        ]
    );
}

async fn pools_are_told(database: TestDatabase) {
    let catalog = database.catalog().await;
    let tx = catalog.begin().await.unwrap();
    let pools = catalog.pools();
    let writing = pools.iter().find(|pool| ["shared", "writer"].contains(&pool.name)).unwrap();
    assert!(writing.in_use >= 1 && writing.in_use + writing.idle <= writing.most, "{pools:?}");
    drop(tx);
}
