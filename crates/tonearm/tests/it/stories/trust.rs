//! What users enter is not lost: a chosen colour, a form whose sign-in had ended, uploaded tracks.

use serde_json::{Value, json};
use tonearm_service::{AuditFilter, Caller};

use super::{Ada, PASSWORD};
use crate::browser::Browser;

/// Chooses a colour as the browser's own picker does.
const CHOOSE: &str = "
    const input = document.querySelector('#player_color');
    input.value = '#ffe000';
    input.dispatchEvent(new Event('input', { bubbles: true }));";

#[tokio::test(flavor = "multi_thread")]
async fn choosing_a_colour_is_enough() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let (track, collection) = ada.has_a_track("ebb.wav").await;
    for path in [format!("/tracks/{track}"), format!("/collections/{collection}")] {
        ada.opens(&path).await;
        browser.run(CHOOSE, Vec::new()).await;
        browser.until("document.querySelector('[name=own_color]').checked").await;
        browser.click("form:has(#player_color) button[type=submit]").await;
        browser.shows("[data-toast]", "Changes saved.").await;
        browser.until("document.querySelector('[name=own_color]').checked").await;
        browser.until("document.querySelector('#player_color').value === '#ffe000'").await;
        // Clearing the checkbox removes the colour.
        browser.run(CHOOSE, Vec::new()).await;
        browser.click("[name=own_color]").await;
        browser.click("form:has(#player_color) button[type=submit]").await;
        browser.shows("[data-toast]", "Changes saved.").await;
        browser.until("!document.querySelector('[name=own_color]').checked").await;
        browser.until("document.querySelector('#player_color').value !== '#ffe000'").await;
    }
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_comes_back_filled_after_signing_in() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    ada.opens(&format!("/tracks/{track}")).await;
    browser.type_into("#player_title", "Ebb and <b>flow</b>").await;
    browser.type_into("#player_subtitle", "Ada & the Lovelaces").await;
    browser.run(CHOOSE, Vec::new()).await;
    ada.is_signed_out().await;
    browser.click("form:has(#player_title) button[type=submit]").await;
    browser.shows("main .kept", "Your input is kept in this tab.").await;
    ada.signs_in("not her password").await;
    browser.shows("[role=alert]", "The email address or the password is wrong.").await;
    ada.signs_in(PASSWORD).await;
    browser.shows("main .notice[role=status]", "Your input has been restored.").await;
    let filled = "['#player_title', '#player_subtitle', '#player_color'].map((css) => document.querySelector(css).value)";
    let filled = browser.run(&format!("return {filled};"), Vec::new()).await;
    assert_eq!(filled, json!(["Ebb and <b>flow</b>", "Ada & the Lovelaces", "#ffe000"]));
    browser.until("document.querySelector('[name=own_color]').checked").await;
    browser.until("document.activeElement.id === 'player_title'").await;
    browser.click("form:has(#player_title) button[type=submit]").await;
    browser.shows("[data-toast]", "Changes saved.").await;
    browser.shows("h1", "Ebb and <b>flow</b>").await;
    // The message is shown once, and a draft that has been saved is not kept.
    assert_eq!(browser.run("return sessionStorage.getItem('tonearm-draft');", Vec::new()).await, Value::Null);

    // Passwords are never kept.
    ada.opens("/profile").await;
    browser.type_into("#current", PASSWORD).await;
    browser.type_into("#password", "another good one").await;
    ada.is_signed_out().await;
    browser.click("form:has(#current) button[type=submit]").await;
    browser.shows("h1", "Sign in").await;
    assert_eq!(browser.run("return sessionStorage.getItem('tonearm-draft');", Vec::new()).await, Value::Null);
    ada.signs_in(PASSWORD).await;
    browser.shows("h1", "Your profile").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_sent_once_however_often_it_is_clicked() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    ada.opens("/library").await;
    let clicks = "let sent = 0;
        addEventListener('submit', (event) => {
            if (!event.defaultPrevented) sent += 1;
            event.preventDefault();
        });
        const form = document.querySelector('form[action$=library]');
        form.elements.title.value = 'Songs of the tide';
        const button = form.querySelector('button');
        button.click();
        button.click();
        return sent;";
    assert_eq!(browser.run(clicks, Vec::new()).await, 1);
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_shown_to_nobody_else() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    ada.opens(&format!("/tracks/{track}")).await;
    let draft = json!({
        "person": "somebody else", "page": format!("/dashboard/{}/tracks/{track}", ada.server.organization_id),
        "action": format!("/dashboard/{}/tracks/{track}", ada.server.organization_id),
        "typed": [{ "name": "player_title", "option": null, "state": "secret" }],
        "hasFile": false, "at": 4_000_000_000_000_u64, "lost": "signed-out",
    });
    let keep = "sessionStorage.setItem('tonearm-draft', arguments[0]);";
    browser.run(keep, vec![json!(draft.to_string())]).await;
    browser.client.refresh().await.unwrap();
    browser.until("sessionStorage.getItem('tonearm-draft') === null").await;
    browser.until("document.querySelector('#player_title').value === ''").await;
    ada.leaves().await;
}

