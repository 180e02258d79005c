//! Interface 5 and decisions "Keys": every endpoint that takes a key × every kind of key, and the status of each
//! response.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use tonearm_catalog::AuditFilter;
use tonearm_domain::{ApiKeyId, KeyType};
use tonearm_fixtures::{LateBody, TestDatabase};
use tonearm_service::CreateKey;
use tonearm_signing::ApiKeyText;

use crate::house::House;
use crate::on_both;

on_both!(
    every_endpoint_answers_every_key_as_decided,
    holders_of_sessions_and_links_get_what_is_theirs,
    no_endpoint_acts_on_a_key_that_ended_before_the_body,
    no_endpoint_acts_on_a_key_that_ended_before_the_commit,
);

/// What a key may be used for.
#[derive(Clone, Copy, PartialEq)]
enum Door {
    Manage,
    Play,
    Upload,
}
use Door::{Manage, Play, Upload};

/// A request about collection A, and the status of the responses to keys that may use the endpoint: the right key, a
/// key of another organization, one limited to collection B, one limited to a track of B.
pub(crate) struct Row {
    door: Door,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Value,
    pub(crate) right: u16,
    neighbour: u16,
    other_collection: u16,
    other_track: u16,
}

/// The objects that the requests are about.
pub(crate) struct Things {
    collection: String,
    track: String,
    creator: String,
    variant: String,
    play_session: String,
    upload_session: String,
    job: String,
    organization: String,
    management: Management,
}

/// What an organization is set up with. Limited keys cannot reach it.
struct Management {
    api_key: String,
    signing_key: String,
    recipe: String,
    /// All recipes, in order.
    recipes: Vec<Value>,
    webhook: String,
    delivery: String,
}

impl Management {
    async fn prepare(house: &House) -> Self {
        let created = async |path: &str, body: Value, id: &str| {
            let created = house.post(path, body).await.expect_ok();
            created.json[id].as_str().unwrap().to_owned()
        };
        let webhook = json!({ "kind": "track", "url": "https://example.com/hook" });
        let webhook = created("/v1/webhook", webhook, "webhook_id").await;
        let recipe = json!({ "index": "late", "variant_type_id": "transcode" });
        let recipe = created("/v1/variant", recipe, "variant_id").await;
        let recipes = house.get("/v1/variant").await.expect_ok();
        let recipes = recipes.json["variants"].as_array().unwrap().iter();
        let player = json!({ "title": "k", "api_key_type_id": "player" });
        Self {
            api_key: created("/v1/api_key", player, "api_key_id").await,
            signing_key: created("/v1/signing_key", json!({}), "signing_key_id").await,
            recipes: recipes.map(|recipe| recipe["id"].clone()).collect(),
            recipe,
            delivery: created(&format!("/v1/webhook/{webhook}/test"), Value::Null, "delivery_id").await,
            webhook,
        }
    }

