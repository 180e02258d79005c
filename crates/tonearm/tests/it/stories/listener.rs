//! A listener of a collection, on a page that records the events of its player.

use serde_json::{Value, json};

use super::{Ada, half_a_minute};
use crate::browser::Browser;
use crate::text;

/// A collection of tracks, and a page of the service that has the player's module.
pub(super) struct Listening {
    pub(super) ada: Ada,
    collection: String,
    pub(super) tracks: Vec<String>,
    pub(super) link: String,
}

/// Puts a player for a play session on the page, and records its events. Requests for tracks are counted.
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

/// The label of the play button, which says what the button would do.
pub(super) const BUTTON: &str =
    "document.querySelector('tonearm-player').shadowRoot.querySelector('.play').getAttribute('aria-label')";
/// The error message that the player shows.
pub(super) const MESSAGE: &str =
    "document.querySelector('tonearm-player').shadowRoot.querySelector('.says:not([hidden])')?.textContent";

impl Listening {
    pub(super) async fn to(names: &[&str]) -> Self {
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

    pub(super) fn browser(&self) -> &Browser {
        &self.ada.browser
    }

    /// A play session of the collection, valid for a minute.
    pub(super) async fn session(&self) -> Value {
        self.ada.server.client.post("/v1/play_session/collection", &self.grant()).await.ok()
    }

    fn grant(&self) -> Value {
        json!({"collection_id": self.collection, "expires_in": 60})
    }

    pub(super) async fn puts(&self, attributes: Value, answer: Value) {
        self.browser().run(PUT, vec![attributes, answer]).await;
        self.browser().in_player(".play:not([disabled])").await;
    }

    pub(super) async fn presses_play(&self) {
        self.browser().in_player(".play:not([disabled])").await.click().await.unwrap();
    }

    pub(super) async fn renews(&self) {
        let key = self.ada.server.client.key();
        let arguments = vec![json!("/v1/play_session/collection"), self.grant(), json!(key)];
        self.browser().run(RENEW, arguments).await;
    }

    pub(super) async fn player_events(&self, name: &str) -> Vec<Value> {
        let told = self.browser().run("return told;", Vec::new()).await;
        told.as_array().unwrap().iter().filter(|event| event["name"] == name).cloned().collect()
    }

    pub(super) async fn says(&self, sentence: &str) {
        self.browser().until(&format!("{MESSAGE}?.includes({})", json!(sentence))).await;
    }
}
