//! How the first administrator signs in, and comes back.

use super::{Ada, PASSWORD};
use crate::browser::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn the_first_link_works_once_and_the_password_from_then_on() {
    let ada = Ada::arrives(&[]).await;
    let browser = &ada.browser;
    let link = ada.first_link().await.unwrap();
    browser.goto(&link).await;
    browser.shows("h1", "Welcome to Tonearm").await;
    ada.says_who_she_is().await;
    assert_eq!(ada.first_link().await, None);
    let eve = Browser::open().await;
    eve.goto(&link).await;
    eve.shows("h1", "This link is no longer valid").await;
    eve.close().await;

    browser.click(".side-wide .who button").await;
    browser.shows("h1", "Sign in").await;
    ada.opens("/keys").await;
    ada.signs_in("not her password").await;
    browser.shows("[role=alert]", "The email address or the password is wrong.").await;
    ada.signs_in(PASSWORD).await;
    // She is on the page that she requested.
    browser.shows("h1", "Keys and links").await;
    browser.click(".side-wide .who a").await;
    browser.shows("tbody", "Current").await;
    ada.leaves().await;
}
