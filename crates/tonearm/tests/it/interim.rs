//! Clients that request it learn, before the final response, where to resume an upload and how much of it is durable.

use std::future::poll_fn;
use std::pin::pin;

use bytes::Bytes;
use hyper::{Request, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonearm::Role;
use tonearm_fixtures::EVENTUALLY;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::{Backend, TestServer};

use crate::text;

/// While a long piece is received, progress is recorded at most this many bytes apart.
const RECORDED: usize = 32 << 20;

/// The signed path of a new upload URL.
async fn upload_path(server: &TestServer) -> String {
    let collection = server.client.collection("Interim").await;
    let created = server.client.track(&collection, "song.wav").await;
    let url = text(&created, "/track_upload/upload_url");
    url[url.find("/upload/").unwrap()..].to_owned()
}

/// A client that reads one head after another.
struct Client {
    socket: TcpStream,
    read: Vec<u8>,
}

impl Client {
    async fn connect(server: &TestServer) -> Self {
        Self { socket: TcpStream::connect(server.node.address()).await.unwrap(), read: Vec::new() }
    }

    async fn write(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).await.unwrap();
    }

    /// The next head, in lower case.
    async fn head(&mut self) -> String {
        let end = loop {
            if let Some(at) = self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break at + 4;
            }
            let read = tokio::time::timeout(EVENTUALLY, self.socket.read_buf(&mut self.read)).await;
            assert!(
                read.unwrap().unwrap() > 0,
                "the connection ended: {}",
                String::from_utf8_lossy(&self.read)
            );
        };
        String::from_utf8(self.read.drain(..end).collect()).unwrap().to_lowercase()
    }

    /// The next head, and the body that it announces.
    async fn response(&mut self) -> (String, Vec<u8>) {
        let head = self.head().await;
        let length = value(&head, "content-length").map_or(0, |length| length.parse().unwrap());
        while self.read.len() < length {
            assert!(self.socket.read_buf(&mut self.read).await.unwrap() > 0);
        }
        (head, self.read.drain(..length).collect())
    }
}

/// The value of a header line.
fn value<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(found, _)| *found == name)
        .map(|found| found.1)
}

fn put(path: &str, version: &str, length: usize, more: &str) -> String {
    format!(
        "PUT {path} HTTP/{version}\r\nHost: x\r\nContent-Length: {length}\r\nUpload-Complete: ?1\r\n{more}\r\n"
    )
}

