//! Records that are edited in two tabs, and their ids.

use serde_json::{Value, json};

use super::Ada;
use crate::browser::Browser;

impl Browser {
    /// Enters a value in the place of the one that is there.
    async fn replaces(&self, css: &str, text: &str) {
        self.find(css).await.clear().await.unwrap();
        self.type_into(css, text).await;
    }

    async fn saves_details(&self) {
        self.click("form:has(#player_title) button[type=submit]").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tabs_do_not_overwrite_each_other() {
    let ada = Ada::comes_in(&[]).await;
    let (browser, client) = (&ada.browser, &ada.browser.client);
    let (track, _) = ada.has_a_track("ebb.wav").await;
    let page = format!("/tracks/{track}");
    ada.opens(&page).await;
    let first = client.window().await.unwrap();
    let second = client.new_window(true).await.unwrap().handle;
    client.switch_to_window(second.clone()).await.unwrap();
    ada.opens(&page).await;
    browser.replaces("#player_title", "Ebb and flow").await;
    browser.saves_details().await;
    browser.shows("h1", "Ebb and flow").await;

    client.switch_to_window(first.clone()).await.unwrap();
    browser.replaces("#player_subtitle", "Live").await;
    browser.saves_details().await;
    browser.shows("[data-toast]", "Changes saved.").await;
    browser.shows("h1", "Ebb and flow").await;

    client.switch_to_window(second).await.unwrap();
    browser.replaces("#player_title", "Low tide").await;
    browser.saves_details().await;
    browser.shows("h1", "Low tide").await;
    client.switch_to_window(first).await.unwrap();
    browser.replaces("#player_title", "High tide").await;
    browser.saves_details().await;
    browser.shows("#player_title-problem", "Somebody has changed this to “Low tide”").await;
    browser.until("document.querySelector('#player_title').value === 'High tide'").await;
    browser.until("document.querySelector('#player_subtitle').value === 'Live'").await;
    browser.saves_details().await;
    browser.shows("h1", "High tide").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_is_copied_or_selected() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let (track, collection) = ada.has_a_track("ebb.wav").await;
    let clipboard = "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => {
        if (arguments[0]) throw new Error('not allowed');
        window.copied = text;
    } } });";
    let pages = [(format!("/tracks/{track}"), &track), (format!("/collections/{collection}"), &collection)];
    for (page, id) in pages {
        for is_refused in [false, true] {
            ada.opens(&page).await;
            browser.run(clipboard, vec![json!(is_refused)]).await;
            browser.run("document.querySelector('.copy-line button').focus();", Vec::new()).await;
            browser.strike(" ").await;
            let said = if is_refused { "Press Ctrl+C" } else { "Copied" };
            browser
                .until(&format!(
                    "document.querySelector('.copy-line [role=status]').textContent === '{said}'"
                ))
                .await;
            let selected =
                browser.run("return [String(getSelection()), window.copied ?? null];", Vec::new()).await;
            let copied = if is_refused { Value::Null } else { json!(id) };
            assert_eq!(selected, json!([id, copied]), "{page}");
        }
    }
    ada.leaves().await;
}
