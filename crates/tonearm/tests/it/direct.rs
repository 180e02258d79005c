//! Objects over plain HTTP/1.1, byte by byte: requests that are answered straight from the socket, and requests that
//! are handed on.

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonearm::{Node, Role};
use tonearm_testkit::{Backend, TestServer};

/// A client that can send any bytes.
struct Raw {
    socket: TcpStream,
    read: Vec<u8>,
}

struct Answer {
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// The only line of a header.
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(own, _)| own.eq_ignore_ascii_case(name))?.1;
        assert!(lines.all(|(own, _)| !own.eq_ignore_ascii_case(name)), "{name} is there twice");
        Some(found)
    }
}

impl Raw {
    async fn connect(node: &Node) -> Self {
        Self { socket: TcpStream::connect(node.address()).await.unwrap(), read: Vec::new() }
    }

    async fn write(&mut self, bytes: &str) {
        self.socket.write_all(bytes.as_bytes()).await.unwrap();
    }

    /// The next response, to a request that was not HEAD.
    async fn answer(&mut self) -> Answer {
        let head = self.head().await;
        let mut answer = Answer { head, body: Vec::new() };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        while self.read.len() < length {
            assert!(self.more().await, "the connection ended in a body");
        }
        answer.body = self.read.drain(..length).collect();
        answer
    }

    async fn head(&mut self) -> String {
        loop {
            if let Some(end) = self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                return String::from_utf8(self.read.drain(..end + 4).collect()).unwrap();
            }
            assert!(self.more().await, "the connection ended in a head");
        }
    }

    async fn more(&mut self) -> bool {
        self.socket.read_buf(&mut self.read).await.unwrap() > 0
    }

    async fn assert_ended(&mut self) {
        assert!(self.read.is_empty());
        assert!(matches!(self.socket.read(&mut [0]).await, Ok(0)));
    }
}

struct Stage {
    server: TestServer,
    path: String,
    sound: Bytes,
}

impl Stage {
    async fn open() -> Self {
        let server = TestServer::start(Backend::Embedded).await;
        let (path, sound) = crate::edge::deliverable(&server).await;
        Self { server, path, sound }
    }

    fn get(&self, lines: &str) -> String {
        format!("GET {} HTTP/1.1\r\nHost: x\r\n{lines}\r\n", self.path)
    }

