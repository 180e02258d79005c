//! Decisions, "theme": a list of colours may be set on organizations, collections and tracks, and takes precedence over
//! the colours of covers.

use axum::body::Body;
use http::Request;
use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::covers::picture;
use crate::house::{House, local};
use crate::on_both;

on_both!(
    a_theme_that_was_set_wins_over_covers,
    a_record_from_before_its_cover_sets_no_colours,
    themes_have_rules,
);

async fn upload_cover(house: &House, path: &str, upload: &str, colour: [u8; 3]) {
    let renewed = house.post(&format!("{path}/cover"), Value::Null).await.expect_ok();
    let url = local(renewed.json[upload]["upload_url"].as_str().unwrap()).to_owned();
    house.send(Request::post(url).body(Body::from(picture(colour))).unwrap()).await.expect_ok();
}

async fn a_theme_that_was_set_wins_over_covers(database: TestDatabase) {
    let house = House::open(database).await;
    let theme = json!([{ "hex": "#cc2211", "area": 0.75, "lightness": 0.43, "saturation": 0.85 }]);
    let created = house.create_track("Song.wav").await;
    let track = format!("/v1/track/{}", created["track_id"].as_str().unwrap());
    let collection = format!("/v1/collection/{}", house.collection_id);
    for (path, noun) in [(&track, "track"), (&collection, "collection")] {
        let upload = format!("{noun}_cover_upload");
        let updated = house.put(path, json!({ "theme": theme })).await.expect_ok();
        assert_eq!(updated.json[noun]["theme"], theme);
        assert_eq!(updated.json[noun]["player_color"], "#cc2211");
        upload_cover(&house, path, &upload, [20, 30, 200]).await;
        let read = house.get(path).await.expect_ok();
        assert_eq!(
            (&read.json[noun]["theme"], &read.json[noun]["player_color"]),
            (&theme, &json!("#cc2211"))
        );
        // Clearing the theme restores the colours of the cover.
        let cleared = house.put(path, json!({ "theme": null })).await.expect_ok();
        let found = cleared.json[noun]["theme"].as_array().unwrap();
        assert!(!found.is_empty() && found[0]["hex"] != "#cc2211", "{found:?}");
        // A derived theme that is sent back in its record stays derived: the next cover replaces it.
        let record = house.get(path).await.expect_ok().json[noun].clone();
        house.put(path, record.clone()).await.expect_ok();
        let renewed = house.post(&format!("{path}/cover"), Value::Null).await.expect_ok();
        assert_eq!(renewed.json[noun]["id"], record["id"]);
        let url = local(renewed.json[&upload]["upload_url"].as_str().unwrap()).to_owned();
        house.send(Request::post(url).body(Body::from(picture([20, 200, 30]))).unwrap()).await.expect_ok();
        let read = house.get(path).await.expect_ok();
        assert_ne!(read.json[noun]["theme"], record["theme"]);
        assert_ne!(read.json[noun]["player_color"], record["player_color"]);
    }
    let organization = format!("/v1/organization/{}", house.organization_id);
    house.put(&organization, json!({ "theme": theme })).await.expect_ok();
    house.set_organization_cover(picture([20, 30, 200])).await;
    assert_eq!(house.get(&organization).await.json["organization"]["theme"], theme);
}

async fn a_record_from_before_its_cover_sets_no_colours(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let track = format!("/v1/track/{}", created["track_id"].as_str().unwrap());
    let collection = format!("/v1/collection/{}", house.collection_id);
    for (path, noun) in [(&track, "track"), (&collection, "collection")] {
        let read = async || house.get(path).await.expect_ok().json[noun].clone();
        let mut older = vec![read().await];
        for colour in [[200, 30, 20], [20, 200, 30]] {
            upload_cover(&house, path, &format!("{noun}_cover_upload"), colour).await;
            let found = read().await;
            for (number, record) in older.iter_mut().enumerate() {
                record["metadata"] = json!({ "number": number });
                house.put(path, record.clone()).await.expect_ok();
                let now = read().await;
                assert_eq!(now["metadata"], record["metadata"]);
                let colours = |record: &Value| ["theme", "player_color"].map(|field| record[field].clone());
                assert_eq!(colours(&now), colours(&found), "{noun} {number}");
            }
            older.push(found);
        }
        // What somebody changes in an older record counts. A colour that was set then says nothing about the theme.
        let found = read().await["theme"].clone();
        older[0]["player_color"] = json!("#123456");
        for _ in 0..2 {
            house.put(path, older[0].clone()).await.expect_ok();
            let mut now = read().await;
            assert_eq!((&now["player_color"], &now["theme"]), (&json!("#123456"), &found));
            now["theme"] = json!([]);
            older[0] = now;
        }
    }
}

async fn themes_have_rules(database: TestDatabase) {
    let house = House::open(database).await;
    let colour = |area: Value| json!({ "hex": "#112233", "area": area, "lightness": 0.1, "saturation": 0.5 });
    let create = |theme: Value| house.post("/v1/collection", json!({ "title": "x", "theme": theme }));
    create(json!(vec![colour(json!(0.1)); 8])).await.expect_ok();
    create(json!(vec![colour(json!(0.1)); 9])).await.expect_field("theme");
    create(json!([colour(json!(1.5))])).await.expect_field("theme");
    create(json!([colour(json!("half"))])).await.expect_field("theme[0].area");
    create(json!("#112233")).await.expect_field("theme");
    create(json!([{ "hex": "red", "area": 0, "lightness": 0, "saturation": 0 }]))
        .await
        .expect_field("theme[0].hex");
}
