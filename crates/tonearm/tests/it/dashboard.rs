//! The dashboard in a real browser.

use fantoccini::key::Key;
use tonearm_testkit::{Backend, TestServer};

use crate::browser::Browser;

/// The first administrator comes in by the link, makes a share link, revokes it, and signs out; some of it by keyboard.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_administrator_makes_a_share_link() {
    let server = TestServer::start(Backend::Embedded).await;
    let people = &server.node.parts().unwrap().people;
    let link = people.first_administrator_link().await.unwrap().unwrap().url;
    let base = format!("{}/dashboard/{}", server.node.public_url(), server.organization_id);
    let browser = Browser::open().await;

    browser.client.goto(&link).await.unwrap();
    browser.type_into("#name", "Ada Lovelace").await;
    browser.type_into("#email", "ada@example.com").await;
    // Return sends the form, as people expect.
    browser.type_into("#password", &format!("correct horse battery{}", char::from(Key::Enter))).await;
    browser.shows(".side-wide .here-name", "Test organization").await;

    browser.client.goto(&format!("{base}/keys/new?type=share")).await.unwrap();
    browser.type_into("#title", &format!("For the press{}", char::from(Key::Enter))).await;
    browser.shows("#key", "_s").await;
    let key = browser.text("#key").await;
    assert!(key.len() > 60 && key.contains("_s"), "{key}");

    browser.client.goto(&format!("{base}/keys?type=share")).await.unwrap();
    browser.shows("tbody", "For the press").await;
    browser.click("tbody button.danger").await;
    browser.shows("#confirm-question", "Revoke “For the press”?").await;
    // The dialog has the focus, on what does no harm.
    let focused = browser.client.active_element().await.unwrap();
    assert_eq!(focused.text().await.unwrap(), "Cancel");
    focused.send_keys(&char::from(Key::Escape).to_string()).await.unwrap();
    browser.click("tbody button.danger").await;
    browser.click("dialog button.danger").await;
    browser.shows("[data-toast]", "The key is revoked.").await;
    browser.shows("tbody", "Revoked").await;

    browser.click(".side-wide .who button").await;
    browser.shows("h1", "Sign in").await;
    browser.client.goto(&format!("{base}/keys")).await.unwrap();
    browser.shows("h1", "Sign in").await;
    browser.close().await;
    server.node.stop().await;
}
