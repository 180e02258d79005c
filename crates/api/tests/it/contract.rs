//! The description and the service agree: a real response of every operation matches its schema, and a record can be
//! read and sent back without changing anything.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use tonearm_domain::KeyType;
use tonearm_fixtures::TestDatabase;

use crate::house::{House, local, tone};
use crate::on_both;
use crate::reply::Reply;
use crate::schema::{problems, undescribed};

on_both!(every_operation_answers_as_described, a_record_sent_back_changes_nothing);

/// The service, its description, and the operations that were checked against it.
struct Contract {
    house: House,
    document: Value,
    checked: BTreeSet<String>,
    /// The first answer of each operation.
    answers: BTreeMap<String, Value>,
}

impl Contract {
    async fn open(database: TestDatabase) -> Self {
        let house = House::open(database).await;
        let document = house.document().await;
        Self { house, document, checked: BTreeSet::new(), answers: BTreeMap::new() }
    }

    /// Checks a response against the operation with this ID.
    #[track_caller]
    fn check(&mut self, operation_id: &str, reply: Reply) -> Value {
        let paths = self.document["paths"].as_object().unwrap().values();
        let operations = paths.flat_map(|path| path.as_object().unwrap().values());
        let operation = operations
            .clone()
            .find(|operation| operation["operationId"] == operation_id)
            .unwrap_or_else(|| panic!("there is no operation {operation_id}"));
        let status = reply.status.as_u16().to_string();
        let response = &operation["responses"][&status];
        assert!(response.is_object(), "{operation_id} is not described to answer {status}: {}", reply.json);
        // Responses to `HEAD` have no body.
        if status == "200" && !reply.json.is_null() {
            let schema = &response["content"]["application/json"]["schema"];
            assert!(schema.is_object(), "{operation_id} has no schema");
            assert_eq!(
                problems(&self.document, schema, &reply.json),
                [""; 0],
                "{operation_id}: {}",
                reply.json
            );
            assert_eq!(undescribed(&self.document, schema, &reply.json), [""; 0], "{operation_id}");
            self.answers.entry(operation_id.to_owned()).or_insert_with(|| shortened(&reply.json));
        }
        self.checked.insert(operation_id.to_owned());
        reply.json
    }

    async fn call(&mut self, operation_id: &str, method: Method, path: &str, body: Value) -> Value {
        let reply = self.house.call(method, path, body).await;
        assert!(reply.status.is_success(), "{operation_id}: {}", reply.json);
        self.check(operation_id, reply)
    }

    async fn get(&mut self, operation_id: &str, path: &str) -> Value {
        self.call(operation_id, Method::GET, path, Value::Null).await
    }

    async fn post(&mut self, operation_id: &str, path: &str, body: Value) -> Value {
        self.call(operation_id, Method::POST, path, body).await
    }

    /// Sends bytes with headers, and returns the URL in the response.
    async fn send(
        &mut self,
        operation_id: &str,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        bytes: &[u8],
    ) -> Option<String> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let reply = self.house.send(request.body(Body::from(bytes.to_vec())).unwrap()).await;
        assert!(reply.status.is_success(), "{operation_id}: {}", reply.json);
        let location = reply.header("location").map(str::to_owned);
        self.check(operation_id, reply);
        location
    }

    /// Sends bytes to an upload URL.
    async fn upload(&mut self, operation_id: &str, method: Method, url: &Value, bytes: Vec<u8>) {
        let url = local(url.as_str().unwrap()).to_owned();
        let request = Request::builder().method(method).uri(url).body(Body::from(bytes)).unwrap();
        let reply = self.house.send(request).await.expect_ok();
        self.check(operation_id, reply);
    }
}

fn id<'a>(json: &'a Value, name: &str) -> &'a str {
    json[name].as_str().unwrap_or_else(|| panic!("no {name} in {json}"))
}

fn png() -> Vec<u8> {
    crate::covers::picture([200, 30, 30])
}

