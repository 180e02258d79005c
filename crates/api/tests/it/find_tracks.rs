//! Searching tracks across all collections, lists by cursor, moves and order.

use http::Method;
use serde_json::{Value, json};
use tonearm_domain::KeyType;
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateKey;

use crate::house::House;
use crate::on_both;
use crate::reply::{Reply, names};

const FOUND: &str = "id organization_id collection_id index duration file_name order metadata player_title
    player_subtitle player_color player_color_light player_color_dark theme track_status_id transcription
    transcription_language base_path base_url collection_title creator_id file_name_original organization_index
    status_reason created_at";

on_both!(
    tracks_are_found_in_all_collections,
    a_file_is_found_by_its_hash,
    a_list_is_read_to_its_end_by_cursors,
    a_cursor_is_good_for_its_own_list,
    a_search_keeps_to_the_scope_of_the_key,
    a_track_moves_with_all_that_is_its_own,
    only_who_reaches_both_collections_moves_a_track,
    tracks_are_put_in_order,
    orders_are_refused_as_a_whole,
);

fn files(reply: &Reply) -> Vec<String> {
    let tracks = reply.json["tracks"].as_array().unwrap();
    tracks.iter().map(|track| track["file_name"].as_str().unwrap().to_owned()).collect()
}

async fn create(house: &House, fields: Value) -> String {
    let created = house.post("/v1/track", fields).await.expect_ok();
    created.json["track_id"].as_str().unwrap().to_owned()
}

/// Three tracks in the first collection and two in another one, created one second apart.
async fn fill(house: &House) -> (String, String) {
    let other = house.create_collection("Other").await;
    let creator = house.post("/v1/creator", json!({ "organization_index": "c" })).await.expect_ok();
    let creator = creator.json["creator_id"].as_str().unwrap().to_owned();
    for (name, collection, index, creator) in [
        ("a.wav", &house.collection_id, Some("x-1"), None),
        ("b.wav", &other, Some("x-1"), Some(&creator)),
        ("c.wav", &house.collection_id, None, Some(&creator)),
        ("d.wav", &other, Some("x-2"), None),
        ("e.wav", &house.collection_id, None, None),
    ] {
        house.clock.advance_seconds(1);
        let fields = json!({
            "collection_id": collection, "file_name": name, "organization_index": index, "creator_id": creator,
        });
        create(house, fields).await;
    }
    (other, creator)
}

async fn tracks_are_found_in_all_collections(database: TestDatabase) {
    let house = House::open(database).await;
    let (other, creator) = fill(&house).await;
    let all = house.get("/v1/track").await.expect_ok();
    assert_eq!(all.keys(""), names("ok api_request_id count tracks next_cursor"));
    assert_eq!(all.keys("/tracks/0"), names(FOUND));
    assert_eq!((&all.json["count"], &all.json["next_cursor"]), (&json!(5), &Value::Null));
    assert_eq!(files(&all), ["e.wav", "d.wav", "c.wav", "b.wav", "a.wav"]);
    assert_eq!(all.json["tracks"][1]["collection_title"], "Other");
    assert_eq!(all.json["tracks"][1]["created_at"], "2030-01-01T00:00:04.000Z");
    for (query, expected) in [
        ("query=B", vec!["b.wav"]),
        ("query=wav&sort=title", vec!["a.wav", "b.wav", "c.wav", "d.wav", "e.wav"]),
        ("query=nothing", vec![]),
        ("status=initialized&sort=created", vec!["a.wav", "b.wav", "c.wav", "d.wav", "e.wav"]),
        ("status=ready,error&status=incomplete", vec![]),
        (&format!("collection_id={other}&sort=-order"), vec!["d.wav", "b.wav"]),
        (&format!("creator_id={creator}"), vec!["c.wav", "b.wav"]),
        ("organization_index=x-1", vec!["b.wav", "a.wav"]),
        ("organization_index=x-", vec![]),
        ("created_since=2030-01-01T00:00:04Z", vec!["e.wav", "d.wav"]),
        ("created_since=2029-12-31T23:00:05-01:00&sort=created", vec!["e.wav"]),
        (&format!("creator_id={creator}&organization_index=x-1&query=b"), vec!["b.wav"]),
    ] {
        let found = house.get(&format!("/v1/track?{query}")).await.expect_ok();
        assert_eq!(files(&found), expected, "{query}");
        assert_eq!(found.json["count"], expected.len(), "{query}");
    }
    house.get("/v1/track?source_sha256=abc").await.expect_field("source_sha256");
    house.get("/v1/track?sort=order").await.expect_field("sort");
    house.get("/v1/track?query=").await.expect_field("query");
    house.get("/v1/track?offset=0").await.expect_field("offset");
    let unknown = house.ambient.record_id::<tonearm_domain::CollectionId>();
    house.get(&format!("/v1/track?collection_id={unknown}")).await.expect_error(404, "collection_not_found");
}

