//! Every message of a refused request, as people read it. `sentences.txt` lists them. After an intended change, run
//! this test with `TONEARM_WRITE_SENTENCES=1` to write the list again.

use std::fmt::Write as _;
use std::path::Path;

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use tonearm_domain::{KeyType, Patch};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{CreateKey, UpdateQuotas};

use crate::house::{House, local, tone};
use crate::reply::Reply;

/// The list, generated from the responses of the service.
struct List {
    house: House,
    text: String,
}

impl List {
    /// Records a refusal under the request that caused it.
    fn note(&mut self, tried: &str, reply: &Reply) {
        assert!(!reply.status.is_success(), "{tried} was not refused");
        let (status, code) = (reply.status.as_u16(), reply.json["code"].as_str().unwrap());
        let message = reply.json["message"].as_str().unwrap();
        check(message, reply.json["field"].as_str());
        writeln!(self.text, "{tried}\n    {status} {code}: {message}").unwrap();
    }

    async fn call_as(&mut self, key: &str, method: Method, path: &str, body: Value) {
        let reply = self.house.call_as(key, method.clone(), path, body.clone()).await;
        let body = if body.is_null() { String::new() } else { format!(" {body}") };
        let body = if body.len() > 120 { " (a long body)".to_owned() } else { body };
        // Generated IDs carry no information, and change if earlier requests change.
        let shown: Vec<&str> =
            path.split('/').map(|part| if part.len() >= 36 { "{id}" } else { part }).collect();
        let tried = format!("{method} {}{}", shown.join("/"), without_ids(&body));
        self.note(&tried, &reply);
    }

    async fn call(&mut self, method: Method, path: &str, body: Value) {
        let key = self.house.key.clone();
        self.call_as(&key, method, path, body).await;
    }

    async fn raw(&mut self, tried: &str, request: Request<Body>) {
        let reply = self.house.send(request).await;
        self.note(tried, &reply);
    }
}

/// A body with `{id}` in place of IDs.
fn without_ids(body: &str) -> String {
    let parts = body.split('"').map(|part| if part.parse::<uuid::Uuid>().is_ok() { "{id}" } else { part });
    parts.collect::<Vec<_>>().join("\"")
}

/// Checks for words and phrases that no message may contain.
fn check(message: &str, field: Option<&str>) {
    let words: Vec<&str> = message.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for word in [
        "f64", "f32", "u8", "u16", "u32", "u64", "i32", "i64", "usize", "struct", "enum", "sequence",
        "variant_",
    ] {
        assert!(!words.contains(&word), "a word of Rust in: {message}");
    }
    assert!(
        !message.contains(" at line ") || message.starts_with("the body is not valid JSON: "),
        "{message}"
    );
    assert!(!(message.contains("already is") && message.contains("already exists")), "{message}");
    if let Some(field) = field {
        let rest = message.strip_prefix(&format!("{field}: ")).unwrap_or(message);
        let begins = rest.split([' ', ':']).next().unwrap();
        assert_ne!(begins.trim_matches('`'), field, "the field is named twice: {message}");
    }
}

#[tokio::test]
async fn refusals_are_sentences() {
    let house = House::open(TestDatabase::sqlite()).await;
    let mut list = List { house, text: String::new() };
    bodies(&mut list).await;
    credentials(&mut list).await;
    things(&mut list).await;
    uploads(&mut list).await;
    management(&mut list).await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sentences.txt");
    if std::env::var_os("TONEARM_WRITE_SENTENCES").is_some() {
        std::fs::write(path, list.text).unwrap();
        return;
    }
    let written = std::fs::read_to_string(path).unwrap();
    for (at, (now, before)) in list.text.lines().zip(written.lines()).enumerate() {
        assert_eq!(now, before, "line {} of sentences.txt", at + 1);
    }
    assert_eq!(list.text.lines().count(), written.lines().count());
}

