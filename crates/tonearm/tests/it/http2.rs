//! HTTP/2 without TLS, where it is allowed. It carries the same streams as with TLS.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::Version;
use serde_json::json;
use socket2::SockRef;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonearm::{Node, Role};
use tonearm_fixtures::EVENTUALLY;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::{Backend, TestServer};

use crate::edge::{deliverable, deliverable_of};
use crate::frames::*;
use crate::text;

async fn node(server: &TestServer, seconds: u64) -> Node {
    let node = server.another_node_with(|config| {
        config.roles = vec![Role::Api, Role::Edge];
        config.http2_without_tls = true;
        config.server_limits.header_timeout = Duration::from_secs(seconds);
        config.server_limits.send_timeout = Duration::from_secs(seconds);
    });
    node.await
}

async fn connect(node: &Node) -> TcpStream {
    TcpStream::connect(node.address()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_refused_unless_it_is_allowed() {
    let server = TestServer::start(Backend::Embedded).await;
    let mut frames = Frames::begin(connect(&server.node).await, &[]).await;
    let mut answer = Vec::new();
    timeout(EVENTUALLY, frames.0.read_to_end(&mut answer)).await.expect("the connection ends").unwrap_or(0);
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 "), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_for_nothing_is_let_go_whatever_else_it_says() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = node(&server, 1).await;
    let mut ends = Vec::new();
    for number in 0..100 {
        let mut frames = Frames(connect(&node).await);
        ends.push(tokio::spawn(async move {
            match number % 4 {
                0 => frames.write(PREFACE).await,
                1 => frames.write(&[PREFACE, &settings(&[])].concat()).await,
                // An incomplete head.
                2 => {
                    frames
                        .write(&[PREFACE, &settings(&[]), &frame(HEADERS, 1, 1, &[0x82])[..]].concat())
                        .await
                }
                // Sends SETTINGS and PING frames, and nothing more.
                _ => {
                    frames.write(&[PREFACE, &settings(&[])].concat()).await;
                    let ping = frame(PING, 0, 0, &[7; 8]);
                    while frames.next().await.is_some_and(|frame| frame.kind != GOAWAY) {
                        tokio::time::sleep(Duration::from_millis(10)).await;
                        if tokio::io::AsyncWriteExt::write_all(&mut frames.0, &ping).await.is_err() {
                            return;
                        }
                    }
                }
            }
            while frames.next().await.is_some() {}
        }));
    }
    for end in ends {
        timeout(EVENTUALLY, end).await.expect("a connection was kept").unwrap();
    }
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_nothing_more_to_ask_is_told_to_go() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = node(&server, 1).await;
    let mut frames = Frames::begin(connect(&node).await, &[]).await;
    frames.write(&get(1, "/healthz")).await;
    let mut kinds = Vec::new();
    while let Some(frame) = timeout(EVENTUALLY, frames.news()).await.expect("the connection ends") {
        kinds.push(frame.kind);
    }
    kinds.dedup();
    assert_eq!(kinds, [HEADERS, DATA, GOAWAY]);
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_for_no_silent_client() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = server.another_node_with(|config| {
        config.roles = vec![Role::Api, Role::Edge];
        config.http2_without_tls = true;
        config.server_limits.header_timeout = Duration::from_secs(3600);
        config.server_limits.drain = Duration::from_secs(3600);
    });
    let node = node.await;
    let mut silent = Frames(connect(&node).await);
    silent.write(PREFACE).await;
    let mut begun = Frames::begin(connect(&node).await, &[]).await;
    assert_eq!(begun.next().await.unwrap().kind, SETTINGS);
    timeout(EVENTUALLY, node.stop()).await.expect("the node stops");
    // The node told the client.
    assert_eq!(begun.news().await.unwrap().kind, GOAWAY);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_lets_answers_come_to_their_end() {
    let server = TestServer::start(Backend::Embedded).await;
    let (path, sound) = deliverable(&server).await;
    let node = node(&server, 20).await;
    let mut frames = Frames::begin(connect(&node).await, &[]).await;
    frames.write(&get(1, &path)).await;
    assert_eq!(frames.news().await.unwrap().kind, HEADERS);
    let stopping = tokio::spawn(node.stop());
    let (mut taken, mut was_told) = (0, false);
    while taken < sound.len() {
        let frame = frames.news().await.expect("the answer goes on");
        was_told |= frame.kind == GOAWAY;
        if frame.kind == DATA {
            taken += frame.payload.len();
            let more = frame.payload.len() as u32;
            frames.write(&[window_update(0, more), window_update(1, more)].concat()).await;
        }
    }
    assert!(was_told);
    timeout(EVENTUALLY, stopping).await.expect("the node stops").unwrap();
}

/// Bytes that were handed to the kernel are not yet received: the kernel may keep them for a long time.
#[tokio::test(flavor = "multi_thread")]
async fn who_takes_an_answer_slowly_gets_the_end_of_it() {
    let server = TestServer::start(Backend::Embedded).await;
    let (path, sound) = deliverable(&server).await;
    let node = node(&server, 1).await;
    let mut frames = Frames::begin(connect(&node).await, &[(INITIAL_WINDOW_SIZE, 1 << 30)]).await;
    frames.write(&[window_update(0, 1 << 30), get(1, &path)].concat()).await;
    let begun = std::time::Instant::now();
    let mut taken = 0;
    loop {
        let frame = frames.news().await.expect("the answer comes to its end");
        taken += if frame.kind == DATA { frame.payload.len() } else { 0 };
        if frame.ends_stream() {
            break;
        }
        // In total, this takes longer than the node waits for a silent client and for the client to disconnect. If the
        // node had closed the connection, sending to it would discard the rest of the response.
        tokio::time::sleep(Duration::from_millis(90)).await;
        frames.write(&window_update(0, 1)).await;
    }
    assert_eq!(taken, sound.len());
    assert!(begun.elapsed() > Duration::from_secs(9), "it was taken too fast to tell");
    drop(frames);
    node.stop().await;
}

/// The data received on one stream.
#[derive(Debug, Default)]
struct Came {
    bytes: usize,
    is_whole: bool,
    reset: Option<u32>,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_takes_nothing_or_little_is_reset_and_the_others_go_on() {
    let server = TestServer::start(Backend::Embedded).await;
    let (path, sound) = deliverable(&server).await;
    let node = node(&server, 1).await;
    let mut frames = Frames::begin(connect(&node).await, &[(INITIAL_WINDOW_SIZE, 0)]).await;
    let [good, little] = [1, 3];
    let streams: Vec<u32> = (0..32).map(|number| 2 * number + 1).collect();
    for stream in &streams {
        frames.write(&get(*stream, &path)).await;
    }
    frames.write(&[window_update(0, 1 << 30), window_update(good, 1000)].concat()).await;
    let mut came: HashMap<u32, Came> = HashMap::new();
    let is_over = |came: &HashMap<u32, Came>| {
        streams
            .iter()
            .all(|stream| came.get(stream).is_some_and(|came| came.is_whole || came.reset.is_some()))
    };
    let mut tick = tokio::time::interval(Duration::from_millis(100));
    while !is_over(&came) {
        let frame = tokio::select! {
            frame = timeout(EVENTUALLY, frames.news()) => {
                frame.expect("something happens").expect("the connection goes on")
            }
            _ = tick.tick() => {
                // Takes part of a frame at a time, and is not finished within the time that the others have.
                let mut more = window_update(good, 60_000);
                if came.get(&little).is_none_or(|came| came.reset.is_none()) {
                    more.extend(window_update(little, 1));
                }
                frames.write(&more).await;
                continue;
            }
        };
        assert_ne!(frame.kind, GOAWAY, "{frame:?}");
        let is_last = frame.ends_stream();
        let came = came.entry(frame.stream).or_default();
        match frame.kind {
            DATA => came.bytes += frame.payload.len(),
            RST_STREAM => came.reset = Some(frame.reason()),
            _ => {}
        }
        came.is_whole |= is_last;
    }
    assert_eq!((came[&good].bytes, came[&good].is_whole, came[&good].reset), (sound.len(), true, None));
    for stream in streams.into_iter().filter(|stream| *stream != good) {
        assert_eq!((came[&stream].is_whole, came[&stream].reset), (false, Some(CANCEL)), "{stream}");
        assert_eq!(came[&stream].bytes > 0, stream == little, "{stream}");
    }
    // No bytes were read for the streams that took nothing. All counted bytes went to the two others.
    drop(frames);
    let little = came[&little].bytes;
    node.stop().await;
    let report = server.client.get("/v1/usage").await.ok();
    let counted = usize::try_from(report["total"]["bytes"].as_u64().unwrap()).unwrap();
    assert!((sound.len() + little..sound.len() + 2 * 64 * 1024 + little).contains(&counted), "{report}");
    assert_eq!(report["total"]["starts"], 2, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_connection_has_more_than_32_streams() {
    let server = TestServer::start(Backend::Embedded).await;
    let (path, _) = deliverable(&server).await;
    let node = node(&server, 20).await;
    let mut frames = Frames::begin(connect(&node).await, &[(INITIAL_WINDOW_SIZE, 0)]).await;
    let first = frames.next().await.unwrap();
    assert_eq!((first.kind, first.setting(MAX_CONCURRENT_STREAMS)), (SETTINGS, Some(32)));
    frames.write(&frame(SETTINGS, ACK, 0, &[])).await;
    for number in 0..33 {
        frames.write(&get(2 * number + 1, &path)).await;
    }
    loop {
        let frame = timeout(EVENTUALLY, frames.news()).await.expect("something happens").unwrap();
        if frame.kind == RST_STREAM {
            const REFUSED_STREAM: u32 = 7;
            assert_eq!((frame.stream, frame.reason()), (65, REFUSED_STREAM));
            break;
        }
        assert_eq!(frame.kind, HEADERS, "{frame:?}");
    }
    drop(frames);
    node.stop().await;
}

/// A listener who seeks cancels the current response and requests another one at once.
#[tokio::test(flavor = "multi_thread")]
async fn little_comes_of_an_answer_after_it_was_cancelled() {
    const RECEIVE_BUFFER: usize = 64 * 1024;
    let server = TestServer::start(Backend::Embedded).await;
    let (path, _) = deliverable_of(&server, 120.0).await;
    let node = node(&server, 20).await;
    let socket = connect(&node).await;
    SockRef::from(&socket).set_recv_buffer_size(RECEIVE_BUFFER).unwrap();
    let mut frames = Frames::begin(socket, &[(INITIAL_WINDOW_SIZE, 1 << 30)]).await;
    frames.write(&[window_update(0, 1 << 30), get(1, &path)].concat()).await;
    // All that the node and the kernel keep for a client that takes its time has been given to them.
    let mut before = 0;
    while before < 4_000_000 {
        before += frames.news().await.unwrap().payload.len();
    }
    frames
        .write(&[frame(RST_STREAM, 0, 1, &CANCEL.to_be_bytes()), frame(PING, 0, 0, &[1; 8])].concat())
        .await;
    let mut after = 0;
    loop {
        let frame = timeout(EVENTUALLY, frames.next()).await.expect("something happens").unwrap();
        match frame.kind {
            PING => break,
            DATA => after += frame.payload.len(),
            _ => {}
        }
    }
    assert!(after < 1_000_000, "{after} bytes came after they were cancelled");
    node.stop().await;
}

/// A full round: everything that works over HTTP/1.1 works over HTTP/2.
/// curl takes a response for lost if its stream is reset while it sends.
#[tokio::test(flavor = "multi_thread")]
async fn who_still_sends_gets_the_response() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = node(&server, 20).await;
    let folder = tempfile::tempdir().unwrap();
    let body = folder.path().join("body");
    std::fs::write(&body, vec![b' '; 20 << 20]).unwrap();
    let key = server.client.key();
    let (json, form) = ("application/json", "application/x-www-form-urlencoded");
    for (path, kind, key, expected) in [
        ("/nothing", json, key, "404"),
        ("/v1/track", json, key, "413"),
        ("/v1/track", json, "wrong", "401"),
        ("/v1/track", form, key, "415"),
        ("/dashboard/sign-in", form, key, "403"),
        ("/018f0000-0000-7000-8000-000000000000/abcdefghij01/hq.abcdefghij02.mp3", json, key, "405"),
    ] {
        let answer = tokio::process::Command::new("curl")
            .args(["--silent", "--http2-prior-knowledge", "--output", "/dev/null", "--write-out"])
            .args(["%{http_code} %{exitcode}", "--header", &format!("Authorization: Bearer {key}")])
            .args(["--header", &format!("Content-Type: {kind}")])
            .args(["--data-binary", &format!("@{}", body.display())])
            .arg(format!("http://{}{path}", node.address()))
            .output();
        let answer = timeout(EVENTUALLY, answer).await.expect("curl ends").unwrap();
        assert_eq!(String::from_utf8_lossy(&answer.stdout), format!("{expected} 0"), "{path}");
    }
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_goes_over_it() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = node(&server, 20).await;
    let (key, base) = (server.client.key(), format!("http://{}", node.address()));
    let http = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let collection = server.client.collection("Over HTTP/2").await;
    let sound = wav(&WavSpec { seconds: 20.0, ..WavSpec::default() });
    let created = http.post(format!("{base}/v1/track")).bearer_auth(key);
    let created =
        created.json(&json!({"collection_id": collection, "file_name": "a.wav"})).send().await.unwrap();
    assert_eq!((created.status().as_u16(), created.version()), (200, Version::HTTP_2));
    assert!(created.headers().contains_key("date") && created.headers().contains_key("content-length"));
    let created: serde_json::Value = created.json().await.unwrap();
    let url = url::Url::parse(text(&created, "/track_upload/upload_url")).unwrap();
    let url = format!("{base}{}?{}", url.path(), url.query().unwrap_or_default());
    let sent = http.put(url).body(sound.clone()).send().await.unwrap();
    assert_eq!(sent.status(), 200);
    let id = text(&created, "/track_id");
    assert_eq!(server.client.settled(id).await["track_status_id"], "ready");
    let session = json!({"track_id": id, "variants": ["original"]});
    let session = server.client.post("/v1/play_session/track", &session).await.ok();
    let url = text(&session, "/first_track/variants/0/url").replace(server.node.public_url(), &base);
    let whole = http.get(&url).send().await.unwrap();
    assert_eq!((whole.status().as_u16(), whole.version()), (200, Version::HTTP_2));
    assert!(whole.bytes().await.unwrap() == sound);
    let several = http.get(&url).header("Range", "bytes=0-9,100000-199999").send().await.unwrap();
    assert_eq!(several.status(), 206);
    let length: usize = several.headers()["content-length"].to_str().unwrap().parse().unwrap();
    assert_eq!(several.bytes().await.unwrap().len(), length);
    let head = http.head(&url).send().await.unwrap();
    assert_eq!(head.headers()["content-length"].to_str().unwrap(), sound.len().to_string());
    assert!(head.bytes().await.unwrap().is_empty());
    for (path, status) in
        [("/healthz", 200), ("/dashboard/sign-in", 200), ("/nothing", 404), ("/v1/collection", 401)]
    {
        assert_eq!(http.get(format!("{base}{path}")).send().await.unwrap().status(), status, "{path}");
    }
    // A form of a browser that names its site only in `Origin`.
    let http1 =
        reqwest::Client::builder().http1_only().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let mut statuses = Vec::new();
    for client in [&http1, &http] {
        let form = client.post(format!("{base}/dashboard/sign-in")).header("Origin", &base);
        let form =
            form.header("Content-Type", "application/x-www-form-urlencoded").body("email=a%40b.c&password=x");
        statuses.push(form.send().await.unwrap().status());
    }
    assert_eq!(statuses[0], statuses[1]);
    assert_ne!(statuses[0], 403);
    drop((http, http1));
    node.stop().await;
}
