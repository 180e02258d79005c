//! Deliveries are counted, and nothing else is.

use std::net::IpAddr;

use axum::body::Body;
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use tonearm_domain::{ClientAddress, ContentType, Meter, UsageCounts};
use tonearm_edge::{Edge, OrganizationHosts, PlainRequest};

use crate::node::{Answer, Node};
use crate::over_both_stores;

const SIZE: usize = 600_000;

over_both_stores!(
    delivered_bytes_are_counted,
    what_was_not_taken_is_not_counted,
    hosts_of_others_serve_nothing,
    listeners_are_told_apart,
    whoever_only_looks_is_no_listener,
    players_report_what_they_play
);

fn counted(node: &Node) -> (Edge, Meter) {
    let meter = Meter::new();
    (node.edge.clone().with_meter(meter.clone()), meter)
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
    // Only sound starts.
    let cover = node.key(ContentType::Jpeg);
    node.blobs.put_bytes(&cover, vec![0; 7].into()).await.unwrap();
    ask(&edge, Method::GET, &node.url(&cover), &[]).await;
    assert_eq!(sum(node, &meter), UsageCounts::bytes(7));
    // Requests without a signature, and requests for missing objects, are not counted.
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
    // Of several ranges, only what was taken counts for the listener.
    let ranges = [FIREFOX, ("range", "bytes=0-9,1000000-7999999")];
    let parts = edge.serve(visit(Method::GET, &node.url(&key), "203.0.113.1", &ranges)).await;
    let mut parts = parts.into_body();
    let mut data = 0;
    while data < 1000 {
        data += parts.frame().await.unwrap().unwrap().into_data().unwrap().len() as u64;
    }
    drop(parts);
    let [bytes] = bytes_by_listener(node, &meter)[..] else { panic!("one listener") };
    assert!(bytes < data && bytes > data - 1000, "{bytes} of {data}");
}

async fn hosts_of_others_serve_nothing(node: &Node) {
    let edge =
        node.edge.clone().with_organization_hosts(Some(OrganizationHosts::new("", ".cdn.example.com")));
    let (mine, other) = (node.store(100).await, node.store(100).await);
    let get = async |key, host: String| ask(&edge, Method::GET, &node.url(key), &[("host", &host)]).await;
    let host = |organization| format!("{organization}.cdn.example.com");
    assert_eq!(get(&mine, host(mine.organization_id)).await.status, 200);
    assert_eq!(get(&other, host(other.organization_id)).await.status, 200);
    get(&mine, host(other.organization_id)).await.assert_error(404, "not_found");
    assert_eq!(get(&mine, "127.0.0.1:8080".to_owned()).await.status, 200);
}

/// A request as the HTTP server passes it on.
fn visit(method: Method, url: &str, address: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    let address: IpAddr = address.parse().unwrap();
    request.extensions_mut().insert(ClientAddress::from(address));
    request
}

/// The number of bytes for each listener, in ascending order.
fn bytes_by_listener(node: &Node, meter: &Meter) -> Vec<u64> {
    let batch = meter.take(&node.ambient);
    let entries = batch.into_iter().flat_map(|batch| batch.listeners);
    let mut bytes: Vec<u64> = entries.filter_map(|entry| Some(entry.taken?.bytes)).collect();
    bytes.sort_unstable();
    bytes
}

const FIREFOX: (&str, &str) = ("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Firefox/120.0");
const SAFARI: (&str, &str) = ("user-agent", "Mozilla/5.0 (Macintosh) Version/17.1 Safari/605.1.15");

