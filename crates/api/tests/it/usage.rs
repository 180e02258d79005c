//! `GET /v1/usage`: play counts, and who may read them.

use http::Method;
use serde_json::{Value, json};
use tonearm_domain::KeyType;
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;

on_both!(what_is_handed_out_is_counted, a_limited_key_sees_its_own, what_is_asked_is_checked);

async fn sums(house: &House, key: &str, query: &str) -> Value {
    house.keep_counts().await;
    house.call_as(key, Method::GET, &format!("/v1/usage{query}"), Value::Null).await.expect_ok().json
}

async fn what_is_handed_out_is_counted(database: TestDatabase) {
    let house = House::open(database).await;
    let [one, two] = [house.ready_track("one.wav").await, house.ready_track("two.wav").await];
    let session = json!({ "collection_id": house.collection_id, "is_downloadable": true });
    let session = house.post("/v1/play_session/collection", session).await.expect_ok();
    let session = session.json["play_session_id"].as_str().unwrap().to_owned();
    let share = house.key_of_type(KeyType::Share).await;
    let status =
        async |path: String| house.call_as("", Method::GET, &path, Value::Null).await.status.as_u16();
    let nothing = sums(&house, &house.key, "").await;
    assert_eq!((&nothing["total"]["plays"], &nothing["count"]), (&json!(0), &json!(30)));

    assert_eq!(status(format!("/v1/play/{session}/{one}")).await, 200);
    assert_eq!(status(format!("/v1/play/{session}/{one}")).await, 200);
    assert_eq!(status(format!("/v1/play/{session}/{one}/hq/download")).await, 200);
    assert_eq!(status(format!("/v1/stream/{two}/{share}")).await, 302);
    // Refused requests are not counted.
    assert_eq!(status(format!("/v1/play/{session}/{session}")).await, 404);
    assert_eq!(status(format!("/v1/play/{session}/{one}/nothing/download")).await, 404);
    assert_eq!(status(format!("/v1/stream/{session}/{share}")).await, 404);

    let days = sums(&house, &house.key, "").await;
    let today = house.ambient.now().to_string()[..10].to_owned();
    assert_eq!((&days["to"], &days["group"]), (&json!(today), &json!("day")));
    let expected = json!({
        "plays": 3, "stream_redirects": 1, "track_fetches": 2, "downloads": 1, "starts": 0, "bytes": 0,
    });
    assert_eq!(days["total"], expected);
    let last = days["usage"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["day"], &last["plays"]), (&json!(today), &json!(3)));

    let tracks = sums(&house, &house.key, "?group=track&limit=1").await;
    assert_eq!((&tracks["count"], tracks["usage"].as_array().unwrap().len()), (&json!(2), 1));
    let tracks = sums(&house, &house.key, "?group=track").await;
    let plays = |track: &str| {
        let rows = tracks["usage"].as_array().unwrap();
        rows.iter()
            .find(|row| row["track_id"] == track)
            .map(|row| (row["plays"].clone(), row["downloads"].clone()))
    };
    assert_eq!(plays(&one), Some((json!(2), json!(1))));
    assert_eq!(plays(&two), Some((json!(1), json!(0))));

    let variants = sums(&house, &house.key, "?group=variant").await;
    let rows = variants["usage"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["variant"] == "hq" && row["downloads"] == 1), "{variants}");
    assert!(rows.iter().any(|row| row["variant"].is_null() && row["track_fetches"] == 2), "{variants}");

    // A day later it counts as yesterday's, and stays so when the track is deleted.
    house.clock.advance_seconds(86_400);
    house.call_as(&house.key, Method::DELETE, &format!("/v1/track/{one}"), Value::Null).await.expect_ok();
    let today = &house.ambient.now().to_string()[..10];
    assert_eq!(sums(&house, &house.key, &format!("?from={today}")).await["total"]["plays"], 0);
    assert_eq!(sums(&house, &house.key, "").await["total"], expected);
    let tracks = sums(&house, &house.key, "?group=track").await;
    assert!(tracks["usage"].as_array().unwrap().iter().any(|row| row["track_id"] == one.as_str()));
}

async fn a_limited_key_sees_its_own(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("one.wav").await;
    let share = house.key_of_type(KeyType::Share).await;
    let path = format!("/v1/stream/{track}/{share}");
    assert_eq!(house.call_as("", Method::GET, &path, Value::Null).await.status, 302);
    let empty = house.create_collection("B").await;
    let own = house.key_to_collection(&house.collection_id).await;
    let other = house.key_to_collection(&empty).await;
    let neighbour = house.neighbour().await;
    for (key, plays) in [(&house.key, 1), (&own, 1), (&other, 0), (&neighbour, 0)] {
        for group in ["day", "track", "variant"] {
            let found = sums(&house, key, &format!("?group={group}")).await;
            assert_eq!(found["total"]["plays"], plays, "{group}");
            let rows = found["usage"].as_array().unwrap().iter();
            assert_eq!(rows.map(|row| row["plays"].as_u64().unwrap()).sum::<u64>(), plays, "{group}");
        }
    }
}

async fn what_is_asked_is_checked(database: TestDatabase) {
    let house = House::open(database).await;
    let ask = async |query: &str| {
        house.call_as(&house.key, Method::GET, &format!("/v1/usage?{query}"), Value::Null).await
    };
    for (query, field) in [
        ("from=yesterday", json!("from")),
        ("from=", json!("from")),
        ("to=2030-02-30", json!("to")),
        ("to=2030-1-1", json!("to")),
        ("from=2030-01-02&to=2030-01-01", json!("from")),
        ("from=2029-01-01&to=2030-01-03", json!("from")),
        ("group=hour", json!("group")),
        ("group=Day", json!("group")),
        ("limit=0", json!("limit")),
        ("offset=-1", json!("offset")),
        ("from=2030-01-01&from=2030-01-02", Value::Null),
    ] {
        let reply = ask(query).await;
        assert_eq!((reply.status.as_u16(), &reply.json["field"]), (400, &field), "{query}: {}", reply.json);
    }
    let page = ask("from=2029-12-01&to=2029-12-31&limit=10&offset=25").await.expect_ok();
    assert_eq!((&page.json["count"], page.json["usage"].as_array().unwrap().len()), (&json!(31), 6));
    assert_eq!(page.json["usage"][0]["day"], "2029-12-26");
}
