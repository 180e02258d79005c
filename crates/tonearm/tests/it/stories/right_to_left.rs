//! Pages laid out from right to left: nothing leaves the window, and time still runs from left to right.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::gallery::Gallery;
use super::looking::{OUT_OF_SIGHT, VIEWS, keep};
use crate::browser::Browser;

/// The pages that are checked.
const PAGES: [&str; 12] = [
    "share-track",
    "share-collection",
    "embed-track",
    "embed-collection",
    "library",
    "collection",
    "track",
    "track-share",
    "usage",
    "keys",
    "members",
    "webhooks",
];

/// Sets the direction that the language of a page would set.
const TURN: &str = "
    new MutationObserver((_, turned) => {
        if (!document.documentElement) return;
        document.documentElement.dir = 'rtl';
        turned.disconnect();
    }).observe(document, { childList: true });";

/// Problems in players and in the bar.
const IN_PLAYERS: &str = "
    const found = [];
    const directionOf = (node) => node && getComputedStyle(node).direction;
    for (const { shadowRoot: root } of document.querySelectorAll('tonearm-player')) {
        for (const node of root.querySelectorAll('.card *')) {
            const { left, right, width } = node.getBoundingClientRect();
            if (width && (left < 0 || right > innerWidth)) found.push(`outside of the window: ${node.className} of the player`);
        }
        if (directionOf(root.querySelector('.card')) !== 'rtl') found.push('the player does not follow the page');
        for (const name of ['.wave', '.foot']) {
            if (directionOf(root.querySelector(name)) !== 'ltr') found.push(`${name} of the player is turned`);
        }
    }
    for (const node of document.querySelectorAll('.bar *, .popup *')) {
        const { left, right, width } = node.getBoundingClientRect();
        if (width && (left < 0 || right > innerWidth)) found.push(`outside of the window: ${node.className} of the bar`);
    }
    const seek = document.querySelector('.bar-seek');
    if (seek && directionOf(seek) !== 'ltr') found.push('the bar is turned');
    return found;";

/// What is wrong with the current page.
async fn wrong_with(browser: &Browser, name: &str, folder: Option<&PathBuf>) -> Vec<String> {
    let mut wrong = Vec::new();
    for view in [VIEWS[0], VIEWS[3]] {
        browser.views(view).await;
        for look in [OUT_OF_SIGHT, IN_PLAYERS] {
            let found = browser.run(look, Vec::new()).await;
            let found = found.as_array().unwrap().iter().filter_map(Value::as_str);
            wrong.extend(found.map(|told| format!("{name}, {}: {told}", view.name)));
        }
        if let Some(folder) = folder {
            let shot = browser.command("Page.captureScreenshot", json!({ "format": "png" })).await;
            keep(&folder.join(format!("rtl-{name}.{}.png", view.name)), &shot);
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_leaves_a_page_that_runs_from_right_to_left() {
    let folder = std::env::var_os("TONEARM_PICTURES").map(PathBuf::from);
    let gallery = Box::pin(Gallery::open()).await;
    let (browser, mut wrong) = (&gallery.ada.browser, Vec::new());
    browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": TURN })).await;
    browser.views(VIEWS[0]).await;
    let strangers = gallery.pages_for_strangers().await;
    gallery.ada.uses_the_first_link().await;
    let pages: Vec<_> = [strangers, gallery.pages_of_the_library(), gallery.pages_of_settings()].concat();
    for name in PAGES {
        let (_, address) = pages.iter().find(|(own, _)| *own == name).unwrap();
        browser.opens(address).await;
        wrong.extend(wrong_with(browser, name, folder.as_ref()).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    gallery.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bar_and_menus_stay_in_a_window_that_runs_from_right_to_left() {
    let folder = std::env::var_os("TONEARM_PICTURES").map(PathBuf::from);
    let gallery = Box::pin(Gallery::open()).await;
    let browser = &gallery.ada.browser;
    gallery.ada.uses_the_first_link().await;
    browser.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": TURN })).await;
    browser.opens(&format!("{}/collections/{}", gallery.ada.base, gallery.collection)).await;
    browser.click("[data-play]").await;
    browser.until("window.tonearmBar.here?.player.duration > 0").await;
    browser.run("document.querySelector('[aria-controls=bar-queue]').click();", Vec::new()).await;
    let mut wrong = wrong_with(browser, "bar", folder.as_ref()).await;
    for view in [VIEWS[0], VIEWS[3]] {
        browser.views(view).await;
        browser.run("document.querySelectorAll('[data-more]')[1].click();", Vec::new()).await;
        browser.until("document.querySelector('.popup button')").await;
        let found = browser.run(IN_PLAYERS, Vec::new()).await;
        wrong.extend(found.as_array().unwrap().iter().map(|told| format!("menu, {}: {told}", view.name)));
        browser.run("document.activeElement.blur(); document.body.click();", Vec::new()).await;
        browser.run("dispatchEvent(new Event('resize'));", Vec::new()).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    gallery.ada.leaves().await;
}
