//! The limits in docs/delivery.md that no other test covers. `rude.rs` and `http2.rs` cover the limits of time and
//! speed.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::StreamExt as _;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonearm::{Node, Role};
use tonearm_fixtures::{BucketProxy, Certificate, EVENTUALLY, Fault, S3Server};
use tonearm_testkit::{Backend, Program, TestServer};

use crate::edge::{SECRET, stored};
use crate::frames::*;

async fn connect(node: &Node) -> TcpStream {
    TcpStream::connect(node.address()).await.unwrap()
}

/// Sends a request over a connection that is kept open, and returns the status.
async fn ask(socket: &mut TcpStream, lines: &str) -> String {
    let request = format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{lines}\r\n");
    // The request may be refused before it is sent completely.
    let _ = socket.write_all(request.as_bytes()).await;
    status(socket).await
}

async fn status(socket: &mut TcpStream) -> String {
    let mut answer = vec![0; 4096];
    let read = socket.read(&mut answer).await.unwrap_or(0);
    String::from_utf8_lossy(&answer[..read]).split(' ').nth(1).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_above_the_limit_wait_for_their_turn() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = server
        .another_node_with(|config| {
            config.roles = vec![Role::Api, Role::Edge];
            config.server_limits.max_connections = 4;
        })
        .await;
    let mut served = Vec::new();
    for _ in 0..4 {
        let mut socket = connect(&node).await;
        assert_eq!(ask(&mut socket, "").await, "200");
        served.push(socket);
    }
    let mut waiting = connect(&node).await;
    waiting.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    for socket in &mut served {
        assert_eq!(ask(socket, "").await, "200");
    }
    assert_eq!(waiting.try_read(&mut [0]).map_err(|error| error.kind()), Err(ErrorKind::WouldBlock));
    drop(served.pop());
    assert_eq!(timeout(EVENTUALLY, status(&mut waiting)).await.unwrap(), "200");
    drop((served, waiting));
    node.stop().await;
}