async fn listeners_are_told_apart(node: &Node) {
    let (edge, meter) = counted(node);
    let key = node.store(SIZE).await;
    let url = node.url(&key);
    let take = async |address, range, agent| {
        let request = visit(Method::GET, &url, address, &[agent, ("range", range)]);
        Answer::read(edge.serve(request).await).await.status
    };
    // Two listeners behind one address; the first requests nearly the same bytes three times.
    assert_eq!(take("203.0.113.1", "bytes=0-99", FIREFOX).await, 206);
    assert_eq!(take("203.0.113.1", "bytes=50-149", FIREFOX).await, 206);
    assert_eq!(take("203.0.113.1", "bytes=0-149", FIREFOX).await, 206);
    assert_eq!(take("203.0.113.1", "bytes=0-99", SAFARI).await, 206);
    assert_eq!(take("203.0.113.2", "bytes=0-9", SAFARI).await, 206);
    assert_eq!(bytes_by_listener(node, &meter), [10, 100, 150]);
    // Several ranges in one response: their bytes count, and not the heads of the parts.
    assert_eq!(take("203.0.113.3", "bytes=0-9,300000-599999,20-29", FIREFOX).await, 206);
    assert_eq!(bytes_by_listener(node, &meter), [300_020]);
    // The same again, with the shorter code path.
    let answered = edge.answer(&visit(Method::GET, &url, "203.0.113.1", &[FIREFOX]).into_parts().0).await;
    let whole = answered.into_body().into_body().collect().await.unwrap().to_bytes();
    assert_eq!(bytes_by_listener(node, &meter), [whole.len() as u64 - 150]);
    let plain = PlainRequest {
        target: &url,
        range: Some(b"bytes=0-999"),
        agent: Some(SAFARI.1.as_bytes()),
        address: Some("203.0.113.1".parse().unwrap()),
        ..PlainRequest::default()
    };
    // Only a folder store has files at hand.
    if let Some(repeated) = edge.answer_repeated(&plain) {
        repeated.content.collect().await.unwrap();
        assert_eq!(bytes_by_listener(node, &meter), [900]);
    }
}

async fn whoever_only_looks_is_no_listener(node: &Node) {
    let (edge, meter) = counted(node);
    let url = node.url(&node.store(SIZE).await);
    let bot = ("user-agent", "Googlebot/2.1");
    let range = |range| ("range", range);
    for (method, headers) in [
        (Method::HEAD, vec![FIREFOX]),
        (Method::OPTIONS, vec![FIREFOX]),
        (Method::GET, vec![FIREFOX, range("bytes=700000-")]),
        (Method::GET, vec![FIREFOX, ("if-none-match", "*")]),
        (Method::GET, vec![bot]),
        (Method::GET, vec![]),
    ] {
        let request = visit(method.clone(), &url, "203.0.113.1", &headers);
        Answer::read(edge.serve(request).await).await;
        assert_eq!(bytes_by_listener(node, &meter), [0; 0], "{method} {headers:?}");
    }
    // A request with an unknown source address is not counted, nor is one for a picture.
    ask(&edge, Method::GET, &url, &[FIREFOX]).await;
    let mut picture = node.store(SIZE).await;
    picture.file.content_type = tonearm_domain::ContentType::Jpeg;
    node.blobs.put_bytes(&picture, vec![7; 100].into()).await.unwrap();
    let request = visit(Method::GET, &node.url(&picture), "203.0.113.1", &[FIREFOX]);
    assert_eq!(Answer::read(edge.serve(request).await).await.status, 200);
    assert_eq!(bytes_by_listener(node, &meter), [0; 0]);
}

async fn players_report_what_they_play(node: &Node) {
    let (edge, meter) = counted(node);
    let url = node.url(&node.store(SIZE).await);
    let report = |played: &str| format!("{url}&played={played}");
    let post = async |url: &str, agent| {
        Answer::read(edge.serve(visit(Method::POST, url, "203.0.113.1", &[agent])).await).await
    };
    for played in ["0-15.2", "10-20,30-31.5"] {
        let answer = post(&report(played), FIREFOX).await;
        assert_eq!((answer.status.as_u16(), answer.body.is_empty()), (204, true), "{played}");
    }
    assert_eq!(post(&report("0-9"), ("user-agent", "Googlebot/2.1")).await.status, 204);
    let batch = meter.take(&node.ambient).unwrap();
    assert_eq!(batch.entries, []);
    let [entry] = batch.listeners.as_slice() else { panic!("{batch:?}") };
    let taken = entry.taken.as_ref().unwrap();
    assert_eq!(
        (taken.bytes, taken.size, taken.played.ranges()),
        (0, SIZE as u64, &[0..20_000, 30_000..31_500][..])
    );
    // A report is taken from nobody without a signed URL, of nothing that is not there, and in no other form.
    let unsigned = report("0-9").replacen("verify=", "verify=1", 1);
    post(&unsigned, SAFARI).await.assert_error(401, "signature_invalid");
    let gone = format!("{}&played=0-9", node.url(&node.key(ContentType::Mp3)));
    post(&gone, SAFARI).await.assert_error(404, "not_found");
    for played in ["", "9-0", "0-9&x=1"] {
        post(&report(played), SAFARI).await.assert_error(400, "invalid_parameter");
    }
    ask(&edge, Method::GET, &report("0-9"), &[SAFARI]).await.assert_error(401, "signature_invalid");
    assert!(meter.take(&node.ambient).is_none());
}