    /// Method, path, body, and the statuses for keys that may use the endpoint, as in [`Row`].
    fn rows(&self) -> Vec<(&'static str, String, Value, [u16; 4])> {
        let Self { api_key, signing_key, recipe, recipes, webhook, delivery } = self;
        let (whole, whole_thing) = ([200, 200, 403, 403], [200, 404, 403, 403]);
        let none = Value::Null;
        let key = format!("/v1/api_key/{api_key}");
        let signing = format!("/v1/signing_key/{signing_key}");
        let variant = format!("/v1/variant/{recipe}");
        let hook = format!("/v1/webhook/{webhook}");
        let file_hook = json!({ "kind": "file", "url": "https://example.com/hook" });
        let moved = json!({ "url": "https://example.com/other" });
        let bucket = json!({ "access_key_id": "id", "secret_access_key": "secret" });
        let another = json!({ "index": "another", "variant_type_id": "cover" });
        // The recipes of another organization are not a valid order of one's own.
        let order = [200, 400, 403, 403];
        vec![
            ("GET", "/v1/api_key".to_owned(), none.clone(), whole),
            ("GET", key.clone(), none.clone(), whole_thing),
            ("PUT", key.clone(), json!({ "title": "K" }), whole_thing),
            ("DELETE", key, none.clone(), whole_thing),
            ("GET", "/v1/signing_key".to_owned(), none.clone(), whole),
            ("POST", "/v1/signing_key".to_owned(), json!({}), whole),
            ("GET", signing.clone(), none.clone(), whole_thing),
            ("DELETE", signing, none.clone(), whole_thing),
            ("GET", "/v1/import_bucket".to_owned(), none.clone(), whole),
            // Each organization has its own credentials, whatever the bucket is called.
            ("PUT", "/v1/import_bucket/music".to_owned(), bucket, whole),
            ("DELETE", "/v1/import_bucket/music".to_owned(), none.clone(), whole),
            ("PUT", "/v1/variant/order".to_owned(), json!({ "variant_ids": recipes }), order),
            ("POST", "/v1/variant".to_owned(), another, whole),
            ("PUT", variant.clone(), json!({ "bitrate": 64 }), whole_thing),
            ("POST", format!("{variant}/rendering"), none.clone(), whole_thing),
            ("GET", format!("{variant}/rendering"), none.clone(), whole_thing),
            ("DELETE", variant, none.clone(), whole_thing),
            ("GET", "/v1/webhook".to_owned(), none.clone(), whole),
            ("POST", "/v1/webhook".to_owned(), file_hook, whole),
            ("GET", hook.clone(), none.clone(), whole_thing),
            ("PUT", hook.clone(), moved, whole_thing),
            ("POST", format!("{hook}/rotate_secret"), none.clone(), whole_thing),
            ("POST", format!("{hook}/test"), none.clone(), whole_thing),
            ("GET", format!("{hook}/delivery"), none.clone(), whole_thing),
            ("GET", format!("{hook}/delivery/{delivery}"), none.clone(), whole_thing),
            ("POST", format!("{hook}/delivery/{delivery}/replay"), none.clone(), whole_thing),
            ("POST", format!("{hook}/replay_failed"), none.clone(), whole_thing),
            ("DELETE", hook, none, whole_thing),
        ]
    }
}

impl Things {
    pub(crate) async fn prepare(house: &House) -> Self {
        let track = house.ready_track("a.wav").await;
        let creator = house.post("/v1/creator", json!({ "organization_index": "c" })).await.expect_ok();
        let own = json!({ "variant_type_id": "transcode", "index": "own", "codec": "mp3" });
        let variant = house.post(&format!("/v1/track/{track}/variant"), own).await.expect_ok();
        house.run_jobs().await;
        let session = json!({ "collection_id": house.collection_id });
        let session = house.post("/v1/play_session/collection", session).await.expect_ok();
        let text = |reply: &crate::reply::Reply, name: &str| reply.json[name].as_str().unwrap().to_owned();
        Self {
            collection: house.collection_id.clone(),
            creator: text(&creator, "creator_id"),
            variant: text(&variant, "variant_id"),
            job: text(&variant, "job_id"),
            play_session: text(&session, "play_session_id"),
            upload_session: house.upload_session().await,
            organization: house.organization_id.to_string(),
            management: Management::prepare(house).await,
            track,
        }
    }

