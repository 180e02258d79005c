//! What a player requests, reports and shows while people listen.

use serde_json::{Value, json};
use tonearm_domain::{CachePolicy, Codec, RecipeKind, Transcode};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_service::Caller;

use super::listener::Listening;
use super::{AUDIO, Ada, half_a_minute, hears};
use crate::text;

#[tokio::test(flavor = "multi_thread")]
async fn an_element_with_many_attributes_asks_for_each_track_once() {
    let listening = Listening::to(&["ebb.wav", "flood.wav", "slack.wav"]).await;
    let browser = listening.browser();
    let session = listening.session().await;
    let gone = "019a0c3e-7d51-7c64-9d0b-2f4f6c1f8a10";
    let tracks = format!("{} {gone} {}", listening.tracks[0], listening.tracks[1]);
    let attributes = json!({"session": text(&session, "/play_session_id"), "tracks": tracks, "server": listening.ada.server.node.public_url()});
    listening.puts(attributes, Value::Null).await;
    // The player requests the first track, and the titles of all others in one request.
    browser.until("asked.length === 2").await;
    listening.presses_play().await;
    hears(browser).await;
    browser.run("document.querySelector('tonearm-player').next();", Vec::new()).await;
    browser.until("told.filter(({ name }) => name === 'play').length === 2").await;
    let asked = browser.run("return asked;", Vec::new()).await;
    let of = |id: &str| {
        let path = format!("/{id}");
        asked.as_array().unwrap().iter().filter(|url| url.as_str().unwrap().ends_with(&path)).count()
    };
    assert_eq!([of(&listening.tracks[0]), of(&listening.tracks[1])], [1, 1], "{asked}");
    let errors = listening.player_events("error").await;
    assert_eq!(errors.iter().map(|error| text(error, "/kind")).collect::<Vec<_>>(), ["missing"]);
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_told_what_is_heard_and_once() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    listening.puts(json!({}), listening.session().await).await;
    let play = "
        const [done] = [...arguments].slice(-1);
        document.querySelector('tonearm-player').play().then(() => done('heard'), (error) => done(error.name));";
    let how = browser.client.execute_async(play, Vec::new()).await.unwrap();
    // A browser may require a click first.
    if how == "NotAllowedError" {
        listening.presses_play().await;
    }
    hears(browser).await;
    browser.run("document.querySelector('tonearm-player').seek(14.8);", Vec::new()).await;
    browser.until("told.some(({ name, percent }) => name === 'progress' && percent === 50)").await;
    browser.run("document.querySelector('tonearm-player').seek(29);", Vec::new()).await;
    browser.until("told.filter(({ name }) => name === 'play').length === 2").await;
    let told = browser.run("return told;", Vec::new()).await;
    let names: Vec<&str> = told.as_array().unwrap().iter().map(|event| text(event, "/name")).collect();
    assert_eq!(
        names,
        ["play", "seek", "progress", "seek", "progress", "ended", "trackchange", "play"],
        "{told}"
    );
    let percents: Vec<_> =
        listening.player_events("progress").await.iter().map(|event| event["percent"].clone()).collect();
    assert_eq!(percents, [50, 100], "what was skipped was not heard");
    let seeks = listening.player_events("seek").await;
    assert!((seeks[1]["to"].as_f64().unwrap() - 29.0).abs() < 0.5, "{seeks:?}");
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_track_begins_without_a_request() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    listening.puts(json!({}), listening.session().await).await;
    listening.presses_play().await;
    hears(browser).await;
    // The system's own controls, such as a lock screen, show what is played.
    let system = |title: &str| {
        format!(
            "navigator.mediaSession.metadata?.title === '{title}' && navigator.mediaSession.playbackState === 'playing'"
        )
    };
    browser.until(&system("ebb")).await;
    browser.run("document.querySelector('tonearm-player').seek(26);", Vec::new()).await;
    let second = &listening.tracks[1];
    browser.until(&format!("asked.some((url) => url.includes('{second}'))")).await;
    browser.until(&format!("{AUDIO}.currentTime < 29")).await;
    browser.until("told.filter(({ name }) => name === 'play').length === 2").await;
    browser.until(&system("flood")).await;
    let asked = browser.run("return asked.length;", Vec::new()).await;
    assert_eq!(asked, json!(1));
    listening.ada.leaves().await;
}

/// The lengths that Chromium decodes, at the rates given with the URLs.
const DECODE: &str = "
    const [files, done] = arguments;
    const length = async ([url, rate]) => {
        const answer = await fetch(url);
        const sound = await new OfflineAudioContext(1, 1, rate).decodeAudioData(await answer.arrayBuffer());
        return sound.length;
    };
    Promise.all(files.map(length)).then(done, (error) => done(String(error)));";