/// Fields that are missing or wrong.
async fn bodies(list: &mut List) {
    let (post, put) = (Method::POST, Method::PUT);
    let collection = list.house.collection_id.clone();
    let track = list.house.create_track("a.wav").await["track_id"].as_str().unwrap().to_owned();
    let colour = json!({ "hex": "#000", "area": 0, "lightness": 0, "saturation": 0 });
    for body in [
        json!({}),
        json!({ "title": 7 }),
        json!({ "title": " " }),
        json!({ "title": "\0" }),
        json!({ "title": "x".repeat(1001) }),
        json!({ "title": "x", "metadata": 7 }),
        json!({ "title": "x", "metadata": { "a": "x".repeat(70_000) } }),
        json!({ "title": "x", "metadata": (0..101).fold(json!(1), |inner, _| json!({ "a": inner })) }),
        json!({ "title": "x", "metadata": { "tonearm:damaged": true } }),
        json!({ "title": "x", "is_cover_overridable": "yes" }),
        json!({ "title": "x", "player_color": "red" }),
        json!({ "title": "x", "player_color": 7 }),
        json!({ "title": "x", "creator_id": "me" }),
        json!({ "title": "x", "theme": {} }),
        json!({ "title": "x", "theme": [7] }),
        json!({ "title": "x", "theme": [{}] }),
        json!({ "title": "x", "theme": [{ "hex": "#000", "area": "half" }] }),
        json!({ "title": "x", "theme": [{ "hex": "#000", "area": 2, "lightness": 0, "saturation": 0 }] }),
        json!({ "title": "x", "theme": vec![colour; 9] }),
    ] {
        list.call(post.clone(), "/v1/collection", body).await;
    }
    for path in
        [format!("/v1/collection/{collection}"), format!("/v1/organization/{}", list.house.organization_id)]
    {
        list.call(put.clone(), &path, json!({ "title": null, "name": null })).await;
    }
    list.call(put.clone(), &format!("/v1/track/{track}"), json!({ "player_title": [] })).await;
    list.call(post.clone(), "/v1/creator", json!({})).await;
    list.call(post.clone(), "/v1/track", json!({ "collection_id": collection })).await;
    list.call(post.clone(), "/v1/track", json!({ "file_name": "a.wav" })).await;
    list.call(post.clone(), "/v1/track", json!({ "collection_id": collection, "file_name": " " })).await;
    for url in [
        json!(7),
        json!(""),
        json!("song.mp3"),
        json!("s3://bucket/song.mp3"),
        json!("s3://bucket"),
        json!("s3://Bucket/song.mp3"),
        json!("s3://bucket/a/../song.mp3"),
        json!(format!("s3://bucket/{}", "x".repeat(1025))),
        json!("https://me:secret@example.com/song.mp3"),
        json!("http://example.com:25/song.mp3"),
        json!("http://127.0.0.1/song.mp3"),
        json!(format!("https://example.com/{}", "x".repeat(8000))),
    ] {
        list.call(post.clone(), "/v1/track", json!({ "collection_id": collection, "source_url": url })).await;
    }
    for body in [
        json!({}),
        json!({ "collection_id": "x" }),
        json!({ "collection_id": 7 }),
        json!({ "collection_id": collection, "expires_in": 5 }),
        json!({ "collection_id": collection, "expires_in": "60" }),
        json!({ "collection_id": collection, "variants": "hq" }),
        json!({ "collection_id": collection, "variants": [7] }),
        json!({ "collection_id": collection, "is_downloadable": 1 }),
    ] {
        list.call(post.clone(), "/v1/play_session/collection", body).await;
    }
    list.call(post.clone(), "/v1/play_session/track", json!({})).await;
    list.call(post.clone(), "/v1/play_session/playlist", json!({})).await;
    list.call(post.clone(), "/v1/play_session/album", json!({})).await;
    list.call(post.clone(), "/v1/upload_session", json!({ "collection_id": collection, "track": {} })).await;
    list.call(post.clone(), "/v1/upload_session", json!({ "collection_id": collection, "track": 7 })).await;
    let key = |fields: Value| {
        let mut body = json!({ "title": "x", "api_key_type_id": "player" });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body
    };
    for body in [
        json!({}),
        json!({ "title": "x" }),
        key(json!({ "title": " " })),
        key(json!({ "api_key_type_id": "root" })),
        key(json!({ "api_key_type_id": "api" })),
        key(json!({ "api_key_type_id": "share" })),
        key(json!({ "variants": ["Ä"] })),
        key(json!({ "track_id": track })),
        key(json!({ "expires_at": "tomorrow" })),
        key(json!({ "expires_at": "2020-01-01T00:00:00Z" })),
    ] {
        list.call(post.clone(), "/v1/api_key", body).await;
    }
    let variant = |fields: Value| {
        let mut body = json!({ "index": "my", "variant_type_id": "preview" });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body
    };
    for body in [
        json!({}),
        json!({ "index": "A" }),
        json!({ "index": "my" }),
        variant(json!({ "variant_type_id": "levels" })),
        variant(json!({ "codec": "flac" })),
        variant(json!({ "codec": "mp2" })),
        variant(json!({ "bitrate": 321 })),
        variant(json!({ "bitrate": 128.5 })),
        variant(json!({ "bitrate": "128" })),
        variant(json!({ "loudness_target": 0 })),
        variant(json!({ "preview_type": "all" })),
        variant(json!({ "preview_percent": 101 })),
        variant(json!({ "preview_seconds": -1 })),
        variant(json!({ "preview_seconds": 0 })),
        variant(json!({ "preview_min_percent": 60 })),
        variant(json!({})),
    ] {
        list.call(post.clone(), &format!("/v1/track/{track}/variant"), body).await;
    }
    for query in ["limit=0", "limit=x", "offset=-1"] {
        list.call(Method::GET, &format!("/v1/variant?{query}"), Value::Null).await;
    }
    for query in [
        "query=%20",
        "status=done",
        "creator_id=x",
        "organization_index=",
        "source_sha256=x",
        "created_since=x",
        "sort=size",
        "sort=order",
        "limit=1&limit=2",
        "offset=1",
        "cursor=x",
    ] {
        list.call(Method::GET, &format!("/v1/track?{query}"), Value::Null).await;
    }
    list.call(Method::GET, "/v1/collection?offset=1&cursor=", Value::Null).await;
    list.call(put.clone(), &format!("/v1/track/{track}"), json!({ "collection_id": null })).await;
    let order = format!("/v1/collection/{collection}/order");
    let unknown = "018f0000-0000-7000-8000-000000000001";
    for ids in [json!(null), json!([]), json!([unknown, unknown]), json!([unknown]), json!("x")] {
        list.call(put.clone(), &order, json!({ "track_ids": ids })).await;
    }
    for query in ["from=x", "from=2030-01-02&to=2030-01-01", "from=2020-01-01", "group=week"] {
        list.call(Method::GET, &format!("/v1/usage?{query}"), Value::Null).await;
        list.call(Method::GET, &format!("/v1/listens?{query}"), Value::Null).await;
    }
    for body in ["{", "[]", "{} {}", "{\"title\":\"\\ud800\"}"] {
        let request =
            Request::post("/v1/collection").header("authorization", format!("Bearer {}", list.house.key));
        list.raw(&format!("POST /v1/collection {body}"), request.body(Body::from(body)).unwrap()).await;
    }
    let request =
        Request::post("/v1/collection").header("authorization", format!("Bearer {}", list.house.key));
    let request = request.header("content-type", "text/plain").body(Body::from("{}")).unwrap();
    list.raw("POST /v1/collection as text/plain", request).await;
    let request =
        Request::post("/v1/collection").header("authorization", format!("Bearer {}", list.house.key));
    let request = request.header("idempotency-key", "").body(Body::from("{}")).unwrap();
    list.raw("POST /v1/collection with an empty Idempotency-Key", request).await;
}

