//! The contract of every store. Each function here is two tests.

use std::collections::BTreeSet;
use std::ops::Range;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, future, stream};
use md5::{Digest, Md5};
use tonearm_blobs::{BoxError, PutError, PutTerms};
use tonearm_domain::{ContentType, ObjectKey, Timestamp};

use crate::test_store::{TestStore, body, pattern, read, sha256};

macro_rules! contract {
    ($($name:ident),* $(,)?) => {
        mod in_a_folder {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(crate::test_store::TestStore::folder().await).await;
            })*
        }
        mod in_s3 {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(crate::test_store::TestStore::s3().await).await;
            })*
        }
    };
}

contract![
    what_is_put_is_got,
    empty_objects_are_objects,
    copies_are_objects_of_their_own,
    large_objects_stream_through,
    ranges_are_cut_to_what_there_is,
    what_is_not_there_is_none,
    files_go_in_and_out,
    every_content_type_has_its_name,
    lists_are_of_what_was_asked_for,
    lists_go_on_after_a_name,
    deleting_is_idempotent,
    announced_digests_are_checked,
    a_body_that_fails_leaves_nothing,
    a_body_that_ends_short_leaves_nothing,
    a_body_that_is_too_large_leaves_nothing,
    a_put_that_is_dropped_leaves_nothing,
    many_puts_at_once,
    puts_and_deletes_in_one_folder,
    a_check_leaves_no_object,
];

const MIB: usize = 1024 * 1024;

async fn what_is_put_is_got(store: TestStore) {
    let (key, bytes) = (store.key(), pattern(300_000));
    let stored = store.blobs.put(&key, body(&bytes), PutTerms::default()).await.unwrap();
    assert_eq!((stored.size, stored.sha256), (300_000, sha256(&bytes)));

    let meta = store.blobs.head(&key).await.unwrap().unwrap();
    assert_eq!(meta.size, 300_000);
    assert!(meta.modified > Timestamp::from_unix_seconds(1_600_000_000).unwrap());
    let got = store.blobs.get(&key, None).await.unwrap().unwrap();
    assert_eq!((got.meta, got.range.clone()), (meta, 0..300_000));
    assert!(read(got).await == bytes);
}

async fn copies_are_objects_of_their_own(store: TestStore) {
    for bytes in [Bytes::new(), pattern(300_000), pattern(9 * MIB)] {
        let (from, to) = (store.key(), store.key());
        store.blobs.put(&from, body(&bytes), PutTerms::default()).await.unwrap();
        assert_eq!(store.blobs.copy(&from, &to).await.unwrap(), Some(bytes.len() as u64));
        assert!(read(store.blobs.get(&from, None).await.unwrap().unwrap()).await == bytes);
        store.blobs.delete(&from).await.unwrap();
        assert!(store.blobs.get(&from, None).await.unwrap().is_none());
        assert!(read(store.blobs.get(&to, None).await.unwrap().unwrap()).await == bytes);
    }
    let to = store.key();
    assert_eq!(store.blobs.copy(&store.key(), &to).await.unwrap(), None);
    assert!(store.blobs.head(&to).await.unwrap().is_none());
}

async fn empty_objects_are_objects(store: TestStore) {
    let key = store.key();
    let stored = store.blobs.put_bytes(&key, Bytes::new()).await.unwrap();
    assert_eq!((stored.size, stored.sha256), (0, sha256(b"")));
    assert_eq!(store.blobs.head(&key).await.unwrap().unwrap().size, 0);
    for range in [None, Some(0..0), Some(0..1), Some(5..9)] {
        let got = store.blobs.get(&key, range).await.unwrap().unwrap();
        assert_eq!(got.range, 0..0);
        assert_eq!(read(got).await, b"");
    }
}

async fn large_objects_stream_through(store: TestStore) {
    // The first two are not a whole number of parts or batches; the other two are.
    for size in [20 * MIB + 1, 8 * MIB - 1, 8 * MIB, 16 * MIB] {
        let (key, bytes) = (store.key(), pattern(size));
        let terms = PutTerms { expected_size: Some(size as u64), ..PutTerms::default() };
        let stored = store.blobs.put(&key, body(&bytes), terms).await.unwrap();
        assert_eq!((stored.size, stored.sha256), (size as u64, sha256(&bytes)));
        let got = read(store.blobs.get(&key, None).await.unwrap().unwrap()).await;
        assert!(got == bytes, "{size} bytes came back as others");
    }
}

