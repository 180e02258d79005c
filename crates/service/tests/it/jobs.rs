//! Background jobs, managed by the operator.

use tokio_util::sync::CancellationToken;
use tonearm_catalog::{AuditFilter, JobFilter};
use tonearm_domain::{
    ClaimedJob, ErrorCode, Job, JobId, LimitOffset, Origin, RecipeKind, ReplacementState, SourceSlot,
    TrackStatus, Transcode, Transcription, TranscriptionState,
};
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
    a_job_that_nothing_else_does_is_not_dropped,
    what_waits_for_a_dropped_job_ends,
    a_dropped_job_ends_nothing_that_another_does,
    a_rendering_whose_tracks_are_not_queued_ends,
    a_track_without_a_job_can_be_retried,
    a_track_becomes_playable_with_its_first_playable_file,
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
        assert!(matches!(refused, Refusal::Conflict { code: ErrorCode::JobRunning, .. }), "{refused:?}");
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

async fn a_job_that_nothing_else_does_is_not_dropped(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    workshop.run_all().await;
    let collection = workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap().collection_id;
    workshop.library.delete_track(&owner, id).await.unwrap();
    workshop.library.delete_collection(&owner, collection).await.unwrap();
    let recipe = workshop.catalog.recipes(owner.organization_id).await.unwrap()[0].id;
    workshop.library.remove_recipe(&owner, recipe).await.unwrap();
    let pending = workshop.catalog.pending_jobs().await.unwrap();
    for kind in ["purge_track", "empty_collection", "remove_recipe"] {
        let job = pending.iter().find(|job| job.kind == kind).unwrap().id;
        let refused = jobs(&workshop).drop_job(Origin::command_line(), job).await.unwrap_err();
        assert!(matches!(refused, Refusal::Conflict { code: ErrorCode::JobNeeded, .. }), "{refused:?}");
    }
    assert_eq!(workshop.catalog.pending_jobs().await.unwrap().len(), pending.len());
}

async fn drop_kind(workshop: &Workshop, kind: &str) {
    let pending = workshop.catalog.pending_jobs().await.unwrap();
    let id = pending.iter().find(|job| job.kind == kind).unwrap().id;
    assert!(jobs(workshop).drop_job(Origin::command_line(), id).await.unwrap());
}

async fn what_waits_for_a_dropped_job_ends(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    let track = async || workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
    drop_kind(&workshop, "process_track").await;
    let ended = track().await;
    assert_eq!(ended.status, TrackStatus::Error);
    assert_eq!(ended.status_reason.as_deref(), Some("Processing was cancelled."));
    // It can be made later.
    workshop.library.retry_track(&owner, id, None).await.unwrap();
    workshop.run_all().await;
    assert_eq!(track().await.status, TrackStatus::Ready);

    let before = workshop.catalog.files_of_track(id).await.unwrap();
    let (replacement, _) = workshop.library.replace_source(&owner, id, None).await.unwrap();
    let slot = SourceSlot {
        replacement_id: Some(replacement.id),
        ..SourceSlot::of_track(owner.organization_id, id)
    };
    workshop.send_to(&owner, slot, [sound(), vec![0; 2]].concat()).await.unwrap();
    drop_kind(&workshop, "replace_source").await;
    let ended = workshop.library.replacement(&owner, id).await.unwrap();
    assert_eq!(ended.state, ReplacementState::Failed);
    assert_eq!(ended.reason.as_deref(), Some("Processing was cancelled."));
    assert_eq!(workshop.catalog.files_of_track(id).await.unwrap(), before);

    let tx = workshop.catalog.begin().await.unwrap();
    let now = workshop.ambient.now();
    let pending = Transcription {
        track_id: id,
        organization_id: owner.organization_id,
        state: TranscriptionState::Pending,
        reason: None,
        updated_at: now,
    };
    tx.put_transcription(&pending).await.unwrap();
    let job = Job::TranscribeTrack { organization_id: owner.organization_id, track_id: id };
    tx.enqueue(job, workshop.ambient.record_id(), now, None).await.unwrap();
    tx.commit().await.unwrap();
    drop_kind(&workshop, "transcribe_track").await;
    let ended = workshop.catalog.transcription(owner.organization_id, id).await.unwrap().unwrap();
    assert_eq!(
        (ended.state, ended.reason.as_deref()),
        (TranscriptionState::Failed, Some("it was cancelled"))
    );
}