async fn every_operation_answers_as_described(database: TestDatabase) {
    let mut contract = Contract::open(database).await;
    let c = &mut contract;
    let organization = format!("/v1/organization/{}", c.house.organization_id);
    c.get("read_organization", &organization).await;
    c.call("update_organization", Method::PUT, &organization, json!({ "player_subtitle": "An archive" }))
        .await;

    let creator = c.post("create_creator", "/v1/creator", json!({ "organization_index": "u-1" })).await;
    let creator = format!("/v1/creator/{}", id(&creator, "creator_id"));
    c.get("list_creators", "/v1/creator").await;
    c.get("read_creator", &creator).await;
    c.call("update_creator", Method::PUT, &creator, json!({ "metadata": { "a": 1 } })).await;
    c.call("delete_creator", Method::DELETE, &creator, Value::Null).await;

    let created = c.post("create_collection", "/v1/collection", json!({ "title": "Songs" })).await;
    let collection_id = id(&created, "collection_id").to_owned();
    let collection = format!("/v1/collection/{collection_id}");
    let url = &created["collection_cover_upload"]["upload_url"];
    c.upload("upload_collection_cover", Method::POST, url, png()).await;
    c.get("list_collections", "/v1/collection").await;
    c.get("read_collection", &collection).await;
    c.call("update_collection", Method::PUT, &collection, json!({ "player_subtitle": "Songs" })).await;
    c.post("renew_collection_cover_upload", &format!("{collection}/cover"), Value::Null).await;
    c.call("remove_collection_cover", Method::DELETE, &format!("{collection}/cover"), Value::Null).await;

    let body = json!({ "collection_id": collection_id, "file_name": "Song.wav" });
    let created = c.post("create_track", "/v1/track", body).await;
    let track_id = id(&created, "track_id").to_owned();
    let track = format!("/v1/track/{track_id}");
    c.upload("upload_source", Method::PUT, &created["track_upload"]["upload_url"], tone()).await;
    c.upload("upload_cover", Method::POST, &created["track_cover_upload"]["upload_url"], png()).await;
    c.house.run_jobs().await;
    c.get("read_track", &track).await;
    c.get("list_tracks", &format!("{collection}/track")).await;
    c.get("list_tracks", &format!("{collection}/track?cursor=")).await;
    c.get("list_collections", "/v1/collection?cursor=&limit=1").await;
    c.get("list_creators", "/v1/creator?cursor=").await;
    c.get("find_tracks", "/v1/track").await;
    let other = c.house.create_collection("Other").await;
    c.call("update_track", Method::PUT, &track, json!({ "collection_id": other })).await;
    let body = json!({ "player_title": "A song", "collection_id": collection_id });
    c.call("update_track", Method::PUT, &track, body).await;
    c.call(
        "order_collection",
        Method::PUT,
        &format!("{collection}/order"),
        json!({ "track_ids": [track_id] }),
    )
    .await;
    c.post("renew_track_cover_upload", &format!("{track}/cover"), Value::Null).await;
    c.call("remove_track_cover", Method::DELETE, &format!("{track}/cover"), Value::Null).await;
    c.house.set_organization_cover(png()).await;
    let organization = format!("/v1/organization/{}", c.house.organization_id);
    c.call("remove_organization_cover", Method::DELETE, &format!("{organization}/cover"), Value::Null).await;

    let variants = c.get("list_variants", "/v1/variant").await;
    for variant in variants["variants"].as_array().unwrap() {
        c.get("read_variant", &format!("/v1/variant/{}", id(variant, "id"))).await;
    }

    let body = json!({ "track_id": track_id, "is_downloadable": true, "metadata": { "a": 1 } });
    let session = c.post("create_play_session", "/v1/play_session/track", body).await;
    let session = id(&session, "play_session_id").to_owned();
    c.get("read_play_session", &format!("/v1/play_session/{session}")).await;
    let played = format!("/v1/play/{session}/{track_id}");
    let reply = c.house.get_open(&played).await.expect_ok();
    c.check("play_track", reply);
    let reply = c.house.get_open(&format!("{played}/hq/download")).await.expect_ok();
    c.check("download_track", reply);
    let described = format!("/v1/play/{session}?track_ids={track_id}");
    let reply = c.house.get_open(&described).await.expect_ok();
    c.check("describe_tracks", reply);
    let reply = c.house.get_open(&format!("{played}/captions")).await;
    assert_eq!(reply.status, 200);
    c.check("track_captions", reply);
    c.get("list_play_sessions", "/v1/play_session").await;
    c.call("end_play_session", Method::DELETE, &format!("/v1/play_session/{session}"), Value::Null).await;
    c.get("read_usage", "/v1/usage?group=track").await;
    c.get("read_listens", "/v1/listens").await;
    c.get("read_listens", "/v1/listens?group=track").await;
    c.get("read_quota", "/v1/quota").await;

    let body = json!({ "title": "Link", "api_key_type_id": "share", "variants": ["lq"] });
    let share = c.post("create_api_key", "/v1/api_key", body).await;
    let path = format!("/v1/stream/{track_id}/{}", id(&share, "api_key"));
    let reply = c.house.get_open(&path).await;
    assert_eq!(reply.status, 302);
    c.check("redirect_share", reply);

    let body = json!({ "index": "mini", "variant_type_id": "transcode", "codec": "opus" });
    let added = c.post("add_track_variant", &format!("{track}/variant"), body).await;
    c.get("read_job", &format!("/v1/job/{}", id(&added, "job_id"))).await;
    c.house.run_jobs().await;
    c.get("read_job", &format!("/v1/job/{}", id(&added, "job_id"))).await;
    c.get("read_track_progress", &format!("{track}/progress")).await;
    c.house.add_recipe("late", json!({ "variant_type_id": "transcode", "codec": "opus" })).await;
    c.post("retry_track", &format!("{track}/retry"), Value::Null).await;
    c.house.run_jobs().await;

    let source = format!("{track}/source");
    c.post("replace_track_source", &source, json!({ "file_name": "b.wav" })).await;
    c.get("read_track_source_replacement", &source).await;
    c.call("cancel_track_source_replacement", Method::DELETE, &source, Value::Null).await;
    let asked = c.house.post(&source, json!({})).await.expect_ok();
    let url = local(asked.json["track_upload"]["upload_url"].as_str().unwrap());
    c.house
        .send(Request::put(url).body(Body::from(crate::replacements::longer())).unwrap())
        .await
        .expect_ok();
    c.house.run_jobs().await;
    let body = json!({ "replacement_id": asked.json["source_replacement"]["id"] });
    c.post("undo_track_source_replacement", &format!("{source}/undo"), body).await;
    c.house.run_jobs().await;

    let body = json!({ "collection_id": collection_id, "track": { "file_name": "a.wav" } });
    let session = c.post("create_upload_session", "/v1/upload_session", body).await;
    let session = id(&session, "upload_session_id").to_owned();
    let reply = c.house.get_open(&format!("/v1/upload_session/{session}")).await.expect_ok();
    c.check("read_upload_session", reply);
    let path = format!("/v1/upload/{session}/track");
    let reply = c.house.call_as("", Method::POST, &path, json!({ "file_name": "b.wav" })).await.expect_ok();
    c.check("create_upload_session_track", reply);

    resumable_uploads_answer_as_described(c, &collection_id, &session).await;
    c.get("list_upload_sessions", "/v1/upload_session").await;
    c.call("end_upload_session", Method::DELETE, &format!("/v1/upload_session/{session}"), Value::Null).await;
    recipes_answer_as_described(c).await;
    keys_answer_as_described(c, id(&share, "api_key_id")).await;
    import_buckets_answer_as_described(c).await;
    webhooks_answer_as_described(c).await;

    c.call("delete_track", Method::DELETE, &track, Value::Null).await;
    c.call("delete_collection", Method::DELETE, &collection, Value::Null).await;

    let mut all = BTreeSet::new();
    for path in contract.document["paths"].as_object().unwrap().values() {
        all.extend(
            path.as_object().unwrap().values().map(|operation| id(operation, "operationId").to_owned()),
        );
    }
    assert_eq!(contract.checked, all, "every operation is checked");
    contract.compare_answers();
}

