//! The cache in front of a bucket.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use tokio::time::{Instant, timeout};
use tonearm_blobs::{BlobError, Blobs, CacheTerms};
use tonearm_domain::ObjectKey;
use tonearm_fixtures::{BucketProxy, Fault, S3Server};

use crate::test_store::{TestStore, eventually, pattern, read};

const SIZE: usize = 3_000_000;

/// The maximum time for which a fetch may stall. Only tests with a stalled fetch reach it.
const DEADLINE: Duration = Duration::from_secs(2);

/// Long enough that no test reaches it.
const NEVER: Duration = Duration::from_secs(86_400);

async fn cached(s3: &S3Server, memory_bytes: u64, disk: Option<&Path>, recheck: Duration) -> Blobs {
    cached_at(&s3.url(), memory_bytes, disk, recheck).await
}

async fn cached_at(url: &str, memory_bytes: u64, disk: Option<&Path>, recheck: Duration) -> Blobs {
    let disk = disk.map(|folder| (folder.to_owned(), 100 << 20));
    let blobs = Blobs::open(&url.parse().unwrap()).await.unwrap();
    let terms = CacheTerms { memory_bytes, disk, recheck, recheck_all: NEVER, deadline: DEADLINE };
    blobs.with_cache(terms).await.unwrap()
}

/// The names of the files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// A bucket with one object, and its content.
async fn bucket() -> (S3Server, ObjectKey, bytes::Bytes) {
    let s3 = S3Server::start();
    let blobs = Blobs::open(&s3.url().parse().unwrap()).await.unwrap();
    let (key, content) = (TestStore::folder().await.key(), pattern(SIZE));
    blobs.put_bytes(&key, content.clone()).await.unwrap();
    (s3, key, content)
}

async fn deliver(blobs: &Blobs, key: &ObjectKey, range: Option<Range<u64>>) -> Result<Vec<u8>, BlobError> {
    Ok(read(blobs.deliver(key, range).await?.expect("the object is there")).await)
}

