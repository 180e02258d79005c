//! A listener who may hear a part of a track may read the transcript of that part only.

use tonearm_domain::{KeyType, Selection, Utterance};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{CreateKey, SharedWords};

use crate::on_both;
use crate::station::{FOR_EVER, Station};

on_both!(words_go_with_the_sound_that_a_link_opens, old_words_are_not_cut);

/// The transcript that a share link of each variant shows.
async fn words(station: &Station, variant: &str) -> Option<SharedWords> {
    let variants = Selection::one(variant.parse().unwrap());
    let create = CreateKey { variants, ..CreateKey::new(KeyType::Share, "Share") };
    let key = station.node.library.create_key(&station.caller, create).await.unwrap();
    let (playback, text) = (&station.node.playback, key.text.reveal());
    let shared = playback.shared_track(station.track.id, text).await.unwrap();
    assert_eq!(shared.view.track.transcription, None, "not by another way");
    let (shared, words) = playback.shared_track_with_words(station.track.id, text).await.unwrap();
    assert_eq!(shared.view.track.transcription, None, "not by another way");
    words
}

/// Sets the transcript of the track, with or without times.
async fn say(station: &Station, text: &str, said: &[Utterance]) {
    let tx = station.node.catalog.begin().await.unwrap();
    let mut track = tx.track(station.caller.organization_id, station.track.id).await.unwrap().unwrap();
    (track.transcription, track.transcription_language) = (Some(text.to_owned()), Some("en".to_owned()));
    tx.update_track(&track).await.unwrap();
    tx.put_track_words(track.id, said).await.unwrap();
    tx.commit().await.unwrap();
}

const WHOLE: &str = "Before. Over the edge.\n\nInside.\n\nAfter.";

async fn words_go_with_the_sound_that_a_link_opens(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    assert_eq!(words(&station, "hq").await, None);
    let said = |start, end, text: &str| Utterance { start, end, text: text.to_owned() };
    // The preview plays from 15 to 45 seconds.
    let utterances = [
        said(0.0, 14.0, "Before."),
        said(14.0, 16.0, "Over the edge."),
        said(20.0, 21.0, "Inside."),
        said(50.0, 51.0, "After."),
    ];
    say(&station, WHOLE, &utterances).await;
    let shown = |text: &str| Some(SharedWords { text: text.to_owned(), language: Some("en".to_owned()) });
    for whole in ["hq", "lq", "original"] {
        assert_eq!(words(&station, whole).await, shown(WHOLE), "{whole}");
    }
    assert_eq!(words(&station, "preview").await, shown("Inside."));
    assert_eq!(words(&station, "levels").await, None);
}

/// Transcripts from before times were stored.
async fn old_words_are_not_cut(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    say(&station, WHOLE, &[]).await;
    assert_eq!(words(&station, "preview").await, None);
    assert_eq!(words(&station, "hq").await.map(|words| words.text).as_deref(), Some(WHOLE));
}
