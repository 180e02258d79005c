//! A file beside an SQLite database whose space is given up when the disk is full, so that something can still be removed.
//!
//! SQLite writes to its log before anything is removed, and the log only shrinks once the database file has grown. Without
//! the file, that much free space is left for it instead.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate};

/// The size of the file, at most: as much as SQLite's log keeps, besides what is removed in a while.
const MOST: u64 = 64 << 20;

/// On a small disk, the share of it that the file has.
const SHARE: u64 = 8;

/// A node keeps the file. Nodes and commands that use the same database share it.
#[derive(Debug, Clone)]
pub(super) struct Reserve {
    file: PathBuf,
}

/// A file system.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileSystem {
    /// Bytes that a process without privileges can still write.
    pub(super) free: u64,
    size: u64,
}

impl FileSystem {
    fn reserve(self) -> u64 {
        (self.size / SHARE).min(MOST)
    }
}

/// The file system of a folder.
pub(super) fn free_at(folder: &Path) -> Option<FileSystem> {
    match rustix::fs::statvfs(folder) {
        Ok(found) => Some(FileSystem {
            free: found.f_bavail.saturating_mul(found.f_frsize),
            size: found.f_blocks.saturating_mul(found.f_frsize),
        }),
        Err(error) => {
            tracing::debug!(path = %folder.display(), %error, "could not read the free space");
            None
        }
    }
}

impl Reserve {
    pub(super) fn beside(database: &Path) -> Self {
        let mut name = database.as_os_str().to_owned();
        name.push(".reserve");
        Self { file: name.into() }
    }

    fn disk(&self) -> Option<FileSystem> {
        free_at(self.file.parent()?)
    }

    /// Its bytes; 0 once it is given up.
    pub(super) fn kept(&self) -> u64 {
        let bytes = std::fs::metadata(&self.file).map_or(0, |file| file.len());
        if self.disk().is_some_and(|disk| bytes >= disk.reserve()) { bytes } else { 0 }
    }

    /// The bytes that must be free, with the file among them, so that something may be added.
    pub(super) fn least(&self, least: u64) -> u64 {
        match self.disk() {
            Some(disk) if self.kept() == 0 => least.max(2 * disk.reserve()),
            _ => least,
        }
    }

    /// Gives the file up if the disk is nearly full, and makes it again once twice its size is free.
    pub(super) fn keep(&self) {
        let Some(disk) = self.disk() else { return };
        let (size, kept) = (disk.reserve(), self.kept());
        if kept == 0 && size > 0 && disk.free >= 2 * size {
            match self.make(size) {
                Ok(()) => tracing::debug!(file = %self.file.display(), size, "reserved space on the disk"),
                Err(error) => {
                    tracing::debug!(file = %self.file.display(), %error, "could not reserve space on the disk");
                    drop(std::fs::remove_file(&self.file));
                }
            }
        } else {
            self.give_up_if_full();
        }
    }

    /// Gives the file up if the disk is nearly full.
    pub(super) fn give_up_if_full(&self) {
        let Some(disk) = self.disk().filter(|disk| disk.free < disk.reserve() / 4) else { return };
        match std::fs::remove_file(&self.file) {
            Ok(()) => tracing::warn!(
                file = %self.file.display(),
                free = disk.free,
                "the disk is full; gave up the reserve, so that something can still be removed"
            ),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(file = %self.file.display(), %error, "could not give up the reserve");
            }
        }
    }

    fn make(&self, size: u64) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(false).mode(0o600).open(&self.file)?;
        match fallocate(&file, FallocateFlags::empty(), 0, size) {
            Ok(()) => Ok(()),
            Err(rustix::io::Errno::OPNOTSUPP) => fill(&mut file, size),
            Err(error) => Err(error.into()),
        }
    }
}

/// For file systems that cannot reserve space.
fn fill(file: &mut File, size: u64) -> io::Result<()> {
    let zeros = [0; 64 << 10];
    let mut left = size;
    while left > 0 {
        let next = usize::try_from(left).unwrap_or(usize::MAX).min(zeros.len());
        file.write_all(&zeros[..next])?;
        left -= next as u64;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use tonearm_domain::DiskUse;
    use tonearm_fixtures::SmallDisk;

    use super::super::Space;
    use super::*;

    const MEBIBYTE: u64 = 1 << 20;

    #[test]
    fn the_reserve_is_given_up_on_a_full_disk_and_made_again() {
        let name = "the_reserve_is_given_up_on_a_full_disk_and_made_again";
        let Some(disk) = SmallDisk::of(module_path!(), name, 16) else { return };
        let database = disk.path().join("catalog.db");
        let (file, free) = (disk.path().join("catalog.db.reserve"), || free_at(disk.path()).unwrap().free);
        let space = Space::new(0, [(DiskUse::Database, disk.path().to_owned())]).with_reserve(&database);
        assert_eq!((space.shortage(), file.exists()), (None, false), "only a node makes it");
        space.keep_watch();
        assert_eq!(file.metadata().unwrap().len(), 2 * MEBIBYTE);
        assert!(free() <= 14 * MEBIBYTE, "its space is taken");
        assert_eq!(space.shortage(), None);
        disk.fill();
        space.keep_watch();
        assert!(!file.exists());
        assert_eq!(free(), 2 * MEBIBYTE);
        assert_eq!(
            space.shortage().unwrap().least,
            4 * MEBIBYTE,
            "what was given up is not for what is added"
        );
        // Another process, which starts meanwhile, finds the same.
        let other = Space::new(0, [(DiskUse::Database, disk.path().to_owned())]).with_reserve(&database);
        assert_eq!(other.shortage(), space.shortage());
        disk.free();
        space.keep_watch();
        assert!(file.exists());
        assert_eq!(space.shortage(), None);
        // A start does not wait for the first watch.
        disk.fill();
        let other = Space::new(0, [(DiskUse::Database, disk.path().to_owned())]).with_reserve(&database);
        assert!(other.shortage().is_some() && !file.exists());
    }
}
