//! Sharing from the pages with the music, and actions on the page of a track.

use std::time::Duration;

use fantoccini::key::Key;
use serde_json::json;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use super::looking::{axe, looked_at};
use super::{AUDIO, Ada, half_a_minute, hears};
use crate::browser::Browser;

/// Chooses a picture as the cover. Its left half is red, its right half is blue.
pub(super) const CHOOSE_A_PICTURE: &str = "
        const done = arguments[arguments.length - 1];
        const canvas = Object.assign(document.createElement('canvas'), { width: 600, height: 200 });
        const to = canvas.getContext('2d');
        to.fillStyle = '#f00';
        to.fillRect(0, 0, 300, 200);
        to.fillStyle = '#00f';
        to.fillRect(300, 0, 300, 200);
        canvas.toBlob((blob) => {
            const files = new DataTransfer();
            files.items.add(new File([blob], 'wide.png', { type: 'image/png' }));
            const input = document.querySelector('form[data-crop] input[type=file]');
            input.files = files.files;
            input.dispatchEvent(new Event('change', { bubbles: true }));
            done(true);
        });";

impl Ada {
    /// Waits until the last replacement of a track is completed.
    async fn has_replaced(&self, track: &str) {
        let mut state = json!(null);
        for _ in 0..600 {
            // There is no replacement until the page has requested one.
            let answer = self.server.client.get(&format!("/v1/track/{track}/source")).await;
            state = answer.json()["source_replacement"]["status"].clone();
            if state == "completed" {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the replacement is {state} after a minute");
    }

    /// Opens the share dialog.
    async fn shares_it(&self) {
        self.browser.click("a[data-share]").await;
        self.browser.shows("dialog.panel h1", "Share").await;
    }

    /// Makes a link in the dialog and returns it.
    async fn makes_a_link(&self) -> String {
        self.shares_it().await;
        self.browser.type_into("dialog #share-title", "For the press").await;
        self.browser.click("dialog [name=is_downloadable]").await;
        self.creates_the_link().await
    }

    /// Submits the form of the dialog as it is filled in, and returns the link.
    async fn creates_the_link(&self) -> String {
        let browser = &self.browser;
        browser.click("dialog form[method=post] button.primary").await;
        browser.shows("dialog [data-toast]", "Link created.").await;
        let link = browser.run("return document.querySelector('dialog #share-url').value;", Vec::new()).await;
        link.as_str().unwrap().to_owned()
    }
}

/// Chooses an option of the dialog.
fn chooses(select: &str, value: &str) -> String {
    format!(
        "const select = document.querySelector('dialog {select}');
         select.value = '{value}';
         select.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_track_is_shared_from_its_page_copied_later_and_revoked() {
    let ada = Ada::comes_in(&[]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    let browser = &ada.browser;
    ada.opens(&format!("/tracks/{track}")).await;
    let link = ada.makes_a_link().await;
    assert!(link.contains(&format!("/share/{track}/")), "{link}");
    // The preview is the player in the chosen theme.
    browser.run(&chooses("#share-theme", "dark"), Vec::new()).await;
    browser.until("document.querySelector('dialog iframe.preview')?.src.endsWith('?theme=dark')").await;
    browser.until("document.querySelector('dialog #share-frame').value.includes('theme=dark')").await;
    browser.until("document.querySelector('dialog iframe').contentDocument?.querySelector('tonearm-player[theme=dark]')?.duration > 0").await;
    // However wide the frame is, the player of a track fits into it.
    for (width, is_narrow) in [(480, true), (700, false)] {
        let frame = "document.querySelector('dialog iframe.preview')";
        browser.run(&format!("{frame}.style.width = '{width}px';"), Vec::new()).await;
        let card = format!(
            "{frame}.contentDocument.querySelector('tonearm-player').shadowRoot.querySelector('.card')"
        );
        browser.until(&format!("{card}.classList.contains('narrow') === {is_narrow}")).await;
        browser.until(&format!("{card}.scrollHeight <= {card}.clientHeight")).await;
    }
    browser.strike(&char::from(Key::Escape).to_string()).await;
    browser.until("!document.querySelector('dialog.panel')").await;

    let guest = Browser::open().await;
    guest.goto(&link).await;
    guest.in_player(".play:not([disabled])").await.click().await.unwrap();
    hears(&guest).await;
    // A narrower page is laid out anew without an error in its console.
    let narrows = "window.errors = [];
        addEventListener('error', ({ message }) => errors.push(message));
        document.querySelector('.player').style.width = '300px';";
    guest.run(narrows, Vec::new()).await;
    guest.until("document.querySelector('tonearm-player').shadowRoot.querySelector('.card.narrow')").await;
    guest.until("!errors.length").await;
    let download = guest.find("a.download").await.attr("href").await.unwrap().unwrap();
    assert!(download.ends_with("/download"), "{download}");

    // Later, the dialog shows the same link.
    browser.client.refresh().await.unwrap();
    browser.click("a[data-share]").await;
    browser.shows("dialog .link-url", &link).await;
    browser.click("dialog button.danger").await;
    browser.shows("#confirm-question", "Revoke “For the press”?").await;
    browser.click("dialog[aria-labelledby=confirm-question] button.danger").await;
    browser.shows("dialog [data-toast]", "Link revoked.").await;
    browser.until("!document.querySelector('dialog .links')").await;
    guest.client.refresh().await.unwrap();
    guest.shows("h1", "Link not available").await;
    guest.close().await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_made_although_the_sign_in_ends() {
    let ada = Ada::comes_in(&[]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    let browser = &ada.browser;
    ada.opens(&format!("/tracks/{track}")).await;
    ada.shares_it().await;
    browser.type_into("dialog #share-title", "For the press").await;
    ada.is_signed_out().await;
    browser.click("dialog form[method=post] button.primary").await;
    browser.shows("dialog .signed-out", "Your session has expired").await;
    ada.signs_in_elsewhere("ebb").await;
    browser.shows("dialog [data-toast]", "Link created.").await;
    browser.shows("dialog .links", "For the press").await;
    browser.until("!document.querySelector('.signed-out')").await;

    // A user who closes the dialog meanwhile still sees the link.
    browser.type_into("dialog #share-title", "For the radio").await;
    ada.is_signed_out().await;
    browser.click("dialog form[method=post] button.primary").await;
    browser.shows("dialog .signed-out", "Your session has expired").await;
    browser.strike(&char::from(Key::Escape).to_string()).await;
    browser.until("!document.querySelector('dialog.panel')").await;
    ada.signs_in_elsewhere("ebb").await;
    browser.shows("dialog [data-toast]", "Link created.").await;
    browser.shows("dialog .links", "For the radio").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_is_shared_from_its_page() {
    let ada = Ada::comes_in(&[]).await;
    let (_, collection) = ada.has_a_track("ebb.wav").await;
    ada.opens(&format!("/collections/{collection}")).await;
    let link = ada.makes_a_link().await;
    // The preview and the code to copy have the chosen size.
    let height = "document.querySelector('dialog iframe.preview').height";
    ada.browser.run(&format!("window.before = {height};"), Vec::new()).await;
    ada.browser.run(&chooses("#share-size", "tall"), Vec::new()).await;
    ada.browser.until(&format!("Number({height}) > Number(before)")).await;
    ada.browser
        .until(&format!(
            "document.querySelector('dialog #share-frame').value.includes(`height=\"${{{height}}}\"`)"
        ))
        .await;
    let guest = Browser::open().await;
    guest.goto(&link).await;
    guest.shows("h1", "Songs of the tide").await;
    guest.in_player(".play:not([disabled])").await.click().await.unwrap();
    hears(&guest).await;
    guest.shows("details.embed summary", "Download tracks").await;
    guest.close().await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_for_a_day_ends_after_a_day() {
    let ada = Ada::comes_in(&[]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    let browser = &ada.browser;
    ada.opens(&format!("/tracks/{track}")).await;
    ada.shares_it().await;
    browser.run(&chooses("#share-expires", "day"), Vec::new()).await;
    let link = ada.creates_the_link().await;
    browser.shows("dialog .links", "Expires").await;
    let guest = Browser::open().await;
    guest.goto(&link).await;
    guest.in_player(".play:not([disabled])").await;

    ada.server.clock.advance_seconds(86_401);
    guest.client.refresh().await.unwrap();
    guest.shows("h1", "Link not available").await;
    browser.client.refresh().await.unwrap();
    browser.click("a[data-share]").await;
    browser.shows("dialog .links .badge.warn", "Expired").await;
    guest.close().await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_replaced_and_the_new_one_is_heard() {
    let ada = Ada::comes_in(&[]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    let browser = &ada.browser;
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("flow.wav");
    let signal = Signal::Sine { hz: 440.0, amplitude: 0.5 };
    let longer = WavSpec { seconds: 45.0, sample_rate: 8_000, channels: 1, signal, ..WavSpec::default() };
    std::fs::write(&file, wav(&longer)).unwrap();
    ada.opens(&format!("/tracks/{track}")).await;
    browser.until("document.querySelector('tonearm-player').duration > 29").await;
    browser.shows(".told", "8\u{202f}000 Hz").await;
    browser.run("window.sameDocument = true;", Vec::new()).await;
    let empty = folder.path().join("empty.wav");
    std::fs::write(&empty, "").unwrap();
    browser.type_into("#source", empty.to_str().unwrap()).await;
    browser.click(".replace [type=submit]").await;
    browser.shows(".replace [data-transfer] .badge.bad", "This file is empty.").await;
    browser.type_into("#source", file.to_str().unwrap()).await;
    browser.click(".replace [type=submit]").await;
    ada.has_replaced(&track).await;
    // The page reloads once the new file is in its place.
    browser.until("!window.sameDocument && document.querySelector('tonearm-player')?.duration > 44").await;
    browser.shows(".page-head .sub", "flow.wav").await;
    browser.in_player(".play:not([disabled])").await.click().await.unwrap();
    hears(browser).await;
    browser.until(&format!("{AUDIO}.duration > 44")).await;
    // What people saw stays.
    browser.shows("h1", "ebb").await;
    browser.shows(".replace .notice", "The former one, “ebb.wav”, is kept for a day.").await;
    browser.shows("#player_title ~ .hint", "If empty: flow").await;
    browser.click(".replace .notice [type=submit]").await;
    browser.shows("[data-toast]", "The former file is being put back.").await;
    browser.until("document.querySelector('tonearm-player')?.duration < 31").await;
    browser.shows(".page-head .sub", "ebb.wav").await;
    ada.leaves().await;
}

/// The first request for captions finds no network.
const WITHOUT_WORDS_AT_FIRST: &str = "
    window.requestsForWords = 0;
    const before = window.fetch;
    window.fetch = (address, sent) => {
        const isLost = String(address).includes('captions.vtt') && ++window.requestsForWords === 1;
        return isLost ? Promise.reject(new TypeError('Failed to fetch')) : before(address, sent);
    };";

#[tokio::test(flavor = "multi_thread")]
async fn words_are_edited_and_read_beside_the_sound() {
    let ada = Ada::comes_in(&[]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    let browser = &ada.browser;
    ada.opens(&format!("/tracks/{track}/transcript")).await;
    browser
        .run(
            "document.querySelector('#captions').value = 'WEBVTT\\n\\n00:05.000 -> 00:06.000\\nEbb';",
            Vec::new(),
        )
        .await;
    browser.click("form .primary").await;
    browser.shows(".problem", "Line 3:").await;
    let right = "WEBVTT\n\n00:05.000 --> 00:06.000\nEbb & flow\n\n00:20.000 --> 00:22.000\nSlack water\n";
    browser.run("document.querySelector('#captions').value = arguments[0];", vec![json!(right)]).await;
    browser.click("form .primary").await;
    browser.shows("[data-toast]", "Changes saved.").await;
    browser.shows(".said", "Ebb & flow").await;
    // The players for owners and for guests show the words, once, and play from where they are said.
    ada.makes_a_link().await;
    let link = browser.run("return document.querySelector('dialog #share-url').value;", Vec::new()).await;
    let guest = Browser::open().await;
    for (who, address) in [(browser, None), (&guest, link.as_str())] {
        if let Some(address) = address {
            who.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WITHOUT_WORDS_AT_FIRST }))
                .await;
            who.goto(address).await;
            who.until(
                "window.requestsForWords > 1 && !document.querySelector('main').innerText.includes('Ebb')",
            )
            .await;
        } else {
            ada.opens(&format!("/tracks/{track}")).await;
        }
        let summary = who.in_player("details[part=transcript]:not([hidden]) summary").await;
        summary.click().await.unwrap();
        who.in_player("details[part=transcript] li:nth-child(2) button").await.click().await.unwrap();
        who.until("document.querySelector('tonearm-player').position > 18").await;
        who.until("!document.querySelector('tonearm-player').paused").await;
    }
    guest.close().await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cover_is_cropped_and_reset() {
    let ada = Ada::comes_in(&[]).await;
    let client = &ada.server.client;
    let collection = client.collection("Songs of the tide").await;
    let track = client.upload(&collection, "ebb.wav", half_a_minute(220.0)).await;
    client.settled(&track).await;
    let browser = &ada.browser;
    ada.opens(&format!("/tracks/{track}")).await;
    browser.client.execute_async(CHOOSE_A_PICTURE, Vec::new()).await.unwrap();
    let slider = browser.find(".crop label:nth-child(2) input").await;
    slider.send_keys(&char::from(Key::End).to_string()).await.unwrap();
    browser.click("form[data-crop] [type=submit]").await;
    browser.shows("[data-toast]", "Cover updated.").await;
    let colour = "
        const done = arguments[arguments.length - 1];
        const image = document.querySelector('img.cover');
        image.decode().then(() => {
            const canvas = document.createElement('canvas');
            const to = canvas.getContext('2d');
            to.drawImage(image, 0, 0, 10, 10);
            try { done([...to.getImageData(1, 5, 1, 1).data]); } catch (error) { done(String(error)); }
        });";
    let seen = browser.client.execute_async(colour, Vec::new()).await.unwrap();
    assert!(seen[2].as_u64().unwrap() > 200 && seen[0].as_u64().unwrap() < 60, "the right end: {seen}");

    browser.click("form[action$='/cover/reset'] button").await;
    browser.shows("[data-toast]", "Cover reset.").await;
    browser.until("!document.querySelector(\"form[action$='/cover/reset']\")").await;
    ada.leaves().await;
}

/// What is put in a dialog or beside a file is no page of its own.
#[tokio::test(flavor = "multi_thread")]
async fn what_scripts_add_to_pages_keeps_nobody_out() {
    let ada = Ada::comes_in(&[]).await;
    let (track, collection) = ada.has_a_track("ebb.wav").await;
    let browser = &ada.browser;
    let (axe, mut wrong) = (axe(), Vec::new());
    for (name, path) in
        [("track", format!("/tracks/{track}")), ("collection", format!("/collections/{collection}"))]
    {
        ada.opens(&path).await;
        browser.in_player_or_list().await;
        if name == "track" {
            browser.client.execute_async(CHOOSE_A_PICTURE, Vec::new()).await.unwrap();
            browser.find(".crop canvas").await;
            wrong.extend(looked_at(browser, axe.as_deref(), "crop").await);
        }
        ada.makes_a_link().await;
        wrong.extend(looked_at(browser, axe.as_deref(), &format!("dialog-{name}")).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    ada.leaves().await;
}

impl Browser {
    async fn in_player_or_list(&self) {
        self.find("tonearm-player, .tracks").await;
    }
}
