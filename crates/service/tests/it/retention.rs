//! Expired rows are removed by a job, whatever their number.

use tokio_util::sync::CancellationToken;
use tonearm_catalog::Catalog;
use tonearm_domain::{Job, Metadata, PlaySession, PlaySessionId, Selection};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{JobError, JobRun};

use crate::workshop::Workshop;

crate::on_both!(more_rows_than_a_batch_are_removed, a_run_that_is_cancelled_is_not_finished);

const DAY: i64 = 24 * 3600;

/// Play sessions that end now.
async fn sessions(workshop: &Workshop, count: usize) -> Vec<PlaySessionId> {
    let (owner, track_id) = workshop.create().await;
    let track = workshop.catalog.track(owner.organization_id, track_id).await.unwrap().unwrap();
    let sessions: Vec<PlaySession> = (0..count)
        .map(|_| PlaySession {
            id: workshop.ambient.credential_id(),
            organization_id: owner.organization_id,
            creator_id: None,
            collection_id: track.collection_id,
            track_id: None,
            variants: Selection::All,
            recipes: tonearm_domain::NamedRecipes::UNKNOWN,
            organization_index: None,
            metadata: Metadata::default(),
            is_downloadable: false,
            expires_at: workshop.ambient.now(),
            api_key_id: None,
            handle: None,
        })
        .collect();
    let tx = workshop.catalog.begin().await.unwrap();
    for some in sessions.chunks(500) {
        tx.insert_play_sessions(some).await.unwrap();
    }
    tx.commit().await.unwrap();
    sessions.into_iter().map(|session| session.id).collect()
}

async fn remaining(catalog: &Catalog, sessions: &[PlaySessionId]) -> usize {
    let mut found = 0;
    for id in sessions {
        found += usize::from(catalog.play_session(*id).await.unwrap().is_some());
    }
    found
}

async fn queue(workshop: &Workshop) {
    let tx = workshop.catalog.begin().await.unwrap();
    let (id, now) = (workshop.ambient.record_id(), workshop.ambient.now());
    tx.enqueue(Job::ForgetExpired {}, id, now, None).await.unwrap();
    tx.commit().await.unwrap();
}

async fn more_rows_than_a_batch_are_removed(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let old = sessions(&workshop, 2500).await;
    workshop.clock.advance_seconds(1);
    let young = sessions(&workshop, 3).await;
    workshop.clock.advance_seconds(DAY - 1);
    queue(&workshop).await;
    workshop.run_all().await;
    assert_eq!(remaining(&workshop.catalog, &old).await, 0);
    assert_eq!(remaining(&workshop.catalog, &young).await, young.len());
    assert!(!workshop.is_queued(&[Job::ForgetExpired {}]).await);
}

async fn a_run_that_is_cancelled_is_not_finished(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    queue(&workshop).await;
    let now = workshop.ambient.now();
    let lease = workshop.ambient.credential_id();
    let claimed = workshop.catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap().unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let ended = workshop.processing.run(&JobRun { claimed, cancel }).await;
    assert!(matches!(ended, Err(JobError::Cancelled)), "{ended:?}");
    assert!(workshop.is_queued(&[Job::ForgetExpired {}]).await);
}
