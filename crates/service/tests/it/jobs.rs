//! Background jobs, managed by the operator.

use tokio_util::sync::CancellationToken;
use tonearm_catalog::{AuditFilter, JobFilter};
use tonearm_domain::{ClaimedJob, Job, JobId, LimitOffset, Origin, RecipeKind, TrackStatus, Transcode};
use tonearm_fixtures::TestDatabase;
use tonearm_outbound::Outbound;
use tonearm_service::{Caller, JobRun, Jobs, Refusal, Transcriptions};
use tonearm_signing::{Secrets, Vault};

use crate::on_both;
use crate::workshop::{Workshop, sound};

on_both!(
    a_failed_job_and_its_track_are_retried_as_one,
    a_job_that_runs_is_left_alone,
    a_dropped_job_is_gone,
    a_failure_of_a_later_analysis_takes_nothing_from_a_ready_track,
);

pub(crate) fn jobs(workshop: &Workshop) -> Jobs {
    let secrets = Secrets::parse("a secret for tests that is long enough to be one").unwrap();
    let (catalog, ambient) = (workshop.catalog.clone(), workshop.ambient.clone());
    let outbound = Outbound::new(false).unwrap();
    let transcriptions =
        Transcriptions::new(catalog.clone(), ambient.clone(), Vault::new(&secrets), outbound);
    Jobs::new(catalog, ambient, workshop.library.clone(), transcriptions)
}

async fn claim(workshop: &Workshop) -> ClaimedJob {
    let now = workshop.ambient.now();
    let lease = workshop.ambient.credential_id();
    workshop.catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap().unwrap()
}

async fn known_jobs(workshop: &Workshop) -> Vec<JobId> {
    let (_, found) = workshop.catalog.jobs(JobFilter::default(), LimitOffset::default()).await.unwrap();
    found
        .into_iter()
        .filter(|job| !matches!(job.job, Some(Job::ExpireUpload { .. })))
        .map(|job| job.id)
        .collect()
}

/// The audit log entries of the organization, newest first.
async fn audited(workshop: &Workshop, owner: &Caller) -> Vec<(String, String)> {
    let filter = AuditFilter::default();
    let records =
        workshop.catalog.audit_entries(Some(owner.organization_id), &filter, None, 10).await.unwrap();
    records.into_iter().map(|record| (record.action, record.actor)).collect()
}

async fn a_failed_job_and_its_track_are_retried_as_one(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let jobs = jobs(&workshop);
    let (owner, id) = workshop.upload(sound()).await;
    let claimed = claim(&workshop).await;
    assert!(matches!(claimed.job, Job::ProcessTrack { .. }));
    workshop.processing.give_up(&claimed, "it killed its workers").await.unwrap();
    let status = async || workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap().status;
    assert!(status().await.is_final());
    assert_eq!(known_jobs(&workshop).await, [claimed.id]);

    workshop.clock.advance_seconds(1);
    let origin = Origin::command_line();
    assert!(jobs.retry(origin, claimed.id).await.unwrap());
    assert_eq!(status().await, TrackStatus::Processing);
    let known = known_jobs(&workshop).await;
    assert_eq!(known.len(), 1);
    assert_ne!(known[0], claimed.id);
    let mut newest = audited(&workshop, &owner).await;
    newest.truncate(2);
    newest.sort();
    let by_hand = |action: &str| (action.to_owned(), "command_line".to_owned());
    assert_eq!(newest, [by_hand("job.retry"), by_hand("track.retry")]);

    assert!(!jobs.retry(origin, claimed.id).await.unwrap(), "there is no such job any more");
}

async fn a_job_that_runs_is_left_alone(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let jobs = jobs(&workshop);
    workshop.upload(sound()).await;
    let claimed = claim(&workshop).await;
    for refused in [
        jobs.retry(Origin::command_line(), claimed.id).await.unwrap_err(),
        jobs.drop_job(Origin::command_line(), claimed.id).await.unwrap_err(),
    ] {
        assert!(matches!(refused, Refusal::Conflict { code: "job_running", .. }), "{refused:?}");
    }
    let run = JobRun { claimed, cancel: CancellationToken::new() };
    workshop.processing.run(&run).await.unwrap();
}

async fn a_dropped_job_is_gone(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let jobs = jobs(&workshop);
    let (owner, _) = workshop.upload(sound()).await;
    let [id] = known_jobs(&workshop).await[..] else { panic!("there is one") };
    workshop.clock.advance_seconds(1);
    assert!(jobs.drop_job(Origin::command_line(), id).await.unwrap());
    assert_eq!(known_jobs(&workshop).await, []);
    assert_eq!(audited(&workshop, &owner).await[0].0, "job.drop");
    assert!(!jobs.drop_job(Origin::command_line(), id).await.unwrap());
}

async fn a_failure_of_a_later_analysis_takes_nothing_from_a_ready_track(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    let track = workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
    workshop.give_cover(&track).await;
    workshop.run_all().await;
    let before = workshop.catalog.files_of_track(id).await.unwrap();
    let kind = RecipeKind::Transcode(Transcode::default());
    workshop.library.add_variant(&owner, id, "added".parse().unwrap(), kind).await.unwrap();
    let claimed = claim(&workshop).await;
    workshop.processing.give_up(&claimed, "it killed its workers").await.unwrap();
    let track = workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
    assert_eq!(track.status, TrackStatus::Incomplete);
    let after = workshop.catalog.files_of_track(id).await.unwrap();
    assert_eq!(after.len(), before.len() + 1);
    assert!(before.iter().all(|file| after.contains(file)));
}
