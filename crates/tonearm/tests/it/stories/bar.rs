//! Tracks are played from lists, and continue while users move through the pages.

use fantoccini::key::Key;
use serde_json::json;

use super::{Ada, half_a_minute};
use crate::browser::Browser;

/// What the bar plays.
const SOUND: &str = "(top.tonearmBar?.here?.player.sound.audio ?? {})";
/// The titles in the queue.
const QUEUE: &str = "top.tonearmBar.here.player.state.tracks.map(({ title }) => title).join()";

/// Waits until the bar plays: its position advances.
async fn hears_the_bar(browser: &Browser) {
    let before = browser.run(&format!("return {SOUND}.currentTime ?? 0;"), Vec::new()).await;
    browser.until(&format!("!{SOUND}.paused && {SOUND}.currentTime > {before} + 0.2")).await;
}

impl Ada {
    /// Creates a collection of ready tracks. Returns its id.
    pub(super) async fn has_tracks(&self, title: &str, names: &[&str]) -> String {
        let client = &self.server.client;
        let collection = client.collection(title).await;
        let mut tracks = Vec::new();
        for (at, name) in names.iter().enumerate() {
            // Each track has different bytes, so that each is rendered separately.
            let sound = half_a_minute(200.0 + 10.0 * at as f64);
            tracks.push(client.upload(&collection, name, sound).await);
        }
        for track in &tracks {
            client.settled(track).await;
        }
        collection
    }

    /// Clicks with the mouse. When users go back, browsers skip pages that were opened by a script.
    pub(super) async fn clicks_in_frame(&self, css: &str) {
        self.browser.find("iframe.page-frame").await.enter_frame().await.unwrap();
        self.browser.click(css).await;
        self.browser.client.enter_parent_frame().await.unwrap();
    }

    async fn is_framed(&self) {
        self.browser.until("document.querySelector('iframe.page-frame:not([hidden])')?.contentDocument?.querySelector('h1')").await;
    }
}