#[tokio::test(flavor = "multi_thread")]
async fn browsers_decode_the_samples_of_the_source() {
    const SAMPLES: u32 = 88_765;
    let ada = Ada::arrives(&[]).await;
    let client = &ada.server.client;
    let library = &ada.server.node.services().unwrap().library;
    let owner = Caller::owner(library.organizations().await.unwrap()[0].id);
    for codec in [Codec::Aac, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav] {
        let kind = RecipeKind::Transcode(Transcode { codec, ..Transcode::default() });
        let index = format!("as_{}", codec.as_str()).parse().unwrap();
        library.add_recipe(&owner, index, kind, CachePolicy::default()).await.unwrap();
    }
    let collection = client.collection("Tide tables").await;
    let seconds = f64::from(SAMPLES) / 44_100.0;
    let track = client.upload(&collection, "ebb.wav", wav(&WavSpec { seconds, ..WavSpec::default() })).await;
    client.settled(&track).await;
    let session = client.post("/v1/play_session/track", &json!({"track_id": track})).await.ok();
    let variants = session["first_track"]["variants"].as_array().unwrap();
    let mut expected = Vec::new();
    let mut files = Vec::new();
    for variant in variants {
        let index = text(variant, "/variant/index");
        if index != "hq" && !index.starts_with("as_") {
            continue;
        }
        // Opus counts at 48 kHz.
        let rate = if index == "as_opus" { 48_000 } else { 44_100 };
        let samples = f64::from(SAMPLES) * f64::from(rate) / 44_100.0;
        expected.push((index.to_owned(), samples.round() as i64));
        files.push(json!([text(variant, "/url"), rate]));
    }
    assert_eq!(files.len(), 6, "{variants:?}");
    // A page of the host, although its policy forbids it to request them.
    ada.browser.command("Page.setBypassCSP", json!({ "enabled": true })).await;
    ada.browser.goto(&format!("{}/docs", ada.server.node.public_url())).await;
    let lengths = ada.browser.client.execute_async(DECODE, vec![json!(files)]).await.unwrap();
    let found = lengths.as_array().unwrap_or_else(|| panic!("{lengths}")).iter();
    let found: Vec<_> =
        found.zip(&expected).map(|(it, (index, _))| (index.clone(), it.as_i64().unwrap())).collect();
    assert_eq!(found, expected);
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chapters_are_beside_the_sound() {
    let ada = Ada::arrives(&[]).await;
    let client = &ada.server.client;
    let collection = client.collection("Tide tables").await;
    let tag = tonearm_fixtures::audio::Id3::new(4).chapter("a", 0, 10_000, "Going out").chapter(
        "b",
        10_000,
        30_000,
        "Coming in",
    );
    let sound = tonearm_fixtures::audio::with_id3(&half_a_minute(220.0), &tag);
    let track = client.upload(&collection, "ebb.wav", sound).await;
    client.settled(&track).await;
    let body =
        json!({"title": "All", "api_key_type_id": "share", "variants": ["hq"], "collection_id": collection});
    let key = client.post("/v1/api_key", &body).await.ok();
    let browser = &ada.browser;
    browser.goto(&format!("{}/share/{track}/{}", ada.server.node.public_url(), text(&key, "/api_key"))).await;
    browser.in_player(".passages:not([hidden]) summary").await.click().await.unwrap();
    browser.in_player(".passages li:nth-child(2) button").await.click().await.unwrap();
    browser.until("Math.abs(document.querySelector('tonearm-player').position - 10) < 0.1").await;
    browser.in_player(".passages li:nth-child(2) [aria-current=true]").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_without_new_styles_shows_the_player_too() {
    let listening = Listening::to(&["ebb.wav"]).await;
    let browser = listening.browser();
    // As in Safari 15.
    let old = json!({"source": "delete Document.prototype.adoptedStyleSheets; delete ShadowRoot.prototype.adoptedStyleSheets;"});
    browser.command("Page.addScriptToEvaluateOnNewDocument", old).await;
    browser.goto(&listening.link).await;
    let play = browser.in_player(".card:not([hidden]) .play:not([disabled])").await;
    assert_eq!(play.css_value("border-radius").await.unwrap(), "50%");
    listening.presses_play().await;
    hears(browser).await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_current_track_of_a_list_that_scrolls_is_in_sight() {
    let listening = Listening::to(&["a.wav", "b.wav", "c.wav", "d.wav", "e.wav", "f.wav"]).await;
    let browser = listening.browser();
    listening.puts(json!({}), listening.session().await).await;
    let narrows = "
        const player = document.querySelector('tonearm-player');
        player.style.setProperty('--tonearm-list', '110px');
        window.list = player.shadowRoot.querySelector('.list');";
    browser.run(narrows, Vec::new()).await;
    browser.until("list.matches('.more-below:not(.more-above)')").await;
    for index in 1..6 {
        browser.run("document.querySelector('tonearm-player').next();", Vec::new()).await;
        let row = format!("list.children[{index}].firstChild");
        browser.until(&format!("{row}.getAttribute('aria-current') === 'true'")).await;
        let sides = format!("[{row}, list].map((part) => part.getBoundingClientRect())");
        browser
            .until(&format!("(([row, box]) => row.top >= box.top && row.bottom <= box.bottom)({sides})"))
            .await;
    }
    browser.until("list.matches('.more-above:not(.more-below)')").await;
    listening.ada.leaves().await;
}
