//! Files of a folder store: what is common to reading, writing and removing them.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use rustix::fs::OFlags;
use tonearm_domain::{ObjectKey, StoreId, Timestamp};

use crate::object::{ObjectMeta, version_of};

/// Unfinished files, inside the root so that they can be renamed into place. No object has such a name.
pub(super) const TEMPORARIES: &str = ".tmp";

/// The folder of a store.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    /// The folder.
    pub(super) path: PathBuf,
    /// A folder that exists as long as the store is there. The folder of a disk that is not mounted exists, but is empty: its
    /// files are unavailable, not deleted.
    sign: PathBuf,
    /// Whether the store was seen with an identity. From then on, that is the sign: the folder of a disk that is not mounted
    /// may have [`TEMPORARIES`] too.
    has_identity: Arc<AtomicBool>,
}

impl Root {
    /// A store that may not be there.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self::to_read(path.clone(), path.join(TEMPORARIES))
    }

    /// A store that is only read, even from a medium that cannot be written to.
    pub(crate) fn to_read(path: PathBuf, sign: PathBuf) -> Self {
        Self { path, sign, has_identity: Arc::default() }
    }

    /// Creates the folder of a store if it does not exist.
    pub(crate) fn create(&self) -> io::Result<()> {
        private_folders().recursive(true).create(self.path.join(TEMPORARIES))
    }

    /// Fails if the store is not there.
    pub(super) fn check(&self) -> io::Result<()> {
        let identities = self.path.join(ObjectKey::RESERVED.to_string()).join(StoreId::FOLDER);
        match fs::metadata(identities) {
            Ok(_) => self.has_identity.store(true, Ordering::Relaxed),
            Err(error) if self.has_identity.load(Ordering::Relaxed) => return Err(error),
            Err(_) => {
                fs::metadata(&self.sign)?;
            }
        }
        Ok(())
    }

    /// The folder for unfinished files. It is created in the copy of a store, but not if the store is not there.
    pub(super) fn temporaries(&self) -> io::Result<PathBuf> {
        self.check()?;
        let folder = self.path.join(TEMPORARIES);
        match private_folders().create(&folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(folder),
        }
    }

    /// `None` if the file does not exist but the store does.
    pub(super) fn if_there<T>(&self, result: io::Result<T>) -> io::Result<Option<T>> {
        let existing = unless_missing(result)?;
        if existing.is_none() {
            self.check()?;
        }
        Ok(existing)
    }
}

/// Opens a file to read it. A symbolic link is an error: a backup from elsewhere must not contain files of this machine.
pub(super) fn open_to_read(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path)
}

/// Removes an object, and the folders above it that are then empty. A folder that a put is about to use may be removed
/// as well: the put creates it again.
pub(super) fn delete(root: &Root, path: &Path) -> io::Result<()> {
    root.if_there(fs::remove_file(path))?;
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != root.path) {
        match fs::remove_dir(folder) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(super) fn unless_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn meta_of(meta: &fs::Metadata) -> io::Result<ObjectMeta> {
    // Whatever writes a file changes the time of its status, which no program can set.
    let told = [meta.ino().cast_signed(), meta.ctime(), meta.ctime_nsec()];
    let version = version_of(told.map(i64::to_be_bytes).as_flattened());
    Ok(ObjectMeta { size: meta.len(), modified: timestamp(meta.modified()?), version })
}

/// Times before 1970, which no object has, are taken for 1970.
pub(super) fn timestamp(time: SystemTime) -> Timestamp {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let epoch = Timestamp::from_unix_millis(0).expect("1970 is a representable year");
    epoch.plus_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

pub(super) fn private_folders() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}