/// The answers that the reference shows as examples.
const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/openapi/answers.json");

impl Contract {
    /// Compares the answers with those that the reference shows, or writes them there (`make answers`).
    fn compare_answers(&self) {
        if std::env::var_os("TONEARM_WRITE_ANSWERS").is_some() {
            let answers = serde_json::to_string_pretty(&self.answers).unwrap();
            return std::fs::write(ANSWERS, answers + "\n").unwrap();
        }
        let shown: BTreeMap<String, Value> =
            serde_json::from_str(&std::fs::read_to_string(ANSWERS).unwrap()).unwrap();
        assert!(shown.keys().eq(self.answers.keys()), "run make answers");
        for (operation, answer) in &self.answers {
            assert!(alike(answer, &shown[operation]), "{operation}: run make answers");
        }
    }
}

/// With two elements of each list.
fn shortened(answer: &Value) -> Value {
    match answer {
        Value::Array(list) => list.iter().take(2).map(shortened).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shortened(value))).collect()
        }
        other => other.clone(),
    }
}

/// Whether two answers have the same fields. Ids, times and measurements differ from run to run.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| alike(value, other)))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        (one, other) => one.is_object() == other.is_object() && one.is_array() == other.is_array(),
    }
}

async fn resumable_uploads_answer_as_described(c: &mut Contract, collection_id: &str, session: &str) {
    let (bytes, mut urls) = (tone(), Vec::new());
    for name in ["c.wav", "d.wav"] {
        let body = json!({ "collection_id": collection_id, "file_name": name });
        let created = c.house.post("/v1/track", body).await.expect_ok();
        urls.push(local(id(&created.json["track_upload"], "upload_url")).to_owned());
    }
    let begin = [("upload-complete", "?0")];
    for url in &urls {
        c.send("upload_source", Method::PUT, url, &begin, &bytes[..1000]).await;
    }
    c.send("source_upload_offset", Method::HEAD, &urls[0], &[], &[]).await;
    let last = [
        ("upload-complete", "?1"),
        ("upload-offset", "1000"),
        ("content-type", "application/partial-upload"),
    ];
    c.send("append_to_source", Method::PATCH, &urls[0], &last, &bytes[1000..]).await;
    c.send("cancel_source_upload", Method::DELETE, &urls[1], &[], &[]).await;

    let tus = ("tus-resumable", "1.0.0");
    let begin = [tus, ("upload-length", "2000"), ("upload-metadata", "filename ZS53YXY=")];
    let path = format!("/upload/tus?upload_session_id={session}");
    let location = c.send("create_tus_upload", Method::POST, &path, &begin, &[]).await;
    let upload = local(location.as_deref().unwrap()).to_owned();
    let piece = [tus, ("upload-offset", "0"), ("content-type", "application/offset+octet-stream")];
    c.send("append_to_tus_upload", Method::PATCH, &upload, &piece, &bytes[..1000]).await;
    c.send("tus_upload_offset", Method::HEAD, &upload, &[tus], &[]).await;
    c.send("terminate_tus_upload", Method::DELETE, &upload, &[tus], &[]).await;
}

