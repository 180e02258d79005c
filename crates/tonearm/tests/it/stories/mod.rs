//! What people do with the dashboard, in a real browser.

mod after_forms;
mod arranging;
mod bar;
mod counting;
mod editing;
mod first_run;
mod following;
mod gallery;
mod getting_in;
mod going_back;
mod going_wrong;
mod hosts;
mod keyboard;
mod library;
mod listener;
mod listening;
mod looking;
mod pages;
mod people;
mod playing;
mod reference;
mod rendering;
mod right_to_left;
mod shares;
mod sharing;
mod translated;
mod trust;
mod uploading;
mod versions;
mod webhooks;

use fantoccini::key::Key;
use serde_json::json;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_testkit::{Backend, TestServer};

use crate::browser::Browser;

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "correct horse battery";

/// Ada, the first administrator, who is signed in.
struct Ada {
    server: TestServer,
    browser: Browser,
    /// The beginning of the URLs of her organization's pages.
    base: String,
}

impl Ada {
    /// Starts a service with these `TONEARM_*` variables. Nobody can sign in to it yet.
    async fn arrives(variables: &[(&str, &str)]) -> Self {
        let server = Box::pin(TestServer::start_with(Backend::Embedded, variables)).await;
        let base = format!("{}/dashboard/{}", server.node.public_url(), server.organization_id);
        Self { browser: Browser::open().await, server, base }
    }

    /// The same, and Ada has used its link.
    async fn comes_in(variables: &[(&str, &str)]) -> Self {
        let ada = Self::arrives(variables).await;
        ada.uses_the_first_link().await;
        ada.opens("/library").await;
        ada
    }

    async fn uses_the_first_link(&self) {
        self.browser.goto(&self.first_link().await.unwrap()).await;
        self.says_who_she_is().await;
    }

    /// The link that makes the person who opens it an administrator, as long as there is none.
    async fn first_link(&self) -> Option<String> {
        let people = &self.server.node.services().unwrap().people;
        people.first_administrator_link().await.unwrap().map(|link| link.url)
    }

    async fn says_who_she_is(&self) {
        self.browser.type_into("#name", "Ada Lovelace").await;
        self.browser.type_into("#email", EMAIL).await;
        // Return submits the form, as users expect.
        self.browser.type_into("#password", &entered(PASSWORD)).await;
        self.browser.shows(".side-wide .here-name", "Test organization").await;
    }

    async fn signs_in(&self, password: &str) {
        self.browser.shows("h1", "Sign in").await;
        self.browser.find("#email").await.clear().await.unwrap();
        self.browser.type_into("#email", EMAIL).await;
        self.browser.type_into("#password", &entered(password)).await;
    }

    /// Waits until the page says that its sign-in has ended. Ada signs in in the tab that it offers, and comes back.
    async fn signs_in_elsewhere(&self, heading: &str) {
        let client = &self.browser.client;
        self.browser.shows(".signed-out", "Your session has expired").await;
        let page = client.window().await.unwrap();
        self.browser.click(".signed-out a").await;
        let tab = loop {
            let windows = client.windows().await.unwrap();
            if let Some(tab) = windows.into_iter().find(|window| *window != page) {
                break tab;
            }
        };
        client.switch_to_window(tab).await.unwrap();
        self.signs_in(PASSWORD).await;
        self.browser.shows("h1", heading).await;
        client.close_window().await.unwrap();
        client.switch_to_window(page).await.unwrap();
    }

    /// Removes the sign-in from the browser, as if it had ended elsewhere.
    async fn is_signed_out(&self) {
        self.browser.command("Network.clearBrowserCookies", json!({})).await;
    }

    async fn opens(&self, path: &str) {
        self.browser.goto(&format!("{}{path}", self.base)).await;
    }

    /// Creates a ready track, half a minute long. Returns its id and the id of its collection.
    async fn has_a_track(&self, name: &str) -> (String, String) {
        let client = &self.server.client;
        let collection = client.collection("Songs of the tide").await;
        let track = client.upload(&collection, name, half_a_minute(220.0)).await;
        client.settled(&track).await;
        (track, collection)
    }

    fn leaves(self) -> impl Future<Output = ()> {
        Box::pin(async move {
            self.browser.close().await;
            self.server.node.stop().await;
        })
    }
}

/// A text with the return key after it.
fn entered(text: &str) -> String {
    format!("{text}{}", char::from(Key::Enter))
}

/// A WAV file that is small and still long enough to seek in.
fn half_a_minute(hz: f64) -> Vec<u8> {
    let signal = Signal::Sine { hz, amplitude: 0.5 };
    wav(&WavSpec { seconds: 30.0, sample_rate: 8_000, channels: 1, signal, ..WavSpec::default() })
}

/// What the player on the page plays.
const AUDIO: &str = "document.querySelector('tonearm-player').sound.audio";

/// Waits until sound plays: its position advances.
async fn hears(browser: &Browser) {
    let before = browser.run(&format!("return {AUDIO}.currentTime;"), Vec::new()).await;
    browser.until(&format!("!{AUDIO}.paused && {AUDIO}.currentTime > {before} + 0.2")).await;
}
