//! Refused uploads on a real connection: the client can read why.

use std::net::Ipv4Addr;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tonearm_fixtures::TestDatabase;

use crate::house::{House, LIMITS, local, tone};
use crate::on_both;

on_both!(
    a_connection_survives_a_small_refusal,
    who_waits_to_continue_is_answered_at_once,
    a_body_that_is_too_large_is_read_before_the_answer,
);

struct Connection(BufReader<TcpStream>);

struct Answer {
    status: u16,
    closes: bool,
    body: String,
}

impl Connection {
    async fn to(house: &House) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = house.router.clone();
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self(BufReader::new(TcpStream::connect(address).await.unwrap()))
    }

    async fn put(&mut self, url: &str, header: &str, length: usize, body: &[u8]) -> Answer {
        self.send(&format!("PUT {}", local(url)), header, length, body).await
    }

    async fn send(&mut self, request: &str, header: &str, length: usize, body: &[u8]) -> Answer {
        let head = format!("{request} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n{header}\r\n");
        self.0.write_all(head.as_bytes()).await.unwrap();
        self.0.write_all(body).await.unwrap();
        self.answer().await
    }

    async fn answer(&mut self) -> Answer {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).await.unwrap();
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_ascii_lowercase()),
            }
        }
        let header = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name).map(str::trim));
        let mut body = vec![0; header("content-length:").unwrap().parse().unwrap()];
        self.0.read_exact(&mut body).await.unwrap();
        Answer {
            status: lines[0].split(' ').nth(1).unwrap().parse().unwrap(),
            closes: header("connection:") == Some("close"),
            body: String::from_utf8(body).unwrap(),
        }
    }
}

async fn a_connection_survives_a_small_refusal(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let url = created["track_upload"]["upload_url"].as_str().unwrap();
    let bytes = tone();
    let mut connection = Connection::to(&house).await;
    let forged = format!("{url}x");
    let refused = connection.put(&forged, "", bytes.len(), &bytes).await;
    assert_eq!((refused.status, refused.closes), (401, false), "{}", refused.body);
    let accepted = connection.put(url, "", bytes.len(), &bytes).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
}

async fn who_waits_to_continue_is_answered_at_once(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let url = created["track_upload"]["upload_url"].as_str().unwrap();
    let mut connection = Connection::to(&house).await;
    let length = LIMITS.max_source_bytes as usize + 1;
    let refused = connection.put(url, "Expect: 100-continue\r\n", length, b"").await;
    assert_eq!((refused.status, refused.closes), (413, true), "{}", refused.body);
}

async fn a_body_that_is_too_large_is_read_before_the_answer(database: TestDatabase) {
    let house = House::open(database).await;
    let body = vec![b' '; 6_000_000];
    for key in ["", "Idempotency-Key: one\r\n"] {
        let mut connection = Connection::to(&house).await;
        for _ in 0..3 {
            let header = format!("Authorization: Bearer {}\r\n{key}", house.key);
            let refused = connection.send("POST /v1/collection", &header, body.len(), &body).await;
            assert_eq!(refused.status, 413, "{}", refused.body);
        }
    }
}