    /// Ordered so that no row is about an object that an earlier row deleted.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let Self { collection, track, creator, variant, play_session, upload_session, .. } = self;
        let Self { job, organization, management, .. } = self;
        let row = |door,
                   method: &str,
                   path: String,
                   body,
                   [right, neighbour, other_collection, other_track]: [u16; 4]| Row {
            door,
            method: method.parse().unwrap(),
            path,
            body,
            right,
            neighbour,
            other_collection,
            other_track,
        };
        let none = || Value::Null;
        // For callers without access, A does not exist.
        let outside = [200, 404, 404, 404];
        // These belong to the whole organization: another organization has its own, and a limited key is refused.
        let whole = [200, 200, 403, 403];
        let whole_thing = [200, 404, 403, 403];
        let shared = [200, 200, 200, 200];
        let replacement = json!({ "replacement_id": track });
        let in_a = json!({ "collection_id": collection, "file_name": "n.wav" });
        let another = json!({ "variant_type_id": "preview", "index": "more", "codec": "mp3" });
        let mut rows: Vec<Row> = (management.rows().into_iter())
            .map(|(method, path, body, answers)| row(Manage, method, path, body, answers))
            .collect();
        rows.extend([
            row(Manage, "GET", format!("/v1/track/{track}"), none(), outside),
            row(Manage, "PUT", format!("/v1/track/{track}"), json!({ "player_title": "t" }), outside),
            row(Manage, "POST", "/v1/track".to_owned(), in_a, outside),
            row(Manage, "GET", format!("/v1/track/{track}/progress"), none(), outside),
            row(Manage, "GET", "/v1/track".to_owned(), none(), shared),
            row(Manage, "GET", format!("/v1/track?collection_id={collection}"), none(), outside),
            row(Manage, "GET", format!("/v1/job/{job}"), none(), outside),
            row(Manage, "POST", format!("/v1/track/{track}/cover"), none(), outside),
            // There is no uploaded cover.
            row(Manage, "DELETE", format!("/v1/track/{track}/cover"), none(), [409, 404, 404, 404]),
            row(Manage, "POST", format!("/v1/track/{track}/variant"), another, outside),
            row(Manage, "POST", format!("/v1/track/{track}/retry"), none(), [409, 404, 404, 404]),
            row(Manage, "POST", format!("/v1/track/{track}/source"), json!({}), outside),
            row(Manage, "GET", format!("/v1/track/{track}/source"), none(), outside),
            // It is not completed.
            row(Manage, "POST", format!("/v1/track/{track}/source/undo"), replacement, [409, 404, 404, 404]),
            row(Manage, "DELETE", format!("/v1/track/{track}/source"), none(), outside),
            row(Manage, "GET", format!("/v1/collection/{collection}/track"), none(), outside),
            row(Manage, "GET", format!("/v1/collection/{collection}"), none(), outside),
            row(Manage, "PUT", format!("/v1/collection/{collection}"), json!({ "title": "A" }), outside),
            row(
                Manage,
                "PUT",
                format!("/v1/collection/{collection}/order"),
                json!({ "track_ids": [track] }),
                outside,
            ),
            row(Manage, "POST", format!("/v1/collection/{collection}/cover"), none(), outside),
            row(Manage, "DELETE", format!("/v1/collection/{collection}/cover"), none(), [409, 404, 404, 404]),
            row(
                Manage,
                "DELETE",
                format!("/v1/organization/{organization}/cover"),
                none(),
                [409, 404, 403, 403],
            ),
            row(Manage, "GET", "/v1/collection".to_owned(), none(), shared),
            row(Manage, "POST", "/v1/collection".to_owned(), json!({ "title": "C" }), whole),
            row(Manage, "GET", format!("/v1/organization/{organization}"), none(), [200, 404, 200, 200]),
            row(
                Manage,
                "PUT",
                format!("/v1/organization/{organization}"),
                json!({ "name": "O" }),
                whole_thing,
            ),
            row(Manage, "GET", "/v1/variant".to_owned(), none(), shared),
            row(Manage, "GET", "/v1/usage".to_owned(), none(), shared),
            row(Manage, "GET", "/v1/listens".to_owned(), none(), shared),
            row(Manage, "GET", "/v1/listens?group=referrer".to_owned(), none(), whole),
            row(Manage, "GET", "/v1/listens?group=country".to_owned(), none(), whole),
            row(Manage, "GET", "/v1/quota".to_owned(), none(), whole),
            row(Manage, "GET", format!("/v1/variant/{variant}"), none(), outside),
            row(Manage, "GET", "/v1/creator".to_owned(), none(), whole),
            row(Manage, "POST", "/v1/creator".to_owned(), json!({ "organization_index": "d" }), whole),
            row(Manage, "GET", format!("/v1/creator/{creator}"), none(), whole_thing),
            row(Manage, "PUT", format!("/v1/creator/{creator}"), json!({ "metadata": {} }), whole_thing),
            row(
                Manage,
                "POST",
                "/v1/api_key".to_owned(),
                json!({ "title": "k", "api_key_type_id": "player" }),
                whole,
            ),
            row(
                Play,
                "POST",
                "/v1/play_session/collection".to_owned(),
                json!({ "collection_id": collection }),
                outside,
            ),
            row(Play, "POST", "/v1/play_session/track".to_owned(), json!({ "track_id": track }), outside),
            row(Play, "GET", format!("/v1/play_session/{play_session}"), none(), outside),
            row(
                Upload,
                "POST",
                "/v1/upload_session".to_owned(),
                json!({ "collection_id": collection }),
                outside,
            ),
            row(Manage, "GET", "/v1/play_session".to_owned(), none(), whole),
            row(Manage, "GET", "/v1/upload_session".to_owned(), none(), whole),
            row(Manage, "DELETE", format!("/v1/play_session/{play_session}"), none(), outside),
            row(Manage, "DELETE", format!("/v1/upload_session/{upload_session}"), none(), outside),
            row(Manage, "DELETE", format!("/v1/track/{track}"), none(), outside),
            row(Manage, "DELETE", format!("/v1/creator/{creator}"), none(), whole_thing),
            row(Manage, "DELETE", format!("/v1/collection/{collection}"), none(), outside),
        ]);
        rows
    }
}

