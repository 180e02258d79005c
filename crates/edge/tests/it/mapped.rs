//! Objects sent from mapped files, as by a server that writes them to sockets itself.

use std::future::poll_fn;

use http::{Method, Request};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tonearm_blobs::{Chunks, Part};
use tonearm_domain::ObjectKey;
use tonearm_edge::{Content, Edge, Sending};

use crate::node::{Node, content};

const SIZE: usize = 3_000_000;

/// Sends the response to a request over a connection, which then ends.
async fn ask(node: &Node, url: &str, range: &str) -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let server = listener.accept().await.unwrap().0;
    let request = Request::builder().method(Method::GET).uri(url).header("range", range).body(()).unwrap();
    let (edge, parts) = (node.edge.clone(), request.into_parts().0);
    tokio::spawn(async move { answer(&edge, parts, server).await });
    client
}

async fn answer(edge: &Edge, request: http::request::Parts, mut socket: TcpStream) {
    let Content::Object(mut sending) = edge.answer(&request).await.into_body() else {
        panic!("an object is sent");
    };
    while let Some(Ok(part)) = next(&mut sending).await {
        if write(part, &mut socket).await.is_err() {
            return;
        }
    }
}

async fn next(sending: &mut Sending<Chunks>) -> Option<Result<Part, impl std::error::Error>> {
    poll_fn(|context| sending.poll_part(context)).await
}

async fn write(mut part: Part, socket: &mut TcpStream) -> std::io::Result<()> {
    while !part.is_empty() {
        let written = poll_fn(|context| part.poll_write_after(b"", socket, context)).await?;
        part.advance(written);
    }
    socket.flush().await
}

/// The body of the response, as far as it was received.
async fn fetch(node: &Node, url: &str, range: &str) -> Vec<u8> {
    let mut body = Vec::new();
    let _ = ask(node, url, range).await.read_to_end(&mut body).await;
    body
}

/// An object whose file is open already.
async fn opened(node: &Node) -> ObjectKey {
    let key = node.store(SIZE).await;
    assert_eq!(node.get(&key, &[("range", "bytes=0-0")]).await.body.len(), 1);
    assert!(node.blobs.at_hand(&key).is_some());
    key
}

#[tokio::test]
async fn what_is_sent_is_what_was_stored() {
    let node = Node::over_folder().await;
    let url = node.url(&opened(&node).await);
    let whole = content(SIZE);
    for (range, start, end) in [
        ("none", 0, SIZE),
        ("bytes=0-", 0, SIZE),
        ("bytes=0-0", 0, 1),
        ("bytes=65535-65536", 65_535, 65_537),
        ("bytes=1234567-1300102", 1_234_567, 1_300_103),
        ("bytes=-1", SIZE - 1, SIZE),
    ] {
        assert!(fetch(&node, &url, range).await == whole[start..end], "{range}");
    }
}

#[tokio::test]
async fn a_file_cut_short_ends_the_connection_and_nothing_else() {
    // More than the buffers of a connection can hold.
    const LARGE: u64 = 64 << 20;
    let node = Node::over_folder().await;
    let key = node.store(1).await;
    let path = node.blobs.local_path(&key).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(LARGE).unwrap();
    assert_eq!(node.get(&key, &[("range", "bytes=0-0")]).await.body.len(), 1);
    let url = node.url(&key);
    let mut socket = ask(&node, &url, "none").await;
    let mut first = [0; 1000];
    socket.read_exact(&mut first).await.unwrap();
    file.set_len(1000).unwrap();
    let mut rest = Vec::new();
    let _ = socket.read_to_end(&mut rest).await;
    assert!((rest.len() as u64) < LARGE, "all of it came");
    assert_eq!(node.get(&node.store(5).await, &[]).await.status, 200);
}

#[tokio::test]
async fn what_is_being_sent_outlives_its_deletion() {
    let node = Node::over_folder().await;
    let key = opened(&node).await;
    let mut socket = ask(&node, &node.url(&key), "none").await;
    let mut answer = vec![0; 1000];
    socket.read_exact(&mut answer).await.unwrap();
    node.blobs.delete(&key).await.unwrap();
    node.get(&key, &[]).await.assert_error(404, "not_found");
    socket.read_to_end(&mut answer).await.unwrap();
    assert!(answer.ends_with(&content(SIZE)));
}