/// A client can check by hash whether a file was uploaded already.
async fn a_file_is_found_by_its_hash(database: TestDatabase) {
    let house = House::open(database).await;
    let other = house.create_collection("Other").await;
    let mut uploaded = None;
    for (collection, name) in [(&house.collection_id, "a.wav"), (&other, "b.wav")] {
        house.clock.advance_seconds(1);
        let fields = json!({ "collection_id": collection, "file_name": name });
        let created = house.post("/v1/track", fields).await.expect_ok();
        let url = created.json["track_upload"]["upload_url"].as_str().unwrap();
        let accepted = house.upload(url, crate::house::tone()).await.expect_ok();
        uploaded = accepted.json["sha256"].as_str().map(str::to_owned);
    }
    house.create_track("waits.wav").await;
    let hash = uploaded.unwrap();
    let unknown = "0".repeat(64);
    for (query, expected) in [
        (format!("source_sha256={hash}"), vec!["b.wav", "a.wav"]),
        (format!("source_sha256={}&sort=title", hash.to_uppercase()), vec!["a.wav", "b.wav"]),
        (format!("source_sha256={hash}&collection_id={other}"), vec!["b.wav"]),
        (format!("source_sha256={unknown}"), vec![]),
    ] {
        let found = house.get(&format!("/v1/track?{query}")).await.expect_ok();
        assert_eq!(files(&found), expected, "{query}");
    }
    // A deleted track cannot be found by its bytes, and other organizations do not find ours.
    let track = house.get(&format!("/v1/track?source_sha256={hash}&collection_id={other}")).await;
    let track = track.json["tracks"][0]["id"].as_str().unwrap().to_owned();
    house.delete(&format!("/v1/track/{track}")).await.expect_ok();
    let found = house.get(&format!("/v1/track?source_sha256={hash}")).await.expect_ok();
    assert_eq!(files(&found), ["a.wav"]);
    let neighbour = house.neighbour().await;
    let path = format!("/v1/track?source_sha256={hash}");
    let found = house.call_as(&neighbour, Method::GET, &path, Value::Null).await.expect_ok();
    assert_eq!(files(&found), [""; 0]);
}

/// Reads a list to its end.
async fn walk(house: &House, path: &str, list: &str) -> Vec<Value> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    for _ in 0..100 {
        let part = house.get(&format!("{path}limit=2&cursor={cursor}")).await.expect_ok();
        let rows = part.json[list].as_array().unwrap();
        assert!(rows.len() <= 2);
        found.extend(rows.iter().map(|row| row["id"].clone()));
        match part.json["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => return found,
        }
    }
    panic!("the list does not end");
}