#[tokio::test]
async fn what_is_delivered_is_what_was_stored() {
    let (s3, key, content) = bucket().await;
    // The second memory size is smaller than the read-ahead.
    for memory in [64 << 20, 300_000] {
        let blobs = cached(&s3, memory, None, NEVER).await;
        for range in [
            Some(100..200),
            Some(262_143..262_145),
            None,
            Some(1_000_000..2_500_000),
            Some(2_999_999..5_000_000),
            Some(0..0),
            Some(7_000_000..8_000_000),
        ] {
            let [start, end] = match &range {
                Some(range) => [range.start, range.end].map(|at| (at as usize).min(SIZE)),
                None => [0, SIZE],
            };
            // The first read is from the store, the second from memory as far as it reaches.
            for _ in 0..2 {
                let got = deliver(&blobs, &key, range.clone()).await.unwrap();
                assert!(got == content[start..end], "{range:?} with {memory} bytes");
            }
        }
        assert!(blobs.deliver(&TestStore::folder().await.key(), None).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn many_who_wait_are_given_the_same_and_the_store_may_go_away_then() {
    let (mut s3, key, content) = bucket().await;
    let blobs = cached(&s3, 64 << 20, None, Duration::ZERO).await;
    let waiting = (0..200).map(|n| {
        let (blobs, key) = (blobs.clone(), key.clone());
        tokio::spawn(async move { deliver(&blobs, &key, Some(n * 10_000..SIZE as u64)).await.unwrap() })
    });
    for (n, got) in futures::future::join_all(waiting).await.into_iter().enumerate() {
        assert!(got.unwrap() == content[n * 10_000..]);
    }
    assert!(deliver(&blobs, &key, None).await.unwrap() == content);
    s3.stop();
    assert!(deliver(&blobs, &key, None).await.unwrap() == content);
    let open = blobs.at_hand(&key).unwrap();
    assert_eq!(open.meta().size, SIZE as u64);
    let chunks = open.read(5..SIZE as u64).unwrap();
    assert!(chunks.try_collect::<Vec<_>>().await.unwrap().concat() == content[5..]);
    let elsewhere = TestStore::folder().await.key();
    assert!(matches!(blobs.deliver(&elsewhere, None).await, Err(BlobError::Unavailable(_))));
}

#[tokio::test]
async fn what_is_on_disk_outlives_a_restart_and_the_store() {
    let (mut s3, key, content) = bucket().await;
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("cache");
    let blobs = cached(&s3, 64 << 20, Some(&disk), NEVER).await;
    // Pieces are written in the background, and skipped if too many are being written.
    let pieces = SIZE.div_ceil(256 * 1024);
    let kept = disk.join(key.to_string());
    for at in 0..pieces as u64 {
        let blobs = cached(&s3, 64 << 20, Some(&disk), NEVER).await;
        deliver(&blobs, &key, Some(at * 256 * 1024..at * 256 * 1024 + 1)).await.unwrap();
        eventually(|| files(&kept).iter().any(|name| name.starts_with(&format!("{at}.")))).await;
    }
    drop(blobs);
    s3.stop();
    let again = cached(&s3, 64 << 20, Some(&disk), NEVER).await;
    assert!(deliver(&again, &key, None).await.unwrap() == content);
}

#[tokio::test]
async fn what_is_deleted_is_soon_gone() {
    let (s3, key, _) = bucket().await;
    let elsewhere = Blobs::open(&s3.url().parse().unwrap()).await.unwrap();
    let blobs = cached(&s3, 64 << 20, None, Duration::ZERO).await;
    deliver(&blobs, &key, None).await.unwrap();
    elsewhere.delete(&key).await.unwrap();
    // It may be served once more, while the cache queries the store.
    while blobs.at_hand(&key).is_some() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(blobs.deliver(&key, None).await.unwrap().is_none());

    // Bytes that are not in memory cannot be read, however recently the object was known.
    let (s3, key, _) = bucket().await;
    let blobs = cached(&s3, 64 << 20, None, NEVER).await;
    deliver(&blobs, &key, Some(0..1)).await.unwrap();
    let elsewhere = Blobs::open(&s3.url().parse().unwrap()).await.unwrap();
    elsewhere.delete(&key).await.unwrap();
    assert!(blobs.deliver(&key, Some(2_500_000..SIZE as u64)).await.unwrap().is_none());

    let (s3, key, _) = bucket().await;
    let blobs = cached(&s3, 64 << 20, None, NEVER).await;
    deliver(&blobs, &key, None).await.unwrap();
    blobs.delete(&key).await.unwrap();
    assert!(blobs.at_hand(&key).is_none());
    assert!(blobs.deliver(&key, None).await.unwrap().is_none());
}

#[tokio::test]
async fn what_many_want_to_know_of_an_object_is_asked_once() {
    let (s3, key, _) = bucket().await;
    let proxy = BucketProxy::start(&s3);
    let blobs = cached_at(proxy.url(), 64 << 20, None, NEVER).await;
    let heads = futures::future::join_all((0..100).map(|_| blobs.deliver_head(&key))).await;
    assert!(heads.into_iter().all(|meta| meta.unwrap().unwrap().size == SIZE as u64));
    blobs.deliver_head(&key).await.unwrap().unwrap();
    assert_eq!(proxy.requests().len(), 1, "{:?}", proxy.requests());
    // Known metadata is not requested again, and a missing object is not mistaken for an outage.
    deliver(&blobs, &key, Some(SIZE as u64 - 10..SIZE as u64)).await.unwrap();
    assert_eq!((proxy.count("HEAD"), proxy.count("GET")), (1, 1));
    assert!(blobs.deliver_head(&TestStore::folder().await.key()).await.unwrap().is_none());
}

/// Reads overlapping parts of an object with many concurrent readers.
async fn read_by_many(blobs: &Blobs, key: &ObjectKey) -> Vec<Result<Vec<u8>, BlobError>> {
    let readers = (0..50_u64).map(|n| async move {
        let Some(body) = blobs.deliver(key, Some(n * 1000..n * 1000 + 900_000)).await? else {
            panic!("the object is there")
        };
        Ok(body.stream.try_collect::<Vec<_>>().await?.concat())
    });
    futures::future::join_all(readers).await
}

#[tokio::test]
async fn a_fetch_that_fails_is_tried_once_more_for_all() {
    let (s3, key, content) = bucket().await;
    let proxy = BucketProxy::start(&s3);
    let blobs = cached_at(proxy.url(), 64 << 20, None, NEVER).await;
    // The first response stalls halfway.
    let asked = AtomicUsize::new(0);
    proxy.set(move |_| (asked.fetch_add(1, Ordering::SeqCst) == 0).then_some(Fault::Stall(300_000)));
    for (n, got) in read_by_many(&blobs, &key).await.into_iter().enumerate() {
        assert!(got.unwrap() == content[n * 1000..n * 1000 + 900_000]);
    }
    // Bytes that had arrived are not fetched again.
    let ranges: Vec<_> = proxy.requests().into_iter().map(|request| request.range.unwrap()).collect();
    assert_eq!(ranges, ["bytes=0-1048575", "bytes=300000-1048575"]);

    // If the second attempt fails too, all readers get the error.
    let blobs = cached_at(proxy.url(), 64 << 20, None, NEVER).await;
    deliver(&blobs, &key, Some(2_500_000..2_500_001)).await.unwrap();
    let before = proxy.requests().len();
    proxy.set(|_| Some(Fault::Hang));
    for got in read_by_many(&blobs, &key).await {
        assert!(matches!(got, Err(BlobError::Unavailable(_))), "{got:?}");
    }
    assert_eq!(proxy.requests().len() - before, 2, "{:?}", proxy.requests());
    proxy.heal();
    assert!(deliver(&blobs, &key, None).await.unwrap() == content);
}

#[tokio::test]
async fn slow_readers_hold_little_and_others_share_fetches_all_the_same() {
    let s3 = S3Server::start();
    let (names, plain) = (TestStore::folder().await, Blobs::open(&s3.url().parse().unwrap()).await.unwrap());
    let proxy = BucketProxy::start(&s3);
    let blobs = cached_at(proxy.url(), 1 << 20, None, NEVER).await;
    // Slow readers, each holding the first bytes of its object, together hold more than twice the memory.
    let mut slow = Vec::new();
    for _ in 0..20 {
        let key = names.key();
        plain.put_bytes(&key, pattern(262_144)).await.unwrap();
        let mut stream = blobs.deliver(&key, None).await.unwrap().unwrap().stream;
        let held = stream.next().await.unwrap().unwrap();
        slow.push((stream, held));
    }
    let key = names.key();
    plain.put_bytes(&key, pattern(262_144)).await.unwrap();
    // The object is known, but none of its bytes are cached.
    blobs.deliver_head(&key).await.unwrap().unwrap();
    let before = proxy.requests().len();
    let many = futures::future::join_all((0..50).map(|_| deliver(&blobs, &key, None))).await;
    assert!(many.into_iter().all(|got| got.unwrap() == pattern(262_144)));
    // One fetch, and another one if the first was evicted before all readers had read it.
    assert!(proxy.requests().len() - before <= 2, "{:?}", &proxy.requests()[before..]);
    for (stream, held) in slow {
        let rest = stream.try_collect::<Vec<_>>().await.unwrap().concat();
        assert!([&held[..], &rest].concat() == pattern(262_144));
    }
}

#[tokio::test]
async fn what_is_on_disk_is_read_from_there_however_full_memory_is() {
    let (mut s3, key, content) = bucket().await;
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("cache");
    let kept = disk.join(key.to_string());
    let blobs = cached(&s3, 600_000, Some(&disk), NEVER).await;
    deliver(&blobs, &key, None).await.unwrap();
    eventually(|| files(&kept).len() == SIZE.div_ceil(256 * 1024)).await;
    s3.stop();
    // Readers at different positions, each holding some bytes.
    let mut slow = Vec::new();
    for n in 0..SIZE as u64 / 100_000 {
        let from = n * 100_000;
        let mut stream = blobs.deliver(&key, Some(from..SIZE as u64)).await.unwrap().unwrap().stream;
        let held = stream.next().await.unwrap().unwrap();
        slow.push((from as usize, stream, held));
    }
    for (from, stream, held) in slow {
        let rest = stream.try_collect::<Vec<_>>().await.unwrap().concat();
        assert!([&held[..], &rest].concat() == content[from..]);
    }
}

/// A cache folder that holds a whole object, written by a process that has ended. Returns the object's folder.
async fn on_disk(s3: &S3Server, key: &ObjectKey, disk: &Path) -> std::path::PathBuf {
    let kept = disk.join(key.to_string());
    let blobs = cached(s3, 64 << 20, Some(disk), NEVER).await;
    deliver(&blobs, key, None).await.unwrap();
    eventually(|| files(&kept).len() == SIZE.div_ceil(256 * 1024)).await;
    kept
}

#[tokio::test]
async fn what_is_damaged_on_disk_is_fetched_again() {
    let (mut s3, key, content) = bucket().await;
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("cache");
    let kept = on_disk(&s3, &key, &disk).await;
    let blobs = cached(&s3, 64 << 20, Some(&disk), NEVER).await;
    // One flipped bit in one piece, with the length unchanged.
    let name = files(&kept).into_iter().find(|name| name.starts_with("3.")).unwrap();
    let whole = std::fs::read(kept.join(&name)).unwrap();
    let mut damaged = whole.clone();
    damaged[100_000] ^= 4;
    std::fs::write(kept.join(&name), damaged).unwrap();
    assert!(deliver(&blobs, &key, None).await.unwrap() == content);
    // The fetched piece replaces the damaged one.
    eventually(|| std::fs::read(kept.join(&name)).is_ok_and(|bytes| bytes == whole)).await;
    s3.stop();
    let again = cached(&s3, 64 << 20, Some(&disk), NEVER).await;
    assert!(deliver(&again, &key, None).await.unwrap() == content);
}

/// A folder as a store, and the file of an object in it.
async fn folder_of(key: &ObjectKey, content: &[u8], seconds: u64) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}/objects", folder.path().display());
    Blobs::open(&url.parse().unwrap()).await.unwrap();
    write_at(&folder, key, content, seconds);
    (folder, url)
}

/// Writes the file of an object, with this date.
fn write_at(folder: &tempfile::TempDir, key: &ObjectKey, content: &[u8], seconds: u64) {
    let path = folder.path().join("objects").join(key.to_string());
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let draft = folder.path().join("draft");
    std::fs::write(&draft, content).unwrap();
    let file = std::fs::File::options().write(true).open(&draft).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)).unwrap();
    std::fs::rename(draft, path).unwrap();
}

