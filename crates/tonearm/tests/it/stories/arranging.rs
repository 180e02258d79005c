//! Tracks are put in order, selected and changed together, and every change is undone.

use std::time::Duration;

use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use fantoccini::key::Key;
use serde_json::json;

use super::Ada;
use super::shares::CHOOSE_A_PICTURE;
use super::uploading::DROP;
use crate::browser::Browser;

const ROWS: &str = "[...document.querySelectorAll('[data-track]')].map((row) => row.dataset.title).join()";
const SAID: &str = "document.querySelector('[aria-live=assertive]')?.textContent";

async fn lists(browser: &Browser, titles: &str) {
    browser.until(&format!("{ROWS} === '{titles}'")).await;
}

impl Browser {
    /// Drags an element to the middle of another with the mouse.
    async fn drags(&self, css: &str, to: &str) {
        self.drags_and_holds(css, to, Duration::ZERO).await;
    }

    /// The same, holding it there for some time.
    async fn drags_and_holds(&self, css: &str, to: &str, duration: Duration) {
        let (from, to) = (self.find(css).await, self.find(to).await);
        let (.., height) = to.rectangle().await.unwrap();
        let mouse = MouseActions::new("mouse".to_owned())
            .then(PointerAction::MoveToElement { element: from, duration: None, x: 0.0, y: 0.0 })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::MoveToElement { element: to.clone(), duration: None, x: 0.0, y: 0.0 })
            .then(PointerAction::MoveToElement { element: to, duration: None, x: 0.0, y: height / 3.0 })
            .then(PointerAction::Pause { duration })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.client.perform_actions(mouse).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_dragged_and_moved_with_the_keyboard() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["a.wav", "b.wav", "c.wav", "d.wav"]).await;
    ada.opens(&format!("/collections/{collection}")).await;
    lists(browser, "a,b,c,d").await;
    browser.drags("[data-track]:nth-child(1) [data-grip]", "[data-track]:nth-child(3)").await;
    lists(browser, "b,c,a,d").await;
    browser.shows(".reordered", "Order saved.").await;
    browser.client.refresh().await.unwrap();
    lists(browser, "b,c,a,d").await;

    // The key is pressed before the script that moves rows has loaded.
    let press = "const grip = document.querySelector('[data-track]:nth-child(4) [data-grip]');
        grip.focus();
        grip.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true, cancelable: true }));";
    browser.run(press, Vec::new()).await;
    browser.until(&format!("{SAID}?.startsWith('d picked up at position 4 of 4.')")).await;
    browser.strike(&String::from_iter([Key::Up, Key::Up].map(char::from))).await;
    browser.until(&format!("{SAID} === 'd, position 2 of 4.'")).await;
    browser.strike(" ").await;
    browser.until(&format!("{SAID} === 'd dropped at position 2 of 4.'")).await;
    browser.until("document.activeElement.matches('[data-track]:nth-child(2) [data-grip]')").await;
    browser.shows(".reordered", "Order saved.").await;
    browser.strike(&format!(" {}{}", char::from(Key::Down), char::from(Key::Escape))).await;
    lists(browser, "b,d,c,a").await;

    // Another user changes the order meanwhile: no change is half done, and the rows stay as they were.
    let ids = browser
        .run(
            "return [...document.querySelectorAll('[data-track]')].map((row) => row.dataset.track);",
            Vec::new(),
        )
        .await;
    let reversed: Vec<_> = ids.as_array().unwrap().iter().rev().cloned().collect();
    let order = json!({ "track_ids": reversed });
    ada.server.client.put(&format!("/v1/collection/{collection}/order"), &order).await.ok();
    browser.drags("[data-track]:nth-child(1) [data-grip]", "[data-track]:nth-child(3)").await;
    browser.shows(".reordered", "The order was changed in the meantime").await;
    lists(browser, "b,d,c,a").await;
    browser.client.refresh().await.unwrap();
    lists(browser, "a,c,d,b").await;
    browser.drags("[data-track]:nth-child(1) [data-grip]", "[data-track]:nth-child(2)").await;
    lists(browser, "c,a,d,b").await;
    browser.click(".reordered button").await;
    browser.shows(".toast", "Change undone.").await;
    lists(browser, "a,c,d,b").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_moved_although_it_is_taken_before_the_script_is_there() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["a.wav", "b.wav", "c.wav", "d.wav"]).await;
    browser.command("Network.enable", json!({})).await;
    browser.command("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await;
    ada.opens(&format!("/collections/{collection}")).await;
    lists(browser, "a,b,c,d").await;
    let slow = json!({ "offline": false, "latency": 500, "downloadThroughput": -1, "uploadThroughput": -1 });
    browser.command("Network.emulateNetworkConditions", slow).await;
    browser.drags("[data-track]:nth-child(1) [data-grip]", "[data-track]:nth-child(3)").await;
    lists(browser, "b,c,a,d").await;
    browser.shows(".reordered", "Order saved.").await;

    // The script loads after the last move, and before the button is released.
    browser.client.refresh().await.unwrap();
    lists(browser, "b,c,a,d").await;
    let long = Duration::from_secs(5);
    browser.drags_and_holds("[data-track]:nth-child(1) [data-grip]", "[data-track]:nth-child(3)", long).await;
    lists(browser, "c,a,b,d").await;
    browser.shows(".reordered", "Order saved.").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_saved_although_the_sign_in_ends() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["a.wav", "b.wav", "c.wav", "d.wav"]).await;
    ada.opens(&format!("/collections/{collection}")).await;
    lists(browser, "a,b,c,d").await;
    ada.is_signed_out().await;
    browser.drags("[data-track]:nth-child(1) [data-grip]", "[data-track]:nth-child(3)").await;
    lists(browser, "b,c,a,d").await;
    ada.signs_in_elsewhere("Songs of the tide").await;
    browser.shows(".reordered", "Order saved.").await;
    browser.client.refresh().await.unwrap();
    lists(browser, "b,c,a,d").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn selected_tracks_are_deleted_moved_and_retitled_and_come_back() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let other = ada.server.client.collection("Songs of the moon").await;
    let collection = ada.has_tracks("Songs of the tide", &["a.wav", "b.wav", "c.wav", "d.wav"]).await;
    let path = format!("/collections/{collection}");
    ada.opens(&path).await;
    browser.until("document.querySelector('[data-selection-actions][hidden]')").await;

    browser.click("[data-track]:nth-child(1) .pick").await;
    let shift = "document.querySelector('[data-track]:nth-child(3) .pick').dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true }));";
    browser.run(shift, Vec::new()).await;
    browser.shows("[data-selected]", "3 selected").await;
    browser.click(".selection .danger").await;
    browser.shows(".toast", "Deleted.").await;
    lists(browser, "d").await;
    browser.click(".undo button").await;
    browser.shows(".toast", "Change undone.").await;
    lists(browser, "a,b,c,d").await;

    browser.click("[data-track]:nth-child(2) .pick").await;
    browser.click(".selection [value=move]").await;
    browser.shows("h1", "Move 1 track").await;
    browser.click(&format!("input[value='{other}']")).await;
    browser.click("button.primary").await;
    browser.shows(".toast", "Moved.").await;
    browser.shows("h1", "Songs of the moon").await;
    lists(browser, "b").await;
    browser.click(".undo button").await;
    browser.shows("h1", "Songs of the tide").await;
    // The track is back in its old place.
    lists(browser, "a,b,c,d").await;

    browser.click("[data-select-all] input").await;
    browser.shows("[data-selected]", "4 selected").await;
    browser.click(".selection [value=retitle]").await;
    browser.shows("h1", "Retitle 4 tracks").await;
    browser.type_into("input[name=title]", "Alpha").await;
    browser.click("button.primary").await;
    browser.shows(".toast", "Titles changed.").await;
    lists(browser, "Alpha,b,c,d").await;
    browser.click(".undo button").await;
    browser.shows(".toast", "Change undone.").await;
    lists(browser, "a,b,c,d").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_selection_goes_on_over_pages_and_is_moved_to_a_position() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.server.client.collection("Songs of the tide").await;
    for number in 1..=52 {
        let name = format!("Song {number}");
        let track = json!({ "collection_id": collection, "file_name": "song.wav", "player_title": name });
        ada.server.client.post("/v1/track", &track).await.ok();
    }
    ada.opens(&format!("/collections/{collection}")).await;
    browser.click("[data-track]:nth-child(2) .pick").await;
    browser.shows("[data-selected]", "1 selected").await;
    browser.click("a[rel=next]").await;
    browser.shows("[data-selected]", "1 selected, not shown here").await;
    browser.click("[data-track]:nth-child(2) .pick").await;
    browser.shows("[data-selected]", "2 selected, 1 not shown here").await;
    // The selection is kept on the way back and while the list is searched.
    browser.click("a[rel=prev]").await;
    browser.until("document.querySelector('[data-track]:nth-child(2) .pick').checked").await;
    browser.shows("[data-selected]", "2 selected, 1 not shown here").await;
    browser.type_into("input[type=search]", "Song 52").await;
    lists(browser, "Song 52").await;
    browser.until("document.querySelector('[data-track] .pick').checked").await;

    browser.click(".selection [value=position]").await;
    browser.shows("h1", "Move 2 tracks").await;
    browser.type_into("#position", "51").await;
    browser.click("button.primary").await;
    browser.shows(".toast", "Moved.").await;
    // The page begins with the moved tracks, in their order, and nothing is selected any more.
    lists(browser, "Song 2,Song 52").await;
    browser.until("document.querySelector('[data-selection-actions][hidden]')").await;
    browser.click(".undo button").await;
    browser.shows(".toast", "Change undone.").await;
    browser.until(&format!("{ROWS}.startsWith('Song 1,Song 2,Song 3,')")).await;

    browser.click("[data-select-all] input").await;
    browser.click("a[rel=next]").await;
    browser.shows("[data-selected]", "50 selected, 50 not shown here").await;
    browser.click("[data-unselect]").await;
    browser.until("document.querySelector('[data-selected]').textContent === ''").await;
    browser.click("[data-track]:nth-child(2) .pick").await;
    browser.click(".selection [value=position]").await;
    browser.click("[value=start]").await;
    browser.shows(".toast", "Moved.").await;
    browser.until(&format!("{ROWS}.startsWith('Song 52,Song 1,Song 2,')")).await;
    ada.leaves().await;
}

