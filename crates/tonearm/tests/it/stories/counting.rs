//! What a page with a player counts: nothing, until somebody listens.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tonearm_fixtures::EVENTUALLY;

use super::listener::Listening;
use super::{Ada, hears};
use crate::text;

/// Whether all seven tracks are named in the list under the player.
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
            assert!(begun.elapsed() < EVENTUALLY, "{field} is not {expected}: {total}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let requests = until("/v1/usage", "track_fetches", 1).await;
    assert_eq!(requests["stream_redirects"], 0);
    let total = client.get("/v1/listens").await.ok()["total"].clone();
    assert_eq!(total, json!({"listens": 0, "listeners": 0, "seconds_heard": 0, "seconds_played": 0}));

    listening.presses_play().await;
    hears(listening.browser()).await;
    let total = until("/v1/listens", "listens", 1).await;
    assert_eq!(total["listeners"], 1);
    // The whole half minute is delivered. The player reports how much of it was played.
    listening.browser().until("document.querySelector('tonearm-player').position > 3").await;
    listening.presses_play().await;
    let begun = Instant::now();
    loop {
        let total = client.get("/v1/listens").await.ok()["total"].clone();
        let seconds = total["seconds_played"].as_u64().unwrap();
        if seconds >= 3 && total["seconds_heard"] == seconds {
            assert!(seconds < 28, "{total}");
            break;
        }
        assert!(begun.elapsed() < EVENTUALLY, "{total}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    listening.ada.leaves().await;
}

/// The number of listeners follows the deliveries, on a page that is not reloaded.
#[tokio::test(flavor = "multi_thread")]
async fn the_usage_page_shows_who_listens_now() {
    let ada = Ada::comes_in(&[]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    ada.opens("/usage").await;
    let shows = async |number: &str| {
        let shown = format!("document.querySelector('[data-live=usage-now] b')?.textContent === '{number}'");
        ada.browser.until(&shown).await;
    };
    shows("0").await;
    ada.browser.run("window.isTheSamePage = true;", Vec::new()).await;
    let client = &ada.server.client;
    let body = json!({"track_id": track, "variants": ["hq"]});
    let session = client.post("/v1/play_session/track", &body).await.ok();
    for listener in 1..=2 {
        let request =
            client.without_key().request(Method::GET, text(&session, "/first_track/variants/0/url"));
        let agent = format!("Mozilla/5.0 (X11; Linux x86_64) Firefox/12{listener}.0");
        assert_eq!(client.send(request.header("user-agent", agent)).await.status, 200);
        shows(&listener.to_string()).await;
    }
    // The half minute is over.
    ada.server.clock.advance_seconds(60);
    shows("0").await;
    let is_same = ada.browser.run("return window.isTheSamePage === true;", Vec::new()).await;
    assert_eq!(is_same, Value::Bool(true));

    // How far listeners got is drawn along the waveform.
    ada.opens(&format!("/usage/tracks/{track}")).await;
    let drawn = "document.querySelectorAll('.chart.along .bar').length === 50 \
                 && document.querySelector('.chart .sound path')?.getTotalLength() > 0";
    ada.browser.until(drawn).await;
    ada.leaves().await;
}