const ASKS: &str = "Upload-Draft-Interop-Version: 8\r\n";
const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn the_location_comes_before_the_body_is_sent() {
    let server = TestServer::start(Backend::Embedded).await;
    let bytes = wav(&WavSpec::default());
    for version in ["6", "8"] {
        let path = upload_path(&server).await;
        let mut client = Client::connect(&server).await;
        let more = format!("Upload-Draft-Interop-Version: {version}\r\n");
        client.write(put(&path, "1.1", bytes.len(), &more).as_bytes()).await;
        let head = client.head().await;
        assert!(head.starts_with("http/1.1 104 upload resumption supported\r\n"), "{head}");
        assert_eq!(value(&head, "location"), Some(path.to_lowercase().as_str()));
        assert_eq!(value(&head, "upload-draft-interop-version"), Some(version));
        assert!(value(&head, "upload-limit").unwrap().starts_with("max-size="), "{head}");
        client.write(&bytes).await;
        let (head, _) = client.response().await;
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        // The connection stays open for any further requests.
        for _ in 0..2 {
            client.write(HEALTH.as_bytes()).await;
            assert!(client.response().await.0.starts_with("http/1.1 200 "));
        }
        // A refusal is the only response.
        client.write(put(&path, "1.1", 4, ASKS).as_bytes()).await;
        client.write(b"more").await;
        assert!(client.head().await.starts_with("http/1.1 409 "));
    }
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_ask_is_told_nothing() {
    let server = TestServer::start(Backend::Embedded).await;
    let bytes = wav(&WavSpec::default());
    for (version, more) in [
        ("1.0", ASKS),
        ("1.1", ""),
        ("1.1", "Upload-Draft-Interop-Version: 3\r\n"),
        ("1.1", "Upload-Draft-Interop-Version: x\r\n"),
    ] {
        let path = upload_path(&server).await;
        let mut client = Client::connect(&server).await;
        client.write(put(&path, version, bytes.len(), more).as_bytes()).await;
        client.write(&bytes).await;
        let head = client.head().await;
        assert!(head.starts_with(&format!("http/{version} 200 ")), "{head}");
    }
    // Only uploads that can be resumed get interim responses.
    let path = upload_path(&server).await;
    let mut client = Client::connect(&server).await;
    let plain = put(&path, "1.1", bytes.len(), ASKS).replace("Upload-Complete: ?1\r\n", "");
    client.write(plain.as_bytes()).await;
    client.write(&bytes).await;
    assert!(client.head().await.starts_with("http/1.1 200 "));
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_come_at_once_are_answered_in_order() {
    let server = TestServer::start(Backend::Embedded).await;
    let bytes = wav(&WavSpec::default());
    let (first, second) = (upload_path(&server).await, upload_path(&server).await);
    let mut client = Client::connect(&server).await;
    let mut all = HEALTH.as_bytes().to_vec();
    for path in [&first, &second] {
        all.extend_from_slice(put(path, "1.1", bytes.len(), ASKS).as_bytes());
        all.extend_from_slice(&bytes);
    }
    all.extend_from_slice(HEALTH.as_bytes());
    client.write(&all).await;
    assert!(client.response().await.0.starts_with("http/1.1 200 "));
    for path in [&first, &second] {
        let head = client.head().await;
        assert!(head.starts_with("http/1.1 104 "), "{head}");
        assert_eq!(value(&head, "location"), Some(path.to_lowercase().as_str()));
        let (head, body) = client.response().await;
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&body).unwrap()["size"], bytes.len());
    }
    assert!(client.response().await.0.starts_with("http/1.1 200 "));
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_durable_is_told_while_more_comes() {
    let server = TestServer::start(Backend::Embedded).await;
    let path = upload_path(&server).await;
    let size = 3 * RECORDED;
    let mut client = Client::connect(&server).await;
    client.write(put(&path, "1.1", size, ASKS).as_bytes()).await;
    assert!(value(&client.head().await, "location").is_some());
    let (block, mut sent, mut durable) = (vec![7; 1 << 20], 0, 0);
    // Send nothing more until the previous bytes are durable.
    for _ in 0..2 {
        while sent < durable + RECORDED {
            client.write(&block).await;
            sent += block.len();
        }
        let head = client.head().await;
        assert!(head.starts_with("http/1.1 104 "), "{head}");
        assert_eq!(value(&head, "location"), None);
        let offset: usize = value(&head, "upload-offset").unwrap().parse().unwrap();
        assert!(offset > durable && offset <= sent, "{offset} after {durable} of {sent}");
        durable = offset;
    }
    drop(client);
    // A client that then loses the connection continues at least from there, and gets interim responses again.
    let url = format!("{}{path}", server.node.public_url());
    let head = server.client.send(server.client.request(reqwest::Method::HEAD, &url)).await;
    let offset: usize = head.header("upload-offset").parse().unwrap();
    assert!(offset >= durable && offset <= sent, "{offset}");
    let mut client = Client::connect(&server).await;
    let patch = put(&path, "1.1", size - offset, ASKS).replacen("PUT ", "PATCH ", 1);
    let patch = patch.replacen(
        "\r\n\r\n",
        &format!("\r\nUpload-Offset: {offset}\r\nContent-Type: application/partial-upload\r\n\r\n"),
        1,
    );
    client.write(patch.as_bytes()).await;
    client.write(&vec![7; size - offset]).await;
    let head = loop {
        let head = client.head().await;
        if !head.starts_with("http/1.1 104 ") {
            break head;
        }
        assert_eq!(value(&head, "location"), None);
    };
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    server.node.stop().await;
}

/// The next interim response of a request over HTTP/2, or the final one.
async fn next(response: &mut h2::client::ResponseFuture) -> Response<()> {
    let next = poll_fn(|context| match response.poll_informational(context) {
        std::task::Poll::Ready(Some(interim)) => std::task::Poll::Ready(interim),
        _ => pin!(&mut *response).poll(context).map_ok(|response| response.map(drop)),
    });
    tokio::time::timeout(EVENTUALLY, next).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn http2_tells_the_same() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = server.another_node_with(|config| {
        config.roles = vec![Role::Api, Role::Edge];
        config.http2_without_tls = true;
    });
    let node = node.await;
    let socket = TcpStream::connect(node.address()).await.unwrap();
    let (client, connection) = h2::client::handshake(socket).await.unwrap();
    tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let bytes = wav(&WavSpec::default());
    for asks in [true, false, true] {
        let path = upload_path(&server).await;
        let url = format!("http://{}{path}", node.address());
        let mut request =
            Request::put(url).header("upload-complete", "?1").header("content-length", bytes.len());
        if asks {
            request = request.header("upload-draft-interop-version", "8");
        }
        let (mut response, mut body) = client.send_request(request.body(()).unwrap(), false).unwrap();
        if asks {
            let interim = next(&mut response).await;
            assert_eq!(interim.status(), 104);
            assert!(interim.headers()["location"].to_str().unwrap().ends_with(&path));
            assert!(interim.headers().contains_key("upload-limit"));
            assert_eq!(interim.headers()["upload-draft-interop-version"], "8");
        }
        send(&mut body, Bytes::from(bytes.clone())).await;
        assert_eq!(next(&mut response).await.status(), 200);
    }
    // Interim responses also report how much is durable.
    let path = upload_path(&server).await;
    let request = Request::put(format!("http://{}{path}", node.address()))
        .header("upload-complete", "?1")
        .header("upload-draft-interop-version", "8");
    let (mut response, mut body) = client.send_request(request.body(()).unwrap(), false).unwrap();
    assert!(next(&mut response).await.headers().contains_key("location"));
    let all = Bytes::from(vec![7; RECORDED + (4 << 20)]);
    let sending = tokio::spawn(async move { send(&mut body, all).await });
    let interim = next(&mut response).await;
    assert_eq!(interim.status(), 104, "{interim:?}");
    assert!(interim.headers()["upload-offset"].to_str().unwrap().parse::<usize>().unwrap() >= RECORDED);
    assert_eq!(next(&mut response).await.status(), 200);
    sending.await.unwrap();
    node.stop().await;
    server.node.stop().await;
}

/// Sends a body as far as the server's flow control allows.
async fn send(body: &mut h2::SendStream<Bytes>, mut bytes: Bytes) {
    while !bytes.is_empty() {
        body.reserve_capacity(bytes.len().min(1 << 20));
        let room = poll_fn(|context| body.poll_capacity(context)).await.unwrap().unwrap();
        let part = bytes.split_to(room.min(bytes.len()));
        body.send_data(part, bytes.is_empty()).unwrap();
    }
}
