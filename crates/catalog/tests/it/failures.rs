//! Jobs that were given up, grouped by reason.

use tonearm_domain::Job;
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};

crate::on_both!(failures_are_grouped_by_kind_and_reason);

async fn failures_are_grouped_by_kind_and_reason(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let organization_id = ambient.record_id();
    let reasons = ["of long ago", "no sound", "no sound", "no encoder", "no sound"];
    for reason in reasons {
        let tx = catalog.begin().await.unwrap();
        let job = Job::ProcessTrack { organization_id, track_id: ambient.record_id() };
        tx.enqueue(job, ambient.record_id(), ambient.now(), None).await.unwrap();
        tx.commit().await.unwrap();
        let now = ambient.now();
        let claimed = catalog.claim_job(now, ambient.credential_id(), now.plus_seconds(60)).await.unwrap();
        let tx = catalog.begin().await.unwrap();
        assert!(tx.give_up_job(&claimed.unwrap(), now, reason).await.unwrap());
        tx.commit().await.unwrap();
        clock.advance_seconds(60);
    }
    let (day, last_at) = (24 * 3600, ambient.now().plus_seconds(-60));
    // The first job was given up exactly at `since`, which is excluded.
    let since = ambient.now().plus_seconds(-5 * 60);
    let failures = catalog.failed_jobs(since, 20).await.unwrap();
    let told: Vec<_> = failures.groups.iter().map(|group| (group.reason.as_str(), group.count)).collect();
    assert_eq!(told, [("no sound", 3), ("no encoder", 1)]);
    assert!(failures.is_complete);
    let first = &failures.groups[0];
    assert_eq!((first.kind.as_str(), first.last_at), ("process_track", last_at));
    assert_eq!(first.organization_id, Some(organization_id));
    let latest = catalog.job(first.job_id).await.unwrap().unwrap();
    assert_eq!((latest.failed_at, latest.track_id), (Some(last_at), first.track_id));

    let fewer = catalog.failed_jobs(since, 1).await.unwrap();
    assert_eq!((fewer.groups.len(), fewer.is_complete), (1, false));
    clock.advance_seconds(day);
    let none = catalog.failed_jobs(ambient.now().plus_seconds(-day), 20).await.unwrap();
    assert_eq!((none.groups.len(), none.is_complete), (0, true));
}
