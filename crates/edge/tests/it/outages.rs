//! A store that is away.

use std::time::Duration;

use http::Method;
use tonearm_edge::EdgeConfig;

use crate::node::{Node, content};

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

    // Who has no permission learns nothing of it.
    node.request(Method::GET, &format!("/{key}"), &[]).await.assert_error(401, "signature_invalid");

    node.s3.as_mut().unwrap().restart();
    node.edge = patient;
    assert_eq!(node.get(&key, &[]).await.body, content(100));
}
