//! Many clients at once on the embedded default.

use serde_json::json;
use tonearm::Role;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::{Backend, TestServer};

/// 64 clients create sessions, upload and list at once. Every response is a success.
#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_clients_at_once() {
    let server = TestServer::start_with(Backend::Embedded, &[("TONEARM_ROLES", "api,edge")]).await;
    let collection = server.client.collection("Busy").await;
    let seed = server.client.upload(&collection, "seed.wav", wav(&WavSpec::default())).await;
    let worker = server.another_node(vec![Role::Worker]).await;
    server.client.settled(&seed).await;
    worker.stop().await;
    let sound = bytes::Bytes::from(wav(&WavSpec { seconds: 0.2, ..WavSpec::default() }));
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..64 {
        let (client, collection, sound) = (server.client.clone(), collection.clone(), sound.clone());
        let seed = seed.clone();
        clients.spawn(async move {
            for round in 0..4 {
                let body = json!({"collection_id": collection});
                client.post("/v1/play_session/collection", &body).await.ok();
                client.post("/v1/upload_session", &body).await.ok();
                client.get(&format!("/v1/collection/{collection}/track?limit=10")).await.ok();
                client
                    .put(&format!("/v1/track/{seed}"), &json!({"player_title": format!("{number}")}))
                    .await
                    .ok();
                if round == 0 {
                    client.upload(&collection, &format!("{number}.wav"), sound.clone()).await;
                }
            }
        });
    }
    while let Some(result) = clients.join_next().await {
        result.unwrap();
    }
    let list = server.client.get(&format!("/v1/collection/{collection}/track?limit=200")).await.ok();
    assert_eq!(list["count"], 65);
    let mut orders: Vec<i64> =
        list["tracks"].as_array().unwrap().iter().map(|track| track["order"].as_i64().unwrap()).collect();
    orders.dedup();
    assert_eq!(orders.len(), 65, "every track has a place of its own");
}
