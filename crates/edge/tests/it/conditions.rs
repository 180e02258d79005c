//! Conditional requests.

use http::Method;

use crate::node::{Node, content};
use crate::over_both_stores;

const LONG_AGO: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

over_both_stores!(
    a_copy_that_is_current_is_not_sent_again,
    another_version_is_refused,
    if_range_continues_only_the_same_version,
    conditions_are_looked_at_in_the_order_of_the_standard,
    what_is_gone_is_gone_for_caches_too,
);

async fn a_copy_that_is_current_is_not_sent_again(node: &Node) {
    let key = node.store(100).await;
    let first = node.get(&key, &[]).await;
    let (etag, modified) = (first.header("etag").unwrap(), first.header("last-modified").unwrap());
    for condition in [
        ("if-none-match", etag),
        ("if-none-match", "*"),
        ("if-none-match", &format!("\"x\", W/{etag}")),
        ("if-modified-since", modified),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let answer = node.request(method, &node.url(&key), &[condition, ("range", "bytes=0-1")]).await;
            assert_eq!(answer.status, 304, "{condition:?}");
            assert!(answer.body.is_empty());
            for name in ["etag", "last-modified", "cache-control"] {
                assert_eq!(answer.header(name), first.header(name));
            }
            assert_eq!(answer.header("content-type"), None);
            assert!(answer.header("x-request-id").is_some());
        }
    }
    for condition in [("if-none-match", "\"x\""), ("if-modified-since", LONG_AGO)] {
        let answer = node.get(&key, &[condition, ("range", "bytes=5-6")]).await;
        assert_eq!(answer.status, 206, "{condition:?}");
        assert_eq!(answer.body, content(100)[5..7]);
    }
}

async fn another_version_is_refused(node: &Node) {
    let key = node.store(100).await;
    let etag = node.get(&key, &[]).await.header("etag").unwrap().to_owned();
    let weak = format!("W/{etag}");
    for condition in [("if-match", "\"x\""), ("if-match", &*weak), ("if-unmodified-since", LONG_AGO)] {
        node.get(&key, &[condition]).await.assert_error(412, "precondition_failed");
        let head = node.request(Method::HEAD, &node.url(&key), &[condition]).await;
        assert_eq!((head.status.as_u16(), head.body.len()), (412, 0));
    }
    for condition in [("if-match", &*etag), ("if-match", "*")] {
        assert_eq!(node.get(&key, &[condition]).await.body, content(100));
    }
}

async fn if_range_continues_only_the_same_version(node: &Node) {
    let key = node.store(100).await;
    let first = node.get(&key, &[]).await;
    let (etag, modified) = (first.header("etag").unwrap(), first.header("last-modified").unwrap());
    for range in ["bytes=50-", "bytes=-50", "bytes=40-49,0-0"] {
        for same in [etag, modified] {
            let answer = node.get(&key, &[("range", range), ("if-range", same)]).await;
            assert_eq!(answer.status, 206, "{range} {same}");
        }
        for other in [&*format!("W/{etag}"), "\"x\"", LONG_AGO, ""] {
            let answer = node.get(&key, &[("range", range), ("if-range", other)]).await;
            assert_eq!(answer.status, 200, "{range} {other}");
            assert_eq!(answer.body, content(100));
        }
    }
    let beyond = [("range", "bytes=100-"), ("if-range", "\"x\"")];
    assert_eq!(node.get(&key, &beyond).await.status, 200);
}

/// RFC 9110 section 13.2.2: earlier conditions take precedence, and a range comes last.
async fn conditions_are_looked_at_in_the_order_of_the_standard(node: &Node) {
    let key = node.store(100).await;
    let first = node.get(&key, &[]).await;
    let (etag, modified) = (first.header("etag").unwrap(), first.header("last-modified").unwrap());
    let (fails, beyond) = (("if-match", "\"x\""), ("range", "bytes=100-"));
    for (headers, status) in [
        (&[fails, ("if-none-match", etag), beyond][..], 412),
        (&[("if-match", "*"), ("if-unmodified-since", LONG_AGO), ("range", "bytes=0-1")], 206),
        (&[("if-match", etag), ("if-none-match", etag), beyond], 304),
        (&[("if-unmodified-since", LONG_AGO), ("if-none-match", etag)], 412),
        (&[("if-unmodified-since", modified), ("if-modified-since", modified)], 304),
        (&[("if-none-match", "\"x\""), ("if-modified-since", modified), beyond], 416),
        (&[("if-modified-since", LONG_AGO), ("if-range", "\"x\""), beyond], 200),
        (&[("if-match", "*"), ("if-range", etag), ("range", "bytes=-7")], 206),
    ] {
        let answer = node.get(&key, headers).await;
        assert_eq!(answer.status, status, "{headers:?}");
        assert_eq!(answer.header("content-range").is_some(), [206, 416].contains(&status), "{headers:?}");
    }
    let missing = node.key(tonearm_domain::ContentType::Mp3);
    node.get(&missing, &[("if-match", "*")]).await.assert_error(404, "not_found");
}

async fn what_is_gone_is_gone_for_caches_too(node: &Node) {
    let key = node.store(100).await;
    let etag = node.get(&key, &[]).await.header("etag").unwrap().to_owned();
    node.blobs.delete(&key).await.unwrap();
    for headers in
        [&[][..], &[("if-none-match", &*etag)], &[("range", "bytes=0-1")], &[("range", "bytes=-1")]]
    {
        node.get(&key, headers).await.assert_error(404, "not_found");
    }
    assert_eq!(node.request(Method::HEAD, &node.url(&key), &[]).await.status, 404);
}
