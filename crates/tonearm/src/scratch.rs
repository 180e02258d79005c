//! A folder for files that are being created. Each process has one, which is removed when it ends.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tonearm_domain::Ambient;

const LOCK: &str = ".lock";

/// The folder of a process inside `scratch`. It is locked as long as the process runs. The lock distinguishes the
/// folder of a running process from one that a killed process left behind.
pub(crate) struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates a folder, and removes those of processes that have ended.
    pub(crate) fn make(parent: &Path, ambient: &Ambient) -> io::Result<Self> {
        remove_abandoned(parent)?;
        let path = parent.join(ambient.short_id().as_str());
        fs::create_dir(&path)?;
        let lock = File::create(path.join(LOCK))?;
        lock.lock()?;
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "could not remove the scratch folder");
        }
    }
}

fn remove_abandoned(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        // A folder without a lock belongs to a process that is just starting, or that was killed at that moment. It is
        // empty, and `remove_dir` removes only empty folders.
        let abandoned = match File::open(path.join(LOCK)) {
            Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
            Err(_) => {
                drop(fs::remove_dir(&path));
                false
            }
        };
        if abandoned {
            fs::remove_dir_all(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ambient;

    #[test]
    fn only_the_folders_of_the_dead_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let dead = parent.path().join("dead");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join(LOCK), "").unwrap();
        fs::write(dead.join("half.mp3"), "x").unwrap();
        let living = Scratch::make(parent.path(), &ambient::system()).unwrap();
        assert!(!dead.exists());
        let other = Scratch::make(parent.path(), &ambient::system()).unwrap();
        assert!(living.path().exists());
        let gone = other.path().to_owned();
        drop(other);
        assert!(!gone.exists());
    }
}