async fn a_list_is_read_to_its_end_by_cursors(database: TestDatabase) {
    let house = House::open(database).await;
    fill(&house).await;
    house.post("/v1/creator", json!({ "organization_index": "d" })).await.expect_ok();
    house.create_collection("Third").await;
    let own = house.collection_id.clone();
    for (path, list, length) in [
        ("/v1/track?".to_owned(), "tracks", 5),
        ("/v1/track?sort=-title&status=initialized&".to_owned(), "tracks", 5),
        ("/v1/track?sort=duration&".to_owned(), "tracks", 5),
        (format!("/v1/collection/{own}/track?"), "tracks", 3),
        ("/v1/collection?".to_owned(), "collections", 3),
        ("/v1/creator?".to_owned(), "creators", 2),
    ] {
        let whole = house.get(&format!("{path}limit=200")).await.expect_ok();
        let whole: Vec<Value> =
            whole.json[list].as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
        assert_eq!(whole.len(), length, "{path}");
        assert_eq!(walk(&house, &path, list).await, whole, "{path}");
    }
    // Only responses to requests with a cursor contain `next_cursor`; `count` is the total in either case.
    for (path, list, count) in [
        (format!("/v1/collection/{own}/track"), "tracks", 3),
        ("/v1/collection".to_owned(), "collections", 3),
        ("/v1/creator".to_owned(), "creators", 2),
    ] {
        let by_offset = house.get(&format!("{path}?limit=1")).await.expect_ok();
        assert_eq!(by_offset.keys(""), names(&format!("ok api_request_id count {list}")));
        let by_cursor = house.get(&format!("{path}?limit=1&cursor=")).await.expect_ok();
        assert_eq!(by_cursor.keys(""), names(&format!("ok api_request_id count {list} next_cursor")));
        assert_eq!(by_cursor.json["count"], count);
        assert_eq!(by_cursor.json[list], by_offset.json[list]);
        house.get(&format!("{path}?offset=1&cursor=")).await.expect_field("cursor");
    }
    // Deleting a track between two pages skips no other track.
    let path = format!("/v1/collection/{own}/track?limit=1&cursor=");
    let first = house.get(&path).await.expect_ok();
    house.delete(&format!("/v1/track/{}", first.json["tracks"][0]["id"].as_str().unwrap())).await.expect_ok();
    let second =
        house.get(&format!("{path}{}", first.json["next_cursor"].as_str().unwrap())).await.expect_ok();
    assert_eq!((files(&second), &second.json["count"]), (vec!["c.wav".to_owned()], &json!(2)));
}

