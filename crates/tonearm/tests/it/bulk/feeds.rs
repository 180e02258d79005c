//! `tonearm import-feed`

use std::sync::{Arc, Mutex};

use serde_json::json;
use tonearm_fixtures::{FileAnswer, FileServer};
use tonearm_testkit::{Backend, TestServer};

use super::{CommandLine, all, sound, tracks};
use crate::covers::picture;

pub(super) const PRIVATE: (&str, &str) = ("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true");

/// An item of a feed: a number, a title and further elements. Items with higher numbers are newer.
fn item(number: u64, title: &str, more: &str) -> String {
    format!(
        "<item><title>{title}</title><guid isPermaLink=\"false\">ep-{number}</guid>
         <pubDate>{:02} Jan 2024 10:00:00 GMT</pubDate><link>https://example.com/{number}</link>
         <enclosure url=\"/{number}.wav?token=x\" length=\"1\" type=\"audio/wav\"/>{more}</item>",
        number + 1
    )
}

pub(super) fn feed(items: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
             xmlns:atom="http://www.w3.org/2005/Atom"><channel>
        <title>The Show</title><link>https://example.com</link><description>About</description>
        <itunes:author>Ann</itunes:author><itunes:image href="/show.png"/>{items}</channel></rss>"#
    )
}

/// A server with a feed that changes, audio files and pictures.
struct Podcast {
    files: FileServer,
    feed: Arc<Mutex<String>>,
}

impl Podcast {
    async fn start(items: &str) -> Self {
        let content = Arc::new(Mutex::new(feed(items)));
        let of_server = Arc::clone(&content);
        let files = FileServer::start(move |request| {
            let path = request.path.split('?').next().unwrap_or_default();
            match path.trim_start_matches('/').split_once('.') {
                Some(("feed", _)) => FileAnswer::whole(of_server.lock().unwrap().as_bytes())
                    .with("content-type", "application/rss+xml"),
                Some((_, "png")) => FileAnswer::whole(&picture()).with("content-type", "image/png"),
                Some((number, "wav")) => match number.parse() {
                    Ok(number) => FileAnswer::whole(&sound(number, 0.5)).with("content-type", "audio/wav"),
                    Err(_) => FileAnswer::status("404 Not Found"),
                },
                _ => FileAnswer::redirect("302 Found", "/feed.xml"),
            }
        })
        .await;
        Self { files, feed: content }
    }

    fn set(&self, items: &str) {
        *self.feed.lock().unwrap() = feed(items);
    }

