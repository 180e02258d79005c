//! Interface 4.4: inline share links.

use serde_json::{Value, json};
use tonearm_domain::{KeyType, ObjectKey, Selection};
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateKey;

use crate::house::House;
use crate::on_both;

on_both!(a_share_link_redirects_to_its_variant, a_share_link_ends_at_its_scope);

fn share(variant: &str) -> CreateKey {
    CreateKey {
        variants: Selection::one(variant.parse().unwrap()),
        ..CreateKey::new(KeyType::Share, "Share")
    }
}

async fn a_share_link_redirects_to_its_variant(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let expires_at = Some(house.ambient.now().plus_seconds(86_400));
    let key = house.key(CreateKey { expires_at, ..share("lq") }).await;
    let path = format!("/v1/stream/{track}/{key}");
    let reply = house.get_open(&path).await;
    assert_eq!((reply.status.as_u16(), &reply.json), (302, &Value::Null));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let location = reply.header("location").unwrap().to_owned();
    let origin = format!("https://{}.cdn.example.com", house.organization_id);
    let local = location.strip_prefix(&origin).unwrap();
    let (file, query) = local.split_once('?').unwrap();
    assert!(query.starts_with("verify="), "{query}");
    let object: ObjectKey = file[1..].parse().unwrap();
    assert_eq!(object.file.label.as_str(), "lq");
    assert!(house.blobs.head(&object).await.unwrap().is_some());
    // The signed URL is valid for one hour; a new request returns a fresh one.
    let verify = || house.signer.verify_delivery(file, Some(query), house.ambient.now());
    house.clock.advance_seconds(3599);
    assert!(verify().is_ok());
    house.clock.advance_seconds(1);
    assert!(verify().is_err());
    let again = house.get_open(&path).await;
    assert_ne!(again.header("location"), Some(location.as_str()));
    // In the last hour of the key, its URLs end with it.
    house.clock.advance_seconds(86_400 - 3600 - 30);
    let last = house.get_open(&path).await.header("location").unwrap().to_owned();
    let (file, query) = last.strip_prefix(&origin).unwrap().split_once('?').unwrap();
    assert!(query.starts_with("ttl=30&verify="), "{query}");
    let verify = || house.signer.verify_delivery(file, Some(query), house.ambient.now());
    assert!(verify().is_ok());
    house.clock.advance_seconds(30);
    assert!(verify().is_err());
    house.get_open(&path).await.expect_error(401, "invalid_api_key");
}

async fn a_share_link_ends_at_its_scope(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let waiting = house.create_track("Waiting.wav").await["track_id"].as_str().unwrap().to_owned();
    let other = Some(house.create_collection("Other").await.parse().unwrap());
    let collection_id = Some(house.collection_id.parse().unwrap());
    let link = async |key: CreateKey, track: &str| {
        let key = house.key(key).await;
        house.get_open(&format!("/v1/stream/{track}/{key}")).await
    };
    for within in [
        share("hq"),
        CreateKey { collection_id, ..share("hq") },
        CreateKey { collection_id, track_id: Some(track.parse().unwrap()), ..share("hq") },
    ] {
        assert_eq!(link(within, &track).await.status, 302);
    }
    for without in [
        CreateKey { collection_id: other, ..share("hq") },
        CreateKey { collection_id, track_id: Some(waiting.parse().unwrap()), ..share("hq") },
    ] {
        link(without, &track).await.expect_error(404, "track_not_found");
    }
    link(share("hq"), &waiting).await.expect_error(404, "track_not_found");
    house.get_open(&format!("/v1/stream/{track}/nonsense")).await.expect_error(401, "invalid_api_key");
    let api_key = &house.key;
    house.get_open(&format!("/v1/stream/{track}/{api_key}")).await.expect_error(403, "key_type");
    let body = json!({ "title": "x", "api_key_type_id": "share", "variants": ["hq"] });
    let made = house.post("/v1/api_key", body).await.expect_ok();
    let made = made.json["api_key"].as_str().unwrap();
    assert_eq!(house.get_open(&format!("/v1/stream/{track}/{made}")).await.status, 302);
}