/// The URLs of the pictures in the rows.
const PICTURES: &str = "[...document.querySelectorAll('[data-track] img')].map((image) => image.src)";

#[tokio::test(flavor = "multi_thread")]
async fn one_cover_is_set_for_several_tracks_and_taken_back() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["a.wav", "b.wav", "c.wav"]).await;
    ada.opens(&format!("/collections/{collection}")).await;
    let pictures = async || browser.run(&format!("return {PICTURES};"), Vec::new()).await;
    // A drawn cover may be drawn again: as the same picture, under another name.
    let contents = async |urls: &serde_json::Value| {
        let mut contents = Vec::new();
        for url in urls.as_array().unwrap() {
            contents.push(ada.server.client.get(url.as_str().unwrap()).await.bytes);
        }
        contents
    };
    let before = pictures().await;
    let drawn = contents(&before).await;
    let chooses = async || {
        browser.click("[data-track]:nth-child(1) .pick").await;
        browser.click("[data-track]:nth-child(3) .pick").await;
        browser.click(".selection [value=cover]").await;
        browser.shows("h1", "Set the cover of 2 tracks").await;
        browser.client.execute_async(CHOOSE_A_PICTURE, Vec::new()).await.unwrap();
        browser.find(".crop canvas").await;
    };
    chooses().await;
    browser.click("button.primary").await;
    browser.shows(".toast", "Covers changed.").await;
    lists(browser, "a,b,c").await;
    let covered = pictures().await;
    assert!(covered[0] != before[0] && covered[2] != before[2], "{covered}");
    assert_eq!(covered[1], before[1], "it was not selected");
    browser
        .until("[...document.querySelectorAll('[data-track] img')].every((image) => image.naturalWidth > 0)")
        .await;
    browser.click(".undo button").await;
    browser.shows(".toast", "Change undone.").await;
    let undone = contents(&pictures().await).await;
    assert!(undone == drawn, "the drawn covers are back");

    // The chosen picture is kept when the sign-in expires.
    chooses().await;
    ada.is_signed_out().await;
    browser.click("button.primary").await;
    ada.signs_in_elsewhere("All tracks").await;
    browser.shows(".toast", "Covers changed.").await;
    assert_ne!(contents(&pictures().await).await[0], undone[0]);
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn titles_and_choices_stay_while_the_sign_in_ends() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let other = ada.server.client.collection("Songs of the moon").await;
    let collection = ada.has_tracks("Songs of the tide", &["a.wav", "b.wav"]).await;
    let path = format!("/collections/{collection}");
    ada.opens(&path).await;
    browser.click("[data-select-all] input").await;
    browser.click(".selection [value=retitle]").await;
    browser.shows("h1", "Retitle 2 tracks").await;
    browser.type_into(".field:nth-of-type(1) input[name=title]", "Alpha").await;
    browser.type_into(".field:nth-of-type(2) input[name=title]", "Beta").await;
    ada.is_signed_out().await;
    // The form is sent only once. A second request would change nothing, and report that.
    browser.click("button.primary").await;
    browser.click("button.primary").await;
    ada.signs_in_elsewhere("All tracks").await;
    browser.shows(".toast", "Titles changed.").await;
    lists(browser, "Alpha,Beta").await;

    browser.click("[data-select-all] input").await;
    browser.click(".selection [value=move]").await;
    browser.click(&format!("input[value='{other}']")).await;
    ada.is_signed_out().await;
    browser.click("button.primary").await;
    ada.signs_in_elsewhere("All tracks").await;
    browser.shows(".toast", "Moved.").await;
    browser.shows("h1", "Songs of the moon").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_moved_with_the_keyboard_while_tracks_arrive() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["a.wav", "b.wav", "c.wav"]).await;
    ada.opens(&format!("/collections/{collection}")).await;
    browser.run("document.querySelector('[data-track]:nth-child(3) [data-grip]').focus();", Vec::new()).await;
    browser.strike(" ").await;
    browser.until(&format!("{SAID}?.startsWith('c picked up at position 3 of 3.')")).await;
    browser.strike(&char::from(Key::Up).to_string()).await;
    browser.until(&format!("{SAID} === 'c, position 2 of 3.'")).await;
    browser.run(DROP, vec![json!("h1")]).await;
    browser.until("document.querySelector('.uploads .badge.good')").await;
    browser.until("document.activeElement.matches('.held [data-grip]')").await;
    browser.strike(&format!("{} ", char::from(Key::Up))).await;
    browser.until(&format!("{SAID} === 'c dropped at position 1 of 3.'")).await;
    // The new track appears once the order is saved, and the focus stays.
    lists(browser, "c,a,b,noise").await;
    browser.until("document.activeElement.matches('[data-track]:nth-child(1) [data-grip]')").await;
    browser.client.refresh().await.unwrap();
    lists(browser, "c,a,b,noise").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_titles_come_back_and_selections_of_other_lists_stay() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["a.wav", "b.wav"]).await;
    ada.opens("/tracks").await;
    browser.click("[data-track]:nth-child(1) .pick").await;
    browser.shows("[data-selected]", "1 selected").await;

    ada.opens(&format!("/collections/{collection}")).await;
    browser.click("[data-track]:nth-child(1) .pick").await;
    browser.click("[data-track]:nth-child(2) .pick").await;
    browser.click(".selection [value=retitle]").await;
    browser.shows("h1", "Retitle 2 tracks").await;
    browser.type_into(".field:nth-of-type(2) input[name=title]", "Beta").await;
    // The form does not arrive.
    browser.run("document.querySelector('main form [name=form_secret]').value = 'x';", Vec::new()).await;
    browser.click("button.primary").await;
    browser.shows(".kept", "Your input is kept in this tab.").await;
    browser.click(".kept :is(a, button)").await;
    browser.shows("h1", "Retitle 2 tracks").await;
    browser.shows(".notice", "Your input has been restored.").await;
    browser.until("document.querySelector('.field:nth-of-type(2) input[name=title]').value === 'Beta'").await;
    browser.until("new FormData(document.querySelector('main form')).getAll('track').length === 1").await;
    browser.click("button.primary").await;
    browser.shows(".toast", "Titles changed.").await;
    lists(browser, "a,Beta").await;
    browser.until("document.querySelector('[data-selected]').textContent === ''").await;

    // What was changed is selected no longer; what else is selected elsewhere stays.
    let other = ada.has_tracks("Songs of the moon", &["c.wav"]).await;
    ada.opens("/tracks").await;
    browser.until("document.querySelector('[data-selected]').textContent === ''").await;
    browser.click("[data-track]:nth-child(1) .pick").await;
    browser.shows("[data-selected]", "1 selected").await;
    let picked = browser
        .run("return document.querySelector('.pick:checked').closest('li').dataset.title;", Vec::new())
        .await;
    let list = if picked == json!("c") { &collection } else { &other };
    ada.opens(&format!("/collections/{list}")).await;
    browser.click("[data-track]:nth-child(1) .pick").await;
    browser.click(".selection .danger").await;
    browser.shows(".toast", "Deleted.").await;
    ada.opens("/tracks").await;
    browser.shows("[data-selected]", "1 selected").await;
    ada.leaves().await;
}