/// Keys that do not work.
async fn refused_keys(house: &House) -> Vec<(&'static str, String)> {
    let revoked = house.key_of_type(KeyType::Api).await;
    house.revoke(&revoked).await;
    let expires_at = Some(house.ambient.now().plus_seconds(30));
    let expired = house.key(CreateKey { expires_at, ..CreateKey::new(KeyType::Api, "Soon gone") }).await;
    house.clock.advance_seconds(30);
    let unknown = ApiKeyText::new(house.organization_id, KeyType::Api, [7; 32]).reveal().to_owned();
    vec![
        ("none", String::new()),
        ("malformed", "not-a-key".to_owned()),
        ("unknown", unknown),
        ("revoked", revoked),
        ("expired", expired),
    ]
}

async fn every_endpoint_answers_every_key_as_decided(database: TestDatabase) {
    let house = House::open(database).await;
    let things = Things::prepare(&house).await;
    let refused = refused_keys(&house).await;
    let b = house.create_collection("B").await;
    let track_of_b = json!({ "collection_id": b, "file_name": "b.wav" });
    let track_of_b = house.post("/v1/track", track_of_b).await.json["track_id"].as_str().unwrap().to_owned();
    let to_b = house.key_to_collection(&b).await;
    let to_track_of_b = house
        .key(CreateKey {
            collection_id: Some(b.parse().unwrap()),
            track_id: Some(track_of_b.parse().unwrap()),
            ..CreateKey::new(KeyType::Api, "One track")
        })
        .await;
    let neighbour = house.neighbour().await;
    let mut typed = Vec::new();
    for key_type in [KeyType::Player, KeyType::Uploader, KeyType::Share] {
        typed.push((key_type, house.key_of_type(key_type).await));
    }
    for row in things.rows() {
        let mut cells: Vec<(String, &str, u16)> =
            refused.iter().map(|(name, key)| ((*name).to_owned(), key.as_str(), 401)).collect();
        for (key_type, key) in &typed {
            let opens = matches!((key_type, row.door), (KeyType::Player, Play) | (KeyType::Uploader, Upload));
            cells.push((format!("{key_type:?}"), key, if opens { row.right } else { 403 }));
        }
        cells.push(("neighbour".to_owned(), &neighbour, row.neighbour));
        cells.push(("key to B".to_owned(), &to_b, row.other_collection));
        cells.push(("key to a track of B".to_owned(), &to_track_of_b, row.other_track));
        cells.push(("right".to_owned(), &house.key, row.right));
        for (name, key, expected) in cells {
            let reply = house.call_as(key, row.method.clone(), &row.path, row.body.clone()).await;
            let cell = format!("{} {} with {name}: {}", row.method, row.path, reply.json);
            assert_eq!(reply.status, StatusCode::from_u16(expected).unwrap(), "{cell}");
        }
    }
}

