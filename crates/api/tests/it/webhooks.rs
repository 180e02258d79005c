//! Webhooks: created, tested and inspected over the interface.

use http::Method;
use serde_json::{Value, json};
use tonearm_domain::{DeliveryAttempt, DeliveryState};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

on_both!(
    a_webhook_shows_its_secret_once,
    a_webhook_moves_and_is_removed,
    only_addresses_of_receivers_are_taken,
    deliveries_are_listed_by_pages,
    a_delivery_tells_what_came_back,
    deliveries_are_sent_again,
    webhooks_of_others_are_none,
    webhooks_are_for_whoever_has_everything,
    one_of_two_at_once_is_made,
    a_repeated_webhook_has_one_secret,
);

const NOTHING: &str = "018f0000-0000-7000-8000-000000000001";
const URL: &str = "https://example.com/hook";

/// Creates a webhook, and returns its path.
async fn created(house: &House, kind: &str) -> String {
    let created = house.post("/v1/webhook", json!({ "kind": kind, "url": URL })).await.expect_ok();
    format!("/v1/webhook/{}", created.json["webhook_id"].as_str().unwrap())
}

async fn tested(house: &House, webhook: &str) -> String {
    let tested = house.post(&format!("{webhook}/test"), Value::Null).await.expect_ok();
    assert_eq!(tested.keys(""), names("ok api_request_id webhook_id delivery_id"));
    tested.json["delivery_id"].as_str().unwrap().to_owned()
}

async fn a_webhook_shows_its_secret_once(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.post("/v1/webhook", json!({ "kind": "file", "url": format!(" {URL} ") })).await;
    let created = created.expect_ok();
    assert_eq!(created.keys(""), names("ok api_request_id webhook_id webhook secret"));
    assert_eq!(
        created.keys("/webhook"),
        names(
            "id organization_id kind events url failures paused_until old_secret_until expires_at created_at"
        )
    );
    let webhook = &created.json["webhook"];
    assert_eq!((&webhook["url"], &webhook["kind"]), (&json!(URL), &json!("file")));
    assert_eq!(webhook["events"], json!(["track_file.created", "track_file.failed"]));
    let first = created.json["secret"].as_str().unwrap();
    assert!(first.starts_with("whsec_"));
    let path = format!("/v1/webhook/{}", created.json["webhook_id"].as_str().unwrap());
    let read = house.get(&path).await.expect_ok();
    assert_eq!(read.keys(""), names("ok api_request_id webhook_id webhook"));
    let listed = house.get("/v1/webhook").await.expect_ok();
    assert_eq!(listed.keys(""), names("ok api_request_id count webhooks"));
    assert_eq!((&listed.json["webhooks"], &listed.json["count"]), (&json!([webhook]), &json!(1)));
    assert_eq!(read.json["webhook"], *webhook);
    let rotated = house.post(&format!("{path}/rotate_secret"), Value::Null).await.expect_ok();
    assert_eq!(rotated.keys(""), names("ok api_request_id webhook_id webhook secret"));
    assert_ne!(rotated.json["secret"], first);
    assert_eq!(rotated.json["webhook"]["old_secret_until"], "2030-01-02T00:00:00.000Z");
    house
        .post("/v1/webhook", json!({ "kind": "file", "url": URL }))
        .await
        .expect_error(409, "already_exists");
    // The rest of the URL may be a secret.
    let audited =
        ["webhook.rotate", "webhook.set"].map(|action| (action.to_owned(), "example.com".to_owned()));
    assert_eq!(house.audited("webhook").await, audited);
}

async fn a_webhook_moves_and_is_removed(database: TestDatabase) {
    let house = House::open(database).await;
    let path = created(&house, "track").await;
    let organization = format!("/v1/organization/{}", house.organization_id);
    let shown = async || house.get(&organization).await.json["organization"]["webhook_url"].clone();
    assert_eq!(shown().await, URL);
    let moved =
        house.put(&path, json!({ "url": "https://example.com/other", "kind": "file" })).await.expect_ok();
    assert_eq!(moved.keys(""), names("ok api_request_id webhook_id webhook"));
    assert_eq!(moved.json["webhook"]["kind"], "track");
    assert_eq!(shown().await, "https://example.com/other");
    // Interface 4.5: the organization's own endpoint cannot set it.
    house.put(&organization, json!({ "webhook_url": URL })).await.expect_ok();
    assert_eq!(shown().await, "https://example.com/other");
    let deleted = house.delete(&path).await.expect_ok();
    assert_eq!(deleted.keys(""), names("ok api_request_id webhook_id deleted_webhook"));
    assert_eq!(deleted.json["deleted_webhook"], moved.json["webhook"]);
    assert_eq!(shown().await, Value::Null);
    for reply in
        [house.get(&path).await, house.delete(&path).await, house.put(&path, json!({ "url": URL })).await]
    {
        reply.expect_error(404, "webhook_not_found");
    }
}

