//! Behaviour that only the folder store has.

use std::fs;
use std::future::poll_fn;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use futures::{StreamExt, TryStreamExt};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tonearm_blobs::{BlobError, Blobs, Chunks, NamedFiles};
use tonearm_domain::Timestamp;

use crate::test_store::{TestStore, pattern, read};

async fn open(root: &Path) -> Blobs {
    let url = format!("file://{}", root.display());
    Blobs::open(&url.parse().unwrap()).await.unwrap()
}

/// A store, and its root.
async fn fresh() -> (TempDir, Blobs, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("deep/down");
    let blobs = open(&root).await;
    (folder, blobs, root)
}

/// A store that is used only to generate keys.
async fn names() -> TestStore {
    TestStore::folder().await
}

#[tokio::test]
async fn folders_and_files_are_private() {
    let (folder, blobs, root) = fresh().await;
    let key = names().await.key();
    blobs.put_bytes(&key, pattern(10)).await.unwrap();
    let path = blobs.local_path(&key).unwrap();
    assert_eq!(path, root.join(key.to_string()));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    for made in path.ancestors().skip(1).take_while(|made| *made != folder.path()) {
        assert_eq!(mode(made), 0o700, "{}", made.display());
    }
}

/// For example an object on a bad sector. A lookup of its key returns the error.
#[tokio::test]
async fn what_cannot_be_looked_at_hides_nothing_else() {
    let (_folder, blobs, root) = fresh().await;
    let names = names().await;
    let (one, two) = (names.key(), names.key());
    for key in [&one, &two] {
        blobs.put_bytes(key, pattern(10)).await.unwrap();
    }
    let path = blobs.local_path(&one).unwrap();
    fs::remove_file(&path).unwrap();
    // A symbolic link to itself.
    std::os::unix::fs::symlink(&path, &path).unwrap();
    assert!(blobs.head(&one).await.is_err());
    let listed: Vec<_> = blobs.list_after(None).map_ok(|(key, _)| key).try_collect().await.unwrap();
    assert_eq!(listed, [two]);
    fs::remove_dir_all(&root).unwrap();
    assert!(blobs.list_after(None).try_next().await.is_err());
}

#[tokio::test]
async fn symbolic_links_are_not_followed() {
    let (folder, blobs, root) = fresh().await;
    let secret = folder.path().join("secret");
    fs::write(&secret, "of this machine").unwrap();
    let key = names().await.key();
    let path = root.join(key.to_string());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&secret, &path).unwrap();
    assert!(blobs.get(&key, None).await.is_err());
    let files = NamedFiles::open(&format!("file://{}", root.display()).parse().unwrap()).await.unwrap();
    std::os::unix::fs::symlink(&secret, root.join("manifest")).unwrap();
    assert!(files.read(&"manifest".parse().unwrap(), 1000).await.is_err());
}

#[tokio::test]
async fn empty_folders_go_with_their_last_object() {
    let (_folder, blobs, root) = fresh().await;
    let names = names().await;
    let one = names.key();
    let two = names.key_in(one.organization_id, names.short_id());
    for key in [&one, &two] {
        blobs.put_bytes(key, pattern(10)).await.unwrap();
    }
    blobs.delete(&one).await.unwrap();
    let organization = root.join(one.organization_id.to_string());
    assert!(!organization.join(one.folder.as_str()).exists());
    assert!(organization.join(two.folder.as_str()).exists());
    blobs.delete(&two).await.unwrap();
    assert!(!organization.exists());
    assert!(root.exists());
}

#[tokio::test]
async fn what_is_open_stays_readable_when_deleted() {
    let (_folder, blobs, _) = fresh().await;
    let (key, bytes) = (names().await.key(), pattern(3_000_000));
    blobs.put_bytes(&key, bytes.clone()).await.unwrap();
    let mut got = blobs.get(&key, None).await.unwrap().unwrap();
    let first = got.stream.try_next().await.unwrap().unwrap();
    blobs.delete(&key).await.unwrap();
    got.range.start = first.len() as u64;
    assert!([&first[..], &read(got).await].concat() == bytes);
}

#[tokio::test]
async fn an_object_cut_short_behind_our_back_is_corrupt() {
    let (_folder, blobs, _) = fresh().await;
    let key = names().await.key();
    blobs.put_bytes(&key, pattern(3_000_000)).await.unwrap();
    let got = blobs.get(&key, None).await.unwrap().unwrap();
    let file = fs::File::options().write(true).open(blobs.local_path(&key).unwrap()).unwrap();
    file.set_len(100).unwrap();
    let read = got.stream.try_collect::<Vec<_>>().await;
    assert!(matches!(read, Err(BlobError::Corrupt)), "{read:?}");
}

#[tokio::test]
async fn what_a_crash_leaves_is_invisible_and_removed() {
    let (_folder, blobs, root) = fresh().await;
    let left = root.join(".tmp/put-left-by-a-crash");
    fs::write(&left, "half an object").unwrap();
    assert_eq!(blobs.list(None, None).count().await, 0);
    let written = fs::metadata(&left).unwrap().modified().unwrap();
    let written = written.duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let written = Timestamp::from_unix_millis(written.as_millis().try_into().unwrap()).unwrap();
    assert_eq!(blobs.remove_temporaries(written).await.unwrap(), 0);
    assert!(left.exists());
    assert_eq!(blobs.remove_temporaries(written.plus_millis(1)).await.unwrap(), 1);
    assert!(!left.exists());
}

