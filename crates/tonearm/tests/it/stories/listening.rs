//! Files are dropped onto a collection, become ready, and are played.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use super::{AUDIO, Ada, half_a_minute, hears};

/// Drops files, given as names and Base64, as a person's mouse would.
pub(super) const DROP: &str = "
    const [named] = arguments;
    const transfer = new DataTransfer();
    for (const [name, text] of named) {
        const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
        transfer.items.add(new File([bytes], name, { type: 'audio/wav' }));
    }
    const zone = document.querySelector('[data-uploads]');
    for (const name of ['dragenter', 'dragover', 'drop']) {
        zone.dispatchEvent(new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }";

/// Holds back the requests that create tracks until the page calls `goOn`.
const HOLD: &str = "
    const ask = window.fetch;
    const held = new Promise((done) => (window.goOn = done));
    window.fetch = async (address, options) => {
        if (options?.method === 'POST') await held;
        return ask(address, options);
    };";

#[tokio::test(flavor = "multi_thread")]
async fn three_files_are_dropped_become_ready_and_are_heard() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    browser.type_into("#title", "Songs of the tide").await;
    browser.click("main form button.primary").await;
    browser.shows(".empty h2", "No tracks yet").await;

    let named: Vec<(&str, String)> = [("ebb.wav", 220.0), ("flood.wav", 330.0), ("slack.wav", 440.0)]
        .map(|(name, hz)| (name, BASE64_STANDARD.encode(half_a_minute(hz))))
        .into();
    browser.until("document.querySelector('.drop button')?.hidden").await;
    browser.run(DROP, vec![json!(named)]).await;
    browser.until("document.querySelectorAll('.uploads .badge.good').length === 3").await;
    browser.client.refresh().await.unwrap();
    browser.until("document.querySelectorAll('.tracks svg.wave path').length === 3").await;
    for name in ["ebb", "flood", "slack"] {
        browser.shows(".tracks", name).await;
    }

    browser.click(".tracks a.row").await;
    let play = browser.in_player(".play:not([disabled])").await;
    play.click().await.unwrap();
    hears(browser).await;
    play.click().await.unwrap();
    browser.until(&format!("{AUDIO}.paused")).await;
    let wave = browser.in_player(".wave").await;
    browser.click_at(wave, 0.5).await;
    browser.until(&format!("Math.abs({AUDIO}.currentTime - 15) < 0.5")).await;
    play.click().await.unwrap();
    hears(browser).await;
    let position = browser.run(&format!("return {AUDIO}.currentTime;"), Vec::new()).await;
    assert!(position.as_f64().unwrap() > 14.5, "it goes on from there, not from {position}");
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_paused_while_its_track_is_made_has_one_track() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    browser.type_into("#title", "Songs of the tide").await;
    browser.click("main form button.primary").await;
    browser.shows(".empty h2", "No tracks yet").await;

    browser.until("document.querySelector('.drop button')?.hidden").await;
    browser.run(HOLD, Vec::new()).await;
    let named = [("ebb.wav", BASE64_STANDARD.encode(half_a_minute(220.0)))];
    browser.run(DROP, vec![json!(named)]).await;
    browser.click(".uploads button").await;
    browser.shows(".uploads .badge", "Paused").await;
    browser.click(".uploads button").await;
    browser.shows(".uploads .badge", "Waiting").await;
    browser.run("window.goOn();", Vec::new()).await;
    browser.until("document.querySelectorAll('.uploads .badge.good').length === 1").await;
    browser.client.refresh().await.unwrap();
    browser.until("document.querySelectorAll('.tracks svg.wave path').length > 0").await;
    let rows = browser.run("return document.querySelectorAll('.tracks a.row').length;", Vec::new()).await;
    assert_eq!(rows, json!(1));
    ada.leaves().await;
}

/// Tells whether a module of the dashboard can be loaded.
const LOADS: &str = "
    const [name, done] = arguments;
    const scripts = document.querySelector('script[type=module]').src;
    import(new URL(name, scripts)).then(() => done(true), () => done(false));";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_loaded_when_it_is_needed_is_asked_for_again() {
    let ada = Ada::comes_in(&[]).await;
    let (_, collection) = ada.has_a_track("ebb.wav").await;
    let browser = &ada.browser;
    ada.opens(&format!("/collections/{collection}")).await;
    browser.until("document.querySelector('[data-more][aria-label]')").await;
    browser.command("Network.enable", json!({})).await;
    let parts = ["row-menu.js", "bar/bar.js", "shortcuts-help.js", "reorder.js"];
    let blocked = parts.map(|name| format!("*/{name}*"));
    browser.command("Network.setBlockedURLs", json!({ "urls": blocked })).await;
    browser.strike("?").await;
    browser.run("document.querySelector('[data-grip]').focus();", Vec::new()).await;
    browser.strike(" ").await;
    browser.click("[data-play]").await;
    browser.click("[data-more]").await;
    for name in parts {
        let loads = browser.client.execute_async(LOADS, vec![json!(format!("./{name}"))]).await.unwrap();
        assert_eq!(loads, json!(false), "{name}");
    }
    browser.command("Network.setBlockedURLs", json!({ "urls": [] })).await;
    browser.click("[data-more]").await;
    browser.find(".popup").await;
    browser.until("document.querySelector('[data-more]').ariaExpanded === 'true'").await;
    // The page moves under the menu, and whoever uses the keyboard is where they were.
    browser.run("dispatchEvent(new Event('scroll'));", Vec::new()).await;
    browser.until("!document.querySelector('.popup')").await;
    browser.until("document.activeElement.matches('[data-more][aria-expanded=false]')").await;
    browser.click("[data-play]").await;
    browser.shows(".bar .words", "ebb").await;
    ada.leaves().await;
}