/// Asks and delivers until the whole object is as expected.
async fn comes_to_deliver(blobs: &Blobs, key: &ObjectKey, expected: &[u8]) {
    for _ in 0..2000 {
        drop(blobs.at_hand(key));
        if let Ok(Some(body)) = blobs.deliver(key, None).await
            && body.stream.try_collect::<Vec<_>>().await.is_ok_and(|chunks| chunks.concat() == expected)
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never delivers what the store has");
}

#[tokio::test]
async fn an_object_that_was_replaced_is_fetched_again() {
    let (key, sound) = (TestStore::folder().await.key(), pattern(SIZE));
    let mut damaged = sound.to_vec();
    damaged[1_000_000] ^= 1;
    let (folder, url) = folder_of(&key, &damaged, 0).await;
    let disk = folder.path().join("cache");
    let pieces = || files(&disk.join(key.to_string()));
    let blobs = cached_at(&url, 64 << 20, Some(&disk), Duration::ZERO).await;
    assert!(deliver(&blobs, &key, None).await.unwrap() == damaged);
    eventually(|| pieces().len() == SIZE.div_ceil(256 * 1024)).await;

    // Of the same length: only its date differs.
    write_at(&folder, &key, &sound, 60);
    comes_to_deliver(&blobs, &key, &sound).await;

    // The same after a restart, for what is on disk.
    eventually(|| pieces().len() == SIZE.div_ceil(256 * 1024)).await;
    drop(blobs);
    write_at(&folder, &key, &damaged, 120);
    let blobs = cached_at(&url, 64 << 20, Some(&disk), Duration::ZERO).await;
    comes_to_deliver(&blobs, &key, &damaged).await;
}

/// Puts other bytes under the name of an object.
async fn replace(s3: &S3Server, key: &ObjectKey, content: bytes::Bytes) {
    let elsewhere = Blobs::open(&s3.url().parse().unwrap()).await.unwrap();
    elsewhere.delete(key).await.unwrap();
    elsewhere.put_bytes(key, content).await.unwrap();
}

#[tokio::test]
async fn an_object_that_was_replaced_within_a_second_is_fetched_again() {
    let (s3, key, sound) = bucket().await;
    let mut damaged = sound.to_vec();
    damaged[1_000_000] ^= 1;
    let put = async |content: bytes::Bytes| {
        replace(&s3, &key, content).await;
        let path = s3.files().into_iter().find(|path| path.ends_with(key.to_string())).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
    };
    put(damaged.clone().into()).await;
    let folder = tempfile::tempdir().unwrap();
    let blobs = cached(&s3, 64 << 20, Some(&folder.path().join("cache")), Duration::ZERO).await;
    assert!(deliver(&blobs, &key, None).await.unwrap() == damaged);
    put(sound.clone()).await;
    comes_to_deliver(&blobs, &key, &sound).await;

    // Of a folder.
    let (folder, url) = folder_of(&key, &damaged, 0).await;
    let blobs = cached_at(&url, 64 << 20, None, Duration::ZERO).await;
    assert!(deliver(&blobs, &key, None).await.unwrap() == damaged);
    write_at(&folder, &key, &sound, 0);
    comes_to_deliver(&blobs, &key, &sound).await;
}

/// A backup may be copied into the file that is there, with its date.
#[tokio::test]
async fn a_small_file_that_is_written_again_is_read_again() {
    let key = TestStore::folder().await.key();
    let (folder, url) = folder_of(&key, b"damaged", 0).await;
    let blobs = Blobs::open(&url.parse().unwrap()).await.unwrap();
    assert_eq!(deliver(&blobs, &key, None).await.unwrap(), b"damaged");
    let path = folder.path().join("objects").join(key.to_string());
    let date = std::fs::metadata(&path).unwrap().modified().unwrap();
    std::fs::write(&path, "as good").unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(date).unwrap();
    comes_to_deliver(&blobs, &key, b"as good").await;
}

#[tokio::test]
async fn an_object_that_is_replaced_while_it_is_read_is_never_a_mixture() {
    let (s3, key, before) = bucket().await;
    let blobs = cached(&s3, 64 << 20, None, NEVER).await;
    assert!(deliver(&blobs, &key, Some(0..10)).await.unwrap() == before[..10]);
    let after = bytes::Bytes::from(vec![7; SIZE - 1]);
    replace(&s3, &key, after.clone()).await;
    let rest = blobs.deliver(&key, Some(2_500_000..SIZE as u64)).await;
    assert!(matches!(rest, Err(BlobError::Unavailable(_))), "its first part was delivered before");
    assert!(deliver(&blobs, &key, None).await.unwrap() == after);
}

#[tokio::test]
async fn an_object_that_was_empty_for_a_moment_is_not_for_long() {
    let (s3, key, content) = bucket().await;
    replace(&s3, &key, bytes::Bytes::new()).await;
    let blobs = cached(&s3, 64 << 20, None, NEVER).await;
    assert_eq!(deliver(&blobs, &key, None).await.unwrap(), b"");
    assert_eq!(blobs.deliver_head(&key).await.unwrap().unwrap().size, 0);
    replace(&s3, &key, content.clone()).await;
    assert!(deliver(&blobs, &key, None).await.unwrap() == content);
}

#[tokio::test]
async fn a_cache_folder_that_disappears_is_made_again() {
    let (s3, key, content) = bucket().await;
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("cache");
    let kept = on_disk(&s3, &key, &disk).await;
    let blobs = cached(&s3, 64 << 20, Some(&disk), NEVER).await;
    std::fs::remove_dir_all(&disk).unwrap();
    assert!(deliver(&blobs, &key, None).await.unwrap() == content);
    eventually(|| !files(&kept).is_empty()).await;
}

#[tokio::test]
async fn a_deleted_object_leaves_the_disk() {
    let (s3, key, content) = bucket().await;
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("cache");
    let kept = on_disk(&s3, &key, &disk).await;
    let blobs = cached(&s3, 64 << 20, Some(&disk), NEVER).await;
    assert!(deliver(&blobs, &key, Some(5..10)).await.unwrap() == content[5..10]);
    blobs.delete(&key).await.unwrap();
    assert!(blobs.deliver(&key, None).await.unwrap().is_none());
    eventually(|| !kept.exists()).await;
}

#[tokio::test]
async fn what_was_deleted_elsewhere_goes_even_if_nobody_asks() {
    let (s3, key, content) = bucket().await;
    let elsewhere = Blobs::open(&s3.url().parse().unwrap()).await.unwrap();
    let other = TestStore::folder().await.key();
    elsewhere.put_bytes(&other, content.clone()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("cache");
    let kept = [on_disk(&s3, &key, &disk).await, on_disk(&s3, &other, &disk).await];

    let proxy = BucketProxy::start(&s3);
    // A 404 from another server does not mean that anything was deleted.
    proxy.set(|_| Some(Fault::NotFound));
    let blobs = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap();
    let terms = CacheTerms {
        memory_bytes: 64 << 20,
        disk: Some((disk, 100 << 20)),
        recheck: NEVER,
        recheck_all: Duration::from_millis(200),
        deadline: DEADLINE,
    };
    let _blobs = blobs.with_cache(terms).await.unwrap();
    elsewhere.delete(&key).await.unwrap();
    eventually(|| proxy.count("GET") > 10).await;
    assert!(kept.iter().all(|kept| files(kept).len() == 12));
    proxy.heal();
    eventually(|| !kept[0].exists()).await;
    assert_eq!(files(&kept[1]).len(), 12);
}

#[tokio::test]
async fn what_is_on_disk_is_read_while_fetches_hang() {
    let (s3, key, content) = bucket().await;
    let (names, elsewhere) =
        (TestStore::folder().await, Blobs::open(&s3.url().parse().unwrap()).await.unwrap());
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("cache");
    on_disk(&s3, &key, &disk).await;
    let proxy = BucketProxy::start(&s3);
    proxy.set(|_| Some(Fault::Stall(1000)));
    let terms = CacheTerms {
        memory_bytes: 1 << 20,
        disk: Some((disk, 100 << 20)),
        recheck: NEVER,
        recheck_all: NEVER,
        deadline: Duration::from_secs(60),
    };
    let blobs = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap().with_cache(terms).await.unwrap();
    let mut hanging = Vec::new();
    for _ in 0..10 {
        let cold = names.key();
        elsewhere.put_bytes(&cold, content.clone()).await.unwrap();
        let blobs = blobs.clone();
        hanging.push(tokio::spawn(async move { deliver(&blobs, &cold, Some(500_000..600_000)).await }));
    }
    eventually(|| proxy.under_way() == 10).await;
    let got = tokio::time::timeout(Duration::from_secs(20), deliver(&blobs, &key, None)).await;
    assert!(got.expect("it does not wait for the bucket").unwrap() == content);
    hanging.iter().for_each(tokio::task::JoinHandle::abort);
}

/// The number of seconds for each fault. Set the variable for a longer test.
fn seconds_of_each_fault() -> u64 {
    std::env::var("TONEARM_OUTAGE_SECONDS").ok().and_then(|value| value.parse().ok()).unwrap_or(1)
}

/// Whatever happens to the bucket, an object that is fully in the cache can always be read.
#[tokio::test(flavor = "multi_thread")]
async fn who_listens_to_what_is_in_the_cache_hears_no_gap() {
    const LISTENERS: usize = 8;
    const RANGE: u64 = 64 * 1024;
    let (mut s3, key, content) = bucket().await;
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("cache");
    on_disk(&s3, &key, &disk).await;
    let proxy = BucketProxy::start(&s3);
    // Memory has room for a third of the object, and the cache rechecks constantly whether the object exists.
    let terms = CacheTerms {
        memory_bytes: 1 << 20,
        disk: Some((disk, 100 << 20)),
        recheck: Duration::from_millis(50),
        recheck_all: NEVER,
        deadline: Duration::from_millis(200),
    };
    let blobs = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap().with_cache(terms).await.unwrap();
    let cold = TestStore::folder().await.key();
    let elsewhere = Blobs::open(&s3.url().parse().unwrap()).await.unwrap();
    elsewhere.put_bytes(&cold, content.clone()).await.unwrap();
    for fault in [
        Some(Fault::Hang),
        Some(Fault::NotFound),
        Some(Fault::Unavailable),
        Some(Fault::Deny),
        Some(Fault::Cut(1000)),
        Some(Fault::Stall(1000)),
        Some(Fault::Slow(1000)),
        // The bucket is stopped.
        None,
    ] {
        match fault {
            Some(fault) => proxy.set(move |_| Some(fault)),
            None => s3.stop(),
        }
        let ends = Instant::now() + Duration::from_secs(seconds_of_each_fault());
        let listen = async |number: usize| {
            let mut start = (number as u64 * 300_000) % SIZE as u64;
            let mut responses = 0;
            while Instant::now() < ends || responses < 60 {
                let end = (start + RANGE).min(SIZE as u64);
                let came = timeout(Duration::from_secs(20), deliver(&blobs, &key, Some(start..end))).await;
                let came = came.unwrap_or_else(|_| panic!("{fault:?}: a range does not come"));
                assert!(came.unwrap() == content[start as usize..end as usize], "{fault:?}");
                (start, responses) = (end % SIZE as u64, responses + 1);
            }
        };
        let others = async {
            while Instant::now() < ends {
                // The result does not matter; this must not delay other readers.
                let _ = timeout(Duration::from_secs(1), blobs.deliver(&cold, None)).await;
            }
        };
        tokio::join!(futures::future::join_all((0..LISTENERS).map(listen)), others);
    }
}
