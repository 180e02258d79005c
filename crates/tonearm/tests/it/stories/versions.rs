//! A player of an earlier version, which browsers and other sites keep while nodes are upgraded.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use serde_json::{Value, json};

use super::listener::Listening;
use super::{AUDIO, hears};
use crate::text;

/// The first player that was a single module, as built from version d7f17f10 of the sources.
const EARLIEST: &str = include_str!("../../fixtures/players/d7f17f10.js");

/// A page on another site that loads only an earlier player.
const PAGE: &str = r#"<!doctype html><html lang="en"><title>A page that keeps its player</title>
<script type="module" src="/player.js"></script><main></main></html>"#;

async fn site() -> String {
    let script = || async { ([(CONTENT_TYPE, "text/javascript")], EARLIEST).into_response() };
    let routes = Router::new().route("/", get(|| async { Html(PAGE) })).route("/player.js", get(script));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn an_earlier_player_plays_what_this_node_describes() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let (browser, server) = (listening.browser(), listening.ada.server.node.public_url().to_owned());
    browser.goto(&site().await).await;
    let key = listening.link.rsplit_once('/').unwrap().1;
    let session = listening.session().await;
    let (id, tracks) = (text(&session, "/play_session_id"), listening.tracks.join(" "));
    for (attributes, answer) in [
        (json!({ "src": format!("{server}/embed/{key}/player.json") }), Value::Null),
        (json!({ "session": id, "tracks": tracks, "server": server }), Value::Null),
        (json!({ "server": server }), session.clone()),
    ] {
        listening.puts(attributes, answer).await;
        listening.presses_play().await;
        hears(browser).await;
        browser.run("document.querySelector('tonearm-player').next();", Vec::new()).await;
        browser.until("told.filter(({ name }) => name === 'play').length === 2").await;
        browser.until(&format!("{AUDIO}.currentTime > 0.2")).await;
        assert_eq!(listening.player_events("error").await, [] as [Value; 0]);
    }
    listening.ada.leaves().await;
}
