//! What ends with a key: what it made, the sessions that it opened, and the responses that were stored for it.

use axum::body::Body;
use futures::future::join_all;
use http::{Method, Request};
use serde_json::{Value, json};
use tonearm_domain::{AllowedOrigins, ApiKeyId, KeyType};
use tonearm_fixtures::{LateBody, TestDatabase};
use tonearm_service::CreateKey;

use crate::house::{House, local, tone};
use crate::on_both;

on_both!(
    what_a_key_makes_ends_with_it,
    nothing_is_made_to_last_longer_than_its_maker,
    a_webhook_is_handed_over_by_moving_it,
    revoking_a_key_can_revoke_what_it_made,
    a_revoked_key_revokes_what_it_made_later,
    many_keys_are_revoked_with_their_maker,
    what_a_key_widened_counts_as_made_by_it,
    play_sessions_end_with_a_revocation_and_not_with_an_expiry,
    upload_sessions_end_with_a_revocation_and_not_with_an_expiry,
    nothing_is_uploaded_to_a_session_that_ended_before_the_body,
    a_stored_response_is_not_for_other_origins,
    an_earlier_end_applies_to_what_a_key_made,
    a_play_session_has_no_more_rights_than_its_key,
    sessions_end_with_the_secret_that_opened_them,
    sessions_are_listed_without_their_ids_and_ended,
    keys_change_and_end_themselves_many_times_at_once,
);

