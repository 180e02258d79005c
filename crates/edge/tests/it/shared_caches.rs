//! Headers for shared caches, such as those of CDNs.

use http::Method;
use tonearm_domain::{CachePolicy, ContentType};
use tonearm_signing::DeliveryTerms;

use crate::durable::{name_of, publish};
use crate::node::{Node, content};

crate::over_both_stores!(
    a_public_url_is_cached_until_it_ends,
    every_answer_with_an_object_says_so,
    nobody_makes_a_private_url_public,
    a_public_durable_name_is_asked_for_again_soon,
);

const PUBLIC: DeliveryTerms<'_> =
    DeliveryTerms { ttl: Some(7200), attachment: None, cache: CachePolicy::Public };

fn cached_for(seconds: u32) -> String {
    format!("public, max-age=31536000, s-maxage={seconds}, immutable")
}

async fn a_public_url_is_cached_until_it_ends(node: &Node) {
    let key = node.store(100).await;
    let url = node.signer.sign_delivery(&key, PUBLIC, node.ambient.now());
    assert!(url.contains("?cache=public&ttl=7200&verify="), "{url}");
    for (seconds, left) in [(0, 7200), (3600, 3600), (3599, 1)] {
        node.clock.advance_seconds(seconds);
        let answer = node.request(Method::GET, &url, &[]).await;
        assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, Some(&*cached_for(left))));
        assert_eq!(answer.body, content(100));
    }
    node.clock.advance_seconds(1);
    node.request(Method::GET, &url, &[]).await.assert_error(401, "url_expired");
}

async fn every_answer_with_an_object_says_so(node: &Node) {
    let key = node.store(100).await;
    let url = node.signer.sign_delivery(&key, PUBLIC, node.ambient.now());
    let etag = format!("\"{}\"", key.file.version);
    for (method, headers, status) in [
        (Method::HEAD, ("accept", "*/*"), 200),
        (Method::GET, ("range", "bytes=0-9"), 206),
        (Method::GET, ("range", "bytes=0-1,5-6"), 206),
        (Method::GET, ("if-none-match", &*etag), 304),
    ] {
        let answer = node.request(method, &url, &[headers]).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("cache-control")),
            (status, Some(&*cached_for(7200)))
        );
    }
    // Error responses must not be cached.
    let wrong = [("if-match", "\"other\""), ("range", "bytes=100-")];
    for (headers, status) in wrong.into_iter().zip([412, 416]) {
        let answer = node.request(Method::GET, &url, &[headers]).await;
        assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (status, Some("no-store")));
    }
    let missing = node.key(ContentType::Mp3);
    let url = node.signer.sign_delivery(&missing, PUBLIC, node.ambient.now());
    node.request(Method::GET, &url, &[]).await.assert_error(404, "not_found");
}

async fn nobody_makes_a_private_url_public(node: &Node) {
    let key = node.store(100).await;
    let private = DeliveryTerms { cache: CachePolicy::Private, ..PUBLIC };
    let url = node.signer.sign_delivery(&key, private, node.ambient.now());
    let answer = node.request(Method::GET, &url, &[]).await;
    assert_eq!(answer.header("cache-control"), Some("private, max-age=31536000, immutable"));
    let opened = url.replace("?ttl=", "?cache=public&ttl=");
    node.request(Method::GET, &opened, &[]).await.assert_error(401, "signature_invalid");
}

async fn a_public_durable_name_is_asked_for_again_soon(node: &Node) {
    let key = node.store(100).await;
    let name = name_of(&key);
    publish(node, 1, &[&key]).await;
    let url = node.signer.sign_durable(&name, PUBLIC, node.ambient.now());
    let answer = node.request(Method::GET, &url, &[]).await;
    let cached = "public, max-age=60, s-maxage=60";
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, Some(cached)));
    node.clock.advance_seconds(7190);
    let last = node.request(Method::GET, &url, &[]).await;
    assert_eq!(last.header("cache-control"), Some("public, max-age=60, s-maxage=10"));
}
