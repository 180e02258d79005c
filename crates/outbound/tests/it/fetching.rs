//! Files fetched from a server that misbehaves.

use std::time::Duration;

use futures::StreamExt;
use tonearm_fixtures::{FileAnswer, FileRequest, FileServer};
use tonearm_outbound::{FetchError, FetchLimits, Outbound};

use crate::calls::Table;

fn limits() -> FetchLimits {
    FetchLimits {
        patience: Duration::from_secs(20),
        pause: Duration::from_millis(1),
        ..FetchLimits::of_file(1_000_000)
    }
}

async fn fetch_within(limits: FetchLimits, url: &str) -> Result<Vec<u8>, FetchError> {
    let outbound = Outbound::new(true).unwrap();
    let mut body = outbound.fetch(url, limits).await?.body;
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk?);
    }
    Ok(bytes)
}

/// The result of fetching a file from a server that responds like this.
async fn fetched(
    decide: impl Fn(&FileRequest) -> FileAnswer + Send + Sync + 'static,
) -> (Result<Vec<u8>, FetchError>, FileServer) {
    let server = FileServer::start(decide).await;
    (fetch_within(limits(), &server.url("/song.mp3")).await, server)
}

fn reason(fetched: Result<Vec<u8>, FetchError>) -> String {
    match fetched {
        Err(FetchError::Final(reason)) => reason,
        other => panic!("not a final failure: {other:?}"),
    }
}

fn song() -> Vec<u8> {
    (0..200_u8).collect()
}

#[tokio::test]
async fn a_file_comes_with_its_size_and_its_name() {
    let server = FileServer::start(|_| {
        FileAnswer::whole(&song()).with("content-disposition", "attachment; filename=\"My song.mp3\"")
    })
    .await;
    let outbound = Outbound::new(true).unwrap();
    let fetched = outbound.fetch(&server.url("/download?id=7"), limits()).await.unwrap();
    assert_eq!((fetched.size, fetched.file_name.as_deref()), (Some(200), Some("My song.mp3")));
    let chunks: Vec<_> = fetched.body.map(Result::unwrap).collect().await;
    assert_eq!(chunks.concat(), song());
    let [request] = &server.requests()[..] else { panic!("not one request") };
    assert_eq!(
        (request.path.as_str(), request.header("accept-encoding")),
        ("/download?id=7", Some("identity"))
    );
    assert!(request.header("range").is_none());
}

#[tokio::test]
async fn a_file_without_a_length_ends_with_its_connection() {
    let (bytes, _) = fetched(|_| FileAnswer::unmeasured(&song())).await;
    assert_eq!(bytes.unwrap(), song());
}

#[tokio::test]
async fn a_connection_that_is_cut_at_any_byte_is_resumed() {
    for at in 1..song().len() {
        let (bytes, server) = fetched(move |request| {
            let answer = FileAnswer::of(request, &song(), "a");
            if request.number == 0 { answer.cut(at) } else { answer }
        })
        .await;
        assert_eq!(bytes.unwrap(), song(), "cut at {at}");
        assert_eq!(server.requests()[1].start(), Some(at));
    }
}

#[tokio::test]
async fn every_connection_may_bring_but_little() {
    let (bytes, server) = fetched(|request| FileAnswer::of(request, &song(), "a").cut(3)).await;
    assert_eq!(bytes.unwrap(), song());
    assert_eq!(server.requests().len(), song().len().div_ceil(3));
}

#[tokio::test]
async fn a_server_may_give_less_than_the_rest() {
    let (bytes, _) = fetched(|request| match request.start() {
        None => FileAnswer::of(request, &song(), "a").cut(50),
        Some(start) => {
            let end = (start + 40).min(song().len());
            let range = format!("bytes {start}-{}/{}", end - 1, song().len());
            FileAnswer::rest(&song()[..end], start).with("content-range", &range).with("etag", "\"a\"")
        }
    })
    .await;
    assert_eq!(bytes.unwrap(), song());
}

