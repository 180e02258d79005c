//! Objects that are put again under the same key after a failure.

use std::time::Duration;

use futures::future::join_all;
use tonearm_blobs::{BlobError, Blobs, PutError};
use tonearm_fixtures::{BucketProxy, Fault, ProxiedRequest, S3Server};

use crate::test_store::{TestStore, body, eventually, pattern, read};

/// Longer than a put takes if it does not wait for anything.
const A_WHILE: Duration = Duration::from_millis(500);

async fn behind_a_proxy() -> (S3Server, BucketProxy, Blobs) {
    let server = S3Server::start();
    let proxy = BucketProxy::start(&server);
    let blobs = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap();
    (server, proxy, blobs)
}

/// Whether the request removes objects. Objects are removed in batches.
fn removes(request: &ProxiedRequest) -> bool {
    request.method == "DELETE" || request.target.ends_with("?delete")
}

fn removals(proxy: &BucketProxy) -> usize {
    proxy.requests().iter().filter(|request| removes(request)).count()
}

/// The bucket stores what it receives but responds with an error. Requests that remove it again are held.
fn store_and_deny(proxy: &BucketProxy) {
    proxy.set(|request| match request.method.as_str() {
        _ if removes(request) => Some(Fault::Hold),
        // A small object, or the request that completes a multipart upload.
        "PUT" if !request.target.contains("uploadId") => Some(Fault::Deny),
        "POST" if request.target.contains("uploadId") => Some(Fault::Deny),
        _ => None,
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_attempt_is_not_undone_with_the_first() {
    // In one request, and in parts.
    for size in [1000, 9 << 20] {
        let (_server, proxy, blobs) = behind_a_proxy().await;
        let (key, content) = (TestStore::folder().await.key(), pattern(size));
        store_and_deny(&proxy);
        let failed = blobs.put_bytes(&key, content.clone()).await.unwrap_err();
        assert!(matches!(failed, PutError::Store(BlobError::Unavailable(_))), "{failed:?}");
        eventually(|| removals(&proxy) > 0).await;
        proxy.set(|request| removes(request).then_some(Fault::Hold));
        let mut second = tokio::spawn({
            let (blobs, key, content) = (blobs.clone(), key.clone(), content.clone());
            async move { blobs.put_bytes(&key, content).await }
        });
        // It would have finished by now if it did not wait for the held request.
        let early = tokio::time::timeout(A_WHILE, &mut second).await;
        proxy.release();
        match early {
            Ok(stored) => stored.unwrap().unwrap(),
            Err(_) => second.await.unwrap().unwrap(),
        };
        eventually(|| proxy.under_way() == 0).await;
        let stored = blobs.get(&key, None).await.unwrap().expect("the second attempt is there");
        assert!(read(stored).await == content);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_be_put_again_is_never_removed() {
    let (_server, proxy, blobs) = behind_a_proxy().await;
    let (key, content) = (TestStore::folder().await.key(), pattern(1000));
    store_and_deny(&proxy);
    blobs.put_repeatable(&key, content.clone()).await.unwrap_err();
    // The object is there, as if another node had stored it.
    assert_eq!(blobs.head(&key).await.unwrap().unwrap().size, 1000);
    proxy.set(|request| removes(request).then_some(Fault::Hold));
    blobs.put_repeatable(&key, content).await.unwrap();
    assert_eq!((removals(&proxy), blobs.head(&key).await.unwrap().unwrap().size), (0, 1000));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_attempts_at_once_end_with_the_object() {
    let (_server, _proxy, blobs) = behind_a_proxy().await;
    let (key, content) = (TestStore::folder().await.key(), pattern(1000));
    let attempts = (0..20).map(|number| {
        let (blobs, key, content) = (blobs.clone(), key.clone(), content.clone());
        tokio::spawn(async move {
            let put = blobs.put(&key, body(&content), Default::default());
            // Some are dropped before they finish.
            let patience = if number % 2 == 0 { Duration::from_millis(number) } else { Duration::MAX };
            tokio::time::timeout(patience, put).await.is_ok_and(|put| put.is_ok())
        })
    });
    let done = join_all(attempts).await;
    assert!(done.into_iter().any(|done| done.unwrap()));
    blobs.put_bytes(&key, content).await.unwrap();
    assert_eq!(blobs.head(&key).await.unwrap().unwrap().size, 1000);
}
