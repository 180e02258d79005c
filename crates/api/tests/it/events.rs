//! Webhook payloads match the section `webhooks` of `/openapi.json`.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tonearm_domain::{EventKind, WebhookKind};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::schema::{problems, undescribed};

on_both!(every_event_is_as_described);

/// Creates a webhook of each kind, and returns their paths.
async fn webhooks(house: &House) -> Vec<String> {
    let mut paths = Vec::new();
    for kind in WebhookKind::ALL {
        let body = json!({ "kind": kind.as_str(), "url": "https://example.com/hook" });
        let created = house.post("/v1/webhook", body).await.expect_ok();
        paths.push(format!("/v1/webhook/{}", created.json["webhook_id"].as_str().unwrap()));
    }
    paths
}

/// Triggers every event that webhooks receive, at least once.
async fn let_everything_happen(house: &House, webhook: &str) {
    let collection = format!("/v1/collection/{}", house.create_collection("Songs").await);
    let theme = json!([{ "hex": "#112233", "area": 0.6, "lightness": 0.13, "saturation": 0.5 }]);
    house.put(&collection, json!({ "theme": theme, "metadata": { "a": [1, null] } })).await.expect_ok();
    house.delete(&collection).await.expect_ok();
    // An empty preview, which fails.
    let nothing = json!({
        "variant_type_id": "preview", "preview_type": "percent", "preview_percent": 10.0, "preview_min_seconds": 0.0,
        "preview_max_seconds": 0.0, "preview_start_percent": 0.0,
    });
    house.add_recipe("nothing", nothing).await;
    house.ready_track("Song.wav").await;
    house.ready_track_of("noise.wav", b"this is no sound".repeat(100)).await;
    house.post(&format!("{webhook}/test"), Value::Null).await.expect_ok();
}

/// The bodies of all deliveries to a webhook.
async fn bodies(house: &House, webhook: &str) -> Vec<Value> {
    let listed = house.get(&format!("{webhook}/delivery?limit=200")).await.expect_ok();
    let mut bodies = Vec::new();
    for delivery in listed.json["deliveries"].as_array().unwrap() {
        let path = format!("{webhook}/delivery/{}", delivery["id"].as_str().unwrap());
        bodies.push(house.get(&path).await.expect_ok().json["delivery"]["payload"].clone());
    }
    bodies
}

async fn every_event_is_as_described(database: TestDatabase) {
    let house = House::open(database).await;
    let document = house.document().await;
    let described: BTreeSet<&str> =
        document["webhooks"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(described, BTreeSet::from(EventKind::ALL.map(EventKind::as_str)));
    let webhooks = webhooks(&house).await;
    let_everything_happen(&house, &webhooks[0]).await;
    let (mut sent, mut statuses) = (BTreeSet::new(), BTreeSet::new());
    for webhook in &webhooks {
        for body in bodies(&house, webhook).await {
            let event = body["event"].as_str().unwrap().to_owned();
            let request = &document["webhooks"][&event]["post"]["requestBody"];
            let schema = &request["content"]["application/json"]["schema"];
            assert!(schema.is_object(), "{event} is not described");
            assert_eq!(problems(&document, schema, &body), [""; 0], "{event}: {body}");
            assert_eq!(undescribed(&document, schema, &body), [""; 0], "{event}: {body}");
            statuses.extend(body["status"].as_str().map(str::to_owned));
            sent.insert(event);
        }
    }
    let sent: BTreeSet<&str> = sent.iter().map(String::as_str).collect();
    assert_eq!(sent, described, "every event is checked");
    let statuses: Vec<&str> = statuses.iter().map(String::as_str).collect();
    assert_eq!(statuses, ["failed", "incomplete", "init_error", "success"]);
}