#[tokio::test]
async fn a_date_tells_that_a_file_is_the_same() {
    let (old, new) = ("Mon, 02 Mar 2026 06:00:00 GMT", "Mon, 02 Mar 2026 06:00:09 GMT");
    let (bytes, _) = fetched(move |request| {
        let answer = match request.start() {
            Some(start) if request.header("if-range") == Some(old) => FileAnswer::rest(&song(), start),
            _ => FileAnswer::whole(&song()).cut(70),
        };
        answer.with("last-modified", old).with("date", new)
    })
    .await;
    assert_eq!(bytes.unwrap(), song());
}

#[tokio::test]
async fn what_cannot_be_resumed_begins_anew() {
    // Nothing indicates that it is still the same file.
    let (bytes, server) = fetched(|_| FileAnswer::whole(&song()).cut(70)).await;
    assert!(matches!(bytes, Err(FetchError::StartOver(_))), "{bytes:?}");
    assert_eq!(server.requests().len(), 1);
    // No byte had arrived.
    let (bytes, _) = fetched(|request| FileAnswer::of(request, &song(), "a").cut(0)).await;
    assert!(matches!(bytes, Err(FetchError::StartOver(_))), "{bytes:?}");
    type Answer = fn(usize) -> FileAnswer;
    let answers: [(&str, Answer); 6] = [
        ("another file", |_| FileAnswer::of(&asking(), &song(), "b")),
        ("no parts", |_| FileAnswer::whole(&song())),
        ("shorter than announced", |_| FileAnswer::status("416 Range Not Satisfiable")),
        ("another part", |start| FileAnswer::rest(&song(), start - 1)),
        ("of another length", |start| FileAnswer::rest(&[song(), song()].concat(), start)),
        ("of which it is not said what it is", |start| {
            FileAnswer::rest(&song(), start).with("content-range", "nonsense")
        }),
    ];
    for (what, answer) in answers {
        let (bytes, server) = fetched(move |request| match request.start() {
            None => FileAnswer::of(request, &song(), "a").cut(70),
            Some(start) => answer(start),
        })
        .await;
        assert!(matches!(bytes, Err(FetchError::StartOver(_))), "{what}: {bytes:?}");
        assert_eq!(server.requests().len(), 2, "{what}");
    }
}

/// A file whose length is not known, from a server that sends at most 40 bytes of it at once.
fn little_by_little(request: &FileRequest) -> FileAnswer {
    let (song, tag) = (song(), "\"a\"");
    let answer = match request.start() {
        None => unreachable!("the beginning was received"),
        Some(start) if start >= song.len() => FileAnswer::status("416 Range Not Satisfiable")
            .with("content-range", &format!("bytes */{}", song.len())),
        Some(start) => {
            let end = (start + 40).min(song.len());
            FileAnswer::rest(&song[..end], start)
                .with("content-range", &format!("bytes {start}-{}/*", end - 1))
        }
    };
    answer.with("etag", tag)
}

/// The start of a chunked response whose connection breaks after some bytes.
fn broken_chunks(bytes: usize) -> FileAnswer {
    let chunk = [format!("{bytes:x}\r\n").as_bytes(), &song()[..bytes], b"\r\n"].concat();
    FileAnswer::unmeasured(&chunk).with("transfer-encoding", "chunked").with("etag", "\"a\"")
}

#[tokio::test]
async fn a_file_of_unknown_length_ends_where_nothing_follows() {
    let (bytes, server) = fetched(|request| match request.start() {
        None => broken_chunks(70),
        Some(_) => little_by_little(request),
    })
    .await;
    assert_eq!(bytes.unwrap(), song());
    let starts: Vec<_> = server.requests().iter().map(FileRequest::start).collect();
    assert_eq!(starts, [None, Some(70), Some(110), Some(150), Some(190), Some(200)]);
    // A part that ends early is no end, either.
    let (bytes, _) = fetched(|request| match request.start() {
        None => broken_chunks(70),
        Some(_) => little_by_little(request).cut(7),
    })
    .await;
    assert_eq!(bytes.unwrap(), song());
    // The server does not say that there is nothing more, or speaks of another file.
    for end in [
        FileAnswer::status("416 Range Not Satisfiable"),
        FileAnswer::status("416 Range Not Satisfiable").with("content-range", "bytes */150"),
        FileAnswer::status("416 Range Not Satisfiable")
            .with("content-range", "bytes */200")
            .with("etag", "\"b\""),
    ] {
        let (bytes, _) = fetched(move |request| match request.start() {
            None => broken_chunks(70),
            Some(200) => end.clone(),
            Some(_) => little_by_little(request),
        })
        .await;
        assert!(matches!(bytes, Err(FetchError::StartOver(_))), "{bytes:?}");
    }
}