async fn a_cursor_is_good_for_its_own_list(database: TestDatabase) {
    let house = House::open(database).await;
    let (other, _) = fill(&house).await;
    let own = house.collection_id.clone();
    let path = format!("/v1/collection/{own}/track");
    let cursor = house.get(&format!("{path}?limit=1&cursor=")).await.expect_ok().json["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    house.get(&format!("{path}?limit=2&cursor={cursor}")).await.expect_ok();
    for path in [
        format!("/v1/collection/{other}/track?cursor={cursor}"),
        format!("/v1/collection?cursor={cursor}"),
        format!("/v1/creator?cursor={cursor}"),
        format!("/v1/track?cursor={cursor}"),
        format!("{path}?cursor={}", &cursor[1..]),
        format!("{path}?cursor={cursor}A"),
        format!("{path}?cursor=%00"),
        format!("{path}?cursor={}", "A".repeat(3000)),
    ] {
        house.get(&path).await.expect_field("cursor");
    }
}

async fn a_search_keeps_to_the_scope_of_the_key(database: TestDatabase) {
    let house = House::open(database).await;
    let (other, _) = fill(&house).await;
    let to_other = house.key_to_collection(&other).await;
    let track = house.get("/v1/track?query=a").await.json["tracks"][0]["id"].as_str().unwrap().to_owned();
    let to_track = CreateKey {
        collection_id: Some(house.collection_id.parse().unwrap()),
        track_id: Some(track.parse().unwrap()),
        ..CreateKey::new(KeyType::Api, "One track")
    };
    let to_track = house.key(to_track).await;
    let neighbour = house.neighbour().await;
    for (key, expected) in
        [(&to_other, vec!["d.wav", "b.wav"]), (&to_track, vec!["a.wav"]), (&neighbour, vec![])]
    {
        for query in ["", "?query=wav", "?status=initialized", "?created_since=2000-01-01T00:00:00Z"] {
            let found = house.call_as(key, Method::GET, &format!("/v1/track{query}"), Value::Null).await;
            assert_eq!(files(&found.expect_ok()), expected, "{query}");
        }
    }
    for key in [&to_other, &neighbour] {
        let path = format!("/v1/track?collection_id={}", house.collection_id);
        house.call_as(key, Method::GET, &path, Value::Null).await.expect_error(404, "collection_not_found");
    }
}

async fn a_track_moves_with_all_that_is_its_own(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let stays = house.create_track("Stays.wav").await["track_id"].as_str().unwrap().to_owned();
    let waits = house.create_track("Waits.wav").await;
    let other = house.post("/v1/collection", json!({ "title": "Other", "player_color": "#102030" })).await;
    let other = other.expect_ok().json["collection_id"].as_str().unwrap().to_owned();
    let key = CreateKey {
        collection_id: Some(house.collection_id.parse().unwrap()),
        track_id: Some(track.parse().unwrap()),
        variants: tonearm_domain::Selection::one("hq".parse().unwrap()),
        ..CreateKey::new(KeyType::Share, "A link")
    };
    let share = house.key(key).await;
    let path = format!("/v1/track/{track}");
    let before = house.get(&path).await.expect_ok().json["track"].clone();
    let moved = house.put(&path, json!({ "collection_id": other, "player_title": "New" })).await.expect_ok();
    assert_eq!(moved.json["track"]["collection_id"], other);
    assert_eq!(moved.json["track"]["order"], 1);
    assert_eq!(moved.json["track"]["player_title"], "New");
    // Its files, and with them its durable names, stay where they were; its colours are those of the new collection.
    assert_eq!(moved.json["track"]["base_path"], before["base_path"]);
    assert_eq!(moved.json["track"]["player_color"], "#102030");
    // Sending a whole record back moves nothing.
    let again = house.put(&path, moved.json["track"].clone()).await.expect_ok();
    assert_eq!(
        (&again.json["track"]["order"], &again.json["track"]["collection_id"]),
        (&json!(1), &json!(other))
    );
    let list = async |collection: &str| {
        let list = house.get(&format!("/v1/collection/{collection}/track")).await.expect_ok();
        (files(&list), list.json["count"].clone())
    };
    let own = house.collection_id.clone();
    assert_eq!(list(&own).await, (vec!["Stays.wav".to_owned(), "Waits.wav".to_owned()], json!(2)));
    assert_eq!(list(&other).await, (vec!["Song.wav".to_owned()], json!(1)));
    // It plays in its new collection, and a link to it still works.
    let session =
        house.post("/v1/play_session/collection", json!({ "collection_id": other })).await.expect_ok();
    assert_eq!(session.json["first_track"]["track_id"], track);
    let status =
        house.call_as("", Method::GET, &format!("/v1/stream/{track}/{share}"), Value::Null).await.status;
    assert_eq!(status, 302);
    // A track that waits for its bytes accepts them in its new collection.
    let waiting = waits["track_id"].as_str().unwrap();
    house.put(&format!("/v1/track/{waiting}"), json!({ "collection_id": other })).await.expect_ok();
    let url = waits["track_upload"]["upload_url"].as_str().unwrap();
    house.upload(url, crate::house::tone()).await.expect_ok();
    house.run_jobs().await;
    let ready = house.get(&format!("/v1/track/{waiting}")).await.expect_ok();
    assert_eq!(ready.json["track"]["track_status_id"], "ready");
    assert_eq!(ready.json["track"]["collection_id"], other);
    // The tracks left in the first collection are deleted with it; the moved track stays.
    house.delete(&format!("/v1/collection/{own}")).await.expect_ok();
    house.run_jobs().await;
    house.get(&format!("/v1/track/{stays}")).await.expect_error(404, "track_not_found");
    assert_eq!(list(&other).await.1, 2);
    house.put(&path, json!({ "collection_id": own })).await.expect_error(404, "collection_not_found");
}

async fn only_who_reaches_both_collections_moves_a_track(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.create_track("Song.wav").await["track_id"].as_str().unwrap().to_owned();
    let other = house.create_collection("Other").await;
    let own = house.collection_id.clone();
    let path = format!("/v1/track/{track}");
    let target = json!({ "collection_id": other });
    let to_track = CreateKey {
        collection_id: Some(own.parse().unwrap()),
        track_id: Some(track.parse().unwrap()),
        ..CreateKey::new(KeyType::Api, "One track")
    };
    let limited = [house.key_to_collection(&own).await, house.key(to_track).await];
    for key in &limited {
        let moved = house.call_as(key, Method::PUT, &path, target.clone()).await;
        moved.expect_error(404, "collection_not_found");
        // Naming the current collection is not a move.
        let same = json!({ "collection_id": own });
        house.call_as(key, Method::PUT, &path, same).await.expect_ok();
    }
    for key in [house.key_to_collection(&other).await, house.neighbour().await] {
        let moved = house.call_as(&key, Method::PUT, &path, target.clone()).await;
        moved.expect_error(404, "track_not_found");
    }
    house.put(&path, json!({ "collection_id": null })).await.expect_field("collection_id");
    house.put(&path, json!({ "collection_id": "x" })).await.expect_field("collection_id");
    let unknown = house.ambient.record_id::<tonearm_domain::CollectionId>();
    let unknown = house.put(&path, json!({ "collection_id": unknown })).await;
    unknown.expect_error(404, "collection_not_found");
    assert_eq!(house.get(&path).await.json["track"]["collection_id"], own);
}

async fn tracks_are_put_in_order(database: TestDatabase) {
    let house = House::open(database).await;
    let mut tracks = Vec::new();
    for name in ["a.wav", "b.wav", "c.wav", "d.wav"] {
        tracks.push(house.create_track(name).await["track_id"].clone());
    }
    let path = format!("/v1/collection/{}/order", house.collection_id);
    let ids = json!({ "track_ids": [tracks[3], tracks[0]] });
    let ordered = house.put(&path, ids).await.expect_ok();
    assert_eq!(ordered.keys(""), names("ok api_request_id collection_id tracks"));
    let expected = json!([{ "id": tracks[3], "order": 1 }, { "id": tracks[0], "order": 4 }]);
    assert_eq!(ordered.json["tracks"], expected);
    let list = format!("/v1/collection/{}/track", house.collection_id);
    assert_eq!(files(&house.get(&list).await), ["d.wav", "b.wav", "c.wav", "a.wav"]);
    let key = house.key_to_collection(&house.collection_id).await;
    let all = json!({ "track_ids": [tracks[2], tracks[1], tracks[0], tracks[3]] });
    house.call_as(&key, Method::PUT, &path, all).await.expect_ok();
    assert_eq!(files(&house.get(&list).await), ["c.wav", "b.wav", "a.wav", "d.wav"]);
}

async fn orders_are_refused_as_a_whole(database: TestDatabase) {
    let house = House::open(database).await;
    let mut tracks = Vec::new();
    for name in ["a.wav", "b.wav", "c.wav"] {
        tracks.push(house.create_track(name).await["track_id"].clone());
    }
    let deleted = tracks.pop().unwrap();
    house.delete(&format!("/v1/track/{}", deleted.as_str().unwrap())).await.expect_ok();
    let other = house.create_collection("Other").await;
    let foreign = create(&house, json!({ "collection_id": other, "file_name": "o.wav" })).await;
    let path = format!("/v1/collection/{}/order", house.collection_id);
    let unknown = json!(house.ambient.record_id::<tonearm_domain::TrackId>());
    let many = vec![tracks[0].clone(); 1001];
    for ids in [
        json!([]),
        json!(null),
        json!([tracks[1], tracks[0], tracks[1]]),
        json!([tracks[1], deleted, tracks[0]]),
        json!([tracks[1], foreign, tracks[0]]),
        json!([tracks[1], unknown, tracks[0]]),
        json!(many),
    ] {
        house.put(&path, json!({ "track_ids": ids })).await.expect_field("track_ids");
    }
    house.put(&path, json!({})).await.expect_field("track_ids");
    house.put(&path, json!({ "track_ids": ["x"] })).await.expect_field("track_ids[0]");
    let list = format!("/v1/collection/{}/track", house.collection_id);
    assert_eq!(files(&house.get(&list).await), ["a.wav", "b.wav"]);
}