async fn ranges_are_cut_to_what_there_is(store: TestStore) {
    let (key, bytes) = (store.key(), pattern(600_000));
    store.blobs.put_bytes(&key, bytes.clone()).await.unwrap();
    let cases: [(Range<u64>, Range<u64>); 9] = [
        (0..600_000, 0..600_000),
        (0..1, 0..1),
        (599_999..600_000, 599_999..600_000),
        (262_143..524_289, 262_143..524_289),
        (10..u64::MAX, 10..600_000),
        (0..0, 0..0),
        (7..7, 7..7),
        (600_000..600_001, 600_000..600_000),
        (u64::MAX - 1..u64::MAX, 600_000..600_000),
    ];
    for (asked, expected) in cases {
        let got = store.blobs.get(&key, Some(asked.clone())).await.unwrap().unwrap();
        assert_eq!((got.range.clone(), got.meta.size), (expected.clone(), 600_000), "{asked:?}");
        let expected = &bytes[expected.start as usize..expected.end as usize];
        assert!(read(got).await == expected, "{asked:?}");
    }
}

async fn what_is_not_there_is_none(store: TestStore) {
    let key = store.key();
    assert!(store.blobs.head(&key).await.unwrap().is_none());
    for range in [None, Some(0..0), Some(0..1)] {
        assert!(store.blobs.get(&key, range).await.unwrap().is_none());
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copy");
    assert!(!store.blobs.fetch_to(&key, &file).await.unwrap());
    assert!(!file.exists());
    // A folder that contains another object.
    store.blobs.put_bytes(&store.key_in(key.organization_id, key.folder), pattern(1)).await.unwrap();
    assert!(store.blobs.head(&key).await.unwrap().is_none());
}

async fn files_go_in_and_out(store: TestStore) {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    let (key, bytes) = (store.key(), pattern(9 * MIB));
    std::fs::write(&from, &bytes).unwrap();
    let stored = store.blobs.put_file(&key, &from).await.unwrap();
    assert_eq!((stored.size, stored.sha256), (bytes.len() as u64, sha256(&bytes)));
    assert!(from.exists());
    std::fs::write(&to, "something longer was here before".repeat(MIB)).unwrap();
    assert!(store.blobs.fetch_to(&key, &to).await.unwrap());
    assert!(std::fs::read(&to).unwrap() == bytes);
    if let Some(path) = store.blobs.local_path(&key) {
        assert!(std::fs::read(path).unwrap() == bytes);
    }
    let missing = store.blobs.put_file(&store.key(), &folder.path().join("none")).await;
    assert!(matches!(missing, Err(PutError::Interrupted(_))));
}

async fn every_content_type_has_its_name(store: TestStore) {
    let (organization, folder) = (store.organization(), store.short_id());
    let mut keys = BTreeSet::new();
    for content_type in ContentType::ALL {
        let key = store.key_of(organization, folder, *content_type);
        store.blobs.put_bytes(&key, Bytes::from(key.to_string())).await.unwrap();
        keys.insert(key.to_string());
    }
    let listed: Vec<_> = store.blobs.list(Some(organization), Some(folder)).try_collect().await.unwrap();
    assert_eq!(listed.iter().map(|(key, _)| key.to_string()).collect::<BTreeSet<_>>(), keys);
    for (key, _) in listed {
        let got = store.blobs.get(&key, None).await.unwrap().unwrap();
        assert_eq!(read(got).await, key.to_string().as_bytes());
    }
}

async fn lists_are_of_what_was_asked_for(store: TestStore) {
    let [one, two] = [store.organization(), store.organization()];
    let [here, there] = [store.short_id(), store.short_id()];
    let keys =
        [store.key_in(one, here), store.key_in(one, here), store.key_in(one, there), store.key_in(two, here)];
    for (size, key) in keys.iter().enumerate() {
        store.blobs.put_bytes(key, pattern(size)).await.unwrap();
    }
    let all_but = |unlisted: &[usize]| -> BTreeSet<_> {
        let listed = keys.iter().enumerate().filter(|(at, _)| !unlisted.contains(at));
        listed.map(|(at, key)| (key.to_string(), at as u64)).collect()
    };
    for (organization, folder, expected) in [
        (None, None, all_but(&[])),
        (Some(one), None, all_but(&[3])),
        (Some(one), Some(here), all_but(&[2, 3])),
        (None, Some(here), all_but(&[2])),
        (Some(two), Some(there), all_but(&[0, 1, 2, 3])),
        (Some(store.organization()), None, all_but(&[0, 1, 2, 3])),
    ] {
        let listed = store.blobs.list(organization, folder);
        let listed: BTreeSet<_> =
            listed.map_ok(|(key, meta)| (key.to_string(), meta.size)).try_collect().await.unwrap();
        assert_eq!(listed, expected, "{organization:?} {folder:?}");
    }
}

async fn lists_go_on_after_a_name(store: TestStore) {
    let mut keys = Vec::new();
    for _ in 0..3 {
        let organization = store.organization();
        for _ in 0..2 {
            let folder = store.short_id();
            keys.extend([(); 2].map(|()| store.key_in(organization, folder)));
        }
    }
    for key in &keys {
        store.blobs.put_bytes(key, pattern(1)).await.unwrap();
    }
    keys.sort_by_key(ToString::to_string);
    let after = async |after: Option<&ObjectKey>| -> Vec<ObjectKey> {
        store.blobs.list_after(after).map_ok(|(key, _)| key).try_collect().await.unwrap()
    };
    assert_eq!(after(None).await, keys);
    for (at, key) in keys.iter().enumerate() {
        assert_eq!(after(Some(key)).await, keys[at + 1..]);
    }
    // The key to continue after need not exist any more.
    store.blobs.delete(&keys[5]).await.unwrap();
    assert_eq!(after(Some(&keys[5])).await, keys[6..]);
    assert_eq!(after(Some(&keys[4])).await, keys[6..]);
}

async fn deleting_is_idempotent(store: TestStore) {
    let (organization, folder) = (store.organization(), store.short_id());
    let keys: Vec<ObjectKey> = (0..5).map(|_| store.key_in(organization, folder)).collect();
    for key in &keys {
        store.blobs.put_bytes(key, pattern(10)).await.unwrap();
    }
    store.blobs.delete(&keys[0]).await.unwrap();
    store.blobs.delete(&keys[0]).await.unwrap();
    assert!(store.blobs.head(&keys[0]).await.unwrap().is_none());
    assert!(store.blobs.head(&keys[1]).await.unwrap().is_some());
    store.blobs.delete_many(keys).await.unwrap();
    store.blobs.delete_many(Vec::new()).await.unwrap();
    store.becomes_empty().await;
}

async fn announced_digests_are_checked(store: TestStore) {
    for size in [1000, 9 * MIB] {
        let bytes = pattern(size);
        let md5: [u8; 16] = Md5::digest(&bytes).into();
        let right = PutTerms {
            expected_sha256: Some(sha256(&bytes)),
            expected_md5: Some(md5),
            ..PutTerms::default()
        };
        let wrong_sha256 = PutTerms { expected_sha256: Some([7; 32]), ..right };
        let wrong_md5 = PutTerms { expected_md5: Some([7; 16]), ..right };
        for wrong in [wrong_sha256, wrong_md5] {
            let refused = store.blobs.put(&store.key(), body(&bytes), wrong).await;
            assert!(matches!(refused, Err(PutError::DigestMismatch)), "{refused:?}");
        }
        store.becomes_empty().await;
        let key = store.key();
        store.blobs.put(&key, body(&bytes), right).await.unwrap();
        store.blobs.delete(&key).await.unwrap();
    }
}

async fn a_body_that_fails_leaves_nothing(store: TestStore) {
    for size in [0, 1000, 17 * MIB] {
        let failing =
            body(&pattern(size)).chain(stream::iter([Err::<_, BoxError>("the line is dead".into())]));
        let refused = store.blobs.put(&store.key(), failing, PutTerms::default()).await;
        match refused {
            Err(PutError::Interrupted(source)) => assert_eq!(source.to_string(), "the line is dead"),
            other => panic!("{other:?}"),
        }
        store.becomes_empty().await;
    }
}

async fn a_body_that_ends_short_leaves_nothing(store: TestStore) {
    for size in [0, 1000, 17 * MIB] {
        let terms = PutTerms { expected_size: Some(size as u64 + 1), ..PutTerms::default() };
        let refused = store.blobs.put(&store.key(), body(&pattern(size)), terms).await;
        assert!(matches!(refused, Err(PutError::Interrupted(_))), "{refused:?}");
        store.becomes_empty().await;
    }
}

async fn a_body_that_is_too_large_leaves_nothing(store: TestStore) {
    for size in [1000, 17 * MIB] {
        let limited = |max_bytes| PutTerms { max_bytes, ..PutTerms::default() };
        let limit = size as u64 - 1;
        let refused = store.blobs.put(&store.key(), body(&pattern(size)), limited(limit)).await;
        assert!(matches!(refused, Err(PutError::TooLarge { limit: l }) if l == limit), "{refused:?}");
        store.becomes_empty().await;
        let key = store.key();
        store.blobs.put(&key, body(&pattern(size)), limited(size as u64)).await.unwrap();
        store.blobs.delete(&key).await.unwrap();
    }
}

async fn a_put_that_is_dropped_leaves_nothing(store: TestStore) {
    for size in [0, 1000, 17 * MIB] {
        let key = store.key();
        // After these bytes, the body reports that it was read this far, and then never ends.
        let (reached, was_reached) = tokio::sync::oneshot::channel();
        let endless = body(&pattern(size)).chain(stream::once(async move {
            reached.send(()).unwrap();
            future::pending().await
        }));
        tokio::select! {
            ended = store.blobs.put(&key, endless, PutTerms::default()) => panic!("{ended:?}"),
            reached = was_reached => reached.unwrap(),
        }
        store.becomes_empty().await;
        assert!(store.blobs.head(&key).await.unwrap().is_none());
    }
    // The put is dropped later each time, until it finishes first.
    for doublings in 0.. {
        let key = store.key();
        let bytes = pattern(100);
        let mut put = Box::pin(store.blobs.put(&key, body(&bytes), PutTerms::default()));
        for _ in 0..1_u64 << doublings {
            if futures::poll!(&mut put).is_ready() {
                store.blobs.delete(&key).await.unwrap();
                return store.becomes_empty().await;
            }
            tokio::task::yield_now().await;
        }
        drop(put);
        store.becomes_empty().await;
    }
}

async fn many_puts_at_once(store: TestStore) {
    let organization = store.organization();
    let keys: Vec<_> = (0..100).map(|_| store.key_in(organization, store.short_id())).collect();
    let puts = keys.iter().enumerate().map(|(size, key)| {
        let blobs = store.blobs.clone();
        async move { blobs.put(key, body(&pattern(size * 100)), PutTerms::default()).await }
    });
    future::try_join_all(puts).await.unwrap();
    for (size, key) in keys.iter().enumerate() {
        let got = store.blobs.get(key, None).await.unwrap().unwrap();
        assert!(read(got).await == pattern(size * 100));
    }
}

async fn puts_and_deletes_in_one_folder(store: TestStore) {
    let (organization, folder) = (store.organization(), store.short_id());
    let rounds = (0..8).map(|_| {
        let keys: Vec<_> = (0..10).map(|_| store.key_in(organization, folder)).collect();
        let blobs = store.blobs.clone();
        tokio::spawn(async move {
            for key in keys {
                blobs.put_bytes(&key, pattern(10)).await.unwrap();
                assert_eq!(blobs.head(&key).await.unwrap().unwrap().size, 10);
                blobs.delete(&key).await.unwrap();
            }
        })
    });
    future::try_join_all(rounds).await.unwrap();
    store.becomes_empty().await;
}

async fn a_check_leaves_no_object(store: TestStore) {
    store.blobs.check().await.unwrap();
    store.blobs.check().await.unwrap();
    assert_eq!(store.blobs.list(None, None).count().await, 0);
}