/// Servers that send the part that was asked for without having compared the tag or the date.
#[tokio::test]
async fn a_part_of_another_version_is_noticed() {
    const TIMES: [&str; 3] =
        ["Mon, 02 Mar 2026 06:00:00 GMT", "Mon, 02 Mar 2026 06:00:05 GMT", "Mon, 02 Mar 2026 06:00:09 GMT"];
    const TAGS: [&str; 2] = ["W/\"a\"", "W/\"b\""];
    type Change = fn(FileAnswer) -> FileAnswer;
    let dated: [(&str, Change, bool); 5] = [
        ("the same date", |rest| rest.with("last-modified", TIMES[0]), true),
        ("no date, which may be left out", |rest| rest, true),
        ("another date", |rest| rest.with("last-modified", TIMES[1]), false),
        ("a weak tag", |rest| rest.with("last-modified", TIMES[0]).with("etag", TAGS[1]), false),
        ("a strong tag", |rest| rest.with("etag", "\"b\""), false),
    ];
    let tagged: [(&str, Change, bool); 4] = [
        ("the same tag", |rest| rest.with("etag", "\"a\""), true),
        ("no tag", |rest| rest, false),
        ("another tag", |rest| rest.with("etag", "\"b\""), false),
        ("another date", |rest| rest.with("etag", "\"a\"").with("last-modified", TIMES[1]), false),
    ];
    let weak: [(&str, Change, bool); 2] = [
        ("the same weak tag", |rest| rest.with("etag", TAGS[0]), true),
        ("another weak tag", |rest| rest.with("etag", TAGS[1]), false),
    ];
    let begin = |tag: Option<&str>| {
        let first = FileAnswer::whole(&song()).cut(70).with("date", TIMES[2]).with("last-modified", TIMES[0]);
        tag.map_or(first.clone(), |tag| first.with("etag", tag))
    };
    for (tag, cases) in [(None, &dated[..]), (Some("\"a\""), &tagged[..]), (Some(TAGS[0]), &weak[..])] {
        for (what, change, is_same) in cases.iter().copied() {
            let first = begin(tag);
            let (bytes, _) = fetched(move |request| match request.start() {
                None => first.clone(),
                Some(start) => change(FileAnswer::rest(&song(), start)),
            })
            .await;
            match is_same {
                true => assert_eq!(bytes.unwrap(), song(), "{tag:?}: {what}"),
                false => {
                    assert!(matches!(bytes, Err(FetchError::StartOver(_))), "{tag:?}: {what}: {bytes:?}")
                }
            }
        }
    }
}

/// After a cut, too, a server that says when it may be asked is not asked before.
#[tokio::test]
async fn a_pause_that_a_server_asks_for_is_kept_after_a_cut() {
    let (bytes, server) = fetched(|request| match request.number {
        0 => FileAnswer::of(request, &song(), "a").cut(70),
        1 => FileAnswer::status("503 Later").with("retry-after", "1"),
        _ => FileAnswer::of(request, &song(), "a"),
    })
    .await;
    assert_eq!(bytes.unwrap(), song());
    assert_eq!(server.requests().len(), 3);
    // For a pause that is longer than the patience, the run makes room for others.
    let (bytes, server) = fetched(|request| match request.number {
        0 => FileAnswer::of(request, &song(), "a").cut(70),
        _ => FileAnswer::status("503 Later").with("retry-after", "600"),
    })
    .await;
    assert!(matches!(bytes, Err(FetchError::Later(_, Some(600)))), "{bytes:?}");
    assert_eq!(server.requests().len(), 2);
}