async fn recipes_answer_as_described(c: &mut Contract) {
    let body = json!({ "index": "later", "variant_type_id": "transcode", "codec": "opus" });
    let created = c.post("create_variant", "/v1/variant", body).await;
    let variant = format!("/v1/variant/{}", id(&created, "variant_id"));
    c.call("update_variant", Method::PUT, &variant, json!({ "bitrate": 64 })).await;
    let listed = c.get("list_variants", "/v1/variant").await;
    let ids: Vec<&str> =
        listed["variants"].as_array().unwrap().iter().map(|variant| id(variant, "id")).collect();
    c.call("order_variants", Method::PUT, "/v1/variant/order", json!({ "variant_ids": ids })).await;
    c.post("create_rendering", &format!("{variant}/rendering"), Value::Null).await;
    c.get("read_rendering", &format!("{variant}/rendering")).await;
    c.call("delete_variant", Method::DELETE, &variant, Value::Null).await;
    // The settings of every type are described.
    for settings in [
        json!({ "variant_type_id": "transcode", "loudness_target": -14 }),
        json!({ "variant_type_id": "preview", "preview_type": "percent" }),
        json!({ "variant_type_id": "levels", "format": "audiowaveform_dat" }),
        json!({ "variant_type_id": "waveform_image", "color": "#ff8800" }),
        json!({ "variant_type_id": "waveform_video" }),
        json!({ "variant_type_id": "original" }),
        json!({ "variant_type_id": "cover" }),
    ] {
        let mut body = settings;
        body["index"] = json!("described");
        let created = c.post("create_variant", "/v1/variant", body).await;
        let variant = format!("/v1/variant/{}", id(&created, "variant_id"));
        c.call("delete_variant", Method::DELETE, &variant, Value::Null).await;
    }
}