#[tokio::test]
async fn strangers_in_the_folder_are_not_listed() {
    let (_folder, blobs, root) = fresh().await;
    let names = names().await;
    let key = names.key();
    blobs.put_bytes(&key, pattern(10)).await.unwrap();
    let inside = root.join(key.organization_id.to_string());
    fs::write(root.join("README"), "").unwrap();
    fs::create_dir(root.join("lost+found")).unwrap();
    fs::write(inside.join("note"), "").unwrap();
    fs::write(inside.join(names.short_id().as_str()), "").unwrap();
    fs::write(inside.join(key.folder.as_str()).join("cover.jpg"), "").unwrap();
    fs::create_dir(root.join(names.key_in(key.organization_id, key.folder).to_string())).unwrap();
    let listed: Vec<_> = blobs.list(None, None).try_collect().await.unwrap();
    assert_eq!(listed.into_iter().map(|(key, _)| key).collect::<Vec<_>>(), [key]);
}

#[tokio::test]
async fn a_store_is_opened_again_as_it_was() {
    let (_folder, blobs, root) = fresh().await;
    let key = names().await.key();
    blobs.put_bytes(&key, pattern(10)).await.unwrap();
    drop(blobs);
    let again = open(&root).await;
    assert_eq!(again.head(&key).await.unwrap().unwrap().size, 10);
}

#[tokio::test]
async fn an_object_that_was_read_is_at_hand_until_it_is_deleted_by_anyone() {
    let (_folder, blobs, root) = fresh().await;
    let names = names().await;
    let [here, elsewhere] = [names.key(), names.key()];
    for key in [&here, &elsewhere] {
        blobs.put_bytes(key, pattern(10)).await.unwrap();
        assert!(blobs.at_hand(key).is_none());
        read(blobs.get(key, None).await.unwrap().unwrap()).await;
        assert_eq!(blobs.at_hand(key).unwrap().meta().size, 10);
    }
    blobs.delete(&here).await.unwrap();
    open(&root).await.delete(&elsewhere).await.unwrap();
    assert!(blobs.at_hand(&here).is_none());
    // Deletions by other processes are noticed within a second.
    while blobs.at_hand(&elsewhere).is_some() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    for key in [&here, &elsewhere] {
        assert!(blobs.get(key, None).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn what_is_at_hand_is_read_in_any_part() {
    let (_folder, blobs, _) = fresh().await;
    let key = names().await.key();
    let content = pattern(1_000_000);
    blobs.put_bytes(&key, content.clone()).await.unwrap();
    read(blobs.get(&key, Some(0..1)).await.unwrap().unwrap()).await;
    for range in [0..0, 0..1, 131_071..131_073, 300_000..1_000_000, 999_999..2_000_000, 5_000_000..6_000_000]
    {
        let chunks = || blobs.at_hand(&key).unwrap().read(range.clone()).unwrap();
        let copied = chunks().try_collect::<Vec<_>>().await.unwrap().concat();
        let [start, end] = [range.start, range.end].map(|store| content.len().min(store as usize));
        assert!(copied == content[start..end], "{range:?}");
        assert!(through_a_socket(chunks()).await.1 == content[start..end], "{range:?}");
    }
}

/// The sizes of an object's parts as they are written to a socket, and the bytes received at the other end.
async fn through_a_socket(mut chunks: Chunks) -> (Vec<usize>, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut reader = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let mut writer = listener.accept().await.unwrap().0;
    let (mut sizes, mut received) = (Vec::new(), Vec::new());
    let writing = async {
        while let Some(part) = poll_fn(|context| chunks.poll_part(context)).await {
            let mut part = part.unwrap();
            sizes.push(part.len());
            while !part.is_empty() {
                let written = poll_fn(|context| part.poll_write_after(b"", &mut writer, context)).await;
                part.advance(written.unwrap());
            }
        }
        drop(writer);
    };
    let ((), read) = tokio::join!(writing, reader.read_to_end(&mut received));
    read.unwrap();
    (sizes, received)
}

/// The number of files below a folder that are deleted but still open in this process.
fn deleted_and_open(folder: &std::path::Path) -> usize {
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let links = descriptors.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    links.filter(|link| link.starts_with(folder) && link.to_string_lossy().ends_with(" (deleted)")).count()
}

#[tokio::test(start_paused = true)]
async fn files_that_others_deleted_do_not_stay_open() {
    let store = TestStore::folder().await;
    let keys: Vec<_> = (0..3).map(|_| store.key()).collect();
    for key in &keys {
        store.blobs.put_bytes(key, pattern(100_000)).await.unwrap();
        read(store.blobs.get(key, None).await.unwrap().unwrap()).await;
    }
    let paths: Vec<_> = keys.iter().map(|key| store.blobs.local_path(key).unwrap()).collect();
    let root = paths[0].ancestors().nth(3).unwrap();
    for path in &paths[..2] {
        std::fs::remove_file(path).unwrap();
    }
    assert_eq!(deleted_and_open(root), 2);
    for _ in 0..6 {
        tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    }
    assert_eq!(deleted_and_open(root), 0);
    assert!(store.blobs.at_hand(&keys[2]).is_some());
}

#[tokio::test]
async fn the_first_bytes_of_a_file_are_few() {
    let store = TestStore::folder().await;
    let (key, content) = (store.key(), pattern(3_000_000));
    store.blobs.put_bytes(&key, content.clone()).await.unwrap();
    read(store.blobs.get(&key, None).await.unwrap().unwrap()).await;
    let open = store.blobs.at_hand(&key).unwrap();
    let (sizes, received) = through_a_socket(open.read(0..3_000_000).unwrap()).await;
    assert!(sizes[0] <= 64 * 1024, "{sizes:?}");
    assert!(received == content);
}