async fn holders_of_sessions_and_links_get_what_is_theirs(database: TestDatabase) {
    let house = House::open(database).await;
    let mine = house.ready_track("mine.wav").await;
    let other = house.ready_track("other.wav").await;
    let session = json!({ "track_id": mine, "is_downloadable": true, "expires_in": 60 });
    let session = house.post("/v1/play_session/track", session).await.expect_ok();
    let session = session.json["play_session_id"].as_str().unwrap().to_owned();
    let stranger = "018f0000-0000-4000-8000-000000000001";
    let status =
        async |path: String| house.call_as("", Method::GET, &path, Value::Null).await.status.as_u16();
    for tail in ["", "/hq/download", "/captions"] {
        assert_eq!(status(format!("/v1/play/{session}/{mine}{tail}")).await, 200);
        assert_eq!(
            status(format!("/v1/play/{session}/{other}{tail}")).await,
            404,
            "a track of another session"
        );
        assert_eq!(status(format!("/v1/play/{session}/{stranger}{tail}")).await, 404);
        assert_eq!(status(format!("/v1/play/{stranger}/{mine}{tail}")).await, 401);
        assert_eq!(status(format!("/v1/play/not-a-uuid/{mine}{tail}")).await, 400);
    }
    let described = async |session: &str, ids: &str| {
        let path = format!("/v1/play/{session}?track_ids={ids}");
        let reply = house.call_as("", Method::GET, &path, Value::Null).await;
        let tracks = reply.json["tracks"].as_array().cloned().unwrap_or_default();
        let ids: Vec<_> = tracks.iter().map(|track| track["id"].clone()).collect();
        (reply.status.as_u16(), ids)
    };
    assert_eq!(described(&session, &format!("{other},{mine},{stranger}")).await, (200, vec![json!(mine)]));
    assert_eq!(described(stranger, &mine).await.0, 401);
    let many = vec![mine.as_str(); 101].join(",");
    for ids in ["", "x", many.as_str()] {
        assert_eq!(described(&session, ids).await.0, 400, "{ids}");
    }
    assert_eq!(status(format!("/v1/upload_session/{stranger}")).await, 401);
    // A link accepts share keys only.
    for key_type in [KeyType::Api, KeyType::Player, KeyType::Uploader] {
        let key = house.key_of_type(key_type).await;
        assert_eq!(status(format!("/v1/stream/{mine}/{key}")).await, 403, "{key_type:?}");
    }
    let share = house.key_of_type(KeyType::Share).await;
    assert_eq!(status(format!("/v1/stream/{mine}/{share}")).await, 302);
    assert_eq!(status(format!("/v1/stream/{stranger}/{share}")).await, 404);
    assert_eq!(status(format!("/v1/stream/{mine}/nonsense")).await, 401);
    house.clock.advance_seconds(60);
    for tail in ["", "/hq/download", "/captions"] {
        assert_eq!(status(format!("/v1/play/{session}/{mine}{tail}")).await, 401);
    }
    assert_eq!(described(&session, &mine).await.0, 401);
}

/// A new key of a type that may use the endpoint.
async fn key_for(house: &House, door: Door) -> (String, ApiKeyId) {
    let key_type = match door {
        Manage => KeyType::Api,
        Play => KeyType::Player,
        Upload => KeyType::Uploader,
    };
    house.key_with_id(CreateKey::new(key_type, "A key")).await
}

