//! Stores that are unavailable.

use futures::TryStreamExt;
use tonearm_blobs::{BlobError, Blobs, PutError, PutTerms};
use tonearm_domain::{ObjectKey, ShortId, StoreId};
use tonearm_fixtures::S3Server;

use crate::test_store::{TestStore, body, pattern};

/// Every operation reports that the store is unavailable, not that an object does not exist.
async fn is_away(blobs: &Blobs, key: &ObjectKey) {
    let put = blobs.put(key, body(&pattern(1000)), PutTerms::default()).await.unwrap_err();
    assert!(matches!(put, PutError::Store(BlobError::Unavailable(_))), "{put:?}");
    let list = blobs.list(None, None).try_collect::<Vec<_>>().await.unwrap_err();
    let errors = [
        list,
        blobs.get(key, None).await.unwrap_err(),
        blobs.get(key, Some(0..1)).await.unwrap_err(),
        blobs.head(key).await.unwrap_err(),
        blobs.delete(key).await.unwrap_err(),
        blobs.check().await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, BlobError::Unavailable(_)), "{error:?}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn s3_comes_back() {
    let mut server = S3Server::start();
    let blobs = Blobs::open(&server.url().parse().unwrap()).await.unwrap();
    let names = TestStore::folder().await;
    let key = names.key();
    blobs.put_bytes(&key, pattern(10)).await.unwrap();
    server.stop();
    is_away(&blobs, &key).await;
    server.restart();
    blobs.check().await.unwrap();
    assert_eq!(blobs.head(&key).await.unwrap().unwrap().size, 10);
}

#[tokio::test]
async fn a_folder_that_was_unmounted_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let [mounted, elsewhere] = ["objects", "elsewhere"].map(|name| folder.path().join(name));
    let blobs = Blobs::open(&format!("file://{}", mounted.display()).parse().unwrap()).await.unwrap();
    let key = TestStore::folder().await.key();
    let identity = StoreId::new(ShortId::from_random([1; 8])).object();
    blobs.put_bytes(&identity, pattern(10)).await.unwrap();
    blobs.put_bytes(&key, pattern(10)).await.unwrap();
    let identity = StoreId::new(ShortId::from_random([1; 8])).object();
    blobs.put_bytes(&identity, pattern(10)).await.unwrap();
    std::fs::rename(&mounted, &elsewhere).unwrap();
    is_away(&blobs, &key).await;
    assert!(!mounted.exists());
    // The empty mount point stays behind.
    std::fs::create_dir(&mounted).unwrap();
    is_away(&blobs, &key).await;
    // The sign of a store without an identity does not stand for one that has it.
    std::fs::create_dir(mounted.join(".tmp")).unwrap();
    blobs.list(None, None).try_collect::<Vec<_>>().await.unwrap_err();
    is_away(&blobs, &key).await;
    std::fs::remove_dir_all(&mounted).unwrap();
    std::fs::rename(&elsewhere, &mounted).unwrap();
    // A copy may lack empty folders.
    std::fs::remove_dir(mounted.join(".tmp")).unwrap();
    blobs.put_bytes(&TestStore::folder().await.key(), pattern(10)).await.unwrap();
    assert_eq!(blobs.head(&key).await.unwrap().unwrap().size, 10);
}