/// Drops this many short WAV files onto the page.
const DROP_FILES: &str = "
    const transfer = new DataTransfer();
    for (let n = 0; n < arguments[0]; n++) {
        const size = 16_000;
        const bytes = new DataView(new ArrayBuffer(44 + size));
        const text = (at, value) => [...value].forEach((c, i) => bytes.setUint8(at + i, c.charCodeAt(0)));
        text(0, 'RIFF'); bytes.setUint32(4, 36 + size, true); text(8, 'WAVEfmt ');
        bytes.setUint32(16, 16, true); bytes.setUint16(20, 1, true); bytes.setUint16(22, 1, true);
        bytes.setUint32(24, 8000, true); bytes.setUint32(28, 16000, true);
        bytes.setUint16(32, 2, true); bytes.setUint16(34, 16, true);
        text(36, 'data'); bytes.setUint32(40, size, true);
        for (let at = 44; at < 44 + size; at += 2) bytes.setInt16(at, 8000 * Math.sin(at * (n + 1) / 40), true);
        transfer.items.add(new File([bytes.buffer], `wave ${n + 10}.wav`, { type: 'audio/wav' }));
    }
    transfer.items.add(new File([], 'empty.wav', { type: 'audio/wav' }));
    for (const name of ['dragenter', 'dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }";

async fn rows(browser: &Browser) -> Value {
    let script = "return [...document.querySelectorAll('.tracks > li')].map((row) =>
        [row.querySelector('strong').textContent, row.querySelector('[data-state]').textContent]);";
    browser.run(script, Vec::new()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn uploaded_tracks_appear_as_they_are_made() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    browser.type_into("#title", "Songs of the tide").await;
    browser.click("main form button.primary").await;
    browser.shows("[data-total]", "0 tracks").await;
    browser.run("window.sameDocument = true;", Vec::new()).await;
    browser.run(DROP_FILES, vec![json!(10)]).await;
    // The first rows appear long before the last file is done.
    browser.until("document.querySelector('.tracks > li')").await;
    browser.shows(".uploads li:last-child .badge", "This file is empty. Choose another one.").await;
    for list in [".uploads", ".tracks"] {
        for ready in 1..=10 {
            browser
                .until(&format!("document.querySelectorAll('{list} .badge.good').length >= {ready}"))
                .await;
        }
    }
    browser.shows("[data-total]", "10 tracks").await;
    let expected: Vec<Value> = (10..20).map(|n| json!([format!("wave {n}"), "Ready"])).collect();
    assert_eq!(rows(browser).await, json!(expected));
    browser.until("window.sameDocument && !document.querySelector('.empty')").await;

    // The list was empty when the page loaded, and now works like any other.
    browser.click("[data-select-all] input").await;
    browser.shows("[data-selected]", "10 selected").await;
    browser.type_into("form.find [type=search]", "wave 13").await;
    browser.until("document.querySelectorAll('.tracks > li').length === 1 && window.sameDocument").await;

    // Ada uploaded them, and the audit log says so.
    let audit = ada.server.node.services().unwrap().audit.clone();
    let caller = Caller::owner(ada.server.organization_id.parse().unwrap());
    let filter = AuditFilter { action: Some("track.upload".to_owned()), ..AuditFilter::default() };
    let uploads = audit.entries(&caller, &filter, None, 100).await.unwrap();
    assert_eq!(uploads.len(), 10);
    assert!(uploads.iter().all(|line| line.actor == "person" && line.address.is_some()), "{uploads:?}");
    ada.opens("/audit?action=track.upload").await;
    browser.shows("tbody tr", "Ada Lovelace").await;
    ada.leaves().await;
}