/// Keys that are missing, unknown, or not permitted to do this.
async fn credentials(list: &mut List) {
    let session = list.house.ambient.credential_id::<tonearm_domain::PlaySessionId>();
    list.call_as("", Method::GET, "/v1/variant", Value::Null).await;
    list.call_as("nonsense", Method::GET, "/v1/variant", Value::Null).await;
    list.call_as("", Method::GET, &format!("/v1/play_session/{session}"), Value::Null).await;
    let request =
        Request::get("/v1/variant").header("authorization", "Basic abc").body(Body::empty()).unwrap();
    list.raw("GET /v1/variant with Basic", request).await;
    for (key_type, method, path) in [
        (KeyType::Player, Method::GET, "/v1/variant"),
        (KeyType::Uploader, Method::POST, "/v1/play_session/collection"),
        (KeyType::Player, Method::POST, "/v1/upload_session"),
    ] {
        let key = list.house.key_of_type(key_type).await;
        list.call_as(&key, method, path, Value::Null).await;
    }
    let key = CreateKey {
        collection_id: Some(list.house.collection_id.parse().unwrap()),
        ..CreateKey::new(KeyType::Api, "One collection")
    };
    let key = list.house.key(key).await;
    list.call_as(&key, Method::POST, "/v1/collection", json!({ "title": "x" })).await;
    let origins = Some(vec!["https://www.example.com".parse().unwrap()]);
    let allowed_origins = tonearm_domain::AllowedOrigins::from_list(origins).unwrap();
    let key = CreateKey { allowed_origins, ..CreateKey::new(KeyType::Player, "Player") };
    let key = list.house.key(key).await;
    let request = Request::post("/v1/play_session/collection")
        .header("authorization", format!("Bearer {key}"))
        .header("origin", "https://other.example")
        .body(Body::empty());
    list.raw("POST /v1/play_session/collection from a page of another origin", request.unwrap()).await;
}

