//! What a page with a player counts: nothing, until somebody listens.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::hears;
use super::listener::Listening;

/// All seven are named in the list under the player.
const LISTED: &str = "[...document.querySelector('tonearm-player').shadowRoot.querySelectorAll('li .name')]
    .filter((name) => name.textContent.startsWith('tide-')).length === 7";

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_seven_tracks_counts_nothing_until_play_is_pressed() {
    let names: Vec<String> = (1..=7).map(|number| format!("tide-{number}.wav")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let listening = Listening::to(&names).await;
    let client = listening.ada.server.client.clone();
    let session = listening.session().await["play_session_id"].clone();
    let attributes = json!({"session": session, "tracks": listening.tracks.join(" ")});
    listening.puts(attributes, Value::Null).await;
    listening.browser().until(LISTED).await;
    let until = async |path: &str, field: &str, expected: u64| {
        let begun = Instant::now();
        loop {
            let total = client.get(path).await.ok()["total"].clone();
            if total[field] == expected {
                return total;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{field} is not {expected}: {total}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let requests = until("/v1/usage", "track_fetches", 1).await;
    assert_eq!(requests["stream_redirects"], 0);
    let total = client.get("/v1/listens").await.ok()["total"].clone();
    assert_eq!(total, json!({"listens": 0, "listeners": 0, "seconds_heard": 0}));

    listening.presses_play().await;
    hears(listening.browser()).await;
    let total = until("/v1/listens", "listens", 1).await;
    assert_eq!(total["listeners"], 1);
    // All of the half minute, but for tags at its end.
    assert!((28..=30).contains(&total["seconds_heard"].as_u64().unwrap()), "{total}");
    listening.ada.leaves().await;
}
