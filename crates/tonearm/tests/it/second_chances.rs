//! Failures are retried, and deleted items are restored or purged.

use std::time::Duration;

use futures::TryStreamExt;
use serde_json::{Value, json};
use tonearm_blobs::Blobs;
use tonearm_domain::{FileOutcome, ObjectKey, PersonId, Track, TrackFile, TrackId, TrackStatus};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_service::{Caller, Refusal};
use tonearm_testkit::TestServer;

use crate::on_both_backends;

on_both_backends!(
    only_what_failed_is_made_again,
    what_failed_is_told_and_made_again_one_by_one,
    what_a_person_deletes_goes_a_day_later,
);

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
    let services = server.node.services().unwrap();
    let (library, catalog, caller) = (&services.library, &services.catalog, somebody(&server));
    let id = ready(&server).await;
    let refused = library.retry_track(&caller, id, None).await.unwrap_err();
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

    assert_eq!(library.retry_track(&caller, id, None).await.unwrap().track.status, TrackStatus::Processing);
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

/// Records that variants of a track failed.
pub(crate) async fn fail(server: &TestServer, id: TrackId, failures: &[(&str, &str)]) {
    let catalog = &server.node.services().unwrap().catalog;
    let files = catalog.files_of_track(id).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    for (index, reason) in failures {
        let file = files.iter().find(|file| file.recipe.index.as_str() == *index).unwrap().clone();
        let outcome = FileOutcome::Failed { reason: (*reason).to_owned() };
        tx.put_track_file(&TrackFile { outcome, ..file }).await.unwrap();
    }
    let organization = server.organization_id.parse().unwrap();
    let mut track = tx.track(organization, id).await.unwrap().unwrap();
    (track.status, track.status_reason) = (TrackStatus::Incomplete, Some("some of it failed".to_owned()));
    tx.update_track(&track).await.unwrap();
    tx.commit().await.unwrap();
}

async fn what_failed_is_told_and_made_again_one_by_one(server: TestServer) {
    let id = ready(&server).await;
    let path = format!("/v1/track/{id}");
    assert_eq!(server.client.get(&path).await.ok()["failed_variants"], json!([]));
    fail(&server, id, &[("lq", "The tape is torn."), ("preview", "The reel is lost.")]).await;
    let told = [("lq", "The tape is torn."), ("preview", "The reel is lost.")];

    let track = server.client.get(&path).await.ok();
    assert_eq!(track["track"]["status_reason"], "some of it failed");
    let failed = |track: &Value| track["failed_variants"].as_array().unwrap().clone();
    let expected: Vec<_> = told.map(|(variant, reason)| json!({"variant": variant, "reason": reason})).into();
    assert_eq!(failed(&track), expected);
    let command = ["track", "status", "--org", &server.organization_id, &id.to_string()];
    let output = server.program(crate::binary()).run(&command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let status = String::from_utf8(output.stdout).unwrap();
    for text in ["some of it failed", "failed: The tape is torn.", "failed: The reel is lost."] {
        assert!(status.contains(text), "{status}");
    }

    let refused = server.client.post(&format!("{path}/retry?variant=hq"), &json!({})).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (409, &json!("nothing_to_retry")));
    let refused = server.client.post(&format!("{path}/retry?variant=No%20Such"), &json!({})).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    server.client.post(&format!("{path}/retry?variant=lq"), &json!({})).await.ok();
    assert_eq!(server.client.settled(&id.to_string()).await["track_status_id"], "incomplete");
    assert_eq!(failed(&server.client.get(&path).await.ok()), expected[1..]);
    server.client.post(&format!("{path}/retry"), &json!({})).await.ok();
    assert_eq!(server.client.settled(&id.to_string()).await["track_status_id"], "ready");
    server.node.stop().await;
}

async fn objects(blobs: &Blobs, track: &Track) -> Vec<ObjectKey> {
    let listed = blobs.list(Some(track.organization_id), Some(track.index));
    listed.map_ok(|(key, _)| key).try_collect().await.unwrap()
}

async fn what_a_person_deletes_goes_a_day_later(server: TestServer) {
    let services = server.node.services().unwrap();
    let (library, caller) = (&services.library, somebody(&server));
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