    fn asked_for(&self, path: &str) -> usize {
        self.files.requests().iter().filter(|request| request.path.starts_with(path)).count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_podcast_is_imported_once() {
    let server = TestServer::start_with(Backend::Embedded, &[PRIVATE]).await;
    let (cli, client) = (CommandLine::of(&server), &server.client);
    let more = "<itunes:season>1</itunes:season><itunes:episode>2</itunes:episode>
        <itunes:duration>1:00</itunes:duration><itunes:image href=\"/two.png\"/>";
    let two = item(2, "Two &amp; more", more);
    let video = "<item><title>Film</title><enclosure url='/f.mp4' type='video/mp4' length='1'/></item>";
    let podcast = Podcast::start(&format!("{two}{video}{}", item(1, "One", ""))).await;
    let collection = client.collection("Podcast").await;
    let url = podcast.files.url("/latest");
    let arguments =
        ["import-feed", &url, "--collection", &collection, "--cover", "--allow-private", "--wait"];

    let dry = cli.run(&[&arguments[..6], &["--dry-run"]].concat());
    assert_eq!(
        (dry.code, dry.count("would_import"), dry.count("skipped")),
        (Some(0), 2, 1),
        "{}",
        dry.errors
    );
    let first = cli.run(&arguments);
    assert_eq!((first.code, first.count("imported")), (Some(0), 2), "{} {:?}", first.errors, first.lines);
    assert_eq!(first.items("imported", "track_status_id"), ["ready"; 2]);
    assert!(!first.errors.contains("Warning"), "{}", first.errors);
    let stored = tracks(client, &collection).await;
    assert_eq!(all(&stored, "player_title"), ["One", "Two & more"]);
    assert_eq!(all(&stored, "player_subtitle"), ["The Show", "The Show"]);
    assert_eq!(all(&stored, "organization_index"), ["ep-1", "ep-2"]);
    assert_eq!(
        stored[1]["metadata"],
        json!({
            "guid": "ep-2", "published_at": "2024-01-03T10:00:00.000Z", "link": "https://example.com/2",
            "season": 1, "episode": 2, "feed_duration": 60,
            "feed": {
                "guid": "ep-2", "published_at": "2024-01-03T10:00:00.000Z", "link": "https://example.com/2",
                "season": 1, "episode": 2, "feed_duration": 60, "title": "Two & more", "subtitle": "The Show",
            },
        })
    );
    // The second episode has its own cover. The collection has the cover of the podcast.
    assert_eq!((podcast.asked_for("/two.png"), podcast.asked_for("/show.png")), (1, 1));
    let of_collection = client.get(&format!("/v1/collection/{collection}")).await.ok();
    assert!(!of_collection["collection"]["theme"].as_array().unwrap().is_empty());
    let second = client.get(&format!("/v1/track/{}", stored[1]["id"].as_str().unwrap())).await.ok();
    assert!(!second["track"]["theme"].as_array().unwrap().is_empty());

    // Import again, with one more episode.
    podcast.set(&format!("{}{two}{}", item(3, "Three", ""), item(1, "One", "")));
    let again = cli.run(&arguments);
    assert_eq!(
        (again.code, again.count("imported"), again.count("present")),
        (Some(0), 1, 2),
        "{}",
        again.errors
    );
    assert_eq!(all(&tracks(client, &collection).await, "player_title"), ["One", "Two & more", "Three"]);
    for path in ["/1.wav", "/2.wav", "/3.wav", "/two.png", "/show.png"] {
        assert_eq!(podcast.asked_for(path), 1, "{path}");
    }
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_titles_are_updated_if_that_is_wanted() {
    let server = TestServer::start_with(Backend::Embedded, &[PRIVATE]).await;
    let (cli, client) = (CommandLine::of(&server), &server.client);
    let podcast = Podcast::start(&format!("{}{}", item(2, "Two", ""), item(1, "One", ""))).await;
    let collection = client.collection("Podcast").await;
    let url = podcast.files.url("/feed.xml");
    let arguments = ["import-feed", &url, "--collection", &collection];
    assert_eq!(cli.run(&arguments).count("imported"), 2);
    let stored = tracks(client, &collection).await;
    // Metadata that others store with a track is kept.
    let mut metadata = stored[0]["metadata"].clone();
    metadata["ours"] = json!({ "a": 1 });
    let path = format!("/v1/track/{}", stored[0]["id"].as_str().unwrap());
    client.put(&path, &json!({ "metadata": metadata })).await.ok();
    podcast.set(&format!("{}{}", item(2, "Two", ""), item(1, "One, corrected", "<author>Bob</author>")));
    let untouched = cli.run(&arguments);
    assert_eq!((untouched.code, untouched.count("present")), (Some(0), 2));
    assert_eq!(all(&tracks(client, &collection).await, "player_title"), ["One", "Two"]);
    let dry = cli.run(&[&arguments[..], &["--update", "--dry-run"]].concat());
    assert_eq!((dry.count("would_update"), dry.count("present")), (1, 1));
    let updated = cli.run(&[&arguments[..], &["--update"]].concat());
    assert_eq!((updated.code, updated.count("updated"), updated.count("present")), (Some(0), 1, 1));
    let stored = tracks(client, &collection).await;
    assert_eq!(all(&stored, "player_title"), ["One, corrected", "Two"]);
    assert_eq!(
        (&stored[0]["metadata"]["ours"]["a"], &stored[0]["metadata"]["author"]),
        (&json!(1), &json!("Bob"))
    );
    let settled = cli.run(&[&arguments[..], &["--update"]].concat());
    assert_eq!(settled.count("present"), 2, "nothing is left to update");
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_changed_is_kept_until_the_feed_changes_it() {
    let server = TestServer::start_with(Backend::Embedded, &[PRIVATE]).await;
    let (cli, client) = (CommandLine::of(&server), &server.client);
    let season = |season: u32| format!("<itunes:season>{season}</itunes:season>");
    let podcast = Podcast::start(&item(1, "One", &season(1))).await;
    let collection = client.collection("Podcast").await;
    let url = podcast.files.url("/feed.xml");
    let arguments = ["import-feed", &url, "--collection", &collection, "--update"];
    assert_eq!(cli.run(&arguments).count("imported"), 1);
    let track = async || tracks(client, &collection).await.remove(0);
    let path = format!("/v1/track/{}", track().await["id"].as_str().unwrap());
    let mut metadata = track().await["metadata"].clone();
    metadata["season"] = json!(7);
    let corrected = json!({ "player_title": "The first", "player_subtitle": "A show", "metadata": metadata });
    client.put(&path, &corrected).await.ok();
    let shown = async || {
        let track = track().await;
        let metadata = &track["metadata"];
        json!([track["player_title"], track["player_subtitle"], metadata["season"], metadata["author"]])
    };
    let same = cli.run(&arguments);
    assert_eq!((same.code, same.count("present")), (Some(0), 1), "{:?}", same.lines);
    assert_eq!(shown().await, json!(["The first", "A show", 7, null]));
    podcast.set(&item(1, "One", &format!("{}<author>Bob</author>", season(1))));
    assert_eq!(cli.run(&arguments).count("updated"), 1);
    assert_eq!(shown().await, json!(["The first", "A show", 7, "Bob"]));
    podcast.set(&item(1, "One!", &season(2)));
    assert_eq!(cli.run(&arguments).count("updated"), 1);
    assert_eq!(shown().await, json!(["One!", "A show", 2, null]), "the feed has no author any more");

    // A track of an earlier version, which kept nothing of the feed: it stays as it is until the feed changes.
    let mut metadata = track().await["metadata"].clone();
    metadata.as_object_mut().unwrap().remove("feed");
    client.put(&path, &json!({ "player_title": "Again", "metadata": metadata })).await.ok();
    assert_eq!(cli.run(&arguments).count("present"), 1);
    assert_eq!(shown().await, json!(["Again", "A show", 2, null]));
    podcast.set(&item(1, "One?", &season(2)));
    assert_eq!(cli.run(&arguments).count("updated"), 1);
    assert_eq!(shown().await, json!(["One?", "A show", 2, null]));
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_is_read_where_it_is_now_and_with_all_pages() {
    let server = TestServer::start_with(Backend::Embedded, &[PRIVATE, ("TONEARM_ROLES", "api,edge")]).await;
    let (cli, client) = (CommandLine::of(&server), &server.client);
    let file =
        |number: u64| item(number, &format!("Number {number}"), "").replace("\"/", "\"https://example.com/");
    let files = FileServer::start(move |request| {
        let text = match request.path.as_str() {
            "/old.xml" => feed(&format!("<itunes:new-feed-url>/feed.xml</itunes:new-feed-url>{}", file(9))),
            // It names itself, as hosts do.
            "/feed.xml" => feed(&format!(
                "<itunes:new-feed-url>feed.xml</itunes:new-feed-url>
                 <atom:link rel=\"next\" href=\"/feed.xml?page=2\"/>{}{}",
                file(5),
                file(4)
            )),
            "/feed.xml?page=2" => {
                feed(&format!("<atom:link rel=\"next\" href=\"/feed.xml?page=3\"/>{}{}", file(3), file(2)))
            }
            // The last page leads back to the first.
            "/feed.xml?page=3" => feed(&format!("<atom:link rel=\"next\" href=\"/feed.xml\"/>{}", file(1))),
            _ => return FileAnswer::status("404 Not Found"),
        };
        FileAnswer::whole(text.as_bytes()).with("content-type", "application/xml")
    })
    .await;
    let collection = client.collection("Pages").await;
    let url = files.url("/old.xml");
    let run = cli.run(&["import-feed", &url, "--collection", &collection]);
    assert_eq!((run.code, run.count("imported")), (Some(0), 5), "{}", run.errors);
    assert!(run.errors.contains("the feed has moved to 127.0.0.1"), "{}", run.errors);
    let indexes: Vec<String> = (1..=5).map(|number| format!("ep-{number}")).collect();
    assert_eq!(all(&tracks(client, &collection).await, "organization_index"), indexes);
    assert_eq!(files.requests().len(), 4);
    // A page that is missing is not the end of the feed.
    let broken = cli.state.path().join("broken.xml");
    let next = format!("<atom:link rel=\"next\" href=\"{}\"/>", files.url("/gone.xml"));
    std::fs::write(&broken, feed(&format!("{next}{}", item(8, "Eight", "")))).unwrap();
    let arguments = ["import-feed", broken.to_str().unwrap(), "--collection", &collection, "--allow-private"];
    let run = cli.run(&arguments);
    assert_eq!((run.code, run.lines.len()), (Some(1), 0));
    assert!(run.failure().contains("responds with 404 Not Found instead of the feed"), "{}", run.errors);
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_imports_are_told_and_repeated() {
    let server = TestServer::start_with(Backend::Embedded, &[PRIVATE]).await;
    let (cli, client) = (CommandLine::of(&server), &server.client);
    let missing = item(2, "Two", "").replace("/2.wav", "/missing.wav");
    let podcast = Podcast::start(&format!("{missing}{}", item(1, "One", ""))).await;
    let collection = client.collection("Podcast").await;
    let url = podcast.files.url("/feed.xml");
    let arguments = ["import-feed", &url, "--collection", &collection, "--wait"];
    let first = cli.run(&arguments);
    assert_eq!(
        (first.code, first.count("imported"), first.count("failed")),
        (Some(1), 1, 1),
        "{}",
        first.errors
    );
    assert!(first.reasons()[0].contains("404"), "{:?}", first.reasons());
    podcast.set(&format!("{}{}", item(2, "Two", ""), item(1, "One", "")));
    let again = cli.run(&arguments);
    assert_eq!((again.code, again.count("present")), (Some(0), 2));
    assert!(again.items("present", "reason").iter().any(|reason| reason.contains("--retry-failed")));
    let retried = cli.run(&[&arguments[..], &["--retry-failed"]].concat());
    assert_eq!((retried.code, retried.count("imported"), retried.count("present")), (Some(0), 1, 1));
    let stored = tracks(client, &collection).await;
    assert_eq!(all(&stored, "track_status_id"), ["ready", "ready"]);
    // If the operator does not allow imports, all of them are refused.
    server.node.stop().await;
    let off = [PRIVATE, ("TONEARM_OUTBOUND_ALLOW_IMPORTS", "false")];
    let server = TestServer::start_with(Backend::Embedded, &off).await;
    let collection = server.client.collection("Off").await;
    let run = CommandLine::of(&server).run(&["import-feed", &url, "--collection", &collection]);
    assert_eq!((run.code, run.count("failed"), run.count("stopped")), (Some(1), 1, 1), "{}", run.errors);
    server.node.stop().await;
}

/// Imports a large feed from a file to a service that has no workers.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_feed_is_imported() {
    let server = TestServer::start_with(Backend::Embedded, &[PRIVATE, ("TONEARM_ROLES", "api,edge")]).await;
    let (cli, client) = (CommandLine::of(&server), &server.client);
    let items = |count: u64| -> String {
        let item =
            |number: u64| item(0, &format!("Number {number}"), "").replace("ep-0", &format!("ep-{number}"));
        (0..count).rev().map(item).collect::<String>().replace("\"/0.wav", "\"https://example.com/0.wav")
    };
    let collection = client.collection("Large").await;
    let file = cli.state.path().join("feed.xml");
    std::fs::write(&file, feed(&items(600))).unwrap();
    let arguments = ["import-feed", file.to_str().unwrap(), "--collection", &collection];
    let newest = cli.run(&[&arguments[..], &["--newest", "100"]].concat());
    assert_eq!((newest.code, newest.count("imported")), (Some(0), 100), "{}", newest.errors);
    let rest = cli.run(&arguments);
    assert_eq!(
        (rest.code, rest.count("imported"), rest.count("present")),
        (Some(0), 500, 100),
        "{}",
        rest.errors
    );
    std::fs::write(&file, feed(&items(5000))).unwrap();
    let dry = cli.run(&[&arguments[..], &["--dry-run"]].concat());
    assert_eq!((dry.count("would_import"), dry.count("present")), (4400, 600), "{}", dry.errors);
    let list = client.get(&format!("/v1/collection/{collection}/track")).await.ok();
    assert_eq!(list["count"], 600);
    server.node.stop().await;
}
