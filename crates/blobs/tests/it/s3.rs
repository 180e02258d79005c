//! Behaviour that only the S3 store has.

use std::time::Duration;

use futures::TryStreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tonearm_blobs::{BlobError, Blobs};
use tonearm_fixtures::{BucketProxy, Fault, S3Server};

use crate::test_store::{TestStore, pattern};

async fn open(url: &str) -> Blobs {
    Blobs::open(&url.parse().unwrap()).await.unwrap()
}

fn sentence(error: BlobError) -> String {
    match error {
        BlobError::Unavailable(cause) => cause.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn wrong_credentials_are_refused_in_a_sentence() {
    let server = S3Server::start();
    let url = server.url().replace("secret_access_key=", "secret_access_key=not-");
    let refused = open(&url).await.check().await.unwrap_err();
    assert_eq!(sentence(refused), "the bucket rejects the credentials");
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_not_an_empty_one() {
    let server = S3Server::start();
    let url = server.url().replace("s3://tonearm", "s3://another-bucket");
    let refused = open(&url).await.list(None, None).try_collect::<Vec<_>>().await.unwrap_err();
    assert_eq!(sentence(refused), "the bucket does not exist");
}

/// Proxies do this if their server is down, or if they lead to another server.
#[tokio::test]
async fn a_404_of_somebody_else_says_nothing_about_an_object() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "s3://tonearm?endpoint=http://{}&region=us-east-1&access_key_id=a&secret_access_key=b",
        listener.local_addr().unwrap()
    );
    let proxy = tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut asked = [0; 4096];
            let Ok(length @ 1..) = client.read(&mut asked).await else { continue };
            let page = "<html>404 Not Found</html>";
            let body = if asked[..length].starts_with(b"HEAD ") { "" } else { page };
            let head = format!(
                "HTTP/1.1 404 Not Found\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                page.len()
            );
            client.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        }
    });
    let blobs = open(&url).await;
    let key = TestStore::folder().await.key();
    let refused = [
        blobs.head(&key).await.map(drop).unwrap_err(),
        blobs.get(&key, None).await.map(drop).unwrap_err(),
        blobs.get(&key, Some(0..10)).await.map(drop).unwrap_err(),
    ];
    for error in refused {
        assert_eq!(sentence(error), "the bucket is unreachable or does not work");
    }
    proxy.abort();
}

#[tokio::test]
async fn prefixes_are_apart() {
    let server = S3Server::start();
    let key = TestStore::folder().await.key();
    let [inner, outer, other] = ["/a/b", "/a", "/a/bc"].map(|prefix| server.url_with_prefix(prefix));
    open(&inner).await.put_bytes(&key, pattern(10)).await.unwrap();
    for (url, found) in [(inner, true), (outer, false), (other, false)] {
        assert_eq!(open(&url).await.head(&key).await.unwrap().is_some(), found, "{url}");
    }
    assert!(open(&server.url()).await.local_path(&key).is_none());
}

/// The server does not speak TLS, so an error is all that can be expected; without a TLS provider this would panic.
#[tokio::test]
async fn an_https_endpoint_is_spoken_to_in_tls() {
    let server = S3Server::start();
    let url = server.url().replace("endpoint=http:", "endpoint=https:");
    let refused = open(&url).await.check().await.unwrap_err();
    assert_eq!(sentence(refused), "the bucket is unreachable or does not work");
}

/// The runtime's clock is paused, and does not wait for sockets: while a request hangs, deadlines expire at once.
#[tokio::test]
async fn no_read_waits_without_end() {
    let server = S3Server::start();
    let proxy = BucketProxy::start(&server);
    let blobs = open(proxy.url()).await;
    let key = TestStore::folder().await.key();
    blobs.put_bytes(&key, pattern(100_000)).await.unwrap();
    proxy.set(|_| Some(Fault::Stall(50_000)));
    let begun = blobs.get(&key, None).await.unwrap().unwrap();
    proxy.set(|_| Some(Fault::Hang));
    tokio::time::pause();
    let clock = tokio::time::Instant::now();
    begun.stream.try_collect::<Vec<_>>().await.unwrap_err();
    blobs.get(&key, None).await.map(drop).unwrap_err();
    blobs.get(&key, Some(5..7)).await.map(drop).unwrap_err();
    blobs.head(&key).await.map(drop).unwrap_err();
    blobs.list(None, None).try_collect::<Vec<_>>().await.unwrap_err();
    blobs.delete(&key).await.unwrap_err();
    assert!(clock.elapsed() < 7 * Duration::from_secs(31), "{:?}", clock.elapsed());
}
