//! The file of a piece, `{folder}/{organization}/{folder}/{file}/{index}.{size}.{modified}.{version}.crc`.
//!
//! The name contains all metadata of a piece, so that a restarted node finds its pieces by listing the folder. The
//! bytes of the piece are followed by their CRC-32, which covers the name too and so detects files that the disk
//! damaged or mixed up. The time of the file is that of its last use.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::time::SystemTime;

use bytes::Bytes;
use rustix::fs::{Timespec, Timestamps, UTIME_NOW, futimens};
use tonearm_domain::{ObjectKey, Timestamp};

use super::super::piece_id::{PIECE_BYTES, PieceId};
use crate::object::ObjectMeta;

/// The name of the folder for files that are being written.
const UNFINISHED: &str = ".tmp";

/// The end of the names. Files of earlier versions of Tonearm have other names.
const ENDING: &str = "crc";

/// Bytes of the checksum.
const CHECKSUM: usize = 4;

/// File systems allocate space in blocks of this many bytes.
const BLOCK: u64 = 4096;

/// Attempts to create the folder of a piece when removals keep removing it.
const ATTEMPTS: usize = 10;

/// Bytes that a piece takes on disk.
pub(super) fn bytes_on_disk(id: &PieceId, meta: &ObjectMeta) -> u64 {
    (id.size(meta) + CHECKSUM as u64).next_multiple_of(BLOCK)
}

fn name(id: &PieceId, meta: &ObjectMeta) -> String {
    let ObjectMeta { size, modified, version } = meta;
    format!("{}/{}.{size}.{}.{version:016x}.{ENDING}", id.key, id.index, modified.unix_millis())
}

fn checksum(name: &str, bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(name.as_bytes());
    hasher.update(bytes);
    hasher.finalize().to_le_bytes()
}

/// Reads a piece, and records its use. Fails with `InvalidData` if the file is not what was written.
pub(super) fn read(folder: &Path, id: &PieceId, meta: &ObjectMeta) -> io::Result<Bytes> {
    let name = name(id, meta);
    let size = id.size(meta) as usize;
    let mut file = File::open(folder.join(&name))?;
    // Reading one extra byte detects a file that is too long.
    let mut bytes = Vec::with_capacity(size + CHECKSUM + 1);
    Read::by_ref(&mut file).take((size + CHECKSUM + 1) as u64).read_to_end(&mut bytes)?;
    let is_whole = bytes.len() == size + CHECKSUM && checksum(&name, &bytes[..size]) == bytes[size..];
    if !is_whole {
        return Err(io::Error::new(ErrorKind::InvalidData, "its checksum does not match"));
    }
    note_use(&file);
    bytes.truncate(size);
    Ok(bytes.into())
}

fn note_use(file: &File) {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    // If this fails, the order after a restart is that of writing.
    let _ = futimens(file, &Timestamps { last_access: now, last_modification: now });
}

pub(super) fn write(folder: &Path, id: &PieceId, meta: &ObjectMeta, bytes: &[u8]) -> io::Result<()> {
    let name = name(id, meta);
    let path = folder.join(&name);
    let parent = path.parent().unwrap_or(folder);
    let unfinished = folder.join(UNFINISHED);
    let create = || tempfile::NamedTempFile::with_prefix_in("put-", &unfinished);
    let mut file = match create() {
        // Somebody removed the folder while this process ran.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(&unfinished)?;
            create()?
        }
        created => created?,
    };
    file.write_all(bytes)?;
    file.write_all(&checksum(&name, bytes))?;
    for _ in 1..ATTEMPTS {
        fs::create_dir_all(parent)?;
        file = match file.persist(&path) {
            Ok(_) => return Ok(()),
            Err(failed) if failed.error.kind() == ErrorKind::NotFound => failed.file,
            Err(failed) => return Err(failed.error),
        };
    }
    Err(io::Error::new(ErrorKind::ResourceBusy, "its folder is removed repeatedly"))
}

/// Removes a piece's file and the folders that are then empty. A missing file is no error.
pub(super) fn remove(folder: &Path, id: &PieceId, meta: &ObjectMeta) {
    remove_path(folder, &folder.join(name(id, meta)));
}

fn remove_path(folder: &Path, path: &Path) {
    let _ = fs::remove_file(path);
    for empty in path.ancestors().skip(1).take_while(|above| *above != folder) {
        if fs::remove_dir(empty).is_err() {
            break;
        }
    }
}

