//! Objects sent from mapped files, as over connections that look at nothing.

use axum::Extension;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tonearm_domain::ObjectKey;
use tonearm_edge::PlainConnection;

use crate::node::{Node, content};

const SIZE: usize = 3_000_000;

/// Connects to a server whose connections are plain.
async fn connect(node: &Node) -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let router = node.edge.clone().router().layer(Extension(PlainConnection));
    tokio::spawn(axum::serve(listener, router).into_future());
    socket
}

/// Sends a request that ends the connection and gives the body, or what came of it.
async fn fetch(socket: &mut TcpStream, url: &str, range: &str) -> Vec<u8> {
    let request = format!("GET {url} HTTP/1.1\r\nHost: edge\r\nConnection: close\r\nRange: {range}\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer).await;
    let head_end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    answer.split_off(head_end)
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
        assert!(fetch(&mut connect(&node).await, &url, range).await == whole[start..end], "{range}");
    }
}

#[tokio::test]
async fn a_file_cut_short_ends_the_connection_and_nothing_else() {
    // More than the buffers of a connection hold.
    const LARGE: u64 = 64 << 20;
    let node = Node::over_folder().await;
    let key = node.store(1).await;
    let path = node.blobs.local_path(&key).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(LARGE).unwrap();
    assert_eq!(node.get(&key, &[("range", "bytes=0-0")]).await.body.len(), 1);
    let url = node.url(&key);
    let mut socket = connect(&node).await;
    let request = format!("GET {url} HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
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
    let mut socket = connect(&node).await;
    let request = format!("GET {} HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n", node.url(&key));
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![0; 1000];
    socket.read_exact(&mut answer).await.unwrap();
    node.blobs.delete(&key).await.unwrap();
    node.get(&key, &[]).await.assert_error(404, "not_found");
    socket.read_to_end(&mut answer).await.unwrap();
    assert!(answer.ends_with(&content(SIZE)));
}
