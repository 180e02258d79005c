//! Files that are not feeds, and feeds that are made to do harm.

use tonearm_fixtures::{FileAnswer, FileServer};
use tonearm_testkit::{Backend, TestServer};

use super::feeds::{PRIVATE, feed};
use super::{CommandLine, tracks};

/// An item with the URLs of an audio file and a picture.
fn item(file: &str, picture: &str) -> String {
    format!(
        "<item><title>\u{7}\u{1b}[2JOne</title><guid>1</guid><itunes:image href=\"{picture}\"/>
         <enclosure url=\"{file}\" length=\"1\" type=\"audio/mpeg\"/></item>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_feed_is_one_sentence() {
    let server = TestServer::start(Backend::Embedded).await;
    let cli = CommandLine::of(&server);
    let collection = server.client.collection("Hostile").await;
    let files = FileServer::start(|request| {
        let deep = format!("<rss>{}", "<a>".repeat(500_000));
        match request.path.as_str() {
            "/page" => {
                FileAnswer::whole(b"<!DOCTYPE html><html><body>Sign in").with("content-type", "text/html")
            }
            "/json" => FileAnswer::whole(b"{}"),
            "/cut" => FileAnswer::whole(b"<rss><channel><title>A</title>"),
            "/broken" => FileAnswer::whole(feed("").as_bytes()).cut(200),
            "/large" => FileAnswer::whole(b"<rss>").with("content-length", "40000000"),
            "/endless" => FileAnswer::unmeasured(&[b' '; 65_536]).repeat(),
            "/deep" => FileAnswer::whole(deep.as_bytes()),
            "/packed" => FileAnswer::whole(b"\x1f\x8b").with("content-encoding", "gzip"),
            "/around" => FileAnswer::redirect("302 Found", "/around"),
            _ => FileAnswer::status("404 Not Found"),
        }
    })
    .await;
    for (path, expected) in [
        ("/page", "this is a web page, not a feed"),
        ("/json", "this is not a feed: it contains no XML"),
        ("/cut", "the feed is not complete"),
        ("/broken", "the feed cannot be fetched from 127.0.0.1: "),
        ("/large", "the feed is larger than 32 MiB"),
        ("/endless", "the feed is larger than 32 MiB"),
        ("/deep", "the feed is nested more than 100 elements deep"),
        ("/packed", "127.0.0.1 sends the feed compressed"),
        ("/around", "the server redirects more than 5 times"),
        ("/missing?token=secret", "127.0.0.1 responds with 404 Not Found instead of the feed"),
    ] {
        let run = cli.run(&["import-feed", &files.url(path), "--collection", &collection]);
        assert_eq!(
            (run.code, run.lines.len(), run.errors.lines().count()),
            (Some(1), 0, 1),
            "{path}: {}",
            run.errors
        );
        assert!(run.failure().contains(expected), "{path}: {}", run.errors);
        assert!(!run.errors.contains("secret"));
    }
    for wrong in ["ftp://example.com/feed", "/nonexistent/feed.xml"] {
        let run = cli.run(&["import-feed", wrong, "--collection", &collection]);
        assert_ne!(run.code, Some(0), "{wrong}");
    }
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_reaches_nothing_that_is_not_public() {
    let server = TestServer::start(Backend::Embedded).await;
    let cli = CommandLine::of(&server);
    let private = FileServer::start(|_| FileAnswer::whole(b"secret")).await;
    let collection = server.client.collection("Guarded").await;
    let feed_of = |name: &str, items: String| {
        let path = cli.state.path().join(name);
        std::fs::write(&path, feed(&items)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // The service refuses the file, as it does for every caller.
    let path = feed_of("file.xml", item(&private.url("/1.mp3"), ""));
    let run = cli.run(&["import-feed", &path, "--collection", &collection]);
    assert_eq!((run.code, run.count("failed")), (Some(1), 1), "{}", run.errors);
    assert!(run.reasons()[0].contains("is not a public internet address"), "{:?}", run.reasons());
    assert!(tracks(&server.client, &collection).await.is_empty());
    server.node.stop().await;

    // The program refuses the picture. The episode is still imported.
    let server = TestServer::start_with(Backend::Embedded, &[PRIVATE, ("TONEARM_ROLES", "api,edge")]).await;
    let cli = CommandLine::to(server.node.public_url(), server.client.key());
    let collection = server.client.collection("Guarded").await;
    let path = feed_of("picture.xml", item("https://example.com/1.mp3", &private.url("/1.png")));
    let output = cli.command(&["import-feed", &path, "--collection", &collection]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(errors.contains("has no cover: the picture cannot be fetched: "), "{errors}");
    assert!(errors.contains("use --allow-private") && !errors.contains("outbound."), "{errors}");
    assert!(!errors.contains('\u{1b}') && !errors.contains('\u{7}'), "{errors:?}");
    assert_eq!(tracks(&server.client, &collection).await.len(), 1);
    assert!(private.requests().is_empty());
    // It refuses pages, and new places of the feed, alike.
    for element in
        ["<itunes:new-feed-url>URL</itunes:new-feed-url>", "<atom:link rel=\"next\" href=\"URL\"/>"]
    {
        let path = feed_of("page.xml", element.replace("URL", &private.url("/page.xml")));
        let run = cli.run(&["import-feed", &path, "--collection", &collection]);
        assert_eq!(run.code, Some(1), "{element}");
        assert!(run.failure().contains("is not a public internet address"), "{}", run.errors);
    }
    assert!(private.requests().is_empty());
    // A feed without anything to import is not an error.
    let path = feed_of("none.xml", "<item><title>No file</title></item>".to_owned());
    let run = cli.run(&["import-feed", &path, "--collection", &collection]);
    assert_eq!((run.code, run.count("skipped")), (Some(0), 1));
    assert_eq!(run.items("skipped", "reason"), ["it has no file"]);
    server.node.stop().await;
}