/// A request for a whole file.
fn asking() -> FileRequest {
    FileRequest { number: 0, path: "/".to_owned(), headers: Vec::new() }
}

#[tokio::test]
async fn a_server_that_fails_while_it_is_resumed_is_asked_again_for_a_while() {
    let (bytes, server) = fetched(|request| match request.number {
        0 => FileAnswer::of(request, &song(), "a").cut(70),
        1..4 => FileAnswer::status("503 Service Unavailable"),
        _ => FileAnswer::of(request, &song(), "a"),
    })
    .await;
    assert_eq!(bytes.unwrap(), song());
    assert_eq!(server.requests().len(), 5);
    let (bytes, server) = fetched(|request| match request.number {
        0 => FileAnswer::of(request, &song(), "a").cut(70),
        _ => FileAnswer::status("503 Service Unavailable"),
    })
    .await;
    let Err(FetchError::Later(reason, None)) = bytes else { panic!("{bytes:?}") };
    assert_eq!(
        reason,
        "the connection failed 6 times, at last: the server responded with 503 Service Unavailable"
    );
    assert_eq!(server.requests().len(), 6);
    // A link that has expired in the meantime will not work again.
    let (bytes, _) = fetched(|request| match request.number {
        0 => FileAnswer::of(request, &song(), "a").cut(70),
        _ => FileAnswer::status("403 Forbidden"),
    })
    .await;
    let Err(FetchError::Final(reason)) = bytes else { panic!("{bytes:?}") };
    assert_eq!(reason, "the server does not permit access (403 Forbidden)");
}

#[tokio::test]
async fn announced_lengths_hold() {
    // Longer than announced: bytes after the announced end are ignored.
    let (bytes, _) = fetched(|_| FileAnswer::whole(&song()).with("content-length", "10")).await;
    assert_eq!(bytes.unwrap(), song()[..10]);
    // Shorter than announced, and no more bytes on request.
    let (bytes, _) = fetched(|request| match request.start() {
        None => FileAnswer::of(request, &song(), "a").with("content-length", "1000"),
        Some(_) => FileAnswer::status("416 Range Not Satisfiable"),
    })
    .await;
    assert!(matches!(bytes, Err(FetchError::StartOver(_))), "{bytes:?}");
}

