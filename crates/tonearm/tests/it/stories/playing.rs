//! What can go wrong while people listen: tracks that are gone, sessions that run out, networks that are away, phone
//! calls; and what pages around the player are told.

use serde_json::{Value, json};

use super::{AUDIO, Ada, half_a_minute, hears};
use crate::browser::Browser;
use crate::text;

/// A collection of tracks, and a page of the service that has the player's module.
struct Listening {
    ada: Ada,
    collection: String,
    tracks: Vec<String>,
    link: String,
}

/// Puts a player of a play session onto the page, and keeps what it dispatches. Requests for tracks are counted.
const PUT: &str = "
    const [attributes, answer] = arguments;
    document.querySelectorAll('tonearm-player').forEach((player) => player.remove());
    const ask = window.fetch;
    window.asked = [];
    window.fetch = (url, options) => { asked.push(String(url)); return ask(url, options); };
    const player = document.createElement('tonearm-player');
    window.told = [];
    for (const name of ['play', 'pause', 'ended', 'seek', 'progress', 'error', 'trackchange', 'session-expired']) {
        player.addEventListener(`tonearm-${name}`, ({ detail }) => told.push({ name, ...detail }));
    }
    document.querySelector('main').prepend(player);
    for (const [name, value] of Object.entries(attributes)) player.setAttribute(name, value);
    if (answer) player.session = answer;";

/// Renews the session of the player as a page with a backend does.
const RENEW: &str = "
    const [path, body, key] = arguments;
    document.querySelector('tonearm-player').addEventListener('tonearm-session-expired', async (event) => {
        event.preventDefault();
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
        event.target.session = await answer.json();
    });";

const BUTTON: &str =
    "document.querySelector('tonearm-player').shadowRoot.querySelector('.play').getAttribute('aria-label')";
const MESSAGE: &str =
    "document.querySelector('tonearm-player').shadowRoot.querySelector('.says:not([hidden])')?.textContent";

impl Listening {
    async fn to(names: &[&str]) -> Self {
        let ada = Ada::arrives(&[]).await;
        let client = &ada.server.client;
        let collection = client.collection("Songs of the tide").await;
        let mut tracks = Vec::new();
        for name in names {
            tracks.push(client.upload(&collection, name, half_a_minute(220.0)).await);
        }
        for track in &tracks {
            client.settled(track).await;
        }
        let body = json!({"title": "All", "api_key_type_id": "share", "variants": ["hq"], "collection_id": collection});
        let key = client.post("/v1/api_key", &body).await.ok();
        let link = format!("{}/share/{}", ada.server.node.public_url(), text(&key, "/api_key"));
        ada.browser.goto(&link).await;
        ada.browser.in_player(".play:not([disabled])").await;
        Self { ada, collection, tracks, link }
    }

    fn browser(&self) -> &Browser {
        &self.ada.browser
    }

    /// A play session of the collection, for a minute.
    async fn session(&self) -> Value {
        self.ada.server.client.post("/v1/play_session/collection", &self.grant()).await.ok()
    }

    fn grant(&self) -> Value {
        json!({"collection_id": self.collection, "expires_in": 60})
    }

    async fn puts(&self, attributes: Value, answer: Value) {
        self.browser().run(PUT, vec![attributes, answer]).await;
        self.browser().in_player(".play:not([disabled])").await;
    }

    async fn presses_play(&self) {
        self.browser().in_player(".play:not([disabled])").await.click().await.unwrap();
    }

    async fn renews(&self) {
        let key = self.ada.server.client.key();
        let arguments = vec![json!("/v1/play_session/collection"), self.grant(), json!(key)];
        self.browser().run(RENEW, arguments).await;
    }

    async fn told(&self, name: &str) -> Vec<Value> {
        let told = self.browser().run("return told;", Vec::new()).await;
        told.as_array().unwrap().iter().filter(|event| event["name"] == name).cloned().collect()
    }

