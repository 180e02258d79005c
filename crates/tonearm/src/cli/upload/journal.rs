//! The journal of uploads that were started, so that the next run of the program can resume them.
//!
//! It is a folder with one file per upload. Each change writes a new file and renames it. Upload URLs are credentials,
//! so only the user can read the files. A file that cannot be read is treated as missing.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tonearm_client::{CreatedTrack, SourceFile, UploadSession};
use tonearm_domain::{Ambient, CollectionId};

use crate::cli::bulk::{LockError, lock, state_folder};

/// How long a request with the same `Idempotency-Key` returns the same track, with a safety margin.
const REPEATABLE_SECONDS: i64 = 23 * 3600;

/// Age after which lock files and temporary files that were left behind are removed.
const LOCK_SECONDS: i64 = 8 * 24 * 3600;

/// An upload that was started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct JournalEntry {
    /// The file name in the request that creates the track.
    pub(super) file_name: String,
    /// The upload session of the track.
    pub(super) session: UploadSession,
    /// A repeated request with this key returns the same track as before.
    pub(super) idempotency_key: String,
    /// The track, once it is known to exist.
    pub(super) created: Option<CreatedTrack>,
    /// When the upload can no longer be resumed, in Unix seconds by the clock of this machine.
    expires_at: i64,
}

/// The session of a collection. Later runs use it until it expires, because albums are sorted within a session.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct KeptSession {
    session: UploadSession,
    expires_at: i64,
}

/// The uploads to one collection of one service.
#[derive(Clone)]
pub(super) struct Journal {
    /// The folder of the files. If `None`, nothing is remembered.
    folder: Option<PathBuf>,
    of: String,
    ambient: Ambient,
}

/// The error if an upload is claimed by another process.
#[derive(Debug)]
pub(super) struct Busy;

/// An upload that is locked for this process until the claim is dropped.
pub(super) struct Claim {
    path: Option<PathBuf>,
    lock: Option<File>,
    /// The stored state of the upload, if any.
    pub(super) entry: Option<JournalEntry>,
}

impl Journal {
    /// Opens the journal of the user. If it cannot be used, returns a journal that remembers nothing, and the reason.
    pub(super) fn open(ambient: Ambient, server: &str, collection: CollectionId) -> (Self, Option<String>) {
        let folder = state_folder("uploads");
        let problem = folder.as_ref().err().cloned();
        let of = format!("{server}\0{collection}\0");
        let journal = Self { folder: folder.ok(), of, ambient };
        journal.remove_expired();
        (journal, problem)
    }

    #[cfg(test)]
    fn at(folder: &Path, ambient: Ambient) -> Self {
        Self { folder: Some(folder.to_owned()), of: "server\0collection\0".to_owned(), ambient }
    }

    fn now(&self) -> i64 {
        self.ambient.now().unix_seconds()
    }

    fn path(&self, kind: &str, of: &str) -> Option<PathBuf> {
        let name = hex::encode(Sha256::digest(format!("{}{of}", self.of)));
        Some(self.folder.as_ref()?.join(format!("{kind}-{name}.json")))
    }

    /// Claims an upload, unless another process has claimed it.
    pub(super) fn claim(&self, file: &SourceFile) -> Result<Claim, Busy> {
        let path = self.path("upload", &format!("{}\0{}", hex::encode(file.sha256()), file.size()));
        let lock = match path.as_deref().map(|path| lock(&path.with_extension("lock"))) {
            Some(Err(LockError::Busy)) => return Err(Busy),
            Some(Ok(lock)) => Some(lock),
            Some(Err(LockError::Unavailable)) | None => None,
        };
        let entry: Option<JournalEntry> = path.as_deref().and_then(read);
        let entry = entry.filter(|entry| entry.expires_at > self.now());
        Ok(Claim { path, lock, entry })
    }

    /// An entry for a track that is about to be created.
    pub(super) fn entry(
        &self,
        file_name: String,
        session: UploadSession,
        idempotency_key: String,
    ) -> JournalEntry {
        let expires_at = self.now() + REPEATABLE_SECONDS;
        JournalEntry { file_name, session, idempotency_key, created: None, expires_at }
    }

