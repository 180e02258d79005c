//! Where metrics are served, and where they are not.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonearm::Role;
use tonearm_fixtures::EVENTUALLY;
use tonearm_testkit::{Backend, TestServer};

use super::{Scrape, start, url};

#[tokio::test(flavor = "multi_thread")]
async fn only_metrics_are_told_and_only_at_their_address() {
    let server = start(Backend::Embedded).await;
    let (http, url) = (reqwest::Client::new(), url(&server.node));
    let elsewhere = http.get(url.replace("/metrics", "/healthz")).send().await.unwrap();
    assert_eq!(elsewhere.status(), 404);
    assert_eq!(elsewhere.text().await.unwrap(), "There are only metrics here, at /metrics.\n");
    let posted = http.post(&url).body("x").send().await.unwrap();
    assert_eq!((posted.status().as_u16(), &posted.headers()["allow"]), (405, &"GET, HEAD".parse().unwrap()));
    assert_eq!(posted.text().await.unwrap(), "Metrics can only be read, with GET or HEAD.\n");
    let head = http.head(&url).send().await.unwrap();
    assert_eq!(head.status(), 200);
    assert!(head.bytes().await.unwrap().is_empty());
    assert_eq!(server.client.without_key().get("/metrics").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_told_or_counted_unless_it_is_asked_for() {
    let server = TestServer::start(Backend::Embedded).await;
    assert_eq!(server.node.metrics_address(), None);
    let (path, _) = crate::edge::deliverable(&server).await;
    assert_eq!(server.client.get(&path).await.status, 200);
    assert!(!tonearm_telemetry::is_on());
    let totals = tonearm_telemetry::Totals::now();
    assert_eq!((totals.bytes_sent, totals.bytes_received, totals.times.count), (0, 0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_end_and_the_others_are_answered() {
    let server = start(Backend::Embedded).await;
    let address = server.node.metrics_address().unwrap();
    let mut silent = Vec::new();
    // More connections than are served at once.
    for _ in 0..20 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    // The scrape is answered once the connections before it have been closed.
    let answered = tokio::time::timeout(EVENTUALLY, Scrape::of(&server.node)).await.unwrap();
    assert!(answered.value("tonearm_job_counts_up") > 0.0);
    let mut first = silent.swap_remove(0);
    let ended = tokio::time::timeout(EVENTUALLY, first.read_to_end(&mut Vec::new())).await;
    assert!(ended.is_ok(), "a silent connection is still open");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_node_ends_its_listener() {
    let server = start(Backend::Embedded).await;
    let address = server.node.metrics_address().unwrap();
    let mut open = TcpStream::connect(address).await.unwrap();
    open.write_all(b"GET /metrics HTTP/1.1\r\n").await.unwrap();
    server.node.stop().await;
    let mut rest = Vec::new();
    // A response, a reset and an end are all fine. Only waiting is not.
    let ended = tokio::time::timeout(EVENTUALLY, open.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the connection is still open");
    assert!(TcpStream::connect(address).await.is_err());
}

/// A node without a database has all metrics except those of the database.
#[tokio::test(flavor = "multi_thread")]
async fn an_edge_alone_tells_what_it_has() {
    let server = start(Backend::Embedded).await;
    let edge = server.another_node_with(|config| config.roles = vec![Role::Edge]).await;
    let scrape = Scrape::of(&edge).await;
    let types = scrape.types();
    assert!(types.contains_key("tonearm_delivery_duration_seconds"));
    assert!(!types.contains_key("tonearm_database_connections"));
    assert!(!types.contains_key("tonearm_jobs"));
    edge.stop().await;
}
