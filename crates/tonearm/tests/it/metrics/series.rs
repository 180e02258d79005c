//! The number of series that strangers can create.

use reqwest::{Method, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonearm_fixtures::EVENTUALLY;
use tonearm_testkit::{Backend, TestServer};

use super::{Scrape, start};

/// More than the initial number of series, with room for a counter and a histogram of each route and status.
const MOST: usize = 5000;

/// A text that is in every hostile request, and must not be in the metrics.
const MARK: &str = "hostilemark";

/// Unexpected paths.
fn paths() -> Vec<String> {
    let mut paths: Vec<String> = (0..200).map(|number| format!("/{MARK}/{number}")).collect();
    for number in 0..100 {
        paths.push(format!("/v1/{MARK}{number}"));
        paths.push(format!("/v1/track/{MARK}{number}"));
        paths.push(format!("/v1/stream/{MARK}{number}/{MARK}"));
        paths.push(format!("/upload/{MARK}{number}/{MARK}/source"));
        paths.push(format!("/dashboard/{MARK}{number}/library"));
        paths.push(format!("/018f0000-0000-7000-8000-{number:012}/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3?{MARK}"));
    }
    paths.push(format!("/%22%0a{MARK}%7b%7d%5c"));
    paths.push(format!("/{}", MARK.repeat(300)));
    paths
}

/// The paths in the description of the API, with a value in place of each parameter.
async fn described(server: &TestServer) -> Vec<String> {
    let document = server.client.get("/openapi.json").await.ok();
    let paths = document["paths"].as_object().unwrap();
    let filled = |path: &String| {
        let parts = path.split('/').map(|part| if part.starts_with('{') { MARK } else { part });
        parts.collect::<Vec<_>>().join("/")
    };
    paths.keys().map(filled).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_make_few_series_and_leave_no_text() {
    let server = start(Backend::Embedded).await;
    let client = server.client.without_key();
    let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HOSTILEMARK"];
    let mut asked = 0_u64;
    for (number, path) in paths().into_iter().enumerate() {
        let method = Method::from_bytes(methods[number % methods.len()].as_bytes()).unwrap();
        let request = client.request(method, &path).header("User-Agent", format!("{MARK}/{number}"));
        client.send(request.header("Referer", format!("https://{MARK}{number}.example"))).await;
        asked += 1;
    }
    for path in described(&server).await {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            client.send(client.request(method, &path)).await;
            asked += 1;
        }
    }
    for head in [format!("GET /{MARK} HTTP/1.1\r\n\r\n"), format!("{MARK} / HTTP/1.1\r\nHost: x\r\n\r\n")] {
        let mut socket = TcpStream::connect(server.node.address()).await.unwrap();
        socket.write_all(head.as_bytes()).await.unwrap();
        let answered = tokio::time::timeout(EVENTUALLY, socket.read(&mut [0; 64])).await;
        assert!(answered.unwrap().unwrap() > 0);
        asked += 1;
    }
    let scrape = Scrape::of(&server.node).await;
    let count = scrape.series().len();
    assert!(count < MOST, "{count} series after {asked} requests");
    assert!(!scrape.0.to_ascii_lowercase().contains(MARK));
    assert!(scrape.sum("tonearm_http_requests_total") >= asked as f64);
    let unknown = r#"tonearm_http_requests_total{route="unknown",status="404"}"#;
    assert!(scrape.value(unknown) >= 100.0, "{}", scrape.value(unknown));
    assert_eq!(client.get("/healthz").await.status, StatusCode::OK);
}
