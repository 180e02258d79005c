//! Failures while people listen: tracks that are gone, links and sessions that expire, phone calls, network outages.

use serde_json::json;

use super::listener::{BUTTON, Listening, MESSAGE};
use super::{AUDIO, hears};
use crate::text;

#[tokio::test(flavor = "multi_thread")]
async fn one_missing_track_does_not_end_the_list() {
    let listening = Listening::to(&["ebb.wav", "flood.wav", "slack.wav"]).await;
    let browser = listening.browser();
    listening.ada.server.client.delete(&format!("/v1/track/{}", listening.tracks[1])).await.ok();
    let watch = "document.addEventListener('tonearm-trackchange', ({ detail: { cover } }) => {
        window.shown = cover.large ?? cover.regular;
    });";
    browser.run(watch, Vec::new()).await;
    listening.presses_play().await;
    hears(browser).await;
    browser.run("document.querySelector('tonearm-player').seek(29.5);", Vec::new()).await;
    listening.says("“flood” is no longer available. Playing the next track.").await;
    hears(browser).await;
    let title = browser.in_player(".title").await.html(true).await.unwrap();
    assert_eq!(title, "slack");
    // The picture of the page changes, too.
    browser.until("window.shown && document.querySelector('.piece > img').src === window.shown").await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_that_cannot_be_decoded_is_heard_in_another_form() {
    let listening = Listening::to(&["ebb.wav"]).await;
    let browser = listening.browser();
    let objects = walkdir::WalkDir::new(listening.ada.server.data_dir().join("objects"));
    let is_hq = |entry: &walkdir::DirEntry| entry.file_name().to_string_lossy().starts_with("hq.");
    let hq = objects.into_iter().filter_map(Result::ok).find(is_hq).unwrap();
    let length = hq.metadata().unwrap().len();
    std::fs::write(hq.path(), vec![0; usize::try_from(length).unwrap()]).unwrap();
    listening.puts(json!({}), listening.session().await).await;
    listening.presses_play().await;
    hears(browser).await;
    browser.until(&format!("{AUDIO}.currentSrc.includes('/lq.')")).await;
    assert_eq!(listening.player_events("error").await, [] as [serde_json::Value; 0]);
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_was_revoked_says_so() {
    let listening = Listening::to(&["ebb.wav"]).await;
    let client = &listening.ada.server.client;
    let keys = client.get("/v1/api_key?api_key_type_id=share").await.ok();
    client.delete(&format!("/v1/api_key/{}", text(&keys, "/api_keys/0/id"))).await.ok();
    listening.presses_play().await;
    listening.says("This link is no longer valid.").await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_ran_out_is_renewed_and_goes_on_where_it_was() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    listening.puts(json!({}), listening.session().await).await;
    listening.presses_play().await;
    hears(browser).await;
    browser.run("document.querySelector('tonearm-player').seek(12);", Vec::new()).await;
    browser.until(&format!("{AUDIO}.currentTime > 12")).await;
    listening.ada.server.clock.advance_seconds(61);
    listening.renews().await;
    // Another quality is another file, which the old session can no longer open.
    let choose = "
        const menu = document.querySelector('tonearm-player').shadowRoot.querySelector('[aria-label=Quality]');
        menu.selectedIndex = 1;
        menu.dispatchEvent(new Event('change'));";
    browser.run(choose, Vec::new()).await;
    browser.until("told.some(({ name }) => name === 'session-expired')").await;
    hears(browser).await;
    let position = browser.run(&format!("return {AUDIO}.currentTime;"), Vec::new()).await;
    assert!(position.as_f64().unwrap() >= 12.0, "it goes on from there, not from {position}");
    assert_eq!(listening.player_events("session-expired").await.len(), 1);
    assert_eq!(listening.player_events("play").await.len(), 1, "nobody noticed");
    assert_eq!(listening.player_events("error").await.len(), 0);
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_renews_says_that_it_ended() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    listening.puts(json!({}), listening.session().await).await;
    listening.ada.server.clock.advance_seconds(61);
    listening.presses_play().await;
    listening.says("The session has ended.").await;
    listening.browser().until(&format!("{BUTTON} === 'Play'")).await;
    let errors = listening.player_events("error").await;
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["kind"], "session");
    // The page can still renew the session.
    let answer = listening.session().await;
    listening
        .browser()
        .run("document.querySelector('tonearm-player').session = arguments[0];", vec![answer])
        .await;
    hears(listening.browser()).await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_call_pauses_and_the_button_says_so() {
    let listening = Listening::to(&["ebb.wav"]).await;
    let browser = listening.browser();
    listening.puts(json!({}), listening.session().await).await;
    listening.presses_play().await;
    hears(browser).await;
    browser.until(&format!("{BUTTON} === 'Pause'")).await;
    // The system pauses the element, not the player.
    browser.run(&format!("{AUDIO}.pause();"), Vec::new()).await;
    browser.until(&format!("{BUTTON} === 'Play'")).await;
    assert_eq!(listening.player_events("pause").await.len(), 1);
    // Keys also work with Caps Lock.
    browser.strike("K").await;
    hears(browser).await;
    browser.strike("M").await;
    browser.until(&format!("{AUDIO}.muted")).await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_network_goes_away_and_comes_back() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    listening.puts(json!({}), listening.session().await).await;
    browser.command("Network.enable", json!({})).await;
    let network =
        |is_away| json!({"offline": is_away, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
    browser.command("Network.emulateNetworkConditions", network(true)).await;
    browser.run("document.querySelector('tonearm-player').seek(7);", Vec::new()).await;
    listening.presses_play().await;
    listening.says("No connection to the server.").await;
    assert_eq!(text(&listening.player_events("error").await[0], "/kind"), "offline");
    browser.command("Network.emulateNetworkConditions", network(false)).await;
    hears(browser).await;
    browser.until(&format!("{AUDIO}.currentTime > 7 && !{MESSAGE}")).await;
    assert_eq!(listening.player_events("error").await.len(), 1);
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_goes_on_when_its_next_file_was_away() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    listening.puts(json!({}), listening.session().await).await;
    listening.presses_play().await;
    hears(browser).await;
    browser.until(&format!("{AUDIO}.buffered.length > 0 && {AUDIO}.buffered.end(0) > 29")).await;
    browser.command("Network.enable", json!({})).await;
    browser.command("Network.setBlockedURLs", json!({"urls": ["*verify=*"]})).await;
    // The next file is loaded ahead from here on.
    browser.run("document.querySelector('tonearm-player').seek(26);", Vec::new()).await;
    listening.says("No connection to the server.").await;
    assert_eq!(browser.in_player(".title").await.html(true).await.unwrap(), "flood");
    browser.command("Network.setBlockedURLs", json!({"urls": []})).await;
    hears(browser).await;
    browser.until(&format!("!{MESSAGE}")).await;
    assert_eq!(listening.player_events("error").await.len(), 1);
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_that_is_removed_is_not_started_by_the_keys_of_the_system() {
    let listening = Listening::to(&["ebb.wav"]).await;
    let browser = listening.browser();
    browser
        .run(
            "window.keys = {};
         const set = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession);
         navigator.mediaSession.setActionHandler = (key, press) => { keys[key] = press; set(key, press); };",
            Vec::new(),
        )
        .await;
    listening.puts(json!({}), listening.session().await).await;
    listening.presses_play().await;
    hears(browser).await;
    let remove = "window.player = document.querySelector('tonearm-player');
        window.audio = player.sound.audio;
        player.remove();";
    browser.run(remove, Vec::new()).await;
    browser.until("audio.paused && !audio.hasAttribute('src') && keys.play === null").await;
    // It is put back, and continues.
    browser.run("document.querySelector('main').prepend(player);", Vec::new()).await;
    listening.presses_play().await;
    hears(browser).await;
    listening.ada.leaves().await;
}
