//! Covers in the format that the client accepts.

use bytes::Bytes;
use http::Method;
use tonearm_domain::{CachePolicy, ContentType, Cover, CoverOrigin, CoverSize, ObjectKey};
use tonearm_signing::DeliveryTerms;

use crate::node::Node;
use crate::over_both_stores;

over_both_stores!(
    webp_is_sent_to_who_takes_it,
    a_cover_without_webp_is_sent_as_it_is,
    a_form_that_may_still_be_replaced_is_not_kept,
    a_form_that_is_missing_is_not_looked_for_again_and_again,
);

const BROWSER: (&str, &str) = ("accept", "image/avif,image/webp,image/*,*/*;q=0.8");

async fn cover(node: &Node) -> ObjectKey {
    let cover = Cover { version: node.ambient.short_id(), origin: CoverOrigin::Uploaded };
    let key = cover.key(node.ambient.record_id(), node.ambient.short_id(), CoverSize::Regular);
    node.blobs.put_bytes(&key, Bytes::from_static(b"a jpeg")).await.unwrap();
    key
}

async fn webp_is_sent_to_who_takes_it(node: &Node) {
    let key = cover(node).await;
    let webp = Cover::webp_of(&key).unwrap();
    node.blobs.put_bytes(&webp, Bytes::from_static(b"webp")).await.unwrap();
    let of = |content_type: ContentType| match content_type {
        ContentType::Webp => (&b"webp"[..], format!("\"{}-webp\"", key.file.version)),
        _ => (&b"a jpeg"[..], format!("\"{}\"", key.file.version)),
    };
    let lines: [(&[(&str, &str)], ContentType); 4] = [
        (&[BROWSER], ContentType::Webp),
        (&[], ContentType::Jpeg),
        (&[("accept", "*/*")], ContentType::Jpeg),
        (&[("accept", "image/webp;q=0, image/*")], ContentType::Jpeg),
    ];
    for (headers, content_type) in lines {
        let (body, etag) = of(content_type);
        let answer = node.get(&key, headers).await;
        assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, body), "{headers:?}");
        assert_eq!(answer.header("content-type"), Some(content_type.mime()));
        assert_eq!(answer.header("vary"), Some("Accept"));
        assert_eq!(answer.header("etag"), Some(etag.as_str()));
        // The formats have different ETags.
        let again = [headers, &[("if-none-match", etag.as_str())]].concat();
        let again = node.get(&key, &again).await;
        assert_eq!((again.status.as_u16(), again.header("vary")), (304, Some("Accept")), "{headers:?}");
        let part = node.get(&key, &[headers, &[("range", "bytes=1-2")]].concat()).await;
        assert_eq!((part.status.as_u16(), &part.body[..]), (206, &body[1..3]));
        let head = node.request(Method::HEAD, &node.url(&key), headers).await;
        assert_eq!(head.header("content-length"), Some(body.len().to_string().as_str()));
    }
    let jpeg = of(ContentType::Jpeg).1;
    assert_eq!(node.get(&key, &[BROWSER, ("if-none-match", &jpeg)]).await.status, 200);
    // A downloaded cover has the name of a JPEG.
    let terms = DeliveryTerms { attachment: Some("cover.jpg"), ..DeliveryTerms::default() };
    let saved = node.signer.sign_delivery(&key, terms, node.ambient.now());
    let saved = node.request(Method::GET, &saved, &[BROWSER]).await;
    assert_eq!(saved.header("content-type"), Some("image/jpeg"));
    // Other objects have one format.
    let sound = node.store(10).await;
    assert_eq!(node.get(&sound, &[BROWSER]).await.header("vary"), None);
}

async fn a_cover_without_webp_is_sent_as_it_is(node: &Node) {
    let key = cover(node).await;
    let answer = node.get(&key, &[BROWSER]).await;
    assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, &b"a jpeg"[..]));
    assert_eq!((answer.header("content-type"), answer.header("vary")), (Some("image/jpeg"), Some("Accept")));
    node.blobs.delete(&key).await.unwrap();
    assert_eq!(node.get(&key, &[BROWSER]).await.status, 404);
}

async fn a_form_that_is_missing_is_not_looked_for_again_and_again(node: &Node) {
    let key = cover(node).await;
    let webp = Cover::webp_of(&key).unwrap();
    let form = async || node.get(&key, &[BROWSER]).await.header("content-type").unwrap().to_owned();
    assert_eq!(form().await, "image/jpeg");
    // A missing format is remembered as missing for a minute.
    node.blobs.put_bytes(&webp, Bytes::from_static(b"webp")).await.unwrap();
    node.clock.advance_seconds(59);
    assert_eq!(form().await, "image/jpeg");
    node.clock.advance_seconds(1);
    assert_eq!(form().await, "image/webp");
}

async fn a_form_that_may_still_be_replaced_is_not_kept(node: &Node) {
    const TAKES_JPEG: (&str, &str) = ("accept", "image/jpeg");
    let key = cover(node).await;
    let webp = Cover::webp_of(&key).unwrap();
    let stored = node.blobs.head(&key).await.unwrap().unwrap().modified;
    let kept = async |client: (&str, &str)| {
        let answer = node.get(&key, &[client]).await;
        assert_eq!((answer.status.as_u16(), answer.header("vary")), (200, Some("Accept")));
        answer.header("cache-control").unwrap().to_owned()
    };
    let long = "private, max-age=31536000, immutable";
    // The WebP is made some time after the JPEG.
    node.clock.set(stored.plus_seconds(1));
    assert_eq!((&*kept(BROWSER).await, &*kept(TAKES_JPEG).await), ("private, max-age=60", long));
    let terms = DeliveryTerms { cache: CachePolicy::Public, ..DeliveryTerms::default() };
    let shared = node.signer.sign_delivery(&key, terms, node.ambient.now());
    let shared = node.request(Method::GET, &shared, &[BROWSER]).await;
    assert_eq!(shared.header("cache-control"), Some("public, max-age=60, s-maxage=60"));
    node.blobs.put_bytes(&webp, Bytes::from_static(b"webp")).await.unwrap();
    node.clock.advance_seconds(60);
    let answer = node.get(&key, &[BROWSER]).await;
    let is_kept = answer.header("cache-control");
    assert_eq!((answer.header("content-type"), is_kept), (Some("image/webp"), Some(long)));

    // After a day, there will be none.
    let key = cover(node).await;
    let stored = node.blobs.head(&key).await.unwrap().unwrap().modified;
    node.clock.set(stored.plus_seconds(24 * 3600));
    assert_eq!(node.get(&key, &[BROWSER]).await.header("cache-control"), Some(long));
}
