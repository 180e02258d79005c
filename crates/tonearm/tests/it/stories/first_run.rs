//! The first minutes with a new service: an account, a name, a track, a player on another page.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use super::listening::DROP;
use super::{Ada, half_a_minute, hears};
use crate::browser::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn three_steps_end_with_sound() {
    let ada = Ada::arrives(&[]).await;
    let browser = &ada.browser;
    browser.goto(&format!("{}/dashboard", ada.server.node.public_url())).await;
    browser.shows("h1", "Sign in").await;
    browser.shows(".notice", "There is no account yet").await;

    ada.uses_the_first_link().await;
    browser.shows(".first-steps [aria-current=step]", "Name it").await;
    browser.find("#name").await.clear().await.unwrap();
    browser.type_into("#name", "Harbour Radio").await;
    browser.type_into("#title", "Morning show").await;
    browser.click("main form button.primary").await;

    browser.shows(".first-steps [aria-current=step]", "Add a track").await;
    browser.shows(".side-wide .here-name", "Harbour Radio").await;
    browser.until("document.querySelector('.drop button')?.hidden").await;
    let named = [("First light.wav", BASE64_STANDARD.encode(half_a_minute(220.0)))];
    browser.run(DROP, vec![json!(named)]).await;

    // The page continues by itself as soon as the track is ready.
    browser.shows(".first-steps [aria-current=step]", "Embed it").await;
    browser.shows("main h2", "First light is ready").await;
    browser.in_player(".play:not([disabled])").await.click().await.unwrap();
    hears(browser).await;
    browser.click("main form button.primary").await;
    browser.shows("main h2", "Your track is online").await;
    let code = browser.find("[data-copy*='<iframe']").await.attr("data-copy").await.unwrap().unwrap();
    let frame = code.split('"').nth(1).unwrap().to_owned();

    let listener = Browser::open().await;
    listener.goto(&frame).await;
    listener.in_player(".play:not([disabled])").await.click().await.unwrap();
    hears(&listener).await;
    listener.close().await;

    // A user who comes back later finds the library.
    browser.goto(&format!("{}/start", ada.base)).await;
    browser.shows("h1", "Library").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_sound_is_named_and_another_can_be_chosen() {
    let ada = Ada::comes_in(&[]).await;
    let client = &ada.server.client;
    let collection = client.collection("Morning show").await;
    let track = client.upload(&collection, "notes.wav", b"not a sound".to_vec()).await;
    client.settled(&track).await;
    ada.opens(&format!("/start/{collection}")).await;
    ada.browser.shows(".first-steps [aria-current=step]", "Add a track").await;
    ada.browser.shows("[role=alert]", "notes.wav").await;
    ada.browser.shows(".drop", "Add a track to Morning show").await;
    ada.leaves().await;
}
