//! The contract of every store for objects that are written in pieces. Each function here is two tests.

use bytes::Bytes;
use tonearm_blobs::{DraftError, DraftNames, DraftState, DraftWriter, NAMED_BY_BYTES};
use tonearm_domain::{ContentType, ObjectFile, ObjectKey, UploadId};

use crate::test_store::{TestStore, pattern, read, sha256};

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
    pieces_become_an_object,
    what_was_not_flushed_is_written_anew,
    the_first_bytes_name_the_object,
    publishing_can_be_repeated,
    a_draft_that_is_removed_leaves_nothing,
    a_state_without_bytes_is_lost,
];

const MIB: usize = 1024 * 1024;

/// A draft as a service keeps it: an ID, names, and the last recorded state.
struct Draft<'a> {
    store: &'a TestStore,
    id: UploadId,
    names: DraftNames,
    state: DraftState,
}

impl<'a> Draft<'a> {
    fn new(store: &'a TestStore) -> Self {
        let key = store.key();
        let tail = key.clone();
        let object = move |head: &[u8]| {
            assert!(head.len() <= NAMED_BY_BYTES);
            let content_type = if head.first() == Some(&b'f') { ContentType::Flac } else { ContentType::Mp3 };
            ObjectKey { file: ObjectFile { content_type, ..key.file.clone() }, ..key.clone() }
        };
        let versions: Vec<_> = (0..100).map(|_| store.short_id()).collect();
        let next = std::sync::Mutex::new(versions);
        let tails = move || {
            let version = next.lock().unwrap().pop().unwrap();
            ObjectKey { file: ObjectFile { version, ..tail.file.clone() }, ..tail.clone() }
        };
        let id = store.upload_id();
        Self { store, id, names: DraftNames::new(object, tails), state: DraftState::default() }
    }

    async fn open(&self) -> Result<DraftWriter, DraftError> {
        // States are stored in the database as text.
        let state = serde_json::from_str(&serde_json::to_string(&self.state).unwrap()).unwrap();
        self.store.blobs.open_draft(self.id, state, self.names.clone()).await
    }

    /// Writes a piece in chunks, and records the state.
    async fn append(&mut self, bytes: &Bytes) {
        let mut writer = self.open().await.unwrap();
        write(&mut writer, bytes).await;
        self.state = writer.flush().await.unwrap();
        writer.recorded().await;
    }

    async fn publish(&mut self) -> (ObjectKey, tonearm_blobs::Stored) {
        let mut writer = self.open().await.unwrap();
        self.state = writer.settle().await.unwrap();
        writer.publish().await.unwrap()
    }
}

async fn write(writer: &mut DraftWriter, bytes: &Bytes) {
    for start in (0..bytes.len()).step_by(60_001) {
        writer.write(bytes.slice(start..bytes.len().min(start + 60_001))).await.unwrap();
    }
}

async fn pieces_become_an_object(store: TestStore) {
    // Pieces of about the size of a part, and smaller and larger ones, in several orders.
    for sizes in [
        &[1][..],
        &[100, 1, 5000],
        &[8 * MIB],
        &[8 * MIB - 1, 1, 1],
        &[3 * MIB, 3 * MIB, 3 * MIB, 3 * MIB],
        &[20 * MIB + 5, 0, 7 * MIB],
    ] {
        let whole = pattern(sizes.iter().sum());
        let mut draft = Draft::new(&store);
        let mut at = 0;
        for &size in sizes {
            draft.append(&whole.slice(at..at + size)).await;
            at += size;
            assert_eq!(draft.state.size(), at as u64);
        }
        let (key, stored) = draft.publish().await;
        assert_eq!((stored.size, stored.sha256), (whole.len() as u64, sha256(&whole)), "{sizes:?}");
        let got = store.blobs.get(&key, None).await.unwrap().unwrap();
        assert!(read(got).await == whole, "{sizes:?}");
        store.blobs.delete(&key).await.unwrap();
        store.becomes_empty().await;
    }
}

