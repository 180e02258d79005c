//! Repeated responses are identical to the first one, and are used only while they are correct.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt as _;
use proptest::prelude::*;
use sha2::Sha256;
use tonearm_domain::{Cover, CoverOrigin, CoverSize, ObjectKey};
use tonearm_edge::{Edge, PlainRequest, RepeatedAnswer};
use tonearm_signing::DeliveryTerms;

use crate::node::{Node, content};

const SIZE: usize = 100_000;

/// The response to a request: status, header lines except those that differ each time, body.
#[derive(Debug, PartialEq)]
struct Answered {
    status: u16,
    lines: Vec<String>,
    body: Bytes,
}

/// Requests the whole object or a range; the edge may remember the response.
async fn ask(edge: &Edge, url: &str, headers: &[(&str, &str)]) -> Answered {
    let mut request = Request::builder().method(Method::GET).uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = edge.answer(&request.body(()).unwrap().into_parts().0).await;
    let (head, content) = response.into_parts();
    let body = content.into_body().collect().await.unwrap().to_bytes();
    Answered { status: head.status.as_u16(), lines: lines(&head.headers), body }
}

fn lines(headers: &HeaderMap) -> Vec<String> {
    let line = |(name, value): (_, &http::HeaderValue)| format!("{name}: {}", value.to_str().unwrap());
    let own = |line: &String| !line.starts_with("x-request-id: ");
    sorted(headers.iter().map(line).filter(own).collect())
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// Reads a repeated response to its end.
async fn read_repeated(repeated: RepeatedAnswer) -> Answered {
    let status = repeated.status().as_u16();
    let mut lines: Vec<String> = str::from_utf8(&repeated.lines).unwrap().lines().map(String::from).collect();
    lines.push(format!("content-length: {}", repeated.length));
    if let Some((range, size)) = &repeated.part {
        lines.push(format!("content-range: bytes {}-{}/{size}", range.start, range.end - 1));
    }
    let body = repeated.content.collect().await.unwrap().to_bytes();
    Answered { status, lines: sorted(lines), body }
}

fn plain<'a>(target: &'a str, range: Option<&'a str>) -> PlainRequest<'a> {
    PlainRequest { target, range: range.map(str::as_bytes), ..PlainRequest::default() }
}

/// An object whose URL was just requested twice. The first request opens its file.
async fn requested_object(node: &Node) -> (ObjectKey, String) {
    let key = node.store(SIZE).await;
    let url = node.url(&key);
    for _ in 0..2 {
        ask(&node.edge, &url, &[]).await;
    }
    (key, url)
}

#[tokio::test]
async fn repeated_answers_equal_the_first() {
    let node = Node::over_folder().await;
    let (_, url) = requested_object(&node).await;
    for range in [None, Some("bytes=0-"), Some("bytes=7-99"), Some("bytes=-1"), Some("Bytes=5-5")] {
        let headers: Vec<_> = range.map(|range| ("range", range)).into_iter().collect();
        let first = ask(&node.edge, &url, &headers).await;
        let repeated = node.edge.answer_repeated(&plain(&url, range)).expect("it was asked for before");
        assert_eq!(read_repeated(repeated).await, first, "{range:?}");
    }
    let named = DeliveryTerms { attachment: Some("Ein Stück.mp3"), ..DeliveryTerms::default() };
    let (key, _) = requested_object(&node).await;
    let url = node.signer.sign_delivery(&key, named, node.ambient.now());
    let first = ask(&node.edge, &url, &[]).await;
    assert!(first.lines.iter().any(|line| line.starts_with("content-disposition: ")));
    assert_eq!(read_repeated(node.edge.answer_repeated(&plain(&url, None)).unwrap()).await, first);
}

#[tokio::test]
async fn what_needs_thought_is_thought_about() {
    let node = Node::over_folder().await;
    let (_, url) = requested_object(&node).await;
    for range in ["bytes=0-1,5-6", "bytes=100000-", "bytes=9-1", "lines=1-2", "", "bytes"] {
        assert!(node.edge.answer_repeated(&plain(&url, Some(range))).is_none(), "{range}");
    }
    let elsewhere = PlainRequest { host: Some(b"elsewhere"), ..plain(&url, None) };
    assert!(node.edge.answer_repeated(&elsewhere).is_none());
    let any_type = PlainRequest { accept: Some(b"audio/*"), ..plain(&url, None) };
    assert!(node.edge.answer_repeated(&any_type).is_some(), "sound has one form");
    for headers in [("range", "bytes=0-1,5-6"), ("range", "bytes=100000-"), ("if-none-match", "*")] {
        let (_, other) = requested_object(&Node::over_folder().await).await;
        ask(&node.edge, &other, &[headers]).await;
        assert!(node.edge.answer_repeated(&plain(&other, None)).is_none(), "{headers:?}");
    }
}

#[tokio::test]
async fn they_last_a_second_and_no_longer_than_the_url() {
    let node = Node::over_folder().await;
    let (key, url) = requested_object(&node).await;
    node.clock.advance_millis(999);
    assert!(node.edge.answer_repeated(&plain(&url, None)).is_some());
    node.clock.advance_millis(1);
    assert!(node.edge.answer_repeated(&plain(&url, None)).is_none());
    ask(&node.edge, &url, &[]).await;
    assert!(node.edge.answer_repeated(&plain(&url, None)).is_some());

    let brief = DeliveryTerms { ttl: Some(1), ..DeliveryTerms::default() };
    let url = node.signer.sign_delivery(&key, brief, node.ambient.now());
    node.clock.advance_millis(500);
    ask(&node.edge, &url, &[]).await;
    node.clock.advance_millis(499);
    assert!(node.edge.answer_repeated(&plain(&url, None)).is_some());
    node.clock.advance_millis(1);
    assert!(node.edge.answer_repeated(&plain(&url, None)).is_none());
}

#[tokio::test]
async fn what_is_deleted_is_gone_at_once() {
    let node = Node::over_folder().await;
    let (key, url) = requested_object(&node).await;
    node.blobs.delete_many(vec![key]).await.unwrap();
    assert!(node.edge.answer_repeated(&plain(&url, None)).is_none());
    assert_eq!(ask(&node.edge, &url, &[]).await.status, 404);
}

/// Signs a URL as the backend of an organization does with the text of its key.
fn sign(key: &str, signed: &str, now: i64) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
    mac.update(format!("{signed}{now}").as_bytes());
    format!("{signed}&verify={now}-{}", BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

#[tokio::test]
async fn what_may_be_revoked_is_looked_at_each_time() {
    let node = Node::over_folder().await;
    let (key, _) = requested_object(&node).await;
    let id = node.ambient.short_id();
    node.signer.honour(&[(key.organization_id, id)]);
    let own = node.signer.signing_key(key.organization_id, id);
    let url = sign(&own, &format!("/{key}?kid={id}"), node.ambient.now().unix_seconds());
    let first = ask(&node.edge, &url, &[]).await;
    assert_eq!(first.status, 200);
    assert!(node.edge.answer_repeated(&plain(&url, None)).is_none());
    node.signer.honour(&[]);
    assert_eq!(ask(&node.edge, &url, &[]).await.status, 401);
}

#[tokio::test]
async fn a_cover_is_sent_in_the_form_that_is_taken() {
    let node = Node::over_folder().await;
    let cover = Cover { version: node.ambient.short_id(), origin: CoverOrigin::Uploaded };
    let jpeg = cover.key(node.ambient.record_id(), node.ambient.short_id(), CoverSize::Large);
    let webp = Cover::webp_of(&jpeg).unwrap();
    node.blobs.put_bytes(&jpeg, content(200)).await.unwrap();
    node.blobs.put_bytes(&webp, content(100)).await.unwrap();
    let url = node.url(&jpeg);
    for accept in ["image/webp", "image/jpeg"] {
        for _ in 0..2 {
            ask(&node.edge, &url, &[("accept", accept)]).await;
        }
        let first = ask(&node.edge, &url, &[("accept", accept)]).await;
        let taken =
            |accept: &'static str| PlainRequest { accept: Some(accept.as_bytes()), ..plain(&url, None) };
        let repeated = node.edge.answer_repeated(&taken(accept)).expect("it was asked for before");
        assert_eq!(read_repeated(repeated).await, first, "{accept}");
        for other in ["*/*", if accept == "image/webp" { "image/jpeg" } else { "image/webp" }] {
            assert!(node.edge.answer_repeated(&taken(other)).is_none(), "{accept} and then {other}");
        }
    }
}

#[tokio::test]
async fn only_so_many_are_remembered() {
    let node = Node::over_folder().await;
    let (key, _) = requested_object(&node).await;
    let mut urls = Vec::new();
    for ttl in 1..5000 {
        let terms = DeliveryTerms { ttl: Some(ttl), ..DeliveryTerms::default() };
        let url = node.signer.sign_delivery(&key, terms, node.ambient.now());
        ask(&node.edge, &url, &[("range", "bytes=0-0")]).await;
        urls.push(url);
    }
    let known = || urls.iter().filter(|url| node.edge.answer_repeated(&plain(url, None)).is_some()).count();
    assert!((1000..=2048).contains(&known()), "{}", known());
    // There is room again once those have expired.
    node.clock.advance_millis(1000);
    assert_eq!(known(), 0);
    ask(&node.edge, &urls[4000], &[]).await;
    assert_eq!(known(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// For any value of `Range`, both code paths return the same response, or the second one does not apply.
    #[test]
    fn both_ways_agree_on_ranges(range in "bytes=([0-9]{0,6}-[0-9]{0,6},? ?){1,2}|[a-z=0-9,-]{0,12}") {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let node = Node::over_folder().await;
            let (_, url) = requested_object(&node).await;
            let first = ask(&node.edge, &url, &[("range", &range)]).await;
            if let Some(repeated) = node.edge.answer_repeated(&plain(&url, Some(&range))) {
                assert_eq!(read_repeated(repeated).await, first, "{range}");
            }
        });
    }
}
