//! Every upload ends in a final status, and failures have a reason.

use tonearm_fixtures::audio::{formats, samples};
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
    let library = &server.node.services().unwrap().library;
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

/// A track is complete even if its container does not support seeking or its headers are wrong.
#[tokio::test(flavor = "multi_thread")]
async fn odd_files_are_made_whole_and_cut_ones_say_so() {
    const WHOLE: [&str; 8] = [
        "musepack.mpc",
        "film.flv",
        "short.wma",
        "shorten.shn",
        "module.xm",
        "two-frames.mp3",
        "endless-tag.mp3",
        "rate.flac",
    ];
    const CUT: [&str; 3] = ["wav.wav", "flac.flac", "film.avi"];
    let folder = tempfile::tempdir().unwrap();
    let formats = formats(folder.path());
    let server = TestServer::start(Backend::Embedded).await;
    let client = &server.client;
    let collection = client.collection("Odd").await;
    for sample in formats.iter().filter(|sample| WHOLE.contains(&sample.name)) {
        let id = client.upload_file(&collection, &sample.path).await;
        let track = client.settled(&id).await;
        assert_eq!(text(&track, "/track_status_id"), "ready", "{}: {track}", sample.name);
        assert_eq!(track["info"]["is_truncated"], false, "{}", sample.name);
    }
    for sample in formats.iter().filter(|sample| CUT.contains(&sample.name)) {
        let whole = std::fs::read(&sample.path).unwrap();
        let id = client.upload(&collection, sample.name, whole[..whole.len() / 2].to_vec()).await;
        let track = client.settled(&id).await;
        assert_eq!(text(&track, "/track_status_id"), "ready", "{}: {track}", sample.name);
        assert_eq!(track["info"]["is_truncated"], true, "{}: {track}", sample.name);
    }
}