/// IDs that are malformed or unknown, and operations that the state of an object does not allow.
async fn things(list: &mut List) {
    let unknown = "018f0000-0000-7000-8000-000000000001";
    for noun in ["track", "collection", "creator", "variant", "organization", "play_session", "job"] {
        list.call(Method::GET, &format!("/v1/{noun}/x"), Value::Null).await;
        list.call(Method::GET, &format!("/v1/{noun}/{unknown}"), Value::Null).await;
    }
    list.call_as("", Method::GET, &format!("/v1/play/{unknown}/{unknown}"), Value::Null).await;
    list.call_as("", Method::GET, &format!("/v1/upload_session/{unknown}"), Value::Null).await;
    list.call_as("", Method::GET, &format!("/v1/stream/{unknown}/nonsense"), Value::Null).await;
    list.call(Method::GET, "/v1/nothing", Value::Null).await;
    list.call(Method::DELETE, "/v1/variant", Value::Null).await;
    let track = list.house.ready_track("Song.wav").await;
    let session = list.house.post("/v1/play_session/track", json!({ "track_id": track })).await.expect_ok();
    let session = session.json["play_session_id"].as_str().unwrap().to_owned();
    for ids in ["", "x"] {
        list.call_as("", Method::GET, &format!("/v1/play/{session}?track_ids={ids}"), Value::Null).await;
    }
    let path = format!("/v1/play/{session}/{track}/hq/download");
    list.call_as("", Method::GET, &path, Value::Null).await;
    let source = format!("/v1/track/{track}/source");
    list.call(Method::GET, &source, Value::Null).await;
    list.call(Method::DELETE, &source, Value::Null).await;
    list.call(Method::POST, &source, json!({ "file_name": "" })).await;
    let asked = list.house.post(&source, json!({})).await.expect_ok();
    let url = local(asked.json["track_upload"]["upload_url"].as_str().unwrap()).to_owned();
    list.house.send(Request::put(&url).body(Body::from(tone())).unwrap()).await.expect_ok();
    list.raw("PUT a new source once more", Request::put(&url).body(Body::from(tone())).unwrap()).await;
    list.call(Method::POST, &source, json!({})).await;
    list.house.run_jobs().await;
    list.call(Method::DELETE, &source, Value::Null).await;
    // It can be undone until then.
    list.house.clock.advance_seconds(24 * 3600);
    let undone = json!({ "replacement_id": asked.json["source_replacement"]["id"] });
    list.call(Method::POST, &format!("{source}/undo"), undone).await;
    let empty = list.house.create_track("a.wav").await["track_id"].as_str().unwrap().to_owned();
    list.call(Method::POST, &format!("/v1/track/{empty}/source"), json!({})).await;
}