async fn keys_answer_as_described(c: &mut Contract, api_key_id: &str) {
    c.get("list_api_keys", "/v1/api_key").await;
    let key = format!("/v1/api_key/{api_key_id}");
    c.get("read_api_key", &key).await;
    c.call("update_api_key", Method::PUT, &key, json!({ "title": "Renamed" })).await;
    c.call("revoke_api_key", Method::DELETE, &key, Value::Null).await;
    let created = c.post("create_signing_key", "/v1/signing_key", json!({ "title": "Backend" })).await;
    let key = format!("/v1/signing_key/{}", id(&created, "signing_key_id"));
    c.get("list_signing_keys", "/v1/signing_key").await;
    c.get("read_signing_key", &key).await;
    c.call("revoke_signing_key", Method::DELETE, &key, Value::Null).await;
}

async fn import_buckets_answer_as_described(c: &mut Contract) {
    let body = json!({ "access_key_id": "id", "secret_access_key": "secret" });
    c.call("set_import_bucket", Method::PUT, "/v1/import_bucket/music", body).await;
    c.get("list_import_buckets", "/v1/import_bucket").await;
    c.call("delete_import_bucket", Method::DELETE, "/v1/import_bucket/music", Value::Null).await;
}

async fn webhooks_answer_as_described(c: &mut Contract) {
    let body = json!({ "kind": "track", "url": "https://example.com/hook" });
    let created = c.post("create_webhook", "/v1/webhook", body).await;
    let webhook = format!("/v1/webhook/{}", id(&created, "webhook_id"));
    c.get("list_webhooks", "/v1/webhook").await;
    c.get("read_webhook", &webhook).await;
    c.call("update_webhook", Method::PUT, &webhook, json!({ "url": "https://example.com/other" })).await;
    c.post("rotate_webhook_secret", &format!("{webhook}/rotate_secret"), Value::Null).await;
    let tested = c.post("test_webhook", &format!("{webhook}/test"), Value::Null).await;
    let delivery = format!("{webhook}/delivery/{}", id(&tested, "delivery_id"));
    c.get("list_webhook_deliveries", &format!("{webhook}/delivery")).await;
    c.get("read_webhook_delivery", &delivery).await;
    c.post("replay_webhook_delivery", &format!("{delivery}/replay"), Value::Null).await;
    c.post("replay_failed_webhook_deliveries", &format!("{webhook}/replay_failed"), Value::Null).await;
    c.call("delete_webhook", Method::DELETE, &webhook, Value::Null).await;
}

