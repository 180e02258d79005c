//! Keys that are listed, changed and revoked by other keys.

use http::Method;
use serde_json::{Value, json};
use tonearm_domain::KeyType;
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateKey;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

on_both!(
    keys_are_listed_without_their_secrets,
    a_key_is_changed_field_by_field,
    what_a_key_is_cannot_be_changed,
    changes_of_a_key_have_rules,
    nobody_gives_what_he_does_not_have,
    a_key_of_type_api_is_never_raised,
    a_revoked_key_stays_revoked,
    a_key_revokes_itself,
);

/// Creates a key over the interface, and returns its ID and the key itself.
async fn created(house: &House, fields: Value) -> (String, String) {
    let mut body = json!({ "title": "A key", "api_key_type_id": "player" });
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let made = house.post("/v1/api_key", body).await.expect_ok();
    let text = |name: &str| made.json[name].as_str().unwrap().to_owned();
    (text("api_key_id"), text("api_key"))
}

async fn keys_are_listed_without_their_secrets(database: TestDatabase) {
    let house = House::open(database).await;
    // Keys created at the same time have no defined order.
    house.clock.advance_seconds(1);
    let (player, secret) = created(&house, json!({ "title": "Player" })).await;
    house.clock.advance_seconds(1);
    let (share, _) = created(&house, json!({ "api_key_type_id": "share", "variants": ["hq"] })).await;
    house.neighbour().await;
    let listed = house.get("/v1/api_key").await.expect_ok();
    assert_eq!(listed.keys(""), names("ok api_request_id count api_keys"));
    let ids = |reply: &crate::reply::Reply| -> Vec<String> {
        let keys = reply.json["api_keys"].as_array().unwrap().iter();
        keys.map(|key| key["id"].as_str().unwrap().to_owned()).collect()
    };
    let own = house.key_id(&house.key).await;
    assert_eq!((ids(&listed), &listed.json["count"]), (vec![own.clone(), player.clone(), share], &json!(3)));
    assert!(!listed.json.to_string().contains(secret.split_once('_').unwrap().1));
    let page = house.get("/v1/api_key?limit=1&offset=1").await.expect_ok();
    assert_eq!((ids(&page), &page.json["count"]), (vec![player.clone()], &json!(3)));
    let only = house.get("/v1/api_key?api_key_type_id=api").await.expect_ok();
    assert_eq!((ids(&only), &only.json["count"]), (vec![own], &json!(1)));
    house.get("/v1/api_key?api_key_type_id=root").await.expect_field("api_key_type_id");
    house.get("/v1/api_key?limit=201").await.expect_field("limit");
    let read = house.get(&format!("/v1/api_key/{player}")).await.expect_ok();
    assert_eq!(read.keys(""), names("ok api_request_id api_key_id api_key_record"));
    assert_eq!(read.json["api_key_record"], listed.json["api_keys"][1]);
    house.get("/v1/api_key/nobody").await.expect_field("api_key_id");
    let unknown = "018f0000-0000-7000-8000-000000000001";
    house.get(&format!("/v1/api_key/{unknown}")).await.expect_error(404, "api_key_not_found");
}

async fn a_key_is_changed_field_by_field(database: TestDatabase) {
    let house = House::open(database).await;
    let (id, key) = created(&house, json!({ "variants": ["hq", "lq"], "is_downloadable": true })).await;
    let path = format!("/v1/api_key/{id}");
    let session = json!({ "collection_id": house.collection_id, "is_downloadable": true });
    let open =
        async || house.call_as(&key, Method::POST, "/v1/play_session/collection", session.clone()).await;
    assert_eq!(open().await.expect_ok().json["play_session"]["variants"], json!(["hq", "lq"]));
    let before = house.get(&path).await.expect_ok().json["api_key_record"].clone();
    let same = house.put(&path, before.clone()).await.expect_ok();
    assert_eq!(same.keys(""), names("ok api_request_id api_key_id api_key_record"));
    assert_eq!(same.json["api_key_record"], before);
    let change = json!({ "title": "Renamed", "variants": ["lq"], "is_downloadable": false });
    let changed = house.put(&path, change).await.expect_ok();
    let record = &changed.json["api_key_record"];
    assert_eq!((&record["title"], &record["variants"]), (&json!("Renamed"), &json!(["lq"])));
    // The cached lookup is not used any more.
    let opened = open().await.expect_ok();
    assert_eq!(opened.json["play_session"]["variants"], json!(["lq"]));
    assert_eq!(opened.json["play_session"]["is_downloadable"], false);
    let wider = json!({ "variants": null, "expires_at": "2030-01-01T01:00:00Z" });
    let changed = house.put(&path, wider).await.expect_ok();
    assert_eq!(changed.json["api_key_record"]["variants"], Value::Null);
    assert_eq!(changed.json["api_key_record"]["expires_at"], "2030-01-01T01:00:00.000Z");
    house.clock.advance_seconds(3600);
    open().await.expect_error(401, "invalid_api_key");
    // A record with an expiry in the past can be sent back, and the key can be made valid again.
    let expired = changed.json["api_key_record"].clone();
    house.put(&path, expired).await.expect_ok();
    house.put(&path, json!({ "expires_at": null })).await.expect_ok();
    open().await.expect_ok();
    let lines = house.audited("api_key.update").await;
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[4], ("api_key.update".to_owned(), "Renamed".to_owned()));
}