/// Upload URLs that are used up, expired or forged, and bodies that are refused.
async fn uploads(list: &mut List) {
    let created = list.house.create_track("Song.wav").await;
    let [source, cover] = ["track_upload", "track_cover_upload"]
        .map(|upload| local(created[upload]["upload_url"].as_str().unwrap()).to_owned());
    let put = |url: &str, body: Vec<u8>| Request::put(url).body(Body::from(body)).unwrap();
    list.raw("PUT an empty source", put(&source, Vec::new())).await;
    list.raw("PUT a source that is too large", put(&source, vec![0; 2_000_001])).await;
    let request = Request::put(&source).header("repr-digest", "sha-256=x").body(Body::from(tone())).unwrap();
    list.raw("PUT a source with a malformed digest", request).await;
    let digest = "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:";
    let request = Request::put(&source).header("repr-digest", digest).body(Body::from(tone())).unwrap();
    list.raw("PUT a source with another digest", request).await;
    list.raw("PUT a source to a forged URL", put(&source.replace("ttl=3600", "ttl=3601"), tone())).await;
    list.raw("POST a cover that is none", Request::post(&cover).body(Body::from("text")).unwrap()).await;
    list.raw("POST an empty cover", Request::post(&cover).body(Body::empty()).unwrap()).await;
    list.house.send(put(&source, tone())).await.expect_ok();
    list.raw("PUT a source once more", put(&source, tone())).await;
    let collection = list.house.collection_id.clone();
    list.house.set_quotas(UpdateQuotas { tracks: Patch::Set(1), ..UpdateQuotas::default() }).await;
    let body = json!({ "collection_id": collection, "file_name": "a.wav" });
    list.call(Method::POST, "/v1/track", body).await;
    list.house.clock.advance_seconds(3600);
    list.raw("PUT a source to an expired URL", put(&source, tone())).await;
}

