//! Whole objects and the headers that describe them.

use bytes::Bytes;
use http::Method;
use tonearm_domain::{ContentType, RecordId as _, RequestId};
use tonearm_edge::Edge;
use tonearm_signing::DeliveryTerms;

use crate::node::{Answer, Node, content};
use crate::over_both_stores;

over_both_stores!(
    an_object_is_sent_whole,
    head_is_get_without_the_body,
    an_empty_object_is_sent,
    every_content_type_comes_from_the_name,
    attachments_are_to_be_saved,
    a_download_that_has_begun_outlives_its_url,
);

async fn an_object_is_sent_whole(node: &Node) {
    let key = node.store(1_000_000).await;
    let meta = node.blobs.head(&key).await.unwrap().unwrap();
    let answer = node.get(&key, &[]).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, content(1_000_000));
    for (name, value) in [
        ("content-type", "audio/mpeg"),
        ("content-length", "1000000"),
        ("accept-ranges", "bytes"),
        ("cache-control", "private, max-age=31536000, immutable"),
        ("x-content-type-options", "nosniff"),
        ("access-control-allow-origin", "*"),
        ("cross-origin-resource-policy", "cross-origin"),
        (
            "access-control-expose-headers",
            "Content-Range, Accept-Ranges, Content-Length, ETag, Location, Retry-After, X-Request-Id",
        ),
        ("etag", &format!("\"{}\"", key.file.version)),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    let modified = httpdate::parse_http_date(answer.header("last-modified").unwrap()).unwrap();
    let seconds = modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    assert_eq!(i64::try_from(seconds), Ok(meta.modified.unix_seconds()));
    assert_eq!(answer.header("content-disposition"), None);
    assert_eq!(answer.header("content-range"), None);
}

async fn head_is_get_without_the_body(node: &Node) {
    let key = node.store(5000).await;
    let got = node.get(&key, &[]).await;
    // Ranges are defined only for GET.
    let head = node.request(Method::HEAD, &node.url(&key), &[("range", "bytes=0-9")]).await;
    assert_eq!(head.status, 200);
    assert!(head.body.is_empty());
    for (name, value) in &got.headers {
        if name != "x-request-id" {
            assert_eq!(head.headers.get(name), Some(value), "{name}");
        }
    }
    assert_eq!(head.headers.len(), got.headers.len());
}

async fn an_empty_object_is_sent(node: &Node) {
    let key = node.store(0).await;
    let answer = node.get(&key, &[]).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-length")), (200, Some("0")));
    let answer = node.get(&key, &[("range", "bytes=0-")]).await;
    answer.assert_error(416, "range_not_satisfiable");
    assert_eq!(answer.header("content-range"), Some("bytes */0"));
}

async fn every_content_type_comes_from_the_name(node: &Node) {
    for content_type in ContentType::ALL {
        let key = node.key(*content_type);
        node.blobs.put_bytes(&key, Bytes::from_static(b"<html>")).await.unwrap();
        assert_eq!(node.get(&key, &[]).await.header("content-type"), Some(content_type.mime()));
    }
}

async fn attachments_are_to_be_saved(node: &Node) {
    let key = node.store(10).await;
    let terms =
        DeliveryTerms { ttl: Some(30), attachment: Some("Größe \"1\".mp3"), ..DeliveryTerms::default() };
    let url = node.signer.sign_delivery(&key, terms, node.ambient.now());
    for (range, status) in [("", 200), ("bytes=0-4", 206), ("bytes=0-1,5-6", 206)] {
        let answer = node.request(Method::GET, &url, &[("range", range)]).await;
        assert_eq!(answer.status, status);
        assert_eq!(
            answer.header("content-disposition"),
            Some(r#"attachment; filename="Gr__e _1_.mp3"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.mp3"#)
        );
    }
}

async fn a_download_that_has_begun_outlives_its_url(node: &Node) {
    let key = node.store(3_000_000).await;
    let url = node.url(&key);
    for headers in [&[][..], &[("range", "bytes=1-")], &[("range", "bytes=0-1000000,2000000-")]] {
        let begun = node.open(Method::GET, &url, headers).await;
        node.clock.advance_seconds(7200);
        let length: usize = begun.headers()["content-length"].to_str().unwrap().parse().unwrap();
        assert_eq!(Answer::read(begun).await.body.len(), length);
        node.request(Method::GET, &url, headers).await.assert_error(401, "url_expired");
        node.clock.advance_seconds(-7200);
    }
}

#[tokio::test]
async fn requests_are_named() {
    let node = Node::over_folder().await;
    let url = node.url(&node.store(1).await);
    let id: RequestId = node.ambient.credential_id();
    let given = [("x-request-id", &*id.to_string())];
    assert_eq!(node.request(Method::GET, &url, &given).await.header("x-request-id"), Some(given[0].1));

    let other: RequestId = node.ambient.credential_id();
    let request = http::Request::get(&url).header("x-request-id", id.to_string()).extension(other);
    let answer = Answer::read(node.edge.serve(request.body(()).unwrap()).await).await;
    assert_eq!(answer.header("x-request-id"), Some(&*other.to_string()));

    let [one, two] = [
        node.request(Method::GET, &url, &[]).await,
        node.request(Method::GET, &url, &[("x-request-id", "not a uuid")]).await,
    ]
    .map(|answer| answer.header("x-request-id").unwrap().parse::<RequestId>().unwrap());
    assert_ne!(one, two);
}

#[test]
fn paths_of_objects_are_owned() {
    let organization = tonearm_domain::OrganizationId::from_parts(
        tonearm_domain::Timestamp::from_unix_millis(0).unwrap(),
        [0; 10],
    );
    assert!(Edge::owns(&format!("/{organization}/abcdefghij01/hq.zyxwvutsrq98.mp3")));
    assert!(Edge::owns(&format!("/{organization}/abcdefghij01/track_hq.mp3")));
    for path in
        ["", "/", "/v1/track", "/healthz", &format!("/{organization}"), &format!("/{organization}/../x")]
    {
        assert!(!Edge::owns(path), "{path}");
    }
}
