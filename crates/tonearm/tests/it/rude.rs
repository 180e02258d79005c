//! Clients that keep connections open and send nothing, or receive nothing.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonearm::{Node, Role};
use tonearm_fixtures::EVENTUALLY;
use tonearm_testkit::{Backend, TestServer};

/// Clients of each kind.
const MANY: usize = 200;

/// A node with short timeouts.
async fn impatient(server: &TestServer) -> Node {
    let node = server
        .another_node_with(|config| {
            config.roles = vec![Role::Api, Role::Edge];
            config.server_limits.header_timeout = Duration::from_secs(1);
            config.server_limits.send_timeout = Duration::from_secs(1);
        })
        .await;
    // After the first response, all threads of the node run and have their files open.
    let mut first = connect(&node, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    first.read_to_end(&mut Vec::new()).await.unwrap();
    node
}

async fn connect(node: &Node, request: &str) -> TcpStream {
    let mut socket = TcpStream::connect(node.address()).await.unwrap();
    socket.write_all(request.as_bytes()).await.unwrap();
    socket
}

/// Sockets and files of this process, without those of the catalog, whose connections come and go.
fn open_files() -> usize {
    places().len()
}

fn places() -> Vec<String> {
    let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let places = open.filter_map(|file| std::fs::read_link(file.path()).ok());
    places
        .map(|place| place.to_string_lossy().into_owned())
        .filter(|place| !place.contains("tonearm.db"))
        .collect()
}

/// Waits until at most this many files are open.
async fn until_open_files_are(most: usize) {
    let begun = Instant::now();
    while open_files() > most {
        if begun.elapsed().as_secs() >= 20 {
            let (sockets, others): (Vec<_>, Vec<_>) =
                places().into_iter().partition(|place| place.starts_with("socket:"));
            panic!("{} sockets and these files are open instead of {most}: {others:?}", sockets.len());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_nothing_or_half_of_it_is_let_go_and_others_are_served() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = impatient(&server).await;
    let before = open_files();
    let mut rude = Vec::new();
    for _ in 0..MANY {
        rude.push(connect(&node, "").await);
        rude.push(connect(&node, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ").await);
        // One response, and then silence.
        rude.push(connect(&node, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await);
    }
    let healthy = format!("http://{}/healthz", node.address());
    assert_eq!(server.client.http().get(&healthy).send().await.unwrap().status(), 200);
    for mut socket in rude {
        let mut answer = Vec::new();
        // A reset and an end are both fine.
        let ended = tokio::time::timeout(EVENTUALLY, socket.read_to_end(&mut answer)).await;
        assert!(ended.is_ok(), "a connection was kept");
    }
    until_open_files_are(before + 2).await;
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_takes_nothing_is_cut_off_and_who_takes_little_is_not() {
    let server = TestServer::start(Backend::Embedded).await;
    let (path, sound) = crate::edge::deliverable(&server).await;
    let node = impatient(&server).await;
    // So many requests that the buffers of the sockets do not hold all responses.
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").repeat(8);
    let before = open_files();
    let mut stalled = Vec::new();
    for _ in 0..MANY {
        stalled.push(connect(&node, &request).await);
    }
    let mut patient = connect(&node, &request).await;
    let mut taken = 0;
    let begun = Instant::now();
    let mut buffer = vec![0; 256 * 1024];
    // Read for longer than the others may stall, and until more than one response has arrived.
    while begun.elapsed() < Duration::from_secs(4) || taken <= sound.len() {
        let came = patient.read(&mut buffer).await.unwrap();
        if came == 0 {
            break;
        }
        taken += came;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(taken > sound.len(), "the connection was ended after {taken} bytes");
    drop(patient);
    // The clients' ends are still open. The server has closed its ends and all files. Other work of the node may keep a
    // few files open.
    until_open_files_are(before + MANY + MANY / 10).await;
    drop(stalled);
    node.stop().await;
}

/// On every server of a node: the dashboard, the API and the public pages.
#[tokio::test(flavor = "multi_thread")]
async fn who_announces_a_body_and_does_not_send_it_is_let_go() {
    let server = TestServer::start(Backend::Embedded).await;
    let node = impatient(&server).await;
    let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n";
    let mut rude = Vec::new();
    for path in ["/dashboard/sign-in", "/v1/collection", "/files/x", "/nothing"] {
        for _ in 0..MANY / 4 {
            let request = format!("POST {path} HTTP/1.1\r\nHost: x\r\n{form}\r\nemail=a");
            rude.push((path, connect(&node, &request).await));
        }
    }
    for (path, mut socket) in rude {
        let mut answer = Vec::new();
        let ended = tokio::time::timeout(EVENTUALLY, socket.read_to_end(&mut answer)).await;
        assert!(ended.is_ok(), "a connection to {path} was kept after {}", String::from_utf8_lossy(&answer));
    }
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_of_headers_are_refused() {
    let server = TestServer::start(Backend::Embedded).await;
    let many = "X-Flood: water\r\n".repeat(1000);
    let long = format!("X-Flood: {}\r\n", "water".repeat(50_000));
    for flood in [many, long] {
        let mut socket = TcpStream::connect(server.node.address()).await.unwrap();
        let request = format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{flood}\r\n");
        // The request may be refused before it is sent completely.
        let _ = socket.write_all(request.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer).await;
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
    server.client.get("/healthz").await.ok();
}