/// Returns the pieces in a folder, the most recently used last. The folder is created if it does not exist. Files that
/// are not pieces of this version, or are incomplete, are removed.
pub(super) fn find(folder: &Path) -> io::Result<Vec<(PieceId, ObjectMeta)>> {
    let unfinished = folder.join(UNFINISHED);
    let _ = fs::remove_dir_all(&unfinished);
    fs::create_dir_all(&unfinished)?;
    let mut pieces = Vec::new();
    for organization in names(folder) {
        for below in names(&folder.join(&organization)) {
            for file in names(&folder.join(&organization).join(&below)) {
                let name = format!("{organization}/{below}/{file}");
                let Ok(key) = name.parse::<ObjectKey>() else { continue };
                for piece in names(&folder.join(&name)) {
                    let path = folder.join(&name).join(&piece);
                    match parse(&key, &piece).and_then(|piece| Some((used_at(&path, &piece)?, piece))) {
                        Some(piece) => pieces.push(piece),
                        None => remove_path(folder, &path),
                    }
                }
            }
        }
    }
    pieces.sort_by_key(|(used_at, _)| *used_at);
    Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
}

fn parse(key: &ObjectKey, name: &str) -> Option<(PieceId, ObjectMeta)> {
    let mut parts = name.split('.');
    let index = parts.next()?.parse().ok()?;
    let size = parts.next()?.parse().ok()?;
    let modified = Timestamp::from_unix_millis(parts.next()?.parse().ok()?)?;
    let version = u64::from_str_radix(parts.next()?, 16).ok()?;
    let is_ours = parts.next() == Some(ENDING) && parts.next().is_none();
    let is_inside = size > 0 && index <= (size - 1) / PIECE_BYTES;
    let piece = || (PieceId { key: key.clone(), index }, ObjectMeta { size, modified, version });
    (is_ours && is_inside).then(piece)
}

/// When a piece was used last; `None` if its file does not have the expected length.
fn used_at(path: &Path, (id, meta): &(PieceId, ObjectMeta)) -> Option<SystemTime> {
    let metadata = fs::metadata(path).ok()?;
    let is_whole = metadata.len() == id.size(meta) + CHECKSUM as u64;
    metadata.modified().ok().filter(|_| is_whole)
}

/// The names in a folder; none if there is no such folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn piece() -> (PieceId, ObjectMeta) {
        let name = "018f0000-0000-7000-8000-000000000001/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3";
        let modified = Timestamp::from_unix_millis(7).unwrap();
        let meta = ObjectMeta { size: PIECE_BYTES + 5, modified, version: 9 };
        (PieceId { key: name.parse().unwrap(), index: 1 }, meta)
    }

    fn set_used_at(folder: &Path, id: &PieceId, meta: &ObjectMeta, unix_seconds: u64) {
        let file = File::options().write(true).open(folder.join(name(id, meta))).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(unix_seconds)).unwrap();
    }

    #[test]
    fn damage_of_any_kind_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::create_dir(folder.join(UNFINISHED)).unwrap();
        let (id, meta) = piece();
        let path = folder.join(name(&id, &meta));
        let check = |change: fn(&mut Vec<u8>)| {
            write(folder, &id, &meta, b"bytes").unwrap();
            assert_eq!(read(folder, &id, &meta).unwrap(), "bytes");
            let mut bytes = fs::read(&path).unwrap();
            change(&mut bytes);
            fs::write(&path, bytes).unwrap();
            assert_eq!(read(folder, &id, &meta).unwrap_err().kind(), ErrorKind::InvalidData);
        };
        check(|bytes| bytes[2] ^= 1);
        check(|bytes| bytes[7] ^= 0x80);
        check(|bytes| bytes.truncate(8));
        check(|bytes| bytes.push(0));
        check(Vec::clear);
        check(|bytes| bytes.fill(0));
        // The whole file of another piece.
        write(folder, &id, &meta, b"bytes").unwrap();
        let other = ObjectMeta { version: 10, ..meta };
        fs::rename(&path, folder.join(name(&id, &other))).unwrap();
        assert!(read(folder, &id, &other).is_err());
    }

    #[test]
    fn what_is_no_piece_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert!(find(folder).unwrap().is_empty());
        let (id, meta) = piece();
        let first = PieceId { index: 0, ..id.clone() };
        write(folder, &first, &meta, &[0; PIECE_BYTES as usize]).unwrap();
        write(folder, &id, &meta, b"bytes").unwrap();
        // Files as earlier versions wrote them, and a truncated one.
        let above = folder.join(id.key.to_string());
        fs::write(above.join("1.262149.7"), "bytes").unwrap();
        fs::write(above.join("1.262149.7.crc"), "bytes").unwrap();
        fs::write(above.join("0.5.7.9.crc"), "cut").unwrap();
        // The clock of a file system may stand still between two writes.
        set_used_at(folder, &first, &meta, 1);
        set_used_at(folder, &id, &meta, 2);
        assert_eq!(find(folder).unwrap(), [(first.clone(), meta), (id.clone(), meta)]);
        read(folder, &first, &meta).unwrap();
        assert_eq!(find(folder).unwrap(), [(id.clone(), meta), (first.clone(), meta)]);
        assert_eq!(fs::read_dir(&above).unwrap().count(), 2);
        remove(folder, &id, &meta);
        remove(folder, &first, &meta);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
    }
}