/// Keys, recipes, signing keys and webhooks.
async fn management(list: &mut List) {
    let (post, put) = (Method::POST, Method::PUT);
    let unknown = "018f0000-0000-7000-8000-000000000001";
    let made = async |house: &House, path: &str, body: Value, id: &str| {
        house.post(path, body).await.expect_ok().json[id].as_str().unwrap().to_owned()
    };
    let share = json!({ "title": "x", "api_key_type_id": "share", "variants": ["hq"] });
    let key = format!("/v1/api_key/{}", made(&list.house, "/v1/api_key", share, "api_key_id").await);
    list.call(Method::GET, "/v1/api_key?api_key_type_id=root", Value::Null).await;
    for body in [
        json!({ "title": " " }),
        json!({ "api_key_type_id": "api" }),
        json!({ "variants": [] }),
        json!({ "variants": null }),
        json!({ "expires_at": "2020-01-01T00:00:00Z" }),
    ] {
        list.call(put.clone(), &key, body).await;
    }
    let limited = list.house.key_to_variant("lq").await;
    let own = format!("/v1/api_key/{}", list.house.key_id(&limited).await);
    list.call(put.clone(), &own, json!({ "variants": null })).await;
    list.call_as(&limited, put.clone(), &key, json!({ "variants": ["preview"] })).await;
    list.call_as(&limited, put.clone(), &key, json!({ "is_downloadable": true })).await;
    list.call_as(&limited, post.clone(), "/v1/signing_key", json!({})).await;
    list.house.delete(&key).await.expect_ok();
    list.call(put.clone(), &key, json!({ "title": "x" })).await;
    list.call(Method::GET, "/v1/signing_key/x", Value::Null).await;
    list.call(Method::GET, "/v1/signing_key/abcdefghijkl", Value::Null).await;
    let recipe = json!({ "index": "late", "variant_type_id": "levels" });
    let recipe = format!("/v1/variant/{}", made(&list.house, "/v1/variant", recipe, "variant_id").await);
    list.call(post.clone(), "/v1/variant", json!({ "index": "late" })).await;
    list.call(post.clone(), "/v1/variant", json!({ "index": "late", "variant_type_id": "cover" })).await;
    for body in [
        json!({ "index": null }),
        json!({ "variant_type_id": "cover" }),
        json!({ "format": "mp3" }),
        json!({ "bits": 12 }),
        json!({ "num_samples": 1.5 }),
        json!({ "bitrate": 400 }),
        json!({ "frame_rate": 31 }),
        json!({ "width": 3 }),
        json!({ "color": "red" }),
        json!({ "cache": "all" }),
    ] {
        list.call(put.clone(), &recipe, body).await;
    }
    list.call(Method::GET, &format!("{recipe}/rendering"), Value::Null).await;
    list.call(put.clone(), "/v1/variant/order", json!({ "variant_ids": [unknown] })).await;
    buckets(list).await;
    let hook = json!({ "kind": "track", "url": "https://example.com/hook" });
    let webhook =
        format!("/v1/webhook/{}", made(&list.house, "/v1/webhook", hook.clone(), "webhook_id").await);
    for body in [
        hook,
        json!({ "kind": "song" }),
        json!({ "kind": "file", "url": "example.com" }),
        json!({ "kind": "file", "url": "ftp://example.com" }),
        json!({ "kind": "file", "url": "http://127.0.0.1/" }),
    ] {
        list.call(post.clone(), "/v1/webhook", body).await;
    }
    list.call(put, &webhook, json!({})).await;
    list.call(Method::GET, &format!("/v1/webhook/{unknown}"), Value::Null).await;
    list.call(Method::GET, &format!("{webhook}/delivery/{unknown}"), Value::Null).await;
    list.call(Method::GET, &format!("{webhook}/delivery?state=lost"), Value::Null).await;
    list.call(Method::GET, &format!("{webhook}/delivery?cursor=x"), Value::Null).await;
}

/// Credentials for buckets that files are imported from.
async fn buckets(list: &mut List) {
    let path = "/v1/import_bucket/music";
    let credentials = |fields: Value| {
        let mut body = json!({ "access_key_id": "id", "secret_access_key": "secret" });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body
    };
    for body in [
        json!({}),
        json!({ "access_key_id": "id" }),
        credentials(json!({ "access_key_id": "a b" })),
        credentials(json!({ "secret_access_key": " " })),
        credentials(json!({ "secret_access_key": 7 })),
        credentials(json!({ "secret_access_key": "x".repeat(1001) })),
        credentials(json!({ "region": "eu.central" })),
        credentials(json!({ "endpoint": "store.example.com" })),
        credentials(json!({ "endpoint": "https://store.example.com/?x" })),
        credentials(json!({ "endpoint": "http://127.0.0.1:9000" })),
    ] {
        list.call(Method::PUT, path, body).await;
    }
    list.call(Method::PUT, "/v1/import_bucket/Music", credentials(json!({}))).await;
    list.house.call(Method::PUT, path, credentials(json!({}))).await.expect_ok();
    list.call(Method::PUT, path, json!({ "access_key_id": "other" })).await;
    list.call(Method::DELETE, "/v1/import_bucket/other", Value::Null).await;
}
