//! A receiver is notified of a change, and notified again.

use std::time::Duration;

use super::{Ada, entered};
use crate::receiver::Receiver;

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_seen_and_sent_again() {
    let ada = Ada::comes_in(&[("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true")]).await;
    let (browser, receiver) = (&ada.browser, Receiver::start(Duration::ZERO).await);
    ada.opens("/webhooks").await;
    browser.type_into("#url-collection", &entered(&receiver.url())).await;
    browser.shows("[data-toast]", "Changes saved.").await;
    browser.click("form[action$='/collection/secret'] button").await;
    browser.shows("#secret", "whsec_").await;

    ada.opens("/library").await;
    browser.type_into("#title", &entered("Songs of the tide")).await;
    browser.shows("h1", "Songs of the tide").await;
    let first = receiver.wait_for(1).await.remove(0);
    assert_eq!(first.json["collection"]["title"], "Songs of the tide");

    ada.opens("/webhooks").await;
    browser.shows_in_time("tbody tr", "Delivered").await;
    browser.click("tbody tr a").await;
    browser.shows("h1", "collection.created").await;
    browser.shows("pre", "Songs of the tide").await;
    browser.shows(".attempt h3", "200").await;
    browser.click(".page-head button").await;
    browser.shows("[data-toast]", "Redelivery queued.").await;
    let again = receiver.wait_for(2).await.remove(1);
    assert_eq!(again.header("webhook-id"), first.header("webhook-id"));
    assert_eq!(again.text, first.text);
    browser.shows_in_time(".stack", "Attempt 2").await;
    ada.leaves().await;
}
