//! Organizations do not hold each other up.

use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_testkit::{Client, TestServer};

crate::on_both_backends!(a_note_does_not_wait_for_a_library);

fn sound(seconds: f64, seed: u64) -> Vec<u8> {
    wav(&WavSpec { seconds, signal: Signal::Noise { seed, amplitude: 0.3 }, ..WavSpec::default() })
}

async fn are_ready(client: &Client, tracks: &[String]) -> usize {
    let mut ready = 0;
    for track in tracks {
        let read = client.get(&format!("/v1/track/{track}")).await.ok();
        ready += usize::from(read["track"]["track_status_id"] == "ready");
    }
    ready
}

/// One organization uploads many tracks, then another uploads one.
async fn a_note_does_not_wait_for_a_library(server: TestServer) {
    let many = &server.client;
    let made = server.node.services().unwrap().library.create_organization("Another").await.unwrap();
    let few = many.with_key(made.api_key.reveal());
    let collection = many.collection("Library").await;
    let mut library = Vec::new();
    for number in 0..40 {
        library.push(many.upload(&collection, &format!("{number}.wav"), sound(8.0, number)).await);
    }
    let before = are_ready(many, &library).await;
    let notes = few.collection("Notes").await;
    let note = few.upload(&notes, "note.wav", sound(1.0, 1000)).await;
    assert_eq!(few.settled(&note).await["track_status_id"], "ready");
    let meanwhile = are_ready(many, &library).await - before;
    assert!(before < 20, "{before} of 40 were ready before the note was there, so nothing was tested");
    assert!(meanwhile <= 10, "{meanwhile} tracks of another organization went before a note");
    server.node.stop().await;
}
