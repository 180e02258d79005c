//! Requests over a real connection, where the HTTP server affects the response too.

use http_body_util::BodyExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tonearm_blobs::Blobs;
use tonearm_edge::EdgeConfig;
use tonearm_fixtures::{BucketProxy, Fault};

use crate::node::{Node, cache_in_memory, content};

/// Sends a request over a connection of its own, and returns the head and the body of the response.
async fn fetch(node: &Node, method: &str, url: &str, headers: &str) -> (String, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let server = tokio::spawn(axum::serve(listener, node.edge.clone().router()).into_future());
    let request = format!("{method} {url} HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n{headers}\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // If the connection is cut, the bytes received before remain.
    let _ = socket.read_to_end(&mut answer).await;
    server.abort();
    let head_end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    let body = answer.split_off(head_end);
    (String::from_utf8(answer).unwrap(), body)
}

#[tokio::test]
async fn a_large_object_arrives_whole_and_with_its_length() {
    const SIZE: usize = 20 << 20;
    for node in [Node::over_folder().await, Node::over_s3().await] {
        let url = node.url(&node.store(SIZE).await);
        let (head, body) = fetch(&node, "GET", &url, "").await;
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains("\r\ncontent-length: 20971520\r\n"), "{head}");
        assert!(!head.contains("chunked"), "{head}");
        assert!(body == content(SIZE));
        let (head, body) = fetch(&node, "GET", &url, "Range: bytes=-10\r\n").await;
        assert!(head.starts_with("HTTP/1.1 206 Partial Content\r\n"), "{head}");
        assert_eq!(body, content(SIZE)[SIZE - 10..]);
    }
}

#[tokio::test]
async fn head_tells_the_length_and_sends_nothing() {
    let node = Node::over_folder().await;
    let url = node.url(&node.store(1234).await);
    let (head, body) = fetch(&node, "HEAD", &url, "").await;
    assert!(head.contains("\r\ncontent-length: 1234\r\n"), "{head}");
    assert!(body.is_empty());
    let (head, body) = fetch(&node, "HEAD", "/nowhere", "").await;
    assert!(head.starts_with("HTTP/1.1 404 Not Found\r\n"), "{head}");
    assert!(body.is_empty());
}

#[tokio::test]
async fn several_ranges_have_a_length_too() {
    let node = Node::over_folder().await;
    let url = node.url(&node.store(1000).await);
    let (head, body) = fetch(&node, "GET", &url, "Range: bytes=0-9,500-509\r\n").await;
    assert!(head.contains(&format!("\r\ncontent-length: {}\r\n", body.len())), "{head}");
}

#[tokio::test]
async fn a_damaged_object_cuts_the_connection() {
    let node = Node::over_folder().await;
    let key = node.store(2 << 20).await;
    let response = node.open(http::Method::GET, &node.url(&key), &[]).await;
    let path = node.blobs.local_path(&key).unwrap();
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(1 << 20).unwrap();
    assert!(response.into_body().collect().await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_ends_an_answer_early_cuts_the_connection() {
    const SIZE: usize = 3 << 20;
    let mut node = Node::over_s3().await;
    let key = node.store(SIZE).await;
    let proxy = BucketProxy::start(node.s3.as_ref().unwrap());
    // Responses to further attempts are cut too.
    proxy.set(|request| (request.method == "GET").then_some(Fault::Cut(50_000)));
    let plain = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap();
    for blobs in [plain.clone(), plain.with_cache(cache_in_memory()).await.unwrap()] {
        node.blobs = blobs;
        node.edge = node.edge_with(EdgeConfig::default());
        for (range, length) in [("", SIZE), ("Range: bytes=5-2500000\r\n", 2_499_996)] {
            let (head, body) = fetch(&node, "GET", &node.url(&key), range).await;
            assert!(head.contains(&format!("\r\ncontent-length: {length}\r\n")), "{head}");
            // The client can detect that bytes are missing, and the received bytes are correct.
            assert!(!body.is_empty() && body.len() < length, "{} of {length}", body.len());
            let from = if range.is_empty() { 0 } else { 5 };
            assert!(body == content(SIZE)[from..from + body.len()]);
        }
    }
}