async fn what_a_key_is_cannot_be_changed(database: TestDatabase) {
    let house = House::open(database).await;
    let in_first = json!({ "collection_id": house.collection_id });
    let (id, _) = created(&house, in_first.clone()).await;
    let path = format!("/v1/api_key/{id}");
    let other = house.create_collection("Other").await;
    let track = house.create_track("a.wav").await;
    let creator = house.post("/v1/creator", json!({ "organization_index": "c" })).await.expect_ok();
    for (field, value) in [
        ("api_key_type_id", json!("api")),
        ("api_key_type_id", Value::Null),
        ("collection_id", json!(other)),
        ("collection_id", Value::Null),
        ("track_id", track["track_id"].clone()),
        ("creator_id", creator.json["creator_id"].clone()),
    ] {
        house.put(&path, json!({ field: value })).await.expect_field(field);
    }
    house.put(&path, in_first).await.expect_ok();
}

async fn changes_of_a_key_have_rules(database: TestDatabase) {
    let house = House::open(database).await;
    let (id, _) = created(&house, json!({})).await;
    let path = format!("/v1/api_key/{id}");
    for (body, field) in [
        (json!({ "title": "" }), "title"),
        (json!({ "title": null }), "title"),
        (json!({ "title": "x".repeat(201) }), "title"),
        (json!({ "expires_at": "2029-12-31T23:59:59Z" }), "expires_at"),
        (json!({ "expires_at": "soon" }), "expires_at"),
        (json!({ "variants": [] }), "variants"),
        (json!({ "variants": ["previw"] }), "variants"),
        (json!({ "is_downloadable": "yes" }), "is_downloadable"),
    ] {
        house.put(&path, body).await.expect_field(field);
    }
    // Interface 2.7: an inline share key has exactly one variant.
    let (share, _) = created(&house, json!({ "api_key_type_id": "share", "variants": ["hq"] })).await;
    let path = format!("/v1/api_key/{share}");
    for variants in [Value::Null, json!(["hq", "lq"]), json!([])] {
        house.put(&path, json!({ "variants": variants })).await.expect_field("variants");
    }
    house.put(&path, json!({ "variants": ["lq"] })).await.expect_ok();
    assert_eq!(house.audited("api_key.update").await.len(), 1, "what is refused is not written down");
}

async fn nobody_gives_what_he_does_not_have(database: TestDatabase) {
    let house = House::open(database).await;
    let limited = house.key_to_variant("lq").await;
    let create = async |fields: Value| {
        let mut body = json!({ "title": "x", "api_key_type_id": "player" });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        house.call_as(&limited, Method::POST, "/v1/api_key", body).await
    };
    create(json!({})).await.expect_error(403, "key_limits");
    create(json!({ "variants": ["lq", "hq"] })).await.expect_error(403, "key_limits");
    create(json!({ "variants": ["lq"], "is_downloadable": true })).await.expect_error(403, "key_limits");
    create(json!({ "variants": ["lq"] })).await.expect_ok();
    let (id, _) = created(&house, json!({ "variants": ["hq", "preview", "lq"] })).await;
    let path = format!("/v1/api_key/{id}");
    let put = async |body: Value| house.call_as(&limited, Method::PUT, &path, body).await;
    put(json!({ "variants": null })).await.expect_error(403, "key_limits");
    put(json!({ "variants": ["hq", "original"] })).await.expect_error(403, "key_limits");
    put(json!({ "is_downloadable": true })).await.expect_error(403, "key_limits");
    // Taking rights away is not granting any.
    put(json!({ "variants": ["hq", "preview"], "title": "Less" })).await.expect_ok();
    put(json!({ "variants": ["hq", "lq"] })).await.expect_error(403, "key_limits");
    put(json!({ "variants": ["lq"] })).await.expect_ok();
    let record = house.get(&path).await.json["api_key_record"].clone();
    assert_eq!((&record["variants"], &record["is_downloadable"]), (&json!(["lq"]), &json!(false)));
}