    /// The time `seconds` from now, in Unix seconds.
    pub(super) fn in_seconds(&self, seconds: u64) -> i64 {
        self.now().saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX))
    }

    /// The session of an earlier run, if it is valid for more than `seconds`.
    pub(super) fn session(&self, seconds: u32) -> Option<UploadSession> {
        let kept: KeptSession = read(&self.path("session", "")?)?;
        (kept.expires_at > self.now() + i64::from(seconds)).then_some(kept.session)
    }

    /// Stores a session that expires in `seconds`.
    pub(super) fn keep_session(&self, session: UploadSession, seconds: u32) {
        let expires_at = self.now() + i64::from(seconds);
        if let Some(path) = self.path("session", "") {
            // Without it, the next run creates another one.
            drop(write(&path, &KeptSession { session, expires_at }));
        }
    }

    /// Removes the stored session, which is no longer valid.
    pub(super) fn forget_session(&self) {
        self.path("session", "").map(fs::remove_file);
    }

    /// Removes expired entries, old lock files and old temporary files.
    fn remove_expired(&self) {
        #[derive(Deserialize)]
        struct Expiring {
            expires_at: i64,
        }
        let Some(files) = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()) else { return };
        for path in files.flatten().map(|file| file.path()) {
            let is_expired = match path.extension().and_then(|own| own.to_str()) {
                Some("json") => read::<Expiring>(&path).is_none_or(|file| file.expires_at <= self.now()),
                // Lock files, and temporary files that were never renamed.
                _ => modified(&path).is_some_and(|at| at + LOCK_SECONDS < self.now()),
            };
            if is_expired {
                drop(fs::remove_file(path));
            }
        }
    }
}

impl JournalEntry {
    /// The entry after the track was created.
    pub(super) fn of(self, created: CreatedTrack) -> Self {
        Self { created: Some(created), ..self }
    }
}

impl Claim {
    /// Stores the state of the upload, which is valid until `expires_at`.
    pub(super) fn save(&mut self, entry: JournalEntry, expires_at: Option<i64>) -> io::Result<()> {
        let entry = JournalEntry { expires_at: expires_at.unwrap_or(entry.expires_at), ..entry };
        let written = self.path.as_deref().map_or(Ok(()), |path| write(path, &entry));
        self.entry = Some(entry);
        written
    }

    /// Removes the stored state of the upload.
    pub(super) fn clear(&mut self) {
        self.entry = None;
        self.path.as_deref().map(fs::remove_file);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A process that opens the lock file just before it is removed holds a lock that no other process sees. That is
        // acceptable, because the service already knows the upload.
        if let (Some(path), None, Some(_)) = (&self.path, &self.entry, &self.lock) {
            drop(fs::remove_file(path.with_extension("lock")));
        }
    }
}

fn modified(path: &Path) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    Some(fs::metadata(path).ok()?.mtime())
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Replaces a file atomically. From the beginning, only the user can read the new file.
fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, value)?;
    file.flush()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn file(folder: &Path, content: &str) -> SourceFile {
        let path = folder.join(content);
        fs::write(&path, content).unwrap();
        SourceFile::hash(&path, &|_| true).unwrap()
    }

    fn session() -> UploadSession {
        UploadSession { id: "0190a0c3-7d51-4c64-9d0b-2f4f6c1f8a10".parse().unwrap() }
    }

    #[test]
    fn an_upload_is_remembered_until_it_expires() {
        let (folder, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (ambient, clock) = tonearm_fixtures::ambient();
        let journal = Journal::at(folder.path(), ambient);
        let (one, two) = (file(files.path(), "one"), file(files.path(), "two"));
        let mut claim = journal.claim(&one).unwrap();
        assert!(claim.entry.is_none());
        assert!(journal.claim(&one).is_err(), "another process has it");
        assert!(journal.claim(&two).unwrap().entry.is_none());
        let entry = journal.entry("one".to_owned(), session(), "key".to_owned());
        claim.save(entry.clone(), None).unwrap();
        claim.save(entry, Some(journal.in_seconds(60))).unwrap();
        drop(claim);
        for kept in fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap()) {
            let is_entry = kept.path().extension().unwrap() == "json";
            let mode = kept.metadata().unwrap().permissions().mode() & 0o777;
            assert!(!is_entry || mode == 0o600, "{mode:o}");
        }
        assert_eq!(journal.claim(&one).unwrap().entry.clone().unwrap().idempotency_key, "key");
        clock.advance_seconds(60);
        assert!(journal.claim(&one).unwrap().entry.is_none());
        journal.remove_expired();
        let left = fs::read_dir(folder.path()).unwrap().flatten().map(|file| file.path());
        assert_eq!(left.filter(|path| path.extension().unwrap() == "json").count(), 0);
    }

    #[test]
    fn what_cannot_be_read_is_as_good_as_none() {
        let (folder, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let journal = Journal::at(folder.path(), tonearm_fixtures::ambient().0);
        let one = file(files.path(), "one");
        let path = journal.claim(&one).unwrap().path.clone().unwrap();
        for bad in ["", "{", "{\"expires_at\": 9999999999}", "\u{0}"] {
            fs::write(&path, bad).unwrap();
            assert!(journal.claim(&one).unwrap().entry.is_none(), "{bad}");
        }
        journal.keep_session(session(), 100);
        assert_eq!(journal.session(99), Some(session()));
        assert_eq!(journal.session(100), None);
        journal.forget_session();
        assert_eq!(journal.session(0), None);
    }
}