    async fn connect(&self) -> Raw {
        Raw::connect(&self.server.node).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_come_in_pieces_and_in_heaps() {
    let stage = Stage::open().await;
    let mut raw = stage.connect().await;
    for piece in stage.get("Range: bytes=5-9\r\n").as_bytes().chunks(7) {
        raw.socket.write_all(piece).await.unwrap();
        tokio::task::yield_now().await;
    }
    let answer = raw.answer().await;
    assert_eq!((answer.status(), &answer.body[..]), (206, &stage.sound[5..10]));

    // A hundred requests at once, for small and large ranges, are answered in order.
    let ranges: Vec<_> = (0..100).map(|n: usize| (n * 1000, n * 1000 + n * n * 97)).collect();
    let heap: String = ranges.iter().map(|(a, b)| stage.get(&format!("Range: bytes={a}-{b}\r\n"))).collect();
    let (mut reading, mut writing) = raw.socket.into_split();
    let writer = tokio::spawn(async move {
        writing.write_all(heap.as_bytes()).await.unwrap();
        writing
    });
    let mut all = Vec::new();
    for (first, last) in ranges {
        let part = &stage.sound[first..=last.min(stage.sound.len() - 1)];
        loop {
            let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n").map(|at| at + 4);
            if let Some(end) = end.filter(|end| all.len() >= end + part.len()) {
                assert!(all[end..end + part.len()] == *part, "{first}-{last}");
                all.drain(..end + part.len());
                break;
            }
            assert!(reading.read_buf(&mut all).await.unwrap() > 0, "the connection ended");
        }
    }
    assert!(all.is_empty());
    drop(writer.await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_of_answers_are_complete() {
    let stage = Stage::open().await;
    let mut raw = stage.connect().await;
    raw.write(&stage.get("X-Request-ID: 018f0000-0000-4000-8000-000000000001\r\n")).await;
    let answer = raw.answer().await;
    assert!(answer.head.starts_with("HTTP/1.1 200 OK\r\n"), "{}", answer.head);
    assert!(answer.body == stage.sound);
    assert_eq!(answer.header("content-type"), Some("audio/wav"));
    assert_eq!(answer.header("x-request-id"), Some("018f0000-0000-4000-8000-000000000001"));
    assert_eq!(answer.header("connection"), None);
    let date = answer.header("date").unwrap();
    assert!(date.len() == 29 && date.ends_with(" GMT"), "{date}");
    let etag = answer.header("etag").unwrap().to_owned();

    raw.write(&stage.get(&format!("If-None-Match: {etag}\r\nConnection: Keep-Alive\r\n"))).await;
    let current = raw.answer().await;
    assert_eq!((current.status(), current.header("content-length")), (304, None));
    raw.write(&stage.get(&format!("If-Range: {etag}\r\nRange: bytes=0-1,4-5\r\n"))).await;
    let parts = raw.answer().await;
    assert_eq!(parts.status(), 206);
    assert!(parts.header("content-type").unwrap().starts_with("multipart/byteranges; boundary="));
    raw.write(&stage.get("Range: bytes=999999999-\r\n")).await;
    assert_eq!(raw.answer().await.status(), 416);
    raw.write(&stage.get("").replace("verify=", "verify=1")).await;
    assert_eq!(raw.answer().await.status(), 401);

    raw.write(&stage.get("").replace("GET", "HEAD")).await;
    let head = raw.head().await;
    assert!(head.contains(&format!("content-length: {}\r\n", stage.sound.len())), "{head}");
    raw.write(&stage.get("Connection: close\r\n")).await;
    let last = raw.answer().await;
    assert_eq!(last.header("connection"), Some("close"));
    raw.assert_ended().await;
}

/// The lines of a head that do not change between responses, sorted.
fn lasting(head: &str) -> Vec<&str> {
    let fresh = |line: &&str| line.starts_with("date: ") || line.starts_with("x-request-id: ");
    let mut lines: Vec<_> = head.lines().filter(|line| !fresh(line)).collect();
    lines.sort_unstable();
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_is_answered_the_same_until_its_time_is_over() {
    let stage = Stage::open().await;
    let mut raw = stage.connect().await;
    for lines in ["", "Range: bytes=3-999\r\n", "Range: bytes=-7\r\n"] {
        raw.write(&stage.get(lines).repeat(4)).await;
        let first = raw.answer().await;
        for _ in 0..3 {
            let again = raw.answer().await;
            assert_eq!(lasting(&again.head), lasting(&first.head), "{lines}");
            assert!(again.body == first.body, "{lines}");
            let (one, other) = (first.header("x-request-id"), again.header("x-request-id"));
            assert!(one.is_some() && one != other, "each request has a name of its own");
        }
    }
    // A request with further headers is evaluated, whatever was answered before.
    let (status, id) = ("If-None-Match: *\r\n", "X-Request-Id: 2b1d1c1e-4b0a-4c68-9a1e-5f3a3c0f9d11\r\n");
    raw.write(&(stage.get(status) + &stage.get(id) + &stage.get("Connection: close\r\n"))).await;
    assert_eq!(raw.head().await.split(' ').nth(1), Some("304"));
    assert!(id.contains(raw.answer().await.header("x-request-id").unwrap()));
    assert_eq!(raw.answer().await.header("connection"), Some("close"));
    raw.assert_ended().await;

    stage.server.clock.advance_seconds(24 * 3600);
    let mut raw = stage.connect().await;
    raw.write(&stage.get("")).await;
    assert_eq!(raw.answer().await.status(), 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_for_an_object_is_handed_on_with_what_follows() {
    let stage = Stage::open().await;
    let object = stage.get("");
    let with_body = stage.get("Content-Length: 5\r\n") + "GET /";
    let chunked = stage.get("Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n0\r\n\r\n";
    for (other, status) in [
        ("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), 200),
        ("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), 404),
        ("\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), 200),
        (object.replace("GET", "OPTIONS"), 204),
        (object.replace("GET", "DELETE"), 405),
        (with_body, 200),
        (chunked, 200),
        (stage.get("Upgrade: h2c\r\nConnection: Upgrade\r\n"), 200),
        (stage.get("Connection: keep-alive, te\r\n"), 200),
        (object.replace("GET /", "GET http://x/"), 200),
    ] {
        let mut raw = stage.connect().await;
        // An object, the other request, and an object again, all at once.
        raw.write(&format!("{object}{other}{object}")).await;
        assert!(raw.answer().await.body == stage.sound);
        assert_eq!(raw.answer().await.status(), status, "{other}");
        assert!(raw.answer().await.body == stage.sound, "{other}");
    }
    for wrong in ["GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\0", "GET / HTTP/1.1\r\nA : b\r\n\r\n"] {
        let mut raw = stage.connect().await;
        raw.write(&format!("{object}{wrong}")).await;
        assert!(raw.answer().await.body == stage.sound);
        assert_eq!(raw.answer().await.status(), 400, "{wrong:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_goes_back_and_forth() {
    let stage = Stage::open().await;
    let mut raw = stage.connect().await;
    let healthy = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n";
    let sign_in = format!("POST /dashboard/sign-in HTTP/1.1\r\nHost: x\r\n{form}\r\nemail=a");
    for round in 0..50_usize {
        raw.write(healthy).await;
        assert_eq!(raw.answer().await.status(), 200);
        raw.write(&stage.get(&format!("Range: bytes={round}-999\r\n"))).await;
        assert_eq!(raw.answer().await.body, stage.sound[round..1000]);
        // The head of the next request comes in two parts, of which the HTTP server has read the first.
        let object = stage.get("");
        let (first, rest) = object.split_at(round * 2);
        raw.write(&format!("{healthy}{first}")).await;
        assert_eq!(raw.answer().await.status(), 200);
        raw.write(rest).await;
        assert!(raw.answer().await.body == stage.sound);
        if round % 10 == 0 {
            raw.write(&sign_in).await;
            assert!(raw.answer().await.status() >= 400);
            raw.write(&stage.get("Range: bytes=0-9\r\n")).await;
            assert_eq!(raw.answer().await.body, stage.sound[..10]);
        }
    }
    // The connection ends when the client says so, whichever server responds.
    raw.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert_eq!(raw.answer().await.status(), 200);
    raw.assert_ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_names_its_host_once() {
    let stage = Stage::open().await;
    let object = stage.get("");
    let page = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
    for whole in [object, page] {
        for wrong in
            [whole.replace("Host: x\r\n", ""), whole.replace("Host: x\r\n", "Host: x\r\nHost: y\r\n")]
        {
            assert_ne!(wrong, whole);
            let mut raw = stage.connect().await;
            // Also on a connection that has just answered the same request.
            raw.write(&whole).await;
            assert_eq!(raw.answer().await.status(), 200);
            raw.write(&wrong).await;
            assert_eq!(raw.answer().await.status(), 400, "{wrong}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn older_http_is_understood_too() {
    let stage = Stage::open().await;
    let mut raw = stage.connect().await;
    raw.write(&stage.get("").replace("HTTP/1.1", "HTTP/1.0")).await;
    let answer = raw.answer().await;
    assert!(answer.head.starts_with("HTTP/1.0 200 OK\r\n"), "{}", answer.head);
    assert!(answer.body == stage.sound);
    raw.assert_ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_does_not_deliver_has_no_objects() {
    let stage = Stage::open().await;
    let node = stage.server.another_node(vec![Role::Api]).await;
    let mut raw = Raw::connect(&node).await;
    raw.write(&stage.get("")).await;
    assert_eq!(raw.answer().await.status(), 404);
    raw.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(raw.answer().await.status(), 200);
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_idle_connections_and_lets_answers_finish() {
    let stage = Stage::open().await;
    let node = stage.server.another_node(vec![Role::Api, Role::Edge]).await;
    let mut idle = Raw::connect(&node).await;
    idle.write(&stage.get("")).await;
    assert!(idle.answer().await.body == stage.sound);
    let mut busy = Raw::connect(&node).await;
    // More requests than the buffers of a connection hold. The last one comes too late.
    let many = 12;
    busy.write(&stage.get("").repeat(many)).await;
    busy.more().await;
    let stopping = tokio::spawn(node.stop());
    idle.assert_ended().await;
    let mut answered = 1;
    // The response that was being sent, and one more, which announces that it is the last.
    while busy.answer().await.header("connection") != Some("close") {
        answered += 1;
    }
    assert!(answered < many, "all were answered");
    busy.assert_ended().await;
    drop(busy);
    stopping.await.unwrap();
}