const FRAME: &str = "document.querySelector('iframe.page-frame').contentDocument";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_heard_goes_on_from_page_to_page() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["ebb.wav", "flood.wav", "slack.wav"]).await;
    ada.opens(&format!("/collections/{collection}")).await;
    browser.click("[data-track]:nth-child(2) .row").await;
    browser.shows("h1", "flood").await;
    browser.client.back().await.unwrap();
    browser.shows("h1", "Songs of the tide").await;

    browser.click("[data-track]:nth-child(2) [data-play]").await;
    hears_the_bar(browser).await;
    browser.shows(".bar .words", "flood").await;
    browser.until("document.querySelector('[data-track]:nth-child(2)').matches('.current.playing')").await;

    // A link, the browser's own buttons, a search form, and a form that changes data.
    browser.run("window.isSame = true;", Vec::new()).await;
    browser.click("[data-track] .row").await;
    ada.is_framed().await;
    browser.until("location.pathname.includes('/tracks/') && document.title.startsWith('ebb')").await;
    hears_the_bar(browser).await;
    ada.clicks_in_frame(".crumb a").await;
    browser.until(&format!("{FRAME}.querySelector('h1')?.textContent === 'Songs of the tide'")).await;
    browser
        .until(&format!("{FRAME}.querySelector('[data-track]:nth-child(2)').matches('.current.playing')"))
        .await;
    browser.client.back().await.unwrap();
    browser.until(&format!("{FRAME}.querySelector('h1')?.textContent === 'ebb'")).await;
    browser.client.back().await.unwrap();
    browser
        .until("document.querySelector('iframe').hidden && location.pathname.includes('/collections/')")
        .await;
    browser.type_into(".find input", "slack").await;
    browser
        .until("location.search === '?q=slack' && document.querySelectorAll('[data-track]').length === 1")
        .await;
    browser.shows("[data-total]", "1 track found").await;
    browser.client.back().await.unwrap();
    browser.until("location.search === '' && document.querySelectorAll('[data-track]').length === 3").await;
    browser.until("document.querySelector('.find input').value === ''").await;
    hears_the_bar(browser).await;
    let save = format!(
        "
        document.querySelector('#title').value = 'Songs of the moon';
        document.querySelector('form[action$=\"{collection}\"]').requestSubmit();"
    );
    browser.run(&save, Vec::new()).await;
    browser.until(&format!("{FRAME}.querySelector('h1')?.textContent === 'Songs of the moon'")).await;
    hears_the_bar(browser).await;
    browser.until("window.isSame").await;

    // After a reload, playback continues where it was.
    browser.client.refresh().await.unwrap();
    browser.shows("h1", "Songs of the moon").await;
    browser.shows(".bar .words", "flood").await;
    let position = browser.run("return top.tonearmBar.here.player.position;", Vec::new()).await;
    assert!(position.as_f64().unwrap() > 0.5, "{position}");
    // The playback state is removed when the user signs out.
    browser.click(".side-wide .who button").await;
    browser.shows("h1", "Sign in").await;
    assert_eq!(browser.run("return sessionStorage.length;", Vec::new()).await, json!(0));
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_is_changed_while_it_is_heard() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["ebb.wav", "flood.wav", "slack.wav"]).await;
    ada.opens(&format!("/collections/{collection}?q=flood")).await;
    browser.click("[data-play]").await;
    hears_the_bar(browser).await;
    let all = format!("{}/collections/{collection}", ada.base);
    browser.run("top.tonearmBar.here.pages.visit(arguments[0]);", vec![json!(all)]).await;
    ada.is_framed().await;
    browser.until(&format!("{FRAME}.querySelectorAll('[data-more]').length === 3")).await;
    let choose = |row: u8, label: &str| {
        format!(
            "const row = {FRAME}.querySelector('[data-track]:nth-child({row})');
             row.querySelector('[data-more]').click();
             const wait = setInterval(() => {{
                 const choice = [...row.querySelectorAll('.popup button')].find(({{ textContent }}) => textContent === '{label}');
                 if (choice) {{ clearInterval(wait); choice.click(); }}
             }}, 20);"
        )
    };
    browser.run(&choose(1, "Add to queue"), Vec::new()).await;
    browser.until(&format!("{QUEUE} === 'flood,ebb'")).await;
    browser.run(&choose(3, "Play next"), Vec::new()).await;
    browser.until(&format!("{QUEUE} === 'flood,slack,ebb'")).await;
    browser.shows(".bar-message", "slack plays next").await;

    // Where the track of a row is shared is one choice further.
    let share = format!(
        "{FRAME}.querySelector('[data-track] [data-more]').click();
         const wait = setInterval(() => {{
             const link = {FRAME}.querySelector('.popup a[data-share]');
             if (link) {{ clearInterval(wait); link.click(); }}
         }}, 20);"
    );
    browser.run(&share, Vec::new()).await;
    browser
        .until(&format!("{FRAME}.querySelector('dialog[open] [data-panel] form[action$=\"/share\"]')"))
        .await;
    browser.run(&format!("{FRAME}.querySelector('dialog[open]').close();"), Vec::new()).await;

    browser.click("[aria-controls=bar-queue]").await;
    let keys = [Key::Down, Key::Down].map(char::from).iter().collect::<String>();
    browser.run("document.querySelector('.bar-queue [data-grip]').focus();", Vec::new()).await;
    browser.strike(&format!(" {keys} ")).await;
    browser.until(&format!("{QUEUE} === 'slack,ebb,flood'")).await;
    browser.click(".bar-queue li:nth-child(2) [data-kind=remove]").await;
    browser.until(&format!("{QUEUE} === 'slack,flood'")).await;
    hears_the_bar(browser).await;
    browser.click("[aria-label='Previous track']").await;
    browser.shows(".bar .words", "slack").await;
    hears_the_bar(browser).await;
    browser.click("[aria-label='Close player']").await;
    browser.until("!document.querySelector('.bar:not([hidden])')").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_play_and_search_but_not_while_somebody_types() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["ebb.wav"]).await;
    ada.opens(&format!("/collections/{collection}")).await;
    browser.click("[data-play]").await;
    hears_the_bar(browser).await;
    browser.run("document.activeElement.blur();", Vec::new()).await;
    browser.strike(" ").await;
    browser.until(&format!("{SOUND}.paused")).await;
    browser.strike("k").await;
    hears_the_bar(browser).await;
    browser.strike("K").await;
    browser.until(&format!("{SOUND}.paused")).await;
    browser.strike("ll").await;
    browser.until(&format!("{SOUND}.currentTime > 19")).await;
    browser.strike("j").await;
    browser.until(&format!("{SOUND}.currentTime < 13")).await;
    browser.strike("/").await;
    browser.until("document.activeElement.matches('.find input')").await;
    browser.strike("jk l?").await;
    browser.until("document.activeElement.value === 'jk l?'").await;
    browser.until(&format!("{SOUND}.paused && {SOUND}.currentTime < 13")).await;
    browser.run("document.activeElement.blur();", Vec::new()).await;
    browser.strike("?").await;
    browser.shows("dialog.shortcuts[open]", "Back 10 seconds").await;
    browser.strike("k").await;
    browser.click("dialog.shortcuts input").await;
    browser.click("dialog.shortcuts button").await;
    browser.strike("k").await;
    browser.until(&format!("{SOUND}.paused")).await;
    ada.leaves().await;
}
