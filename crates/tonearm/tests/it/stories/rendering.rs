//! A variant that is added later, and rendered for existing tracks.

use serde_json::json;
use tonearm::Role;

use super::Ada;

/// The cell that says how far the variant is.
const CELL: &str = "[...document.querySelectorAll('tbody tr')].find((row) => row.textContent.includes('mobile'))?.querySelector('[data-live]')";

#[tokio::test(flavor = "multi_thread")]
async fn the_rendering_of_a_variant_is_followed_without_opening_its_page_again() {
    let ada = Ada::comes_in(&[("TONEARM_ROLES", "api,edge")]).await;
    let browser = &ada.browser;
    let worker = ada.server.another_node(vec![Role::Worker]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    // Nothing is rendered until the page has been checked.
    worker.stop().await;
    ada.opens("/variants").await;
    browser.run("document.querySelector('#index').value = 'mobile';", Vec::new()).await;
    browser.click("form[action$='/variants'] button.primary").await;
    browser.until(&format!("{CELL} && !{CELL}.querySelector('progress')")).await;
    browser
        .run(&format!("{CELL}.closest('tr').querySelector('[action$=\"/render\"] button').click();"), vec![])
        .await;
    browser.shows("dialog[open]", "Render “mobile” for all tracks without it?").await;
    browser.click("dialog[open] .danger").await;
    browser.shows("[role=status]", "Rendering started for existing tracks.").await;
    browser.until(&format!("{CELL}.querySelector('progress')?.value === 0")).await;
    browser.run("window.isSame = true;", Vec::new()).await;

    let worker = ada.server.another_node(vec![Role::Worker]).await;
    browser.until(&format!("{CELL}.textContent.includes('Done')")).await;
    assert_eq!(browser.run("return window.isSame;", Vec::new()).await, json!(true));
    ada.opens(&format!("/tracks/{track}")).await;
    browser.shows("table", "mobile").await;
    worker.stop().await;
    ada.leaves().await;
}