/// Reads a record, sends it back, and reads it again.
async fn send_back(house: &House, path: &str, noun: &str) {
    let before = house.get(path).await.expect_ok().json[noun].clone();
    house.put(path, before.clone()).await.expect_ok();
    let mut after = house.get(path).await.expect_ok().json[noun].clone();
    if after.get("updated_at").is_some() {
        after["updated_at"] = before["updated_at"].clone();
    }
    assert_eq!(after, before, "{path}");
}

async fn a_record_sent_back_changes_nothing(database: TestDatabase) {
    let house = House::open(database).await;
    let theme = json!([
        { "hex": "#112233", "area": 0.6, "lightness": 0.13, "saturation": 0.5 },
        { "hex": "#ff8800", "area": 0.1, "lightness": 0.5, "saturation": 1.0 },
    ]);
    let body = json!({ "organization_index": "u-1", "metadata": { "a": [1, null, { "b": 0.1 }] } });
    let creator = house.post("/v1/creator", body).await.expect_ok();
    let creator_id = id(&creator.json, "creator_id");
    let all = json!({
        "title": "Songs", "creator_id": creator_id, "organization_index": "c-1", "metadata": { "a": 1 }, "theme": theme,
        "is_cover_overridable": false, "is_theme_overridable": false, "player_color": "#445566", "player_subtitle": "Sub",
    });
    let collection = house.post("/v1/collection", all).await.expect_ok();
    assert_eq!(collection.json["collection"]["theme"], theme);
    let collection_id = id(&collection.json, "collection_id");
    let all = json!({
        "collection_id": collection_id, "file_name": "../Söng.wav", "creator_id": creator_id, "organization_index": "t-1",
        "metadata": { "a": 1 }, "theme": theme, "is_cover_overridable": false, "is_theme_overridable": false,
        "player_title": "Title", "player_subtitle": "Subtitle", "player_color": "#0ff",
    });
    let track = house.post("/v1/track", all).await.expect_ok();
    assert_eq!(track.json["track"]["theme"], theme);
    let all = json!({
        "name": "Radio", "theme": theme, "is_theme_overridable": false, "is_cover_overridable": false,
        "player_color": "#445566", "player_subtitle": "Sub",
    });
    let organization = format!("/v1/organization/{}", house.organization_id);
    house.put(&organization, all).await.expect_ok();
    let track = format!("/v1/track/{}", id(&track.json, "track_id"));
    let collection = format!("/v1/collection/{collection_id}");
    for (path, noun) in [
        (&track, "track"),
        (&collection, "collection"),
        (&format!("/v1/creator/{creator_id}"), "creator"),
        (&organization, "organization"),
    ] {
        send_back(&house, path, noun).await;
    }

    // Derived values do not become set values either.
    let bare = house.create_collection("Bare").await;
    let body = json!({ "collection_id": bare, "file_name": "Song.wav" });
    let created = house.post("/v1/track", body).await.expect_ok();
    let [track, collection] =
        [format!("/v1/track/{}", id(&created.json, "track_id")), format!("/v1/collection/{bare}")];
    send_back(&house, &track, "track").await;
    send_back(&house, &collection, "collection").await;
    house
        .put(&organization, json!({ "player_color": "#abcdef", "is_theme_overridable": true }))
        .await
        .expect_ok();
    let read = house.get(&track).await.expect_ok();
    assert_eq!(read.json["track"]["player_color"], "#abcdef");
    assert_eq!(read.json["track"]["player_title"], Value::Null);
    let url = house.post(&format!("{collection}/cover"), Value::Null).await.expect_ok();
    let url = local(id(&url.json["collection_cover_upload"], "upload_url")).to_owned();
    house.send(Request::post(url).body(Body::from(png())).unwrap()).await.expect_ok();
    assert_ne!(house.get(&collection).await.json["collection"]["theme"], json!([]));
    let key = house.key_of_type(KeyType::Player).await;
    assert_eq!(house.call_as(&key, Method::PUT, &track, json!({})).await.status, 403);
}
