//! What is delivered is counted, and nothing else.

use axum::body::Body;
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use tonearm_domain::{Meter, UsageCounts};
use tonearm_edge::{Edge, OrganizationHosts};

use crate::node::{Answer, Node};
use crate::over_both_stores;

const SIZE: usize = 600_000;

over_both_stores!(
    delivered_bytes_are_counted,
    what_was_not_taken_is_not_counted,
    hosts_of_others_serve_nothing
);

fn counted(node: &Node) -> (Edge, Meter) {
    let meter = Meter::new();
    (node.edge.clone().counted_by(meter.clone()), meter)
}

async fn open(edge: &Edge, method: Method, url: &str, headers: &[(&str, &str)]) -> Response<Body> {
    let mut request = Request::builder().method(method).uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    edge.serve(request.body(Body::empty()).unwrap()).await
}

async fn ask(edge: &Edge, method: Method, url: &str, headers: &[(&str, &str)]) -> Answer {
    Answer::read(open(edge, method, url, headers).await).await
}

fn sum(node: &Node, meter: &Meter) -> UsageCounts {
    meter
        .take(&node.ambient)
        .map_or_else(UsageCounts::default, |batch| batch.entries.iter().map(|entry| entry.counts).sum())
}

async fn delivered_bytes_are_counted(node: &Node) {
    let (edge, meter) = counted(node);
    let key = node.store(SIZE).await;
    let url = node.url(&key);
    let size = SIZE as u64;
    for (method, headers, starts, bytes) in [
        (Method::GET, vec![], 1, size),
        (Method::HEAD, vec![], 0, 0),
        (Method::OPTIONS, vec![], 0, 0),
        (Method::GET, vec![("range", "bytes=0-")], 1, size),
        (Method::GET, vec![("range", "bytes=100-299")], 0, 200),
        (Method::GET, vec![("range", "bytes=0-1")], 0, 2),
        (Method::GET, vec![("range", "bytes=700000-")], 0, 0),
        (Method::GET, vec![("if-none-match", "*")], 0, 0),
    ] {
        ask(&edge, method.clone(), &url, &headers).await;
        let expected = UsageCounts { starts, bytes, ..UsageCounts::default() };
        assert_eq!(sum(node, &meter), expected, "{method} {headers:?}");
    }
    ask(&edge, Method::GET, &url, &[]).await;
    let batch = meter.take(&node.ambient).unwrap();
    let [entry] = &batch.entries[..] else { panic!("one place: {batch:?}") };
    assert_eq!((entry.organization_id, entry.folder), (key.organization_id, key.folder));
    assert_eq!(entry.variant.as_ref(), Some(&key.file.label));
    // What has no signature, or no object, is not counted.
    ask(&edge, Method::GET, &format!("/{key}"), &[]).await;
    let gone = node.key(key.file.content_type);
    ask(&edge, Method::GET, &node.url(&gone), &[]).await;
    assert_eq!(meter.take(&node.ambient), None);
}

async fn what_was_not_taken_is_not_counted(node: &Node) {
    let (edge, meter) = counted(node);
    let key = node.store(8_000_000).await;
    let mut body = open(&edge, Method::GET, &node.url(&key), &[]).await.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    drop(body);
    let counts = sum(node, &meter);
    assert_eq!((counts.starts, counts.bytes), (1, first.len() as u64));
    assert!(counts.bytes < 8_000_000, "a body comes in pieces");
}

async fn hosts_of_others_serve_nothing(node: &Node) {
    let edge = node.edge.clone().at_hosts(Some(OrganizationHosts::new("", ".cdn.example.com")));
    let (mine, other) = (node.store(100).await, node.store(100).await);
    let get = async |key, host: String| ask(&edge, Method::GET, &node.url(key), &[("host", &host)]).await;
    let host = |organization| format!("{organization}.cdn.example.com");
    assert_eq!(get(&mine, host(mine.organization_id)).await.status, 200);
    assert_eq!(get(&other, host(other.organization_id)).await.status, 200);
    get(&mine, host(other.organization_id)).await.assert_error(404, "not_found");
    assert_eq!(get(&mine, "127.0.0.1:8080".to_owned()).await.status, 200);
}
