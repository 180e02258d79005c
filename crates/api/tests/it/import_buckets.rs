//! Credentials for buckets that files are imported from.

use http::Method;
use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

on_both!(credentials_are_set_listed_and_removed, tracks_are_imported_from_buckets_with_credentials);

const PATH: &str = "/v1/import_bucket/music";

fn credentials() -> Value {
    json!({ "access_key_id": "id", "secret_access_key": "very secret" })
}

async fn credentials_are_set_listed_and_removed(database: TestDatabase) {
    let house = House::open(database).await;
    let saved = house.put(PATH, credentials()).await.expect_ok();
    assert_eq!(saved.keys(""), names("ok api_request_id import_bucket"));
    let fields = "bucket organization_id endpoint region access_key_id has_secret expires_at created_at";
    assert_eq!(saved.keys("/import_bucket"), names(fields));
    let record = &saved.json["import_bucket"];
    let told = (&record["bucket"], &record["endpoint"], &record["region"], &record["has_secret"]);
    assert_eq!(told, (&json!("music"), &Value::Null, &json!("us-east-1"), &json!(true)));

    let endpoint = "https://store.example.com/s3/";
    let body =
        json!({ "endpoint": endpoint, "region": "auto", "access_key_id": "id2", "secret_access_key": "s" });
    let other = house.put("/v1/import_bucket/archive", body).await.expect_ok();
    assert_eq!(other.json["import_bucket"]["endpoint"], "https://store.example.com/s3");
    // An update replaces everything. A null secret keeps the old one if only the region changes.
    let again = json!({ "endpoint": endpoint, "access_key_id": "id2", "secret_access_key": null });
    let again = house.put("/v1/import_bucket/archive", again).await.expect_ok();
    assert_eq!(again.json["import_bucket"]["region"], "us-east-1");
    let moved = json!({ "access_key_id": "id2" });
    house.put("/v1/import_bucket/archive", moved).await.expect_field("secret_access_key");

    let listed = house.get("/v1/import_bucket").await.expect_ok();
    assert_eq!(listed.keys(""), names("ok api_request_id count import_buckets"));
    assert_eq!(
        (&listed.json["count"], &listed.json["import_buckets"][0]["bucket"]),
        (&json!(2), &json!("archive"))
    );
    assert!(!listed.json.to_string().contains("secret\":\""), "{}", listed.json);
    let page = house.get("/v1/import_bucket?limit=1&offset=1").await.expect_ok();
    assert_eq!(page.json["import_buckets"], json!([saved.json["import_bucket"]]));
    house.get("/v1/import_bucket?limit=201").await.expect_field("limit");

    let removed = house.delete(PATH).await.expect_ok();
    assert_eq!(removed.keys(""), names("ok api_request_id deleted_import_bucket"));
    assert_eq!(removed.json["deleted_import_bucket"], saved.json["import_bucket"]);
    house.delete(PATH).await.expect_error(404, "import_bucket_not_found");
    house.delete("/v1/import_bucket/No").await.expect_field("bucket");
    let mut lines = house.audited("import_bucket").await;
    lines.sort();
    let line = |action: &str, title: &str| (format!("import_bucket.{action}"), title.to_owned());
    let expected =
        [line("remove", "music"), line("set", "archive"), line("set", "archive"), line("set", "music")];
    assert_eq!(lines, expected);
}

async fn tracks_are_imported_from_buckets_with_credentials(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({ "collection_id": house.collection_id, "source_url": "s3://music/a/My song.wav" });
    let refused = house.post("/v1/track", body.clone()).await.expect_field("source_url");
    let message = refused.json["message"].as_str().unwrap();
    assert!(message.contains("PUT /v1/import_bucket/music"), "{message}");
    house.put(PATH, credentials()).await.expect_ok();
    let created = house.post("/v1/track", body.clone()).await.expect_ok();
    assert_eq!(created.json["track"]["file_name"], "My song.wav");
    let read = house.get(&format!("/v1/track/{}", created.json["track_id"].as_str().unwrap())).await;
    assert_eq!(read.json["track"]["status_reason"], "Importing the file from s3://music.");
    assert_eq!(house.audited("track.import").await, [("track.import".to_owned(), "s3://music".to_owned())]);
    let neighbour = house.neighbour().await;
    let listed = house.call_as(&neighbour, Method::GET, "/v1/import_bucket", Value::Null).await.expect_ok();
    assert_eq!(listed.json["count"], 0);
}
