//! The reference of the API at `/docs`.

use serde_json::json;
use tonearm_testkit::{Backend, TestServer};

use super::entered;
use crate::browser::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_is_found_by_its_words() {
    let server = TestServer::start(Backend::Embedded).await;
    let browser = Browser::open().await;
    browser.goto(&format!("{}/docs/tracks", server.node.public_url())).await;
    browser.type_into("[type=search]", "rotate webhook").await;
    browser.shows("[role=status]", "Found: 1").await;
    browser.until("document.querySelector('nav details').open").await;
    let seen =
        "[...document.querySelectorAll('nav li li')].filter((item) => item.checkVisibility()).length === 1";
    browser.until(seen).await;
    browser.type_into("[type=search]", &entered("")).await;
    browser.until("location.pathname + location.hash === '/docs/webhooks#rotate_webhook_secret'").await;
    let answer =
        "return JSON.parse(document.querySelector('#rotate_webhook_secret [role=region]').textContent).ok;";
    assert_eq!(browser.run(answer, Vec::new()).await, json!(true));
    browser.close().await;
    server.node.stop().await;
}