async fn a_dropped_job_ends_nothing_that_another_does(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    let tx = workshop.catalog.begin().await.unwrap();
    let job = Job::ProcessTrack { organization_id: owner.organization_id, track_id: id };
    tx.enqueue(job, workshop.ambient.record_id(), workshop.ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    drop_kind(&workshop, "process_track").await;
    workshop.run_all().await;
    let track = workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
    assert_eq!(track.status, TrackStatus::Ready, "{:?}", track.status_reason);
}

async fn a_rendering_whose_tracks_are_not_queued_ends(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, _) = workshop.upload(sound()).await;
    workshop.run_all().await;
    let kind = RecipeKind::Transcode(Transcode { bitrate: 64, ..Transcode::default() });
    let (index, cache) = ("late".parse().unwrap(), tonearm_domain::CachePolicy::default());
    let recipe = workshop.library.add_recipe(&owner, index, kind, cache).await.unwrap();
    workshop.library.render_existing(&owner, recipe.id).await.unwrap();
    drop_kind(&workshop, "queue_rendering").await;
    let ended = workshop.catalog.rendering(owner.organization_id, recipe.id).await.unwrap().unwrap();
    assert_eq!((ended.total, ended.done, ended.failed, ended.percent()), (1, 1, 1, 100));
    // By hand, it begins anew.
    workshop.clock.advance_seconds(1);
    workshop.library.render_existing(&owner, recipe.id).await.unwrap();
    workshop.run_all().await;
    let ended = workshop.catalog.rendering(owner.organization_id, recipe.id).await.unwrap().unwrap();
    assert_eq!((ended.done, ended.failed, ended.percent()), (1, 0, 100));
}

/// As an earlier version left it, which dropped jobs without ending what waits for them.
async fn a_track_without_a_job_can_be_retried(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    let track = async || workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
    let refused = workshop.library.retry_track(&owner, id, None).await.unwrap_err();
    assert!(matches!(refused, Refusal::Conflict { code: ErrorCode::TrackStatus, .. }), "{refused:?}");
    assert!(!workshop.library.missing_variants(&track().await).await.unwrap().may_retry);
    let lost = claim(&workshop).await.id;
    let tx = workshop.catalog.begin().await.unwrap();
    tx.delete_job(lost).await.unwrap();
    tx.commit().await.unwrap();
    assert!(workshop.library.missing_variants(&track().await).await.unwrap().may_retry);
    workshop.library.retry_track(&owner, id, None).await.unwrap();
    workshop.run_all().await;
    assert_eq!(track().await.status, TrackStatus::Ready);
}

async fn a_track_becomes_playable_with_its_first_playable_file(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    let track = async || workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
    for recipe in workshop.catalog.recipes(owner.organization_id).await.unwrap() {
        workshop.library.remove_recipe(&owner, recipe.id).await.unwrap();
    }
    workshop.run_all().await;
    assert_eq!(track().await.status, TrackStatus::Error);
    workshop.clock.advance_seconds(1);
    let (kind, cache) = (RecipeKind::Transcode(Transcode::default()), tonearm_domain::CachePolicy::default());
    let recipe = workshop.library.add_recipe(&owner, "late".parse().unwrap(), kind, cache).await.unwrap();
    workshop.library.render_existing(&owner, recipe.id).await.unwrap();
    workshop.run_all().await;
    assert_eq!(track().await.status, TrackStatus::Ready, "{:?}", track().await.status_reason);
    let ended = workshop.catalog.rendering(owner.organization_id, recipe.id).await.unwrap().unwrap();
    assert_eq!((ended.total, ended.done, ended.failed, ended.percent()), (1, 1, 0, 100));
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
