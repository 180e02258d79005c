//! What failed is made once more, and what somebody deleted comes back or goes for good.

use std::time::Duration;

use futures::TryStreamExt;
use tonearm_blobs::Blobs;
use tonearm_domain::{FileOutcome, ObjectKey, PersonId, Track, TrackFile, TrackId, TrackStatus};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_service::{Caller, Refusal};
use tonearm_testkit::TestServer;

use crate::on_both_backends;

on_both_backends!(only_what_failed_is_made_again, what_a_person_deletes_goes_a_day_later);

/// A track that is ready.
async fn ready(server: &TestServer) -> TrackId {
    let collection = server.client.collection("Songs").await;
    let id = server
        .client
        .upload(&collection, "a.wav", wav(&WavSpec { seconds: 2.0, ..WavSpec::default() }))
        .await;
    assert_eq!(server.client.settled(&id).await["track_status_id"], "ready");
    id.parse().unwrap()
}

fn somebody(server: &TestServer) -> Caller {
    Caller::person(server.organization_id.parse().unwrap(), PersonId::from_uuid(uuid::Uuid::nil()))
}

async fn only_what_failed_is_made_again(server: TestServer) {
    let parts = server.node.parts().unwrap();
    let (library, catalog, caller) = (&parts.library, &parts.catalog, somebody(&server));
    let id = ready(&server).await;
    let refused = library.retry_track(&caller, id).await.unwrap_err();
    assert!(matches!(refused, Refusal::Conflict { .. }), "{refused}");
    let before = catalog.files_of_track(id).await.unwrap();
    let failed = before.iter().find(|file| file.recipe.index.as_str() == "lq").unwrap().clone();
    let outcome = FileOutcome::Failed { reason: "the encoder was killed".to_owned() };
    let tx = catalog.begin().await.unwrap();
    tx.put_track_file(&TrackFile { outcome, ..failed.clone() }).await.unwrap();
    let mut track = tx.track(caller.organization_id, id).await.unwrap().unwrap();
    (track.status, track.status_reason) =
        (TrackStatus::Incomplete, Some("lq: the encoder was killed".to_owned()));
    tx.update_track(&track).await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!(library.retry_track(&caller, id).await.unwrap().track.status, TrackStatus::Processing);
    let settled = server.client.settled(&id.to_string()).await;
    assert_eq!(settled["track_status_id"], "ready", "{settled}");
    let after = catalog.files_of_track(id).await.unwrap();
    assert_eq!(after.len(), before.len());
    for (old, new) in before.iter().zip(&after) {
        assert_eq!(old == new, old.recipe.id != failed.recipe.id, "{}", old.recipe.index);
        assert!(new.is_made());
    }
    server.node.stop().await;
}

async fn objects(blobs: &Blobs, track: &Track) -> Vec<ObjectKey> {
    let listed = blobs.list(Some(track.organization_id), Some(track.index));
    listed.map_ok(|(key, _)| key).try_collect().await.unwrap()
}

async fn what_a_person_deletes_goes_a_day_later(server: TestServer) {
    let parts = server.node.parts().unwrap();
    let (library, caller) = (&parts.library, somebody(&server));
    let blobs = Blobs::open(&server.config().storage_url).await.unwrap();
    let id = ready(&server).await;
    let track = library.delete_track(&caller, id).await.unwrap().track;
    assert_eq!(server.client.get(&format!("/v1/track/{id}")).await.status, 404);
    server.clock.advance_seconds(24 * 3600 - 1);
    library.restore_track(&caller, id).await.unwrap();
    assert_eq!(server.client.settled(&id.to_string()).await["track_status_id"], "ready");
    assert!(!objects(&blobs, &track).await.is_empty());

    library.delete_track(&caller, id).await.unwrap();
    server.clock.advance_seconds(24 * 3600);
    for _ in 0..1200 {
        if objects(&blobs, &track).await.is_empty() {
            let late = library.restore_track(&caller, id).await.unwrap_err();
            assert!(matches!(late, Refusal::NotFound(_)), "{late}");
            return server.node.stop().await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the objects are still there after a minute");
}