pub(crate) fn request_with(key: &str, row: &Row, body: Body) -> Request<Body> {
    let request = Request::builder().method(&row.method).uri(&row.path);
    let request = request.header("authorization", format!("Bearer {key}"));
    let request =
        if row.body.is_null() { request } else { request.header("content-type", "application/json") };
    request.body(body).unwrap()
}

async fn audited_actions(house: &House) -> usize {
    let organization = Some(house.organization_id);
    house.catalog().audit_entries(organization, &AuditFilter::default(), None, 10_000).await.unwrap().len()
}

async fn no_endpoint_acts_on_a_key_that_ended_before_the_body(database: TestDatabase) {
    let house = House::open(database).await;
    let things = Things::prepare(&house).await;
    for row in things.rows().into_iter().filter(|row| !row.body.is_null()) {
        for idempotency_key in [None, Some("1")] {
            let (key, _) = key_for(&house, row.door).await;
            let (body, late) = LateBody::new(row.body.to_string());
            let mut request = request_with(&key, &row, body);
            if let Some(text) = idempotency_key {
                request.headers_mut().insert("idempotency-key", text.parse().unwrap());
            }
            let end = late.arrives_after(async {
                house.revoke(&key).await;
                audited_actions(&house).await
            });
            let (reply, before) = tokio::join!(house.send(request), end);
            let cell = format!("{} {}: {}", row.method, row.path, reply.json);
            assert_eq!(
                (reply.status, &reply.json["code"]),
                (StatusCode::UNAUTHORIZED, &json!("invalid_api_key")),
                "{cell}"
            );
            assert_eq!(audited_actions(&house).await, before, "{cell}");
        }
    }
}

/// All requests of a group wait for a transaction that revokes their keys. Play sessions do not wait: they are opened on the
/// key and end with it.
async fn no_endpoint_acts_on_a_key_that_ended_before_the_commit(database: TestDatabase) {
    let house = House::open(database).await;
    let things = Things::prepare(&house).await;
    let judged = Arc::new(AtomicUsize::new(0));
    house.catalog().watch_statements({
        let judged = Arc::clone(&judged);
        move |statement| {
            if statement.sql.contains("\"key_hash\" =") {
                judged.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    let mut rows: Vec<Row> = things.rows();
    // Nor is anything written for the handle of a cover.
    let writes = |row: &Row| {
        row.method != Method::GET && !(row.method == Method::POST && row.path.ends_with("/cover"))
    };
    rows.retain(|row| writes(row) && row.right == 200 && row.door != Play);
    // On PostgreSQL each of them holds a connection.
    for group in rows.chunks(4) {
        let mut keys = Vec::new();
        for row in group {
            keys.push(key_for(&house, row.door).await);
        }
        let ending = house.catalog().begin().await.unwrap();
        for (_, id) in &keys {
            let now = house.ambient.now();
            assert!(ending.revoke_api_key(house.organization_id, *id, now).await.unwrap());
        }
        let before = audited_actions(&house).await;
        judged.store(0, Ordering::SeqCst);
        let requests = group.iter().zip(&keys).map(|(row, (key, _))| {
            let body = if row.body.is_null() { Body::empty() } else { Body::from(row.body.to_string()) };
            house.send(request_with(key, row, body))
        });
        let end = async {
            while judged.load(Ordering::SeqCst) < group.len() {
                tokio::task::yield_now().await;
            }
            ending.commit().await.unwrap();
        };
        let (replies, ()) = tokio::join!(futures::future::join_all(requests), end);
        for (row, reply) in group.iter().zip(replies) {
            let cell = format!("{} {}: {}", row.method, row.path, reply.json);
            assert_eq!(
                (reply.status, &reply.json["code"]),
                (StatusCode::UNAUTHORIZED, &json!("invalid_api_key")),
                "{cell}"
            );
        }
        assert_eq!(audited_actions(&house).await, before);
    }
}
