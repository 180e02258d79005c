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
    assert_eq!(browser.text("nav .here-name").await, "Test organization");

    browser.client.goto(&format!("{base}/keys/new?type=share")).await.unwrap();
    browser.type_into("#title", &format!("For the press{}", char::from(Key::Enter))).await;
    let key = browser.text("#key").await;
    assert!(key.len() > 60 && key.contains("_s"), "{key}");

    browser.client.goto(&format!("{base}/keys?type=share")).await.unwrap();
    assert!(browser.text("tbody").await.contains("For the press"));
    browser.click("tbody button.danger").await;
    assert!(browser.text("#confirm-question").await.contains("Revoke “For the press”?"));
    // The dialog has the focus, on what does no harm.
    let focused = browser.client.active_element().await.unwrap();
    assert_eq!(focused.text().await.unwrap(), "Cancel");
    focused.send_keys(&char::from(Key::Escape).to_string()).await.unwrap();
    browser.click("tbody button.danger").await;
    browser.click("dialog button.danger").await;
    assert!(browser.text("[data-toast]").await.starts_with("The key is revoked."));
    assert!(browser.text("tbody").await.contains("Revoked"));

    browser.click(".side-wide .who button").await;
    assert_eq!(browser.text("h1").await, "Sign in");
    browser.client.goto(&format!("{base}/keys")).await.unwrap();
    assert_eq!(browser.text("h1").await, "Sign in");
    browser.close().await;
    server.node.stop().await;
}