async fn only_addresses_of_receivers_are_taken(database: TestDatabase) {
    let house = House::open(database).await;
    house.post("/v1/webhook", Value::Null).await.expect_field("kind");
    house.post("/v1/webhook", json!({ "kind": "tracks" })).await.expect_field("kind");
    house.post("/v1/webhook", json!({ "kind": "track" })).await.expect_field("url");
    let path = created(&house, "file").await;
    let long = format!("https://example.com/{}", "x".repeat(2000));
    for url in
        ["", "example.com", "ftp://example.com/", "http://169.254.169.254/", "https://example.com:22/", &long]
    {
        house.post("/v1/webhook", json!({ "kind": "track", "url": url })).await.expect_field("url");
        house.put(&path, json!({ "url": url })).await.expect_field("url");
    }
    assert_eq!(house.get("/v1/webhook").await.json["webhooks"][0]["url"], URL);
}

async fn deliveries_are_listed_by_pages(database: TestDatabase) {
    let house = House::open(database).await;
    let (path, other) = (created(&house, "track").await, created(&house, "file").await);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.insert(0, tested(&house, &path).await);
        house.clock.advance_seconds(1);
    }
    tested(&house, &other).await;
    let list = format!("{path}/delivery");
    let all = house.get(&list).await.expect_ok();
    assert_eq!(all.keys(""), names("ok api_request_id webhook_id deliveries next_cursor"));
    assert_eq!(
        all.keys("/deliveries/0"),
        names("id webhook_id event subject_id state attempt_count due_at created_at finished_at")
    );
    let ids_of = |reply: &crate::reply::Reply| -> Vec<String> {
        let found = reply.json["deliveries"].as_array().unwrap().iter();
        found.map(|delivery| delivery["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((ids_of(&all), &all.json["next_cursor"]), (ids.clone(), &Value::Null));
    let first = house.get(&format!("{list}?limit=2&cursor=")).await.expect_ok();
    assert_eq!(ids_of(&first), ids[..2]);
    let cursor = first.json["next_cursor"].as_str().unwrap();
    let second = house.get(&format!("{list}?limit=2&cursor={cursor}")).await.expect_ok();
    assert_eq!((ids_of(&second), &second.json["next_cursor"]), (ids[2..].to_vec(), &Value::Null));
    let pending = house.get(&format!("{list}?state=pending&limit=1")).await.expect_ok();
    assert_eq!(ids_of(&pending), ids[..1]);
    assert_eq!(ids_of(&house.get(&format!("{list}?state=failed")).await.expect_ok()), [""; 0]);
    for (query, field) in [
        ("state=lost", "state"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=x", "limit"),
        ("cursor=x", "cursor"),
    ] {
        house.get(&format!("{list}?{query}")).await.expect_field(field);
    }
}

/// Records a failed attempt of each claimed delivery, as a sender would.
async fn fail_all(house: &House, finally: bool) {
    let now = house.ambient.now();
    for webhook in house.catalog().due_webhooks(now).await.unwrap() {
        let lease = house.ambient.credential_id();
        let claimed =
            house.catalog().claim_deliveries(webhook.id, now, lease, now.plus_seconds(30), 10).await;
        for mut claimed in claimed.unwrap() {
            let delivery = &mut claimed.delivery;
            delivery.failures += 1;
            delivery.due_at = Some(now.plus_seconds(300)).filter(|_| !finally);
            if finally {
                (delivery.state, delivery.finished_at) = (DeliveryState::Failed, Some(now));
            }
            let attempt = DeliveryAttempt {
                delivery_id: delivery.id,
                number: delivery.attempts,
                url: webhook.url.clone(),
                started_at: now,
                duration_ms: 7,
                status: Some(500),
                response: "out of order".to_owned(),
                error: Some("the receiver answered 500".to_owned()),
            };
            let tx = house.catalog().begin().await.unwrap();
            assert!(tx.record_attempt(&claimed, &attempt).await.unwrap());
            tx.commit().await.unwrap();
        }
    }
}

async fn a_delivery_tells_what_came_back(database: TestDatabase) {
    let house = House::open(database).await;
    let path = created(&house, "track").await;
    let id = tested(&house, &path).await;
    for _ in 0..12 {
        fail_all(&house, false).await;
        house.clock.advance_seconds(300);
    }
    let read = house.get(&format!("{path}/delivery/{id}")).await.expect_ok();
    assert_eq!(read.keys(""), names("ok api_request_id webhook_id delivery_id delivery"));
    let delivery = &read.json["delivery"];
    assert_eq!((&delivery["event"], &delivery["attempt_count"]), (&json!("webhook.test"), &json!(12)));
    assert_eq!(delivery["payload"]["event"], "webhook.test");
    let attempts = delivery["attempts"].as_array().unwrap();
    assert_eq!(
        read.keys("/delivery/attempts/0"),
        names("number url started_at duration_ms status response error")
    );
    assert_eq!((attempts.len(), &attempts[0]["number"], &attempts[9]["number"]), (10, &json!(12), &json!(3)));
    assert_eq!((&attempts[0]["status"], &attempts[0]["response"]), (&json!(500), &json!("out of order")));
    let other = created(&house, "file").await;
    for place in [format!("{path}/delivery/{NOTHING}"), format!("{other}/delivery/{id}")] {
        house.get(&place).await.expect_error(404, "delivery_not_found");
        house.post(&format!("{place}/replay"), Value::Null).await.expect_error(404, "delivery_not_found");
    }
    house.get(&format!("{path}/delivery/x")).await.expect_field("delivery_id");
}

async fn deliveries_are_sent_again(database: TestDatabase) {
    let house = House::open(database).await;
    let path = created(&house, "track").await;
    let ids = [tested(&house, &path).await, tested(&house, &path).await];
    fail_all(&house, true).await;
    let state = async |id: &str| {
        let read = house.get(&format!("{path}/delivery/{id}")).await.expect_ok();
        read.json["delivery"]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!((&*state(&ids[0]).await, &*state(&ids[1]).await), ("failed", "failed"));
    let replayed = house.post(&format!("{path}/delivery/{}/replay", ids[0]), Value::Null).await.expect_ok();
    assert_eq!(replayed.keys(""), names("ok api_request_id webhook_id delivery_id"));
    assert_eq!((&*state(&ids[0]).await, &*state(&ids[1]).await), ("pending", "failed"));
    let all = house.post(&format!("{path}/replay_failed"), Value::Null).await.expect_ok();
    assert_eq!(all.keys(""), names("ok api_request_id webhook_id count"));
    assert_eq!((&*state(&ids[1]).await, &all.json["count"]), ("pending", &json!(1)));
    // A delivery that is being sent is left alone.
    let (now, lease) = (house.ambient.now(), house.ambient.credential_id());
    let webhook = house.catalog().due_webhooks(now).await.unwrap().remove(0);
    house.catalog().claim_deliveries(webhook.id, now, lease, now.plus_seconds(30), 10).await.unwrap();
    let refused = house.post(&format!("{path}/delivery/{}/replay", ids[0]), Value::Null).await;
    refused.expect_error(409, "delivery_running");
    assert_eq!(house.audited("webhook.replay").await.len(), 2);
}

async fn webhooks_of_others_are_none(database: TestDatabase) {
    let house = House::open(database).await;
    let path = created(&house, "track").await;
    let id = tested(&house, &path).await;
    let neighbour = house.neighbour().await;
    for (method, place, body) in [
        (Method::GET, path.clone(), Value::Null),
        (Method::PUT, path.clone(), json!({ "url": URL })),
        (Method::DELETE, path.clone(), Value::Null),
        (Method::POST, format!("{path}/rotate_secret"), Value::Null),
        (Method::POST, format!("{path}/test"), Value::Null),
        (Method::POST, format!("{path}/replay_failed"), Value::Null),
        (Method::GET, format!("{path}/delivery"), Value::Null),
        (Method::GET, format!("{path}/delivery/{id}"), Value::Null),
        (Method::POST, format!("{path}/delivery/{id}/replay"), Value::Null),
    ] {
        let refused = house.call_as(&neighbour, method, &place, body).await;
        refused.expect_error(404, "webhook_not_found");
    }
    assert_eq!(house.audited("webhook").await.len(), 2);
}

/// Events carry URLs to the files of every variant.
async fn webhooks_are_for_whoever_has_everything(database: TestDatabase) {
    let house = House::open(database).await;
    let path = created(&house, "track").await;
    let limited = house.key_to_variant("lq").await;
    let organization = format!("/v1/organization/{}", house.organization_id);
    for key in [&limited, &house.key_to_collection(&house.collection_id.to_string()).await] {
        let read = house.call_as(key, Method::GET, &organization, Value::Null).await.expect_ok();
        assert_eq!(read.json["organization"]["webhook_url"], Value::Null);
    }
    let renamed = house.call_as(&limited, Method::PUT, &organization, json!({ "name": "Other" })).await;
    assert_eq!(renamed.expect_ok().json["organization"]["webhook_url"], Value::Null);
    assert_eq!(house.get(&organization).await.json["organization"]["webhook_url"], URL);
    for (method, place) in [
        (Method::GET, "/v1/webhook".to_owned()),
        (Method::POST, "/v1/webhook".to_owned()),
        (Method::GET, path.clone()),
        (Method::PUT, path.clone()),
        (Method::DELETE, path.clone()),
        (Method::POST, format!("{path}/rotate_secret")),
        (Method::GET, format!("{path}/delivery")),
    ] {
        let body = json!({ "kind": "file", "url": URL });
        house.call_as(&limited, method, &place, body).await.expect_error(403, "key_limits");
    }
}

async fn one_of_two_at_once_is_made(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({ "kind": "collection", "url": URL });
    let replies = futures::future::join_all((0..6).map(|_| house.post("/v1/webhook", body.clone()))).await;
    let made = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(made, 1);
    for reply in replies.into_iter().filter(|reply| reply.status != 200) {
        reply.expect_error(409, "already_exists");
    }
    assert_eq!(house.get("/v1/webhook").await.json["count"], 1);
}

async fn a_repeated_webhook_has_one_secret(database: TestDatabase) {
    let house = House::open(database).await;
    let post = async |path: &str, body: &Value| {
        let request = http::Request::post(path)
            .header("authorization", format!("Bearer {}", house.key))
            .header("content-type", "application/json")
            .header("idempotency-key", path)
            .body(axum::body::Body::from(body.to_string()));
        house.send(request.unwrap()).await.expect_ok().json
    };
    let body = json!({ "kind": "track", "url": URL });
    let first = post("/v1/webhook", &body).await;
    assert_eq!(post("/v1/webhook", &body).await, first);
    let rotate = format!("/v1/webhook/{}/rotate_secret", first["webhook_id"].as_str().unwrap());
    let rotated = post(&rotate, &json!({})).await;
    assert_ne!(rotated["secret"], first["secret"]);
    assert_eq!(rotated["webhook"]["old_secret_until"], "2030-01-02T00:00:00.000Z");
    assert_eq!(post(&rotate, &json!({})).await, rotated);
    assert_eq!(house.audited("webhook.rotate").await.len(), 1);
    let key = json!({ "title": "Backend" });
    let made = post("/v1/signing_key", &key).await;
    assert_eq!(post("/v1/signing_key", &key).await, made);
    assert_eq!(house.get("/v1/signing_key").await.json["count"], 1);
    let recipe = json!({ "index": "late", "variant_type_id": "transcode" });
    let made = post("/v1/variant", &recipe).await;
    assert_eq!(post("/v1/variant", &recipe).await, made);
    let rendering = format!("/v1/variant/{}/rendering", made["variant_id"].as_str().unwrap());
    assert_eq!(post(&rendering, &json!({})).await, post(&rendering, &json!({})).await);
    assert_eq!(house.audited("variant.render").await.len(), 1);
}