async fn what_was_not_flushed_is_written_anew(store: TestStore) {
    let whole = pattern(20 * MIB);
    let mut draft = Draft::new(&store);
    for lost in [100, MIB, 10 * MIB] {
        let mut writer = draft.open().await.unwrap();
        write(&mut writer, &Bytes::from(vec![0xAA; lost])).await;
        drop(writer);
    }
    draft.append(&whole.slice(..9 * MIB)).await;
    // Flushed, but not recorded.
    let mut writer = draft.open().await.unwrap();
    write(&mut writer, &Bytes::from(vec![0xBB; 8 * MIB])).await;
    assert_eq!(writer.flush().await.unwrap().size(), 17 * MIB as u64);
    drop(writer);
    draft.append(&whole.slice(9 * MIB..)).await;
    let (key, stored) = draft.publish().await;
    assert_eq!((stored.size, stored.sha256), (whole.len() as u64, sha256(&whole)));
    assert!(read(store.blobs.get(&key, None).await.unwrap().unwrap()).await == whole);
}

async fn the_first_bytes_name_the_object(store: TestStore) {
    for size in [1, 5000, 9 * MIB] {
        let mut draft = Draft::new(&store);
        let mut bytes = vec![0; size];
        bytes[0] = b'f';
        draft.append(&Bytes::from(bytes)).await;
        draft.append(&Bytes::from_static(b"more")).await;
        let (key, _) = draft.publish().await;
        assert_eq!(key.file.content_type, ContentType::Flac, "{size}");
    }
}

async fn publishing_can_be_repeated(store: TestStore) {
    for size in [1000, 8 * MIB, 9 * MIB] {
        let mut draft = Draft::new(&store);
        draft.append(&pattern(size)).await;
        let first = draft.publish().await;
        // The process died before it recorded the state.
        let second = draft.publish().await;
        assert_eq!(first, second);
        assert_eq!(store.blobs.head(&first.0).await.unwrap().unwrap().size, size as u64);
    }
}

async fn a_draft_that_is_removed_leaves_nothing(store: TestStore) {
    for (size, is_published) in [(0, false), (1000, false), (9 * MIB, false), (1000, true), (9 * MIB, true)] {
        let mut draft = Draft::new(&store);
        if size > 0 {
            draft.append(&pattern(size)).await;
        }
        let object = if is_published { Some(draft.publish().await.0) } else { None };
        store.blobs.remove_draft(draft.id, draft.state.clone()).await.unwrap();
        if size < 8 * MIB {
            // Removing a missing draft succeeds. S3 behaves like this for a multipart upload too, but the server of
            // these tests does not.
            store.blobs.remove_draft(draft.id, draft.state.clone()).await.unwrap();
        }
        // The object that it became may be in use: callers remove it only once they know that it is not.
        if let Some(object) = object {
            assert!(store.blobs.head(&object).await.unwrap().is_some());
            store.blobs.delete(&object).await.unwrap();
        }
        store.becomes_empty().await;
    }
}

async fn a_state_without_bytes_is_lost(store: TestStore) {
    let mut draft = Draft::new(&store);
    draft.append(&pattern(1000)).await;
    store.blobs.remove_draft(draft.id, draft.state.clone()).await.unwrap();
    assert!(matches!(draft.open().await, Err(DraftError::Lost)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_has_one_writer_at_a_time() {
    let store = TestStore::folder().await;
    let draft = Draft::new(&store);
    let writer = draft.open().await.unwrap();
    assert!(matches!(draft.open().await, Err(DraftError::InUse)));
    drop(writer);
    draft.open().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn drafts_of_a_folder_outlive_processes_for_a_while() {
    let store = TestStore::folder().await;
    let mut draft = Draft::new(&store);
    draft.append(&pattern(1000)).await;
    let now =
        store.blobs.remove_temporaries(tonearm_domain::Timestamp::from_unix_seconds(1_000_000).unwrap());
    assert_eq!(now.await.unwrap(), 0);
    let meta = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let at = |seconds: i64| {
        tonearm_domain::Timestamp::from_unix_seconds(i64::try_from(meta).unwrap() + seconds).unwrap()
    };
    assert_eq!(store.blobs.remove_temporaries(at(3600)).await.unwrap(), 0);
    assert!(draft.open().await.is_ok());
    assert_eq!(store.blobs.remove_temporaries(at(8 * 24 * 3600)).await.unwrap(), 1);
}
