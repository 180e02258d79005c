//! Which system folders a child may read if something that it must not read lies below them.
//!
//! Landlock allows everything below a folder and cannot exclude a part of it again. So the siblings along the path to
//! such a part are allowed instead of the folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The paths that may be allowed of `folders` so that nothing in `private` is. Existing paths are returned without
/// symbolic links; missing paths are left out. If a private path contains a folder, nothing of the folder is returned.
pub(crate) fn readable(folders: &[&str], private: &[PathBuf]) -> Vec<PathBuf> {
    let private: Vec<PathBuf> = private.iter().map(|path| settled(path)).collect();
    let mut opened = Vec::new();
    for folder in folders {
        if let Ok(folder) = Path::new(folder).canonicalize()
            && !opened.contains(&folder)
        {
            open_up(folder, &private, &mut opened);
        }
    }
    opened
}

fn open_up(path: PathBuf, private: &[PathBuf], opened: &mut Vec<PathBuf>) {
    if private.iter().any(|private| path.starts_with(private)) {
        return;
    }
    if !private.iter().any(|private| private.starts_with(&path)) {
        opened.push(path);
        return;
    }
    let Ok(entries) = std::fs::read_dir(&path) else {
        return;
    };
    for entry in entries.flatten() {
        // A link would be followed when it is allowed, and may lead to a private path.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            open_up(entry.path(), private, opened);
        }
    }
}

/// The path without symbolic links, even if its last components do not exist yet.
fn settled(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut missing: Vec<OsString> = Vec::new();
    let mut there = path.as_path();
    loop {
        if let Ok(real) = there.canonicalize() {
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        let (Some(parent), Some(name)) = (there.parent(), there.file_name()) else {
            return path;
        };
        missing.push(name.to_owned());
        there = parent;
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn siblings_on_the_way_are_opened_up_instead() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for folder in ["usr/lib/x", "usr/share/tonearm/data", "usr/share/other", "opt/tonearm", "lib"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join("usr/share/tonearm/README"), "").unwrap();
        symlink(root.join("usr/share/tonearm/data"), root.join("usr/share/tonearm/link")).unwrap();
        symlink(root.join("usr/share/tonearm"), root.join("srv")).unwrap();
        symlink(root.join("usr/lib"), root.join("lib64")).unwrap();

        let at = |name: &str| root.join(name);
        let open = |folders: &[&str], private: &[&str]| {
            let folders: Vec<String> = folders.iter().map(|name| at(name).display().to_string()).collect();
            let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
            let private: Vec<PathBuf> = private.iter().map(|name| at(name)).collect();
            let mut opened = readable(&folders, &private);
            opened.sort();
            opened
        };
        let everything = ["usr", "lib", "lib64", "opt", "missing"];
        assert_eq!(open(&everything, &[]), ["lib", "opt", "usr", "usr/lib"].map(at));
        assert_eq!(open(&everything, &["home/data"]), ["lib", "opt", "usr", "usr/lib"].map(at));
        let beside = ["usr/lib", "usr/share/other", "usr/share/tonearm/README"].map(at);
        assert_eq!(open(&["usr"], &["usr/share/tonearm/data"]), beside);
        assert_eq!(open(&["usr"], &["srv/data"]), beside, "through a link");
        assert_eq!(
            open(&["usr"], &["usr/share/tonearm"]),
            ["usr/lib", "usr/share/other"].map(at),
            "with all that is in it"
        );
        // If the private path does not exist yet, its name is excluded all the same.
        assert_eq!(open(&["opt"], &["opt/tonearm/tonearm.db-wal"]), Vec::<PathBuf>::new());
        std::fs::write(at("opt/tonearm/tonearm.db-wal"), "").unwrap();
        std::fs::write(at("opt/tonearm/notes"), "").unwrap();
        assert_eq!(open(&["opt"], &["opt/tonearm/tonearm.db-wal"]), ["opt/tonearm/notes"].map(at));
        assert_eq!(open(&["opt"], &["opt"]), Vec::<PathBuf>::new());
    }
}
