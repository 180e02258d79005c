//! URLs that CDNs may cache: within a window, every request for a URL returns the same one.

use serde_json::{Value, json};
use tonearm_domain::{CachePolicy, Patch};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_service::{Caller, UpdateRecipe};
use tonearm_testkit::TestServer;

use crate::{on_both_backends, text};

on_both_backends!(listeners_of_a_window_share_urls);

fn url_of(session: &Value, variant: &str) -> String {
    let variants = session["first_track"]["variants"].as_array().unwrap();
    let found = variants.iter().find(|it| it["variant"]["index"] == variant).unwrap();
    text(found, "/url").to_owned()
}

async fn listeners_of_a_window_share_urls(server: TestServer) {
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let collection = client.collection("Songs").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let set = async |cache| {
        let recipes = library.recipes(&caller).await.unwrap();
        let hq = recipes.iter().find(|view| view.recipe.index.as_str() == "hq").unwrap().recipe.id;
        let update = UpdateRecipe { cache: Patch::Set(cache), ..UpdateRecipe::default() };
        library.update_recipe(&caller, hq, update).await.unwrap();
    };
    let open = async || {
        let asked = json!({"track_id": id, "is_downloadable": true});
        client.post("/v1/play_session/track", &asked).await.ok()
    };
    // The clock stands at the start of a window.
    let before = open().await;
    set(CachePolicy::Public).await;
    let one = open().await;
    server.clock.advance_seconds(1800);
    let other = open().await;
    assert_eq!(url_of(&one, "hq"), url_of(&other, "hq"), "of files that were made before, too");
    assert_ne!(url_of(&one, "hq"), url_of(&before, "hq"));
    assert_ne!(url_of(&one, "lq"), url_of(&other, "lq"), "of another recipe");
    let shared = client.without_key().get(&url_of(&other, "hq")).await;
    assert_eq!(shared.header("cache-control"), "public, max-age=31536000, s-maxage=5400, immutable");

    // Downloads are for one listener only.
    let session = text(&one, "/play_session_id");
    let download = client.without_key().get(&format!("/v1/play/{session}/{id}/hq/download")).await.ok();
    let saved = client.without_key().get(text(&download, "/download/url")).await;
    assert!(saved.header("cache-control").starts_with("private"));

    // A share link leads to the same URL for every listener.
    let body = json!({"title": "share", "api_key_type_id": "share", "variants": ["hq"]});
    let key = text(&client.post("/v1/api_key", &body).await.ok(), "/api_key").to_owned();
    let link = format!("/v1/stream/{id}/{key}");
    let first = client.without_key().get(&link).await;
    server.clock.advance_seconds(60);
    let second = client.without_key().get(&link).await;
    assert_eq!(first.header("location"), second.header("location"));
    assert_eq!(first.header("cache-control"), "no-store");

    // The URL expires at the latest one window after the requested time.
    server.clock.advance_seconds(1740);
    assert_ne!(url_of(&open().await, "hq"), url_of(&one, "hq"));
    assert_eq!(client.without_key().get(&url_of(&one, "hq")).await.status, 200);
    server.clock.advance_seconds(3600);
    assert_eq!(client.without_key().get(&url_of(&one, "hq")).await.status, 401);

    set(CachePolicy::Private).await;
    let url = url_of(&open().await, "hq");
    assert!(!url.contains("cache="), "{url}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_may_share_everything() {
    let variables = [("TONEARM_DELIVERY_CACHE", "public"), ("TONEARM_DELIVERY_CACHE_WINDOW_SECONDS", "600")];
    let server = TestServer::start_with(tonearm_testkit::Backend::Embedded, &variables).await;
    let client = &server.client;
    let collection = client.collection("Songs").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let session = client.post("/v1/play_session/track", &json!({"track_id": id})).await.ok();
    for url in [url_of(&session, "lq"), text(&session, "/first_track/cover_image/icon/url").to_owned()] {
        let answer = client.without_key().get(&url).await;
        assert!(answer.header("cache-control").starts_with("public, max-age=31536000, s-maxage="), "{url}");
    }
}
