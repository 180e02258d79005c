//! Whatever people upload ends in a final status, and what went wrong is said.

use tonearm_fixtures::audio::samples;
use tonearm_testkit::{Backend, TestServer};

use crate::text;

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_file_ends_well_or_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples(folder.path());
    let server = TestServer::start(Backend::Embedded).await;
    let client = &server.client;
    let collection = client.collection("Zoo").await;
    let mut uploads = Vec::new();
    for sample in &samples {
        if std::fs::metadata(&sample.path).unwrap().len() == 0 {
            let created = client.track(&collection, sample.name).await;
            let put = client.request(reqwest::Method::PUT, text(&created, "/track_upload/upload_url"));
            assert_eq!(client.send(put.body("")).await.status, 400, "an empty upload is refused");
        } else {
            uploads.push((sample, client.upload_file(&collection, &sample.path).await));
        }
    }
    let library = &server.node.parts().unwrap().library;
    let caller = tonearm_service::Caller::owner(server.organization_id.parse().unwrap());
    for (sample, id) in uploads {
        let track = client.settled(&id).await;
        let status = text(&track, "/track_status_id");
        if sample.playable {
            assert_eq!(status, "ready", "{}: {track}", sample.name);
            let duration = track["duration"].as_f64().unwrap();
            assert!(duration > 0.0, "{}", sample.name);
            if sample.seconds > 0.0 {
                assert!((duration - sample.seconds).abs() < 0.05, "{}: {duration}", sample.name);
            }
        } else {
            assert!(["init_error", "error"].contains(&status), "{}: {status}", sample.name);
            let record = library.track(&caller, id.parse().unwrap()).await.unwrap().track;
            let reason = record.status_reason.unwrap();
            assert!(!reason.is_empty() && !reason.contains('/'), "{}: {reason}", sample.name);
        }
    }
}
