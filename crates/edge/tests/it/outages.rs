//! A store that is unavailable.

use std::time::Duration;

use http::Method;
use tonearm_blobs::Blobs;
use tonearm_edge::EdgeConfig;
use tonearm_fixtures::BucketProxy;

use crate::node::{Node, cache_in_memory, content};

#[tokio::test]
async fn clients_are_told_to_come_back() {
    let mut node = Node::over_s3().await;
    let key = node.store(100).await;
    node.s3.as_mut().unwrap().stop();
    let patient = node.edge.clone();
    node.edge = node.edge_with(EdgeConfig {
        storage_timeout: Duration::from_millis(300),
        retry_after_seconds: 7,
        ..EdgeConfig::default()
    });
    for headers in [&[][..], &[("range", "bytes=0-1")], &[("range", "bytes=-1")]] {
        let answer = node.get(&key, headers).await;
        answer.assert_error(503, "storage_unavailable");
        assert_eq!(answer.header("retry-after"), Some("7"));
    }
    let head = node.request(Method::HEAD, &node.url(&key), &[]).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (503, 0));

    // A client without permission does not learn of the outage.
    node.request(Method::GET, &format!("/{key}"), &[]).await.assert_error(401, "signature_invalid");

    node.s3.as_mut().unwrap().restart();
    node.edge = patient;
    assert_eq!(node.get(&key, &[]).await.body, content(100));
}

#[tokio::test]
async fn what_many_ask_of_a_cold_object_is_asked_of_the_bucket_once() {
    let mut node = Node::over_s3().await;
    let key = node.store(3_000_000).await;
    let proxy = BucketProxy::start(node.s3.as_ref().unwrap());
    let blobs = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap();
    node.blobs = blobs.with_cache(cache_in_memory()).await.unwrap();
    node.edge = node.edge_with(EdgeConfig::default());
    let url = node.url(&key);
    let tag = format!("\"{}\"", key.file.version);
    let conditional = [("if-none-match", tag.as_str())];
    let ask = async |number: usize| match number % 3 {
        0 => node.request(Method::HEAD, &url, &[]).await.status.as_u16(),
        1 => node.request(Method::GET, &url, &conditional).await.status.as_u16(),
        _ => {
            let answer = node.get(&key, &[("range", "bytes=-100")]).await;
            assert!(answer.body == content(3_000_000)[2_999_900..]);
            answer.status.as_u16()
        }
    };
    let answers = futures::future::join_all((0..60).map(ask)).await;
    for (number, status) in answers.into_iter().enumerate() {
        assert_eq!(status, [200, 304, 206][number % 3]);
    }
    assert_eq!((proxy.count("HEAD"), proxy.count("GET")), (1, 1), "{:?}", proxy.requests());
}
