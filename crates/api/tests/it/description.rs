//! `/openapi.json` describes every operation.

use std::collections::BTreeSet;

use http::Method;
use serde_json::Value;
use tonearm_fixtures::TestDatabase;

use crate::access::{MANAGED, PLAYING, UPLOADING};
use crate::house::House;

/// Method and path of every operation, with its description.
fn operations(document: &Value) -> Vec<(Method, String, &Value)> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push((method.to_uppercase().parse().unwrap(), path.clone(), operation));
        }
    }
    operations
}

/// A path with ids in the place of its parameters, and the scope of a play session in its place.
fn filled(path: &str) -> String {
    let id = "018f0000-0000-7000-8000-000000000001";
    let segments = path.split('/').map(|segment| match segment {
        "{scope}" => "collection",
        parameter if parameter.starts_with('{') => id,
        segment => segment,
    });
    segments.collect::<Vec<_>>().join("/")
}

fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[tokio::test]
async fn what_is_described_is_there() {
    let house = House::open(TestDatabase::sqlite()).await;
    let document = house.document().await;
    for (method, path, _) in operations(&document) {
        let reply = house.call_as("", method.clone(), &filled(&path), Value::Null).await;
        assert_ne!(reply.json["code"], "not_found", "{method} {path}");
        assert_ne!(reply.status, 405, "{method} {path}");
    }
}

#[tokio::test]
async fn what_is_there_is_described() {
    let house = House::open(TestDatabase::sqlite()).await;
    let document = house.document().await;
    let described: BTreeSet<(String, String)> = operations(&document)
        .into_iter()
        .map(|(method, path, _)| (method.to_string(), filled(&path)))
        .collect();
    for (method, path) in [MANAGED, PLAYING, UPLOADING].concat() {
        let path = path.replace("ID", "{id}").replace("play_session/track", "play_session/{scope}");
        assert!(described.contains(&(method.to_owned(), filled(&path))), "{method} {path}");
    }
}

#[tokio::test]
async fn fields_say_what_they_need_and_what_cannot_be_set() {
    let house = House::open(TestDatabase::sqlite()).await;
    let document = house.document().await;
    let field = |schema: &str, name: &str| &document["components"]["schemas"][schema]["properties"][name];
    for (schema, name) in [
        ("track.create.Fields", "file_name"),
        ("upload_session.create_track.Fields", "file_name"),
        ("track.source.create.Fields", "file_name"),
        ("collection.create.Fields", "title"),
        ("api_key.update.Fields", "title"),
    ] {
        let field = field(schema, name).to_string();
        assert!(field.contains("\"description\""), "{schema}.{name}: {field}");
    }
    let track = &document["components"]["schemas"]["ReducedTrack"]["allOf"][1]["properties"];
    for name in ["transcription", "transcription_language"] {
        assert_eq!(track[name]["readOnly"], true, "{name}");
    }
    assert!(field("Colours", "player_color_light").to_string().contains("\"readOnly\":true"));
}

#[tokio::test]
async fn the_description_hangs_together() {
    let house = House::open(TestDatabase::sqlite()).await;
    let document = house.document().await;
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for reference in found {
        assert!(document.pointer(&reference[1..]).is_some(), "{reference} leads nowhere");
    }
    let operations = operations(&document);
    let ids: BTreeSet<&str> =
        operations.iter().filter_map(|(_, _, operation)| operation["operationId"].as_str()).collect();
    assert_eq!(ids.len(), operations.len());
    for (method, path, operation) in operations {
        assert!(operation["summary"].is_string(), "{method} {path} is not explained");
        assert!(operation["responses"]["default"].is_object(), "{method} {path} may fail");
        let credentials = operation["security"].as_array().unwrap();
        let keyless = ["/v1/play/", "/v1/stream/", "/v1/upload/", "/v1/upload_session/", "/upload/tus"];
        // The id of a session is its credential, but only a key ends it.
        let ends_session = method == "DELETE" && path.starts_with("/v1/upload_session/");
        let is_keyless = !ends_session && keyless.iter().any(|start| path.starts_with(start));
        assert_eq!(credentials.is_empty(), is_keyless, "{method} {path}");
    }
}

#[tokio::test]
async fn bodies_of_which_nothing_is_needed_may_be_left_out() {
    let house = House::open(TestDatabase::sqlite()).await;
    let document = house.document().await;
    let is_required = |pointer: &str| document.pointer(pointer).unwrap()["requestBody"]["required"] == true;
    assert!(is_required("/paths/~1v1~1track/post"));
    assert!(is_required("/paths/~1v1~1api_key/post"));
    assert!(!is_required("/paths/~1v1~1upload_session/post"));
    assert!(!is_required("/paths/~1v1~1track~1{track_id}/put"));
}