    async fn says(&self, sentence: &str) {
        self.browser().until(&format!("{MESSAGE}?.includes({})", json!(sentence))).await;
    }
}

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
    // The page's picture follows.
    browser.until("window.shown && document.querySelector('.piece > img').src === window.shown").await;
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
    // Another quality is another file, which the old session does not open any more.
    let choose = "
        const menu = document.querySelector('tonearm-player').shadowRoot.querySelector('[aria-label=Quality]');
        menu.selectedIndex = 1;
        menu.dispatchEvent(new Event('change'));";
    browser.run(choose, Vec::new()).await;
    browser.until("told.some(({ name }) => name === 'session-expired')").await;
    hears(browser).await;
    let position = browser.run(&format!("return {AUDIO}.currentTime;"), Vec::new()).await;
    assert!(position.as_f64().unwrap() >= 12.0, "it goes on from there, not from {position}");
    assert_eq!(listening.told("session-expired").await.len(), 1);
    assert_eq!(listening.told("play").await.len(), 1, "nobody noticed");
    assert_eq!(listening.told("error").await.len(), 0);
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_renews_says_that_it_ended() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    listening.puts(json!({}), listening.session().await).await;
    listening.ada.server.clock.advance_seconds(61);
    listening.presses_play().await;
    listening.says("The listening session has ended.").await;
    listening.browser().until(&format!("{BUTTON} === 'Play'")).await;
    let errors = listening.told("error").await;
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["kind"], "session");
    // A page may still renew it.
    let answer = listening.session().await;
    listening
        .browser()
        .run("document.querySelector('tonearm-player').session = arguments[0];", vec![answer])
        .await;
    hears(listening.browser()).await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_with_many_attributes_asks_for_each_track_once() {
    let listening = Listening::to(&["ebb.wav", "flood.wav", "slack.wav"]).await;
    let browser = listening.browser();
    let session = listening.session().await;
    let gone = "019a0c3e-7d51-7c64-9d0b-2f4f6c1f8a10";
    let tracks = format!("{} {gone} {}", listening.tracks[0], listening.tracks[1]);
    let attributes = json!({"session": text(&session, "/play_session_id"), "tracks": tracks, "server": listening.ada.server.node.public_url()});
    listening.puts(attributes, Value::Null).await;
    browser.until("asked.length === 3").await;
    listening.presses_play().await;
    hears(browser).await;
    browser.run("document.querySelector('tonearm-player').next();", Vec::new()).await;
    browser.until("told.filter(({ name }) => name === 'play').length === 2").await;
    let asked = browser.run("return asked;", Vec::new()).await;
    let of =
        |id: &str| asked.as_array().unwrap().iter().filter(|url| url.as_str().unwrap().contains(id)).count();
    assert_eq!([of(&listening.tracks[0]), of(&listening.tracks[1])], [1, 1], "{asked}");
    let errors = listening.told("error").await;
    assert_eq!(errors.iter().map(|error| text(error, "/kind")).collect::<Vec<_>>(), ["missing"]);
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
    // The system pauses the element; nobody asks the player.
    browser.run(&format!("{AUDIO}.pause();"), Vec::new()).await;
    browser.until(&format!("{BUTTON} === 'Play'")).await;
    assert_eq!(listening.told("pause").await.len(), 1);
    // Also with Caps Lock.
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
    assert_eq!(text(&listening.told("error").await[0], "/kind"), "offline");
    browser.command("Network.emulateNetworkConditions", network(false)).await;
    hears(browser).await;
    browser.until(&format!("{AUDIO}.currentTime > 7 && !{MESSAGE}")).await;
    assert_eq!(listening.told("error").await.len(), 1);
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
    // A browser may want a click first.
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
        listening.told("progress").await.iter().map(|event| event["percent"].clone()).collect();
    assert_eq!(percents, [50, 100], "what was skipped was not heard");
    let seeks = listening.told("seek").await;
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
    browser.run("document.querySelector('tonearm-player').seek(26);", Vec::new()).await;
    let second = &listening.tracks[1];
    browser.until(&format!("asked.some((url) => url.includes('{second}'))")).await;
    browser.until(&format!("{AUDIO}.currentTime < 29")).await;
    browser.until("told.filter(({ name }) => name === 'play').length === 2").await;
    let asked = browser.run("return asked.length;", Vec::new()).await;
    assert_eq!(asked, json!(1));
    listening.ada.leaves().await;
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
    // As Safari 15 has it.
    let old = json!({"source": "delete Document.prototype.adoptedStyleSheets; delete ShadowRoot.prototype.adoptedStyleSheets;"});
    browser.command("Page.addScriptToEvaluateOnNewDocument", old).await;
    browser.goto(&listening.link).await;
    let play = browser.in_player(".card:not([hidden]) .play:not([disabled])").await;
    assert_eq!(play.css_value("border-radius").await.unwrap(), "50%");
    listening.presses_play().await;
    hears(browser).await;
    listening.ada.leaves().await;
}