#[tokio::test]
async fn redirects_are_followed_a_few_times() {
    let (bytes, server) = fetched(|request| match request.path.as_str() {
        "/song.mp3" => FileAnswer::redirect("301 Moved Permanently", "/a/b"),
        "/a/b" => FileAnswer::redirect("302 Found", "c?x=1"),
        "/a/c?x=1" => FileAnswer::redirect("307 Temporary Redirect", "//127.0.0.1:1/"),
        _ => FileAnswer::whole(&song()),
    })
    .await;
    // That port is not allowed for HTTP.
    assert_eq!(
        reason(bytes),
        "the server redirects to an address that is not allowed: port 1 is not allowed; use 80, 443, or one \
         above 1023 that no other protocol uses"
    );
    assert_eq!(server.requests().len(), 3);
    let (bytes, server) = fetched(|request| match request.number {
        0..5 => FileAnswer::redirect("303 See Other", "/next"),
        _ => FileAnswer::whole(&song()),
    })
    .await;
    assert_eq!(bytes.unwrap(), song());
    assert_eq!(server.requests().len(), 6);
    let (bytes, server) = fetched(|_| FileAnswer::redirect("308 Permanent Redirect", "/song.mp3")).await;
    assert_eq!(reason(bytes), "the server redirects more than 5 times");
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn redirects_lead_to_allowed_addresses_only() {
    for (location, expected) in [
        ("ftp://example.com/a.mp3", "this is not a URL such as"),
        ("file:///etc/passwd", "this is not a URL such as"),
        ("http://me:secret@example.com/", "the URL contains a user name or password"),
        ("http://example.com:6379/", "port 6379 is not allowed"),
    ] {
        let (bytes, _) = fetched(move |_| FileAnswer::redirect("302 Found", location)).await;
        let reason = reason(bytes);
        let cause = reason.strip_prefix("the server redirects to an address that is not allowed: ");
        assert!(cause.unwrap_or_else(|| panic!("{reason}")).starts_with(expected), "{reason}");
        assert!(!reason.contains("secret"), "{reason}");
    }
    for location in ["http://[", "http://"] {
        let (bytes, _) = fetched(move |_| FileAnswer::redirect("302 Found", location)).await;
        assert_eq!(reason(bytes), "the server redirects to an address that is not a URL");
    }
    let (bytes, _) = fetched(|_| FileAnswer::status("302 Found")).await;
    assert_eq!(reason(bytes), "the server redirects to an address that is not a URL");
}

#[tokio::test]
async fn other_hosts_are_told_nothing() {
    let target = FileServer::start(|_| FileAnswer::whole(&song())).await;
    let url = target.url("/elsewhere");
    let (bytes, _) =
        fetched(move |_| FileAnswer::redirect("302 Found", &url).with("set-cookie", "a=b")).await;
    assert_eq!(bytes.unwrap(), song());
    let request = &target.requests()[0];
    for name in ["authorization", "cookie", "referer", "origin"] {
        assert_eq!(request.header(name), None, "{name}");
    }
}

#[tokio::test]
async fn private_addresses_are_not_called() {
    let server = FileServer::start(|_| FileAnswer::whole(&song())).await;
    let names = Table::new(&[&["127.0.0.1"]]);
    let outbound = Outbound::with_names(false, names).unwrap();
    let inside =
        "leads to an address that is not public; to allow such addresses, set outbound.allow_private = true";
    for (url, expected) in [
        (
            server.url("/"),
            "127.0.0.1 is not a public internet address; to allow such addresses, set outbound.allow_private = true"
                .to_owned(),
        ),
        (server.url_at("files.example.com", "/"), format!("files.example.com {inside}")),
        (server.url_at("localhost", "/"), format!("localhost {inside}")),
    ] {
        let refused = outbound.fetch(&url, limits()).await.err().unwrap();
        let FetchError::Final(reason) = refused else { panic!("{refused:?}") };
        assert_eq!(reason, expected);
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn names_and_ports_that_lead_nowhere_may_do_so_later() {
    let outbound = Outbound::with_names(false, Table::new(&[&[]])).unwrap();
    let refused = outbound.fetch("https://nowhere.example/a.mp3", limits()).await.err().unwrap();
    let expected = "cannot resolve the host name nowhere.example";
    assert_eq!(refused, FetchError::Later(expected.to_owned(), None));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let refused = fetch_within(limits(), &closed).await.err().unwrap();
    assert!(matches!(&refused, FetchError::Later(..)), "{refused:?}");
    assert!(refused.to_string().starts_with("could not connect: "), "{refused}");
}

#[tokio::test]
async fn documents_and_compressed_files_are_refused() {
    let with = |name: &'static str, value: &'static str| async move {
        fetched(move |_| FileAnswer::whole(b"<html>").with(name, value)).await.0
    };
    for kind in ["text/html", "Text/HTML; charset=utf-8", "application/json", "text/xml"] {
        let reason = reason(with("content-type", kind).await);
        assert!(reason.starts_with("the URL leads to a document ("), "{kind}: {reason}");
    }
    for kind in ["audio/mpeg", "application/octet-stream", "video/mp4", "text/plain", "nonsense"] {
        assert!(with("content-type", kind).await.is_ok(), "{kind}");
    }
    for encoding in ["gzip", "br, gzip"] {
        let expected = format!(
            "the server sends the file with Content-Encoding {encoding}, which was not requested; serve it without compression"
        );
        assert_eq!(reason(with("content-encoding", encoding).await), expected);
    }
    assert!(with("content-encoding", "identity").await.is_ok());
}

#[tokio::test]
async fn what_a_server_refuses_is_final_or_passes() {
    for (status, expected) in [
        ("404 Not Found", "there is no file at this URL (404 Not Found)"),
        ("410 Gone", "there is no file at this URL (410 Gone)"),
        ("401 Unauthorized", "the server does not permit access (401 Unauthorized)"),
        ("403 Forbidden", "the server does not permit access (403 Forbidden)"),
        ("400 Bad Request", "the server responded with 400 Bad Request"),
        ("204 No Content", "the server responded with 204 No Content"),
        ("206 Partial Content", "the server responded with 206 Partial Content"),
        ("300 Multiple Choices", "the server responded with 300 Multiple Choices"),
    ] {
        assert_eq!(reason(fetched(move |_| FileAnswer::status(status)).await.0), expected);
    }
    for status in ["408 Request Timeout", "429 Too Many Requests", "500 Internal Server Error", "503 Later"] {
        let (bytes, _) = fetched(move |_| FileAnswer::status(status)).await;
        assert!(matches!(bytes, Err(FetchError::Later(_, None))), "{status}: {bytes:?}");
    }
    for (wait, seconds) in [("7", Some(7)), ("0", Some(1)), ("999999", Some(3600)), ("soon", None)] {
        let decide = move |_: &FileRequest| FileAnswer::status("503 Later").with("retry-after", wait);
        let Err(FetchError::Later(_, waits)) = fetched(decide).await.0 else { panic!("{wait}") };
        assert_eq!(waits, seconds, "{wait}");
    }
}

#[tokio::test]
async fn files_that_are_too_large_are_refused_before_and_while_they_come() {
    let (bytes, _) = fetched(|_| FileAnswer::whole(&song()).with("content-length", "1000001")).await;
    assert_eq!(reason(bytes), "the file has 1000001 bytes, which is more than the limit of 1000000 bytes");
    let (bytes, _) = fetched(|_| FileAnswer::unmeasured(&[7; 5000]).repeat()).await;
    assert_eq!(reason(bytes), "the file is larger than the limit of 1000000 bytes");
}

#[tokio::test]
async fn a_server_that_sends_nothing_is_left() {
    let impatient = FetchLimits { patience: Duration::from_millis(100), ..limits() };
    // The server sends no response at all.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = format!("http://{}/", listener.local_addr().unwrap());
    let bytes = fetch_within(impatient, &silent).await;
    assert!(matches!(bytes, Err(FetchError::Later(..))), "{bytes:?}");
    // Each connection stalls after a while.
    let server = FileServer::start(|request| {
        let start = request.start().unwrap_or(0);
        let sent = if start == 0 { 70 } else { 0 };
        FileAnswer::of(request, &song(), "a").cut(sent).hang()
    })
    .await;
    let bytes = fetch_within(impatient, &server.url("/")).await;
    assert!(matches!(bytes, Err(FetchError::Later(..))), "{bytes:?}");
}

/// It sends enough to not seem silent.
#[tokio::test]
async fn a_server_that_is_too_slow_is_left() {
    let slow = FetchLimits { grace: Duration::from_millis(300), pace: 1 << 30, ..limits() };
    let server = FileServer::start(|_| FileAnswer::unmeasured(b"x").drip()).await;
    let bytes = fetch_within(slow, &server.url("/")).await;
    let Err(FetchError::Later(reason, None)) = bytes else { panic!("{bytes:?}") };
    assert!(reason.starts_with("the server sends too slowly: "), "{reason}");
}

#[tokio::test]
async fn a_file_that_never_ends_stops_at_the_end_of_its_time() {
    let bounded = FetchLimits { total: Duration::from_millis(300), ..limits() };
    let server = FileServer::start(|_| FileAnswer::unmeasured(b"x").drip()).await;
    let bytes = fetch_within(bounded, &server.url("/")).await;
    assert_eq!(reason(bytes), "the file could not be fetched within 0 minutes");
}
