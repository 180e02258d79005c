//! Decisions, "shown titles": the title that was set, else the tag, else the file name.

use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;
use tonearm_fixtures::audio::transcode;

use crate::house::{House, tone};
use crate::on_both;

on_both!(
    a_title_is_always_shown,
    a_subtitle_comes_from_the_nearest_level,
    a_record_of_a_list_sets_no_derived_texts,
);

/// A song with a title and an artist in its tags.
async fn tagged_song() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let [wav, song] = ["in.wav", "song.mp3"].map(|name| folder.path().join(name));
    std::fs::write(&wav, tone()).unwrap();
    transcode(&wav, &song, &["-metadata", "title=Tagged", "-metadata", "artist=Someone"]).await;
    std::fs::read(song).unwrap()
}

/// The title and the artist of a track, everywhere players see them: in the list, in a session, and when it is played.
async fn shown(house: &House, track: &str) -> (Value, Value) {
    let list = house.get(&format!("/v1/collection/{}/track", house.collection_id)).await.expect_ok();
    let body = json!({ "collection_id": house.collection_id });
    let session = house.post("/v1/play_session/collection", body).await.expect_ok();
    let id = session.json["play_session_id"].as_str().unwrap();
    let played = house.get_open(&format!("/v1/play/{id}/{track}")).await.expect_ok();
    let full = house.get(&format!("/v1/track/{track}")).await.expect_ok();
    let of = |list: &Value| {
        let entry = list.as_array().unwrap().iter().find(|entry| entry["id"] == track).unwrap().clone();
        (entry["player_title"].clone(), entry["player_subtitle"].clone())
    };
    let words = of(&list.json["tracks"]);
    assert_eq!(of(&session.json["tracks"]), words);
    let played = &played.json["track"];
    assert_eq!((played["player_title"].clone(), played["player_subtitle"].clone()), words);
    let full = &full.json["track"];
    assert_eq!((full["shown_title"].clone(), full["shown_subtitle"].clone()), words);
    words
}

async fn a_title_is_always_shown(database: TestDatabase) {
    let house = House::open(database).await;
    let plain = house.ready_track("My Song.v2.wav").await;
    let tagged = house.ready_track_of("recording.mp3", tagged_song().await).await;
    assert_eq!(shown(&house, &plain).await, (json!("My Song.v2"), Value::Null));
    assert_eq!(shown(&house, &tagged).await, (json!("Tagged"), json!("Someone")));
    // The track itself shows whether a title was set.
    let path = format!("/v1/track/{tagged}");
    let read = house.get(&path).await.expect_ok();
    assert_eq!(read.json["track"]["player_title"], Value::Null);
    assert_eq!(read.json["track"]["player_subtitle"], Value::Null);
    let updated =
        house.put(&path, json!({ "player_title": "Set", "player_subtitle": "Too" })).await.expect_ok();
    assert_eq!(updated.json["track"]["player_title"], "Set");
    assert_eq!(shown(&house, &tagged).await, (json!("Set"), json!("Too")));
    let read = house.get(&path).await.expect_ok();
    assert_eq!(read.json["track"]["player_title"], "Set");
    house.put(&path, json!({ "player_title": " ", "player_subtitle": null })).await.expect_ok();
    assert_eq!(shown(&house, &tagged).await, (json!("Tagged"), json!("Someone")));
}

async fn a_subtitle_comes_from_the_nearest_level(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let organization = format!("/v1/organization/{}", house.organization_id);
    let collection = format!("/v1/collection/{}", house.collection_id);
    house.put(&organization, json!({ "player_subtitle": "The organization" })).await.expect_ok();
    house.clock.advance_seconds(2);
    assert_eq!(shown(&house, &track).await.1, "The organization");
    house.put(&collection, json!({ "player_subtitle": "The collection" })).await.expect_ok();
    assert_eq!(shown(&house, &track).await.1, "The collection");
    house.put(&format!("/v1/track/{track}"), json!({ "player_subtitle": "The track" })).await.expect_ok();
    assert_eq!(shown(&house, &track).await.1, "The track");
}

async fn a_record_of_a_list_sets_no_derived_texts(database: TestDatabase) {
    let house = House::open(database).await;
    let plain = house.ready_track("Song.wav").await;
    let tagged = house.ready_track_of("recording.mp3", tagged_song().await).await;
    let blank = house.ready_track("Blank.wav").await;
    let organization = format!("/v1/organization/{}", house.organization_id);
    house.put(&organization, json!({ "player_subtitle": "The organization" })).await.expect_ok();
    house.put(&format!("/v1/track/{blank}"), json!({ "player_title": " " })).await.expect_ok();
    house.clock.advance_seconds(2);
    let list = house.get(&format!("/v1/collection/{}/track", house.collection_id)).await.expect_ok();
    let record = |id: &str| {
        list.json["tracks"].as_array().unwrap().iter().find(|track| track["id"] == id).unwrap().clone()
    };
    for (id, title) in [(&plain, Value::Null), (&tagged, Value::Null), (&blank, json!(" "))] {
        let path = format!("/v1/track/{id}");
        house.put(&path, record(id)).await.expect_ok();
        let read = house.get(&path).await.expect_ok();
        assert_eq!(read.json["track"]["player_title"], title);
        assert_eq!(read.json["track"]["player_subtitle"], Value::Null);
    }
    // A title from before the tags of the file were known is none either.
    let path = format!("/v1/track/{tagged}");
    let mut early = record(&tagged);
    early["player_title"] = json!("recording");
    early["player_subtitle"] = json!("The organization");
    house.put(&path, early).await.expect_ok();
    assert_eq!(shown(&house, &tagged).await, (json!("Tagged"), json!("Someone")));
    // The texts of a full record are those that were set, so that it can set any.
    let mut full = house.get(&path).await.expect_ok().json["track"].clone();
    full["player_title"] = json!("recording");
    house.put(&path, full).await.expect_ok();
    assert_eq!(shown(&house, &tagged).await, (json!("recording"), json!("Someone")));
    // Other texts of a record are set, and so are the same texts by themselves.
    let mut changed = record(&tagged);
    changed["player_title"] = json!("Changed");
    house.put(&path, changed).await.expect_ok();
    assert_eq!(shown(&house, &tagged).await, (json!("Changed"), json!("Someone")));
    house.put(&format!("/v1/track/{plain}"), json!({ "player_title": "Song" })).await.expect_ok();
    let read = house.get(&format!("/v1/track/{plain}")).await.expect_ok();
    assert_eq!(read.json["track"]["player_title"], "Song");
}
