//! Folders and locks for state that commands keep between runs.

use std::fs::{DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Why something cannot be locked.
#[derive(Debug)]
pub(in crate::cli) enum LockError {
    /// Another process holds the lock.
    Busy,
    /// The file cannot be opened or locked.
    Unavailable,
}

/// Returns a folder for the user's state, and creates it if it does not exist. An error is a sentence.
pub(in crate::cli) fn state_folder(name: &str) -> Result<PathBuf, String> {
    let state = state_home(|name| std::env::var_os(name).map(PathBuf::from));
    let folder = state.ok_or("neither XDG_STATE_HOME nor HOME is set")?.join("tonearm").join(name);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    made.map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// The state folder according to the XDG base directory specification.
fn state_home(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))
}

/// Locks a file for this process, until the result is dropped.
pub(in crate::cli) fn lock(path: &Path) -> Result<File, LockError> {
    let file = File::options().write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|_| LockError::Unavailable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LockError::Busy),
        Err(TryLockError::Error(_)) => Err(LockError::Unavailable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_folder_is_the_one_of_the_user() {
        let of = |state: Option<&str>, home: Option<&str>| {
            state_home(|name| if name == "HOME" { home } else { state }.map(PathBuf::from))
        };
        assert_eq!(of(Some("/s"), Some("/h")).unwrap(), Path::new("/s"));
        assert_eq!(of(Some("s"), Some("/h")).unwrap(), Path::new("/h/.local/state"));
        assert_eq!(of(None, None), None);
    }

    #[test]
    fn a_lock_is_held_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let held = lock(&path).unwrap();
        assert!(matches!(lock(&path), Err(LockError::Busy)));
        drop(held);
        lock(&path).unwrap();
        assert!(matches!(lock(&folder.path().join("no/a.lock")), Err(LockError::Unavailable)));
    }
}
