//! Pages follow tracks that are being processed.

use std::time::Duration;

use fantoccini::wd::{TimeoutConfiguration, WindowHandle};
use serde_json::json;
use tonearm::Role;
use tonearm_domain::{OrganizationId, TrackId, TrackStatus};

use super::{Ada, half_a_minute};

/// Keeps the event streams that the page opens, and counts those of all pages: a look at another tab would bring it into
/// sight.
const KEEP_STREAMS: &str = "
    window.streams = [];
    const count = (change) => { localStorage.openStreams = Number(localStorage.openStreams ?? 0) + change; };
    window.EventSource = class extends EventSource {
        constructor(...rest) {
            super(...rest);
            streams.push(this);
            count(1);
            this.addEventListener('message', () => (this.hasTold = true));
        }
        close() {
            if (this.readyState !== EventSource.CLOSED) count(-1);
            super.close();
        }
    };";
const OPEN: &str = "streams.filter(({ readyState }) => readyState !== EventSource.CLOSED).length";
/// Of all pages.
const ALL_OPEN: &str = "Number(localStorage.openStreams)";
const STATE: &str = "document.querySelector('[data-track] [data-state]')?.textContent";

impl Ada {
    /// Opens a page in another tab, which comes to the front.
    async fn opens_another(&self, path: &str) -> WindowHandle {
        let client = &self.browser.client;
        let opened = client.new_window(true).await.unwrap().handle;
        client.switch_to_window(opened.clone()).await.unwrap();
        let keep = json!({ "source": KEEP_STREAMS });
        self.browser.command("Page.addScriptToEvaluateOnNewDocument", keep).await;
        self.opens(path).await;
        opened
    }

    /// Uploads tracks, which wait until a worker processes them.
    async fn has_waiting_tracks(&self, title: &str, count: usize) -> (String, Vec<String>) {
        let client = &self.server.client;
        let collection = client.collection(title).await;
        let mut tracks = Vec::new();
        for at in 1..=count {
            tracks.push(client.upload(&collection, &format!("Song {at}.wav"), half_a_minute(220.0)).await);
        }
        (collection, tracks)
    }

    /// Gives a track a status, as the worker that has processed it does.
    async fn is_processed(&self, track: &str) {
        let catalog = &self.server.node.services().unwrap().catalog;
        let organization: OrganizationId = self.server.organization_id.parse().unwrap();
        let id: TrackId = track.parse().unwrap();
        let tx = catalog.begin().await.unwrap();
        let mut track = tx.track(organization, id).await.unwrap().unwrap();
        track.status = TrackStatus::Ready;
        tx.update_track(&track).await.unwrap();
        tx.commit().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn any_number_of_tabs_leave_the_host_free_and_share_one_stream() {
    let ada = Ada::comes_in(&[("TONEARM_ROLES", "api,edge")]).await;
    let (browser, client) = (&ada.browser, &ada.browser.client);
    let (collection, _) = ada.has_waiting_tracks("Songs of the tide", 1).await;
    let path = format!("/collections/{collection}");
    let patience = TimeoutConfiguration::new(None, Some(Duration::from_secs(60)), None);
    client.update_timeouts(patience).await.unwrap();
    let mut tabs = Vec::new();
    for _ in 0..8 {
        tabs.push(ada.opens_another(&path).await);
        browser.until(&format!("{STATE} === 'Queued' && {OPEN} === 1")).await;
    }
    browser.until(&format!("{ALL_OPEN} === 1")).await;

    let worker = ada.server.another_node(vec![Role::Worker]).await;
    browser.until(&format!("{STATE} === 'Ready'")).await;
    browser.until(&format!("{ALL_OPEN} === 0")).await;
    // A page that comes into sight catches up.
    client.switch_to_window(tabs[0].clone()).await.unwrap();
    browser.until(&format!("{STATE} === 'Ready'")).await;
    worker.stop().await;

    // What another client uploads while pages wait for it.
    let api = &ada.server.client;
    let awaited = api.track(&collection, "Late.wav").await;
    let id = awaited["track_id"].as_str().unwrap();
    let page = ada.opens_another(&format!("/tracks/{id}")).await;
    browser.until("document.querySelector('[data-awaited]')").await;
    ada.opens_another(&path).await;
    let state = format!("document.querySelector('[data-track=\"{id}\"] [data-state]').textContent");
    browser.until(&format!("{state} === 'Waiting for upload'")).await;
    api.upload_to(&awaited, half_a_minute(220.0)).await;
    browser.until(&format!("{state} === 'Queued' && {OPEN} === 1")).await;
    client.switch_to_window(page).await.unwrap();
    browser.until("document.querySelector('[data-following]')").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_followed_however_many_tracks_are_before_it() {
    let ada = Ada::comes_in(&[("TONEARM_ROLES", "api,edge")]).await;
    let browser = &ada.browser;
    let (collection, tracks) = ada.has_waiting_tracks("Songs of the tide", 203).await;
    ada.opens_another(&format!("/collections/{collection}?q=203")).await;
    browser.until(&format!("{STATE} === 'Queued'")).await;
    // What the stream does not tell of is not finished: after the answer to a later request, the row is the same.
    browser.run("window.row = document.querySelector('[data-track]');", Vec::new()).await;
    browser.until("streams.at(-1)?.hasTold").await;
    let ask = "const done = arguments[0]; fetch(row.querySelector('a.row').href + '/row').then(done);";
    browser.client.execute_async(ask, Vec::new()).await.unwrap();
    browser.until("row.isConnected").await;
    ada.is_processed(&tracks[202]).await;
    browser.until(&format!("{STATE} === 'Ready'")).await;
    let count = browser.run("return streams.length;", Vec::new()).await;
    assert_eq!(count, json!(1), "one stream was enough");
    ada.leaves().await;
}
