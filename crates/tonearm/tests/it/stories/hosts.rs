//! What pages of other sites may demand while they play: isolation, security policies, sandboxes, no storage.

use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue};
use axum::routing::get;
use serde_json::json;

use super::hears;
use super::listener::Listening;
use crate::browser::Browser;

/// A page of another site that plays a share link in each of the ways there are.
async fn site(listening: &Listening, policies: &[(HeaderName, &str)]) -> String {
    let server = listening.ada.server.node.public_url();
    let key = listening.link.rsplit_once('/').unwrap().1;
    let html = format!(
        r#"<!doctype html><html lang="en"><title>Another site</title>
        <script type="module" src="{server}/embed/player.js"></script>
        <main><tonearm-player src="{server}/embed/{key}/player.json"></tonearm-player>
        <audio src="{server}/v1/stream/{}/{key}" preload="metadata"></audio>
        <iframe src="{server}/embed/{key}" title="A player" allow="autoplay"></iframe>
        <iframe src="{server}/embed/{key}" title="A player in a sandbox" allow="autoplay" sandbox="allow-scripts"></iframe></main></html>"#,
        listening.tracks[0]
    );
    let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("text/html"))]);
    for (name, value) in policies {
        headers.append(name, value.replace("SERVER", server).parse().unwrap());
    }
    serve(html, headers).await
}

/// Serves a page from another origin, and returns its address.
async fn serve(html: String, headers: HeaderMap) -> String {
    let routes = Router::new().route("/", get(async move || (headers, html)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

/// Presses play in the player of the page or frame, hears it, and pauses it.
async fn plays(browser: &Browser) {
    let play = browser.in_player(".play:not([disabled])").await;
    play.click().await.unwrap();
    hears(browser).await;
    play.click().await.unwrap();
}

async fn everything_plays(browser: &Browser) {
    plays(browser).await;
    browser.until("document.querySelector('audio').duration > 29").await;
    for frame in ["A player", "A player in a sandbox"] {
        browser.find(&format!("iframe[title='{frame}']")).await.enter_frame().await.unwrap();
        plays(browser).await;
        browser.client.enter_parent_frame().await.unwrap();
    }
}

const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const EMBEDDER: HeaderName = HeaderName::from_static("cross-origin-embedder-policy");

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_cross_origin_isolated_plays() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    browser.goto(&site(&listening, &[(OPENER, "same-origin"), (EMBEDDER, "require-corp")]).await).await;
    assert_eq!(browser.run("return crossOriginIsolated;", Vec::new()).await, json!(true));
    everything_plays(browser).await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_a_strict_policy_plays() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    let policy = "default-src 'none'; script-src SERVER; connect-src SERVER; img-src SERVER; media-src SERVER; \
                  frame-src SERVER; require-trusted-types-for 'script'; trusted-types 'none'";
    browser.goto(&site(&listening, &[(CONTENT_SECURITY_POLICY, policy)]).await).await;
    everything_plays(browser).await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_in_a_sandbox_without_storage_plays() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    browser.goto(&site(&listening, &[(CONTENT_SECURITY_POLICY, "sandbox allow-scripts")]).await).await;
    let stored = "try { return Boolean(localStorage); } catch (error) { return error.name; }";
    assert_eq!(browser.run(stored, Vec::new()).await, json!("SecurityError"));
    everything_plays(browser).await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_frame_of_a_page_is_heard_at_a_time() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    let server = listening.ada.server.node.public_url();
    let key = listening.link.rsplit_once('/').unwrap().1;
    let frame =
        |title| format!(r#"<iframe src="{server}/embed/{key}" title="{title}" allow="autoplay"></iframe>"#);
    let html = format!(
        "<!doctype html><html lang=\"en\"><title>Another site</title>{}{}",
        frame("One"),
        frame("Two")
    );
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("text/html"))]);
    browser.goto(&serve(html, headers).await).await;
    let enter = async |title: &str| {
        browser.find(&format!("iframe[title='{title}']")).await.enter_frame().await.unwrap();
    };
    // Back and forth: a player that was paused by another is heard again.
    for (title, other) in [("One", "Two"), ("Two", "One"), ("One", "Two")] {
        enter(title).await;
        browser.in_player(".play:not([disabled])").await.click().await.unwrap();
        hears(browser).await;
        browser.client.enter_parent_frame().await.unwrap();
        enter(other).await;
        browser.until("!document.querySelector('tonearm-player') || document.querySelector('tonearm-player').paused").await;
        browser.client.enter_parent_frame().await.unwrap();
    }
    listening.ada.leaves().await;
}