const MADE: [(&str, &str); 6] = [
    ("/v1/api_key", r#"{"title":"p","api_key_type_id":"player"}"#),
    ("/v1/api_key", r#"{"title":"u","api_key_type_id":"uploader"}"#),
    ("/v1/api_key", r#"{"title":"s","api_key_type_id":"share","variants":["hq"]}"#),
    ("/v1/signing_key", "{}"),
    ("/v1/webhook", r#"{"kind":"track","url":"https://example.com/hook"}"#),
    ("/v1/import_bucket/music", r#"{"access_key_id":"id","secret_access_key":"secret"}"#),
];

async fn make(house: &House, key: &str, (path, body): (&str, &str)) -> Value {
    let method = if path.starts_with("/v1/import_bucket") { Method::PUT } else { Method::POST };
    house.call_as(key, method, path, serde_json::from_str(body).unwrap()).await.expect_ok().json
}

/// An `api` key that works for this many more seconds.
async fn key_for_seconds(house: &House, seconds: i64) -> (String, ApiKeyId) {
    let expires_at = Some(house.ambient.now().plus_seconds(seconds));
    house.key_with_id(CreateKey { expires_at, ..CreateKey::new(KeyType::Api, "Soon gone") }).await
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The end of what a request made.
fn end(reply: &Value) -> Value {
    let records =
        ["api_key_record", "signing_key", "webhook", "import_bucket"].iter().map(|name| &reply[*name]);
    records.filter(|record| record.is_object()).map(|record| record["expires_at"].clone()).next().unwrap()
}

async fn what_a_key_makes_ends_with_it(database: TestDatabase) {
    let house = House::open(database).await;
    let (key, _) = key_for_seconds(&house, 20).await;
    let ends = house.ambient.now().plus_seconds(20);
    let mut player = String::new();
    for (path, body) in MADE {
        let made = make(&house, &key, (path, body)).await;
        assert_eq!(end(&made), json!(ends), "{path} {body}");
        if body.contains("player") {
            player = text(&made["api_key"]);
        }
    }
    let live = async || house.catalog().live_signing_keys(house.ambient.now()).await.unwrap().len();
    let session = json!({ "collection_id": house.collection_id });
    let play = async || {
        house.call_as(&player, Method::POST, "/v1/play_session/collection", session.clone()).await.status
    };
    assert_eq!((live().await, play().await.as_u16()), (1, 200));
    let deliveries = async || {
        let track = house.ready_track_of("a.wav", tone()).await;
        assert!(!track.is_empty());
        let webhook = house.get("/v1/webhook").await.expect_ok().json["webhooks"][0].clone();
        let list = format!("/v1/webhook/{}/delivery", webhook["id"].as_str().unwrap());
        house.get(&list).await.expect_ok().json["deliveries"].as_array().unwrap().len()
    };
    assert_eq!(deliveries().await, 1);
    house.clock.advance_seconds(20);
    assert_eq!((live().await, play().await.as_u16()), (0, 401));
    assert_eq!(deliveries().await, 1, "nothing is queued for a webhook that has ended");
}

async fn nothing_is_made_to_last_longer_than_its_maker(database: TestDatabase) {
    let house = House::open(database).await;
    let (key, _) = key_for_seconds(&house, 100).await;
    let at = |seconds| json!(house.ambient.now().plus_seconds(seconds));
    let create = async |expires_at: Value| {
        let body = json!({ "title": "p", "api_key_type_id": "player", "expires_at": expires_at });
        house.call_as(&key, Method::POST, "/v1/api_key", body).await
    };
    create(at(101)).await.expect_error(403, "key_limits");
    assert_eq!(end(&create(at(100)).await.expect_ok().json), at(100));
    let made = create(at(50)).await.expect_ok();
    let path = format!("/v1/api_key/{}", text(&made.json["api_key_id"]));
    let extend = async |key: &str, expires_at: Value| {
        house.call_as(key, Method::PUT, &path, json!({ "expires_at": expires_at })).await
    };
    for later in [at(101), Value::Null] {
        extend(&key, later).await.expect_error(403, "key_limits");
    }
    extend(&key, at(100)).await.expect_ok();
    // Who lasts longer may let it last longer; a shorter key may still change what lasts longer, but not its end.
    assert_eq!(
        extend(&house.key, Value::Null).await.expect_ok().json["api_key_record"]["expires_at"],
        Value::Null
    );
    house.call_as(&key, Method::PUT, &path, json!({ "title": "q" })).await.expect_ok();
    assert_eq!(extend(&key, at(60)).await.expect_ok().json["api_key_record"]["expires_at"], at(60));
    // Credentials for a bucket belong to whoever sets them last.
    let (bucket, body) = MADE[5];
    let body: Value = serde_json::from_str(body).unwrap();
    let set = async |key: &str| house.call_as(key, Method::PUT, bucket, body.clone()).await;
    assert_eq!(end(&set(&key).await.expect_ok().json), at(100));
    assert_eq!(end(&set(&house.key).await.expect_ok().json), Value::Null);
    set(&key).await.expect_error(403, "key_limits");
    house.call_as(&key, Method::DELETE, bucket, Value::Null).await.expect_ok();
}

async fn a_webhook_is_handed_over_by_moving_it(database: TestDatabase) {
    let house = House::open(database).await;
    let (key, _) = key_for_seconds(&house, 100).await;
    let (path, body) = MADE[4];
    let body: Value = serde_json::from_str(body).unwrap();
    let lasting = house.post(path, body).await.expect_ok();
    let hook = format!("/v1/webhook/{}", text(&lasting.json["webhook_id"]));
    let moved = json!({ "url": "https://example.com/other" });
    // It would receive events at the other URL for ever.
    house.call_as(&key, Method::PUT, &hook, moved.clone()).await.expect_error(403, "key_limits");
    let rotate = format!("{hook}/rotate_secret");
    house.call_as(&key, Method::POST, &rotate, Value::Null).await.expect_error(403, "key_limits");
    house.call_as(&key, Method::DELETE, &hook, Value::Null).await.expect_ok();
    let (path, body) = MADE[4];
    let made = house.call_as(&key, Method::POST, path, serde_json::from_str(body).unwrap()).await.expect_ok();
    let hook = format!("/v1/webhook/{}", text(&made.json["webhook_id"]));
    house.call_as(&key, Method::PUT, &hook, moved.clone()).await.expect_ok();
    let kept = house.put(&hook, moved).await.expect_ok();
    assert_eq!(kept.json["webhook"]["expires_at"], Value::Null);
}

async fn make_everything(house: &House, key: &str) {
    for made in MADE {
        make(house, key, made).await;
    }
}

/// The API keys that work, the signing keys that work, the webhooks, and the buckets.
async fn alive(house: &House) -> [usize; 4] {
    let rows = async |path: &str, name: &str| {
        let rows = house.get(path).await.expect_ok().json[name].as_array().unwrap().clone();
        rows.iter().filter(|row| row["revoked_at"].is_null()).count()
    };
    [
        rows("/v1/api_key", "api_keys").await,
        rows("/v1/signing_key", "signing_keys").await,
        rows("/v1/webhook", "webhooks").await,
        rows("/v1/import_bucket", "import_buckets").await,
    ]
}

async fn revoking_a_key_can_revoke_what_it_made(database: TestDatabase) {
    let house = House::open(database).await;
    let others = alive(&house).await;
    let (key, id) = house.key_with_id(CreateKey::new(KeyType::Api, "Maker")).await;
    make_everything(&house, &key).await;
    assert_eq!(alive(&house).await, [others[0] + 4, others[1] + 1, others[2] + 1, others[3] + 1]);
    house
        .delete(&format!("/v1/api_key/{id}?revoke_made=perhaps"))
        .await
        .expect_error(400, "invalid_parameter");
    let revoked = house.delete(&format!("/v1/api_key/{id}?revoke_made=true")).await.expect_ok();
    assert_eq!(
        revoked.json["made"],
        json!({ "api_keys": 3, "signing_keys": 1, "webhooks": 1, "import_buckets": 1 })
    );
    assert_eq!(alive(&house).await, others);
    let audited = house.audited("api_key").await;
    assert_eq!(audited.iter().filter(|(action, _)| action == "api_key.revoke").count(), 4, "{audited:?}");
    // A key can do the same to itself.
    let (key, id) = house.key_with_id(CreateKey::new(KeyType::Api, "Maker")).await;
    make_everything(&house, &key).await;
    let path = format!("/v1/api_key/{id}?revoke_made=true");
    house.call_as(&key, Method::DELETE, &path, Value::Null).await.expect_ok();
    assert_eq!(alive(&house).await, others);
}

async fn a_revoked_key_revokes_what_it_made_later(database: TestDatabase) {
    let house = House::open(database).await;
    let others = alive(&house).await;
    let (key, id) = house.key_with_id(CreateKey::new(KeyType::Api, "Maker")).await;
    make_everything(&house, &key).await;
    let revoked = house.delete(&format!("/v1/api_key/{id}")).await.expect_ok();
    assert_eq!(
        revoked.json["made"],
        json!({ "api_keys": 3, "signing_keys": 1, "webhooks": 1, "import_buckets": 1 })
    );
    assert_eq!(alive(&house).await, [others[0] + 3, others[1] + 1, others[2] + 1, others[3] + 1]);
    house.delete(&format!("/v1/api_key/{id}")).await.expect_error(404, "api_key_not_found");
    let later = format!("/v1/api_key/{id}?revoke_made=true");
    house.delete(&later).await.expect_ok();
    assert_eq!(alive(&house).await, others);
    assert_eq!(house.delete(&later).await.expect_ok().json["made"]["api_keys"], 0);
}

async fn many_keys_are_revoked_with_their_maker(database: TestDatabase) {
    let house = House::open(database).await;
    let others = alive(&house).await;
    let (key, id) = house.key_with_id(CreateKey::new(KeyType::Api, "Maker")).await;
    // More than are revoked in one transaction.
    for _ in 0..205 {
        make(&house, &key, MADE[0]).await;
    }
    let made = make(&house, &key, MADE[0]).await;
    let session = json!({ "collection_id": house.collection_id });
    let player = text(&made["api_key"]);
    let path = "/v1/play_session/collection";
    house.call_as(&player, Method::POST, path, session.clone()).await.expect_ok();
    let revoke = format!("/v1/api_key/{id}?revoke_made=true");
    let revoked = house.call_as(&key, Method::DELETE, &revoke, Value::Null).await.expect_ok();
    assert_eq!(revoked.json["made"]["api_keys"], 206);
    house.call_as(&player, Method::POST, path, session).await.expect_error(401, "invalid_api_key");
    assert_eq!(alive(&house).await, others);
}

async fn what_a_key_widened_counts_as_made_by_it(database: TestDatabase) {
    let house = House::open(database).await;
    let stolen = CreateKey { is_downloadable: true, ..CreateKey::new(KeyType::Api, "Stolen") };
    let (key, id) = house.key_with_id(stolen).await;
    let end = house.ambient.now().plus_seconds(70);
    let widened = [
        ("expires_at", json!(null)),
        ("expires_at", json!(end.plus_seconds(1))),
        ("variants", json!(null)),
        ("is_downloadable", json!(true)),
        ("allowed_origins", json!(null)),
    ];
    let limited = async || {
        let create = CreateKey {
            expires_at: Some(end),
            variants: tonearm_domain::Selection::one("preview".parse().unwrap()),
            allowed_origins: AllowedOrigins::from_list(Some(vec!["https://a.example".parse().unwrap()]))
                .unwrap(),
            ..CreateKey::new(KeyType::Player, "A person's")
        };
        house.key_with_id(create).await.1
    };
    let put = async |id: ApiKeyId, body: Value| {
        house.call_as(&key, Method::PUT, &format!("/v1/api_key/{id}"), body).await.expect_ok();
    };
    for (field, value) in &widened {
        put(limited().await, json!({ *field: value })).await;
    }
    // Neither narrower, nor widened and then changed by a person.
    let (narrowed, vouched) = (limited().await, limited().await);
    put(narrowed, json!({ "expires_at": end.plus_seconds(-1) })).await;
    put(vouched, json!({ "expires_at": null })).await;
    house.rename_key(vouched).await;
    let revoked = house.delete(&format!("/v1/api_key/{id}?revoke_made=true")).await.expect_ok();
    assert_eq!(revoked.json["made"]["api_keys"], widened.len());
    for id in [narrowed, vouched] {
        assert_eq!(
            house.get(&format!("/v1/api_key/{id}")).await.expect_ok().json["api_key_record"]["revoked_at"],
            Value::Null
        );
    }
}

async fn play_sessions_end_with_a_revocation_and_not_with_an_expiry(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("a.wav").await;
    let (expiring, _) = key_for_seconds(&house, 30).await;
    let revoked = house.key_of_type(KeyType::Player).await;
    let grant = async |key: &str| {
        let body = json!({ "collection_id": house.collection_id, "is_downloadable": true });
        let session = house.call_as(key, Method::POST, "/v1/play_session/collection", body).await.expect_ok();
        text(&session.json["play_session_id"])
    };
    let (of_expiring, of_revoked) = (grant(&expiring).await, grant(&revoked).await);
    let statuses = async |session: &str| {
        let mut statuses = Vec::new();
        for tail in [format!("/{track}"), format!("/{track}/captions"), format!("?track_ids={track}")] {
            statuses.push(house.get_open(&format!("/v1/play/{session}{tail}")).await.status.as_u16());
        }
        statuses.push(house.get(&format!("/v1/play_session/{session}")).await.status.as_u16());
        statuses
    };
    assert_eq!((statuses(&of_expiring).await, statuses(&of_revoked).await), (vec![200; 4], vec![200; 4]));
    house.revoke(&revoked).await;
    house.clock.advance_seconds(30);
    assert_eq!((statuses(&of_expiring).await, statuses(&of_revoked).await), (vec![200; 4], vec![401; 4]));
}

async fn upload_sessions_end_with_a_revocation_and_not_with_an_expiry(database: TestDatabase) {
    let house = House::open(database).await;
    let (expiring, _) = key_for_seconds(&house, 30).await;
    let revoked = house.key_of_type(KeyType::Uploader).await;
    let open = async |key: &str| {
        let body = json!({ "collection_id": house.collection_id, "track": { "file_name": "first.wav" } });
        let session = house.call_as(key, Method::POST, "/v1/upload_session", body).await.expect_ok();
        (text(&session.json["upload_session_id"]), text(&session.json["track_upload"]["upload_url"]))
    };
    let ((of_expiring, lasting), (of_revoked, ended)) = (open(&expiring).await, open(&revoked).await);
    house.revoke(&revoked).await;
    house.clock.advance_seconds(30);
    for (session, expected) in [(of_expiring, 200), (of_revoked, 401)] {
        let create = json!({ "file_name": "a.wav" });
        let path = format!("/v1/upload/{session}/track");
        let created = house.call_as("", Method::POST, &path, create).await;
        assert_eq!(created.status, expected, "{}", created.json);
        assert_eq!(house.get_open(&format!("/v1/upload_session/{session}")).await.status, expected);
    }
    for (url, expected) in [(lasting, 200), (ended, 401)] {
        let sent = house.send(Request::put(local(&url)).body(Body::from(tone())).unwrap()).await;
        assert_eq!(sent.status, expected, "{}", sent.json);
    }
}

async fn nothing_is_uploaded_to_a_session_that_ended_before_the_body(database: TestDatabase) {
    let house = House::open(database).await;
    for is_revoked in [false, true] {
        for idempotency_key in [None, Some("once")] {
            let key = house.key_of_type(KeyType::Api).await;
            let body = json!({ "collection_id": house.collection_id });
            let session = house.call_as(&key, Method::POST, "/v1/upload_session", body).await.expect_ok();
            let session = text(&session.json["upload_session_id"]);
            let (body, late) = LateBody::new(json!({ "file_name": "late.wav" }).to_string());
            let mut request = Request::post(format!("/v1/upload/{session}/track"))
                .header("content-type", "application/json");
            if let Some(once) = idempotency_key {
                request = request.header("idempotency-key", once);
            }
            let end = late.arrives_after(async {
                if is_revoked {
                    house.revoke(&key).await;
                } else {
                    house
                        .call_as(&key, Method::DELETE, &format!("/v1/upload_session/{session}"), Value::Null)
                        .await;
                }
            });
            let (reply, ()) = tokio::join!(house.send(request.body(body).unwrap()), end);
            reply.expect_error(401, "invalid_upload_session");
        }
    }
    assert_eq!(house.get("/v1/track").await.expect_ok().json["count"], 0);
}

async fn a_stored_response_is_not_for_other_origins(database: TestDatabase) {
    let house = House::open(database).await;
    let allowed = AllowedOrigins::from_list(Some(vec!["https://good.example".parse().unwrap()])).unwrap();
    let key = CreateKey { allowed_origins: allowed, ..CreateKey::new(KeyType::Api, "For a page") };
    let key = house.key(key).await;
    let create = async |origin: Option<&str>| {
        let mut request = Request::post("/v1/api_key")
            .header("authorization", format!("Bearer {key}"))
            .header("content-type", "application/json")
            .header("idempotency-key", "once");
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let body = json!({
            "title": "p",
            "api_key_type_id": "player",
            "allowed_origins": ["https://good.example"],
        });
        house.send(request.body(Body::from(body.to_string())).unwrap()).await
    };
    let first = create(Some("https://good.example")).await.expect_ok();
    create(Some("https://evil.example")).await.expect_error(403, "origin_not_allowed");
    for same in [None, Some("https://good.example")] {
        assert_eq!(create(same).await.expect_ok().json, first.json);
    }
}

async fn sessions_are_listed_without_their_ids_and_ended(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("a.wav").await;
    let revoked = house.key_of_type(KeyType::Api).await;
    let collection = house.collection_id.clone();
    let open = async |key: &str, path: &str, id: &str| {
        house.clock.advance_millis(1);
        let body = json!({ "collection_id": collection });
        text(&house.call_as(key, Method::POST, path, body).await.expect_ok().json[id])
    };
    let play = "/v1/play_session";
    let upload = "/v1/upload_session";
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(open(&house.key, &format!("{play}/collection"), "play_session_id").await);
    }
    open(&revoked, &format!("{play}/collection"), "play_session_id").await;
    let of_upload = open(&house.key, upload, "upload_session_id").await;
    open(&revoked, upload, "upload_session_id").await;
    house.revoke(&revoked).await;
    let page = async |path: &str, limit: u64, cursor: &str| {
        let reply = house.get(&format!("{path}?limit={limit}&cursor={cursor}")).await.expect_ok();
        for id in sessions.iter().chain([&of_upload]) {
            assert!(!reply.json.to_string().contains(id), "{}", reply.json);
        }
        let name = format!("{}s", &path[4..]);
        let handles = reply.json[name].as_array().unwrap().iter().map(|row| text(&row["handle"]));
        (handles.collect::<Vec<_>>(), reply.json["next_cursor"].clone())
    };
    let (first, next) = page(play, 2, "").await;
    let (rest, end) = page(play, 2, next.as_str().unwrap()).await;
    assert_eq!((first.len(), rest.len(), end), (2, 1, Value::Null));
    let (all, end) = page(play, 3, "").await;
    assert_eq!((all.as_slice(), end), ([first.as_slice(), &rest].concat().as_slice(), Value::Null));
    let (uploads, _) = page(upload, 50, "").await;
    assert_eq!(uploads.len(), 1);
    // A handle opens nothing. It ends the session, as does the id.
    assert_eq!(house.get_open(&format!("/v1/play/{}/{track}", first[0])).await.status, 401);
    assert_eq!(house.get_open(&format!("{upload}/{}", uploads[0])).await.status, 401);
    let status =
        async |session: &str| house.get_open(&format!("/v1/play/{session}/{track}")).await.status.as_u16();
    assert_eq!(status(&sessions[2]).await, 200);
    house.delete(&format!("{play}/{}", first[0])).await.expect_ok();
    assert_eq!((status(&sessions[2]).await, status(&sessions[1]).await), (401, 200));
    house.delete(&format!("{play}/{}", sessions[1])).await.expect_ok();
    assert_eq!((status(&sessions[1]).await, status(&sessions[0]).await), (401, 200));
    house.delete(&format!("{play}/{}", first[0])).await.expect_error(404, "play_session_not_found");
    house.delete(&format!("{upload}/{}", uploads[0])).await.expect_ok();
    assert_eq!(house.get_open(&format!("{upload}/{of_upload}")).await.status, 401);
    assert_eq!((page(play, 50, "").await.0, page(upload, 50, "").await.0), (rest, vec![]));
    house.get(&format!("{play}?cursor=x")).await.expect_error(400, "invalid_parameter");
}

async fn an_earlier_end_applies_to_what_a_key_made(database: TestDatabase) {
    let house = House::open(database).await;
    let (key, id) = house.key_with_id(CreateKey::new(KeyType::Api, "Leaked")).await;
    make_everything(&house, &key).await;
    let early = json!({ "title": "p", "api_key_type_id": "player", "expires_at": house.ambient.now().plus_seconds(10) });
    house.call_as(&key, Method::POST, "/v1/api_key", early).await.expect_ok();
    let ends = house.ambient.now().plus_seconds(50);
    let path = format!("/v1/api_key/{id}");
    house.call_as(&key, Method::PUT, &path, json!({ "expires_at": ends })).await.expect_ok();
    let organization = house.organization_id;
    let keys = house.catalog().api_keys(organization).await.unwrap();
    let made: Vec<_> = keys.iter().filter(|key| key.made_by == Some(id)).map(|key| key.expires_at).collect();
    assert_eq!(made.iter().filter(|end| **end == Some(ends)).count(), 3, "{made:?}");
    assert_eq!(made.len(), 4, "what ends earlier stays as it is: {made:?}");
    let signing = house.catalog().signing_keys(organization).await.unwrap();
    assert_eq!(signing.iter().map(|key| key.expires_at).collect::<Vec<_>>(), [Some(ends)]);
    let webhooks = house.catalog().webhooks(organization).await.unwrap();
    assert_eq!(webhooks.iter().map(|webhook| webhook.expires_at).collect::<Vec<_>>(), [Some(ends)]);
    let bucket = async || {
        end(&json!({ "import_bucket": house.get("/v1/import_bucket").await.json["import_buckets"][0] }))
    };
    assert_eq!(bucket().await, json!(ends));
    // A later end of the maker gives nothing back.
    house.put(&path, json!({ "expires_at": ends.plus_seconds(1000) })).await;
    let signing = house.catalog().signing_keys(organization).await.unwrap();
    assert_eq!(signing[0].expires_at, Some(ends));
}

async fn a_play_session_has_no_more_rights_than_its_key(database: TestDatabase) {
    let house = House::open(database).await;
    house.add_recipe("second", json!({ "variant_type_id": "transcode", "codec": "opus" })).await;
    let track = house.ready_track("a.wav").await;
    let create = CreateKey { is_downloadable: true, ..CreateKey::new(KeyType::Player, "Narrowed") };
    let (key, id) = house.key_with_id(create).await;
    let body = json!({ "collection_id": house.collection_id, "is_downloadable": true });
    let session = house.call_as(&key, Method::POST, "/v1/play_session/collection", body).await.expect_ok();
    let session = text(&session.json["play_session_id"]);
    let played = async || house.get_open(&format!("/v1/play/{session}/{track}")).await;
    let variants = |reply: &crate::reply::Reply| -> Vec<Value> {
        let listed = reply.json["variants"].as_array().unwrap();
        listed.iter().map(|variant| variant["variant"]["index"].clone()).collect()
    };
    let download = async |variant: &str| {
        house.get_open(&format!("/v1/play/{session}/{track}/{variant}/download")).await.status.as_u16()
    };
    let before = variants(&played().await.expect_ok());
    assert!(before.contains(&json!("hq")) && before.contains(&json!("second")), "{before:?}");
    let narrow = async |body: Value| house.put(&format!("/v1/api_key/{id}"), body).await.expect_ok();
    narrow(json!({ "variants": ["second"] })).await;
    assert_eq!(variants(&played().await.expect_ok()), [json!("second")]);
    assert_eq!((download("hq").await, download("second").await), (404, 200));
    narrow(json!({ "is_downloadable": false })).await;
    assert_eq!(download("second").await, 403);
}

async fn sessions_end_with_the_secret_that_opened_them(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("a.wav").await;
    let (key, id) = house.key_with_id(CreateKey::new(KeyType::Api, "Leaked")).await;
    let (body, play) = (json!({ "collection_id": house.collection_id }), "/v1/play_session/collection");
    let statuses = async |key: &str| {
        let played = house.call_as(key, Method::POST, play, body.clone()).await.expect_ok();
        let uploads = house.call_as(key, Method::POST, "/v1/upload_session", body.clone()).await.expect_ok();
        let (played, uploads) =
            (text(&played.json["play_session_id"]), text(&uploads.json["upload_session_id"]));
        let (house, track) = (&house, &track);
        async move || {
            let played = house.get_open(&format!("/v1/play/{played}/{track}")).await.status.as_u16();
            (played, house.get_open(&format!("/v1/upload_session/{uploads}")).await.status.as_u16())
        }
    };
    let first = statuses(&key).await;
    let second = house.rotate(id, "1".parse().unwrap()).await;
    assert_eq!(first().await, (200, 200), "the old secret still works");
    house.clock.advance_seconds(3600);
    let later = statuses(&second).await;
    house.rotate(id, "0".parse().unwrap()).await;
    assert_eq!((first().await, later().await), ((401, 401), (401, 401)));

    let (key, id) = house.key_with_id(CreateKey::new(KeyType::Api, "Both")).await;
    let with_old = statuses(&key).await;
    let with_new = statuses(&house.rotate(id, "1".parse().unwrap()).await).await;
    house.end_old_secret(id).await;
    assert_eq!((with_old().await, with_new().await), ((401, 401), (401, 401)));
}

/// On PostgreSQL, each of them would hold the key and wait for the others to let it go.
async fn keys_change_and_end_themselves_many_times_at_once(database: TestDatabase) {
    let house = House::open(database).await;
    let (key, id) = key_for_seconds(&house, 1000).await;
    let path = format!("/v1/api_key/{id}");
    let at = house.ambient.now().plus_seconds(500);
    let change = || house.call_as(&key, Method::PUT, &path, json!({ "expires_at": at }));
    let statuses = |replies: Vec<crate::reply::Reply>| {
        let mut statuses: Vec<u16> = replies.iter().map(|reply| reply.status.as_u16()).collect();
        statuses.sort_unstable();
        statuses
    };
    // The key was limited since the others were judged.
    let changed = statuses(join_all((0..6).map(|_| change())).await);
    assert!(changed[0] == 200 && changed.iter().all(|status| [200, 409].contains(status)), "{changed:?}");
    let end = || house.call_as(&key, Method::DELETE, &path, Value::Null);
    assert_eq!(statuses(join_all((0..6).map(|_| end())).await), [200, 401, 401, 401, 401, 401]);
}
