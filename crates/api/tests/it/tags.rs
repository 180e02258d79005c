//! Tags of a file: reported, used for the order of uploads, and written into rendered files.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;
use tonearm_fixtures::audio::{Id3, transcode};
use tonearm_media::{Media, MediaConfig, RunScope};

use crate::house::{House, tone};
use crate::on_both;

on_both!(
    a_file_tells_its_tags_and_chapters,
    files_that_keep_tags_say_what_the_owner_set,
    an_uploaded_album_ends_in_its_order,
);

/// A second of sound as an MP3 file without tags.
async fn bare_song() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let [wav, song] = ["in.wav", "song.mp3"].map(|name| folder.path().join(name));
    std::fs::write(&wav, tone()).unwrap();
    transcode(&wav, &song, &["-id3v2_version", "0"]).await;
    std::fs::read(song).unwrap()
}

/// A song with all tags, whose last chapter ends at this millisecond.
async fn told_song(end: u32) -> Vec<u8> {
    let tag = Id3::new(3)
        .text(b"TIT2", "Tagged")
        .text(b"TPE1", "Someone")
        .text(b"TALB", "An album")
        .text(b"TRCK", "3/12")
        .text(b"TYER", "1999")
        .text(b"TLAN", "ger")
        .lyrics(b"deu", "eins\nzwei")
        .chapter("a", 0, 400, "One")
        .chapter("b", 400, end, "Two");
    tag.before(&bare_song().await)
}

async fn a_file_tells_its_tags_and_chapters(database: TestDatabase) {
    let house = House::open(database).await;
    let id = house.ready_track_of("song.mp3", told_song(9000).await).await;
    let read = house.get(&format!("/v1/track/{id}")).await.expect_ok();
    let info = &read.json["track"]["info"];
    let tags = [
        ("title", "Tagged"),
        ("artist", "Someone"),
        ("album", "An album"),
        ("track", "3/12"),
        ("track_number", "3"),
        ("track_total", "12"),
        ("year", "1999"),
        ("language", "de"),
        ("lyrics", "eins\nzwei"),
    ];
    for (name, value) in tags {
        assert_eq!(info["tags"][name], value, "{name}: {info}");
    }
    let chapters = info["chapters"].as_array().unwrap();
    assert_eq!(chapters[0], json!({ "start": 0.0, "end": 0.4, "title": "One" }));
    // The last chapter ends with the sound, whatever the tag claims.
    let (end, duration) = (&chapters[1]["end"], &read.json["track"]["duration"]);
    assert!((end.as_f64().unwrap() - duration.as_f64().unwrap()).abs() < 0.0011, "{end} {duration}");
    // Players get the tags too.
    let body = json!({ "track_id": id });
    let session = house.post("/v1/play_session/track", body).await.expect_ok();
    assert_eq!(session.json["first_track"]["track"]["info"], *info);
    // A file without tags has empty ones.
    let plain = house.ready_track("plain.wav").await;
    let read = house.get(&format!("/v1/track/{plain}")).await.expect_ok();
    let info = &read.json["track"]["info"];
    assert_eq!((&info["tags"], &info["chapters"]), (&json!({}), &json!([])));
}

/// The only object in the store whose name begins like this.
fn object(folder: &Path, beginning: &str) -> Option<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find_map(|path| {
        let is_named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(beginning));
        if path.is_dir() { object(&path, beginning) } else { is_named.then_some(path) }
    })
}

async fn files_that_keep_tags_say_what_the_owner_set(database: TestDatabase) {
    let house = House::open(database).await;
    for (index, is_strip_tags) in [("kept", false), ("stripped", true)] {
        let kind = json!({ "variant_type_id": "transcode", "codec": "mp3", "is_strip_tags": is_strip_tags });
        house.add_recipe(index, kind).await;
    }
    let body =
        json!({ "collection_id": house.collection_id, "file_name": "song.mp3", "player_title": "Ours -é" });
    let created = house.post("/v1/track", body).await.expect_ok();
    let url = created.json["track_upload"]["upload_url"].as_str().unwrap();
    house.upload(url, told_song(1000).await).await.expect_ok();
    house.run_jobs().await;
    let media = Media::new(MediaConfig::find());
    let said = async |index: &str| {
        let path = object(house.store(), &format!("{index}.")).unwrap();
        media.probe(&path, &RunScope::default()).await.unwrap().info
    };
    let kept = said("kept").await;
    assert_eq!(kept.tags["title"], "Ours -é");
    assert_eq!((kept.tags["artist"].as_str(), kept.tags["track_number"].as_str()), ("Someone", "3"));
    assert_eq!(kept.chapters.len(), 2);
    let stripped = said("stripped").await;
    assert_eq!((stripped.tags.get("title"), stripped.tags.get("artist")), (None, None));
    assert_eq!(stripped.chapters, []);
}

async fn an_uploaded_album_ends_in_its_order(database: TestDatabase) {
    let house = House::open(database).await;
    let song = bare_song().await;
    let numbered = |disc: &str, track: &str| {
        Id3::new(4).text(b"TALB", "An album").text(b"TPOS", disc).text(b"TRCK", track).before(&song)
    };
    let files = [("2", "1"), ("1", "02/2"), ("1", "x"), ("1", "1/2")];
    let body = json!({ "collection_id": house.collection_id });
    let session = house.post("/v1/upload_session", body).await.expect_ok();
    let path = format!("/v1/upload/{}/track", session.json["upload_session_id"].as_str().unwrap());
    let mut urls: Vec<String> = Vec::new();
    for n in 0..files.len() {
        let body = json!({ "file_name": format!("{n}.mp3") });
        let created = house.call_as("", http::Method::POST, &path, body).await.expect_ok();
        assert_eq!(created.json["track"]["order"], Value::Null, "an uploader is told no order");
        urls.push(created.json["track_upload"]["upload_url"].as_str().unwrap().to_owned());
    }
    // A client that creates tracks one by one gets their order in the response, and it stays.
    let alone = house.create_track("alone.mp3").await;
    assert_eq!(alone["track"]["order"], 5);
    urls.push(alone["track_upload"]["upload_url"].as_str().unwrap().to_owned());
    for (url, (disc, track)) in urls.iter().zip(files.into_iter().chain([("1", "1")])) {
        house.upload(url, numbered(disc, track)).await.expect_ok();
    }
    house.run_jobs().await;
    let list = house.get(&format!("/v1/collection/{}/track", house.collection_id)).await.expect_ok();
    let listed = list.json["tracks"].as_array().unwrap().iter();
    let listed: Vec<(&str, i64)> = listed
        .map(|track| (track["file_name"].as_str().unwrap(), track["order"].as_i64().unwrap()))
        .collect();
    let expected = [("3.mp3", 1), ("1.mp3", 2), ("2.mp3", 3), ("0.mp3", 4), ("alone.mp3", 5)];
    assert_eq!(listed, expected);
}
