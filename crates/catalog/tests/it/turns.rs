//! Which organization's job is claimed next.

use std::collections::HashMap;

use sea_orm::ConnectionTrait;
use tonearm_catalog::{Catalog, RoundRobin};
use tonearm_domain::{Ambient, ClaimedJob, Job, JobQueue, OrganizationId};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};

crate::on_both!(
    organizations_take_turns,
    those_who_are_excepted_are_passed_over,
    queues_are_claimed_apart,
    what_is_not_due_holds_nobody_up,
    turns_of_many_claimers_are_fair,
    jobs_of_an_earlier_version_are_sorted,
);

/// Queues this many uploads of an organization, the first due after this many seconds and the others a second apart.
async fn uploads(
    catalog: &Catalog,
    ambient: &Ambient,
    organization_id: OrganizationId,
    count: i64,
    from: i64,
) {
    let tx = catalog.begin().await.unwrap();
    for number in 0..count {
        let job = Job::ProcessTrack { organization_id, track_id: ambient.record_id() };
        let run_at = ambient.now().plus_seconds(from + number);
        tx.enqueue(job, ambient.record_id(), run_at, None).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn claim(catalog: &Catalog, ambient: &Ambient, round_robin: RoundRobin<'_>) -> Option<ClaimedJob> {
    let (now, lease) = (ambient.now(), ambient.credential_id());
    catalog.claim_next(round_robin, now, lease, now.plus_seconds(60)).await.unwrap()
}

/// The organizations whose jobs are claimed, in order.
async fn order(catalog: &Catalog, ambient: &Ambient, except: &[OrganizationId]) -> Vec<OrganizationId> {
    let (mut after, mut order) = (None, Vec::new());
    let queue = JobQueue::Uploads;
    while let Some(claimed) = claim(catalog, ambient, RoundRobin { queue, after, except }).await {
        after = Some(claimed.job.turn_of());
        order.extend(after);
    }
    order
}

/// Three organizations, sorted by ID.
fn organizations(ambient: &Ambient) -> [OrganizationId; 3] {
    let mut ids = [ambient.record_id(), ambient.record_id(), ambient.record_id()];
    ids.sort();
    ids
}

async fn organizations_take_turns(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let [a, b, c] = organizations(&ambient);
    uploads(&catalog, &ambient, b, 5, -100).await;
    uploads(&catalog, &ambient, a, 2, -50).await;
    uploads(&catalog, &ambient, c, 1, -10).await;
    assert_eq!(order(&catalog, &ambient, &[]).await, [a, b, c, a, b, b, b, b]);
    // The leases have expired, and the round-robin continues after the last organization.
    clock.advance_seconds(1000);
    assert_eq!(catalog.release_expired_leases(ambient.now(), 60_000).await.unwrap(), 8);
    let round_robin = RoundRobin { queue: JobQueue::Uploads, after: Some(a), except: &[] };
    let claimed = claim(&catalog, &ambient, round_robin).await.unwrap();
    assert_eq!((claimed.job.turn_of(), claimed.deaths, claimed.attempt), (b, 1, 2));
}

async fn those_who_are_excepted_are_passed_over(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let [a, b, c] = organizations(&ambient);
    for organization in [a, b, c] {
        uploads(&catalog, &ambient, organization, 2, -10).await;
    }
    assert_eq!(order(&catalog, &ambient, &[a, c]).await, [b, b]);
    assert_eq!(order(&catalog, &ambient, &[a, b, c]).await, []);
    assert_eq!(order(&catalog, &ambient, &[]).await, [a, c, a, c]);
}

async fn queues_are_claimed_apart(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization_id, track_id) = (ambient.record_id(), ambient.record_id());
    let jobs = [
        Job::ProcessTrack { organization_id, track_id },
        Job::RenderExisting { organization_id, variant_id: ambient.record_id() },
        Job::ImportSource { organization_id, track_id },
        Job::TranscribeTrack { organization_id, track_id },
        Job::SweepObjects {},
    ];
    let tx = catalog.begin().await.unwrap();
    for job in jobs.iter().rev() {
        tx.enqueue(job.clone(), ambient.record_id(), ambient.now(), None).await.unwrap();
    }
    tx.commit().await.unwrap();
    for (queue, job) in JobQueue::ALL.into_iter().zip(jobs) {
        let round_robin = RoundRobin { queue, after: None, except: &[] };
        assert_eq!(claim(&catalog, &ambient, round_robin).await.unwrap().job, job);
        assert_eq!(claim(&catalog, &ambient, round_robin).await, None);
    }
}

async fn what_is_not_due_holds_nobody_up(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let [a, b, c] = organizations(&ambient);
    uploads(&catalog, &ambient, a, 300, 10).await;
    uploads(&catalog, &ambient, b, 1, 0).await;
    uploads(&catalog, &ambient, c, 300, 20).await;
    assert_eq!(order(&catalog, &ambient, &[]).await, [b]);
    clock.advance_seconds(20);
    let later = order(&catalog, &ambient, &[]).await;
    assert_eq!(later[..3], [a, c, a]);
    assert_eq!(later.len(), 11 + 1);
}

async fn turns_of_many_claimers_are_fair(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let [many, few, none] = organizations(&ambient);
    uploads(&catalog, &ambient, many, 200, -1000).await;
    uploads(&catalog, &ambient, few, 20, -100).await;
    // Each in a process of its own, with a round-robin of its own.
    let mut claimers = Vec::new();
    for _ in 0..4 {
        let (catalog, ambient) = (database.catalog().await, ambient.clone());
        claimers.push(tokio::spawn(async move {
            let mut after = Some(none);
            let mut claimed = Vec::new();
            for _ in 0..10 {
                let round_robin = RoundRobin { queue: JobQueue::Uploads, after, except: &[] };
                let job = claim(&catalog, &ambient, round_robin).await.unwrap();
                after = Some(job.job.turn_of());
                claimed.push((job.id, job.job.turn_of()));
            }
            claimed
        }));
    }
    let mut all = HashMap::new();
    for claimer in claimers {
        all.extend(claimer.await.unwrap());
    }
    assert_eq!(all.len(), 40, "each job was claimed once");
    assert_eq!(all.values().filter(|organization| **organization == few).count(), 20);
}

/// A node of an earlier version, which knows no queues, may queue jobs beside this one.
async fn jobs_of_an_earlier_version_are_sorted(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let [a, b, _] = organizations(&ambient);
    uploads(&catalog, &ambient, a, 3, -10).await;
    uploads(&catalog, &ambient, b, 700, -1000).await;
    let tx = catalog.begin().await.unwrap();
    tx.enqueue(Job::SweepObjects {}, ambient.record_id(), ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    let earlier = "UPDATE job SET queue = NULL, organization_id = NULL";
    database.raw().await.execute_unprepared(earlier).await.unwrap();
    let turn = |queue| RoundRobin { queue, after: None, except: &[] };
    assert_eq!(claim(&catalog, &ambient, turn(JobQueue::Uploads)).await, None);
    let mut sorted = Vec::new();
    while let count @ 1.. = catalog.assign_queues().await.unwrap() {
        sorted.push(count);
    }
    assert_eq!(sorted, [500, 204]);
    assert_eq!(order(&catalog, &ambient, &[b]).await, [a, a, a]);
    assert_eq!(
        claim(&catalog, &ambient, turn(JobQueue::Maintenance)).await.unwrap().job,
        Job::SweepObjects {}
    );
}