async fn a_key_of_type_api_is_never_raised(database: TestDatabase) {
    let house = House::open(database).await;
    let expires_at = Some(house.ambient.now().plus_seconds(3600));
    let limited = CreateKey {
        expires_at,
        variants: tonearm_domain::Selection::one("lq".parse().unwrap()),
        ..CreateKey::new(KeyType::Api, "Limited")
    };
    let limited = house.key(limited).await;
    let path = format!("/v1/api_key/{}", house.key_id(&limited).await);
    // Neither the key itself nor an unlimited key may do so.
    for key in [&limited, &house.key] {
        for body in [
            json!({ "variants": null }),
            json!({ "variants": ["lq", "hq"] }),
            json!({ "is_downloadable": true }),
            json!({ "expires_at": null }),
            json!({ "expires_at": "2030-01-01T01:00:01Z" }),
        ] {
            house.call_as(key, Method::PUT, &path, body).await.expect_error(403, "key_type");
        }
    }
    let less = json!({ "title": "Shorter", "expires_at": "2030-01-01T00:30:00Z" });
    house.call_as(&limited, Method::PUT, &path, less).await.expect_ok();
    house.clock.advance_seconds(1800);
    house.call_as(&limited, Method::GET, &path, Value::Null).await.expect_error(401, "invalid_api_key");
}

async fn a_revoked_key_stays_revoked(database: TestDatabase) {
    let house = House::open(database).await;
    let (id, key) = created(&house, json!({ "title": "Web" })).await;
    let path = format!("/v1/api_key/{id}");
    let deleted = house.delete(&path).await.expect_ok();
    assert_eq!(deleted.keys(""), names("ok api_request_id api_key_id deleted_api_key made"));
    assert_eq!(deleted.json["deleted_api_key"]["revoked_at"], "2030-01-01T00:00:00.000Z");
    let body = json!({ "collection_id": house.collection_id });
    let session = house.call_as(&key, Method::POST, "/v1/play_session/collection", body).await;
    session.expect_error(401, "invalid_api_key");
    house.delete(&path).await.expect_error(404, "api_key_not_found");
    house.put(&path, json!({ "title": "x" })).await.expect_error(409, "key_revoked");
    let read = house.get(&path).await.expect_ok();
    assert_eq!(read.json["api_key_record"], deleted.json["deleted_api_key"]);
    assert_eq!(house.get("/v1/api_key").await.json["count"], 2);
    assert_eq!(house.audited("api_key.revoke").await, [("api_key.revoke".to_owned(), "Web".to_owned())]);
}

async fn a_key_revokes_itself(database: TestDatabase) {
    let house = House::open(database).await;
    let to_first = house.key_to_collection(&house.collection_id).await;
    for key in [to_first, house.key.clone()] {
        let other = house.key_of_type(KeyType::Api).await;
        let path = format!("/v1/api_key/{}", house.key_id(&key).await);
        house.call_as(&key, Method::DELETE, &path, Value::Null).await.expect_ok();
        house
            .call_as(&key, Method::GET, "/v1/variant", Value::Null)
            .await
            .expect_error(401, "invalid_api_key");
        house.call_as(&other, Method::GET, "/v1/variant", Value::Null).await.expect_ok();
    }
    // A public key cannot be revoked by its holder.
    let share = house.key_of_type(KeyType::Share).await;
    let path = format!("/v1/api_key/{}", house.key_id(&share).await);
    house.call_as(&share, Method::DELETE, &path, Value::Null).await.expect_error(403, "key_type");
}