/// A connection from another address of this machine.
async fn connect_from(address: &str, node: &Node) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
    socket.connect(node.address()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_does_not_hold_all_connections() {
    let server = TestServer::start(Backend::Embedded).await;
    for roles in [vec![Role::Api, Role::Edge], vec![Role::Api]] {
        let node = server
            .another_node_with(|config| {
                config.roles = roles;
                config.server_limits.max_connections = 4;
            })
            .await;
        let mut idle = Vec::new();
        for _ in 0..4 {
            idle.push(connect(&node).await);
        }
        // Its requests are answered, so all others were accepted before.
        assert_eq!(ask(&mut idle[3], "").await, "200");
        let mut other = connect_from("127.0.0.2", &node).await;
        assert_eq!(timeout(EVENTUALLY, ask(&mut other, "")).await.unwrap(), "200");
        // The one that was idle longest had to go.
        assert_eq!(timeout(EVENTUALLY, idle[0].read(&mut [0])).await.unwrap().unwrap(), 0);
        assert_eq!(ask(&mut idle[1], "").await, "200");
        drop((idle, other));
        node.stop().await;
    }
}

/// Begins a request with a JSON body of a megabyte that never ends.
async fn stalled_body(address: &str, server: &TestServer, key: &str) -> TcpStream {
    const BYTES: usize = 1 << 20;
    let mut socket = connect_from(address, &server.node).await;
    let head = format!(
        "POST /v1/creator HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Length: {BYTES}\r\n\r\n"
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    // The request may be refused before it is sent completely.
    let _ = socket.write_all(&vec![b' '; BYTES - 1]).await;
    socket
}

#[tokio::test(flavor = "multi_thread")]
async fn many_addresses_leave_memory_for_the_bodies_of_another() {
    let server = TestServer::start(Backend::Embedded).await;
    let key = server.client.key().to_owned();
    let mut stalled = futures::stream::FuturesUnordered::new();
    for number in 0..22 * 6 {
        let mut socket = stalled_body(&format!("127.0.7.{}", 1 + number % 22), &server, &key).await;
        stalled.push(async move { (status(&mut socket).await, socket) });
    }
    // All of them together are more than there is memory for.
    let (refused, socket) = timeout(EVENTUALLY, stalled.next()).await.unwrap().unwrap();
    assert_eq!(refused, "503");
    let mut others = Vec::new();
    for _ in 0..4 {
        others.push(stalled_body("127.0.8.1", &server, &key).await);
    }
    for other in &mut others {
        other.write_all(b" ").await.unwrap();
        // An empty body, without the name that is required.
        assert_eq!(timeout(EVENTUALLY, status(other)).await.unwrap(), "400");
    }
    drop((socket, stalled));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_head_has_its_limits() {
    let server = TestServer::start(Backend::Embedded).await;
    let (path, _) = crate::edge::deliverable(&server).await;
    let lines = |count: usize| (0..count).map(|number| format!("X-{number}: x\r\n")).collect::<String>();
    let long = |bytes: usize| format!("X-Long: {}\r\n", "x".repeat(bytes));
    for (head, expected) in [
        // With Host, and with what follows the lines.
        (lines(99), "200"),
        (lines(100), "431"),
        (long(64 * 1024 - 200), "200"),
        (long(128 * 1024), "431"),
    ] {
        assert_eq!(ask(&mut connect(&server.node).await, &head).await, expected, "{} bytes", head.len());
        // The delivery threads hand on heads that they do not understand.
        let mut socket = connect(&server.node).await;
        let _ = socket.write_all(format!("HEAD {path} HTTP/1.1\r\nHost: x\r\n{head}\r\n").as_bytes()).await;
        assert_eq!(status(&mut socket).await, expected, "{} bytes", head.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_head_over_http2_has_its_limits() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = server
        .another_node_with(|config| {
            config.roles = vec![Role::Api, Role::Edge];
            config.http2_without_tls = true;
        })
        .await;
    let http = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/healthz", node.address());
    for (bytes, expected) in [(31 * 1024, Some(200)), (32 * 1024, Some(431))] {
        let answer = http.get(&url).header("x-long", "x".repeat(bytes)).send().await;
        assert_eq!(answer.ok().map(|answer| answer.status().as_u16()), expected, "{bytes}");
    }
    node.stop().await;
}

/// A script that starts the program with a low soft limit of open files, which the program may raise.
fn with_few_open_files(folder: &Path) -> PathBuf {
    let script = folder.join("tonearm.sh");
    let text = format!("#!/bin/sh\nulimit -S -n 200\nexec {} \"$@\"\n", crate::binary().display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    script
}

/// An edge node in front of a bucket.
fn edge_over(binary: &Path, data: &Path, storage_url: &str) -> Program {
    let mut edge = Program::new(binary, data);
    edge.set("TONEARM_ROLES", "edge");
    edge.set("TONEARM_SECRET", SECRET);
    edge.set("TONEARM_STORAGE_URL", storage_url);
    edge
}

fn delivery_threads(process: &Path) -> usize {
    let threads = std::fs::read_dir(process.join("task")).unwrap().flatten();
    let names = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
    names.filter(|name| name.starts_with("delivery-")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_has_the_files_and_threads_it_may_have() {
    let (s3, folder) = (S3Server::start(), tempfile::tempdir().unwrap());
    let binary = with_few_open_files(folder.path());
    for threads in [None, Some(3)] {
        let mut edge = edge_over(&binary, &folder.path().join("data"), &s3.url());
        if let Some(threads) = threads {
            edge.set("TONEARM_EDGE_THREADS", &threads.to_string());
        }
        edge.start().await;
        let process = PathBuf::from(format!("/proc/{}", edge.pid().unwrap()));
        let cores = || std::thread::available_parallelism().unwrap().get();
        let expected = threads.unwrap_or_else(cores);
        // A thread sets its name after it has started.
        let named = async {
            while delivery_threads(&process) < expected {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(EVENTUALLY, named).await.unwrap();
        assert_eq!(delivery_threads(&process), expected);
        let limits = std::fs::read_to_string(process.join("limits")).unwrap();
        let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
        let files: Vec<&str> = files.split_whitespace().collect();
        assert_eq!(files[0], files[1], "{limits}");
        edge.kill();
    }
}

/// A bucket that cuts every response short.
async fn cut_short(content: &bytes::Bytes) -> (S3Server, BucketProxy, String) {
    let s3 = S3Server::start();
    let path = stored(&s3, content).await;
    let proxy = BucketProxy::start(&s3);
    proxy.set(|seen| (seen.method == "GET").then_some(Fault::Cut(50_000)));
    (s3, proxy, path)
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_takes_half_an_object_for_all_of_it() {
    let content = bytes::Bytes::from(vec![7; 3_000_000]);
    let (_s3, proxy, path) = cut_short(&content).await;
    let folder = tempfile::tempdir().unwrap();
    let mut plain = edge_over(crate::binary(), &folder.path().join("plain"), proxy.url());
    plain.set("TONEARM_HTTP2_WITHOUT_TLS", "true");
    plain.start().await;

    let socket = TcpStream::connect(plain.url().strip_prefix("http://").unwrap()).await.unwrap();
    let mut frames = Frames::begin(socket, &[(INITIAL_WINDOW_SIZE, 1 << 22)]).await;
    frames.write(&[window_update(0, 1 << 22), get(1, &path)].concat()).await;
    let mut came = 0;
    let last = loop {
        let frame = timeout(EVENTUALLY, frames.news()).await.expect("something happens").unwrap();
        match frame.kind {
            DATA => came += frame.payload.len(),
            HEADERS => {}
            _ => break frame,
        }
        assert!(!frame.ends_stream(), "the end of an answer after {came} bytes");
    };
    const INTERNAL_ERROR: u32 = 2;
    assert_eq!((last.kind, last.stream, last.reason()), (RST_STREAM, 1, INTERNAL_ERROR));

    let certificate = Certificate::make(folder.path());
    let mut over_tls = edge_over(crate::binary(), &folder.path().join("tls"), proxy.url());
    over_tls.set("TONEARM_TLS_CERT", &certificate.chain.to_string_lossy());
    over_tls.set("TONEARM_TLS_KEY", &certificate.key.to_string_lossy());
    over_tls.start().await;
    let http = crate::tls::trusting(&certificate.chain).http1_only().build().unwrap();
    let url = format!("{}{path}", over_tls.url().replace("http://", "https://"));
    let answer = http.get(url).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.content_length()), (200, Some(3_000_000)));
    assert!(answer.bytes().await.is_err());
    plain.kill();
    over_tls.kill();
}
