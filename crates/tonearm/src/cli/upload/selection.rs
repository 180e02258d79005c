//! Which files of a folder are uploaded.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::natural::natural_order;

/// Extensions of files that contain only audio. The service decides by the content what it can play.
const SOUND: [&str; 65] = [
    "3ga", "aa3", "aac", "ac3", "adts", "aif", "aifc", "aiff", "alac", "amr", "ape", "au", "awb", "caf",
    "dff", "dsf", "dts", "eac3", "f4a", "flac", "gsm", "it", "m4a", "m4b", "m4r", "mka", "mlp", "mod", "mp1",
    "mp2", "mp3", "mpa", "mpc", "mpga", "oga", "ogg", "oma", "omg", "opus", "qcp", "ra", "ram", "rf64", "rm",
    "s3m", "shn", "snd", "sox", "spx", "tak", "thd", "tta", "voc", "w64", "wav", "wave", "weba", "wma", "wv",
    "xm", "mptm", "mtm", "bwf", "vqf", "aptx",
];

/// Names of pictures that belong to the audio files next to them.
const PICTURES: [&str; 9] =
    ["cover", "folder", "front", "back", "album", "albumart", "albumartsmall", "artwork", "thumb"];

/// Extensions of pictures.
const PICTURE_EXTENSIONS: [&str; 9] = ["jpg", "jpeg", "png", "webp", "gif", "bmp", "tif", "tiff", "avif"];

/// Which files are taken from folders.
#[derive(Debug, Clone, Copy)]
pub(super) struct Selection {
    /// Whether all files are taken, not only those with an audio extension.
    pub(super) is_all: bool,
}

/// Files to upload, in order, and paths that could not be read.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) files: Vec<PathBuf>,
    pub(super) problems: Vec<(PathBuf, String)>,
}

impl Selection {
    /// Whether a file with this name is taken.
    pub(super) fn takes(self, path: &Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        if is_hidden(name) || is_cover(path) {
            return false;
        }
        self.is_all || extension(path).is_some_and(|own| SOUND.contains(&own.as_str()))
    }

    /// Finds the files to take in the given folders. Files that are given directly are taken whatever their names are.
    pub(super) fn scan(self, roots: &[PathBuf]) -> Scan {
        let mut scan = Scan::default();
        for root in roots {
            match std::fs::metadata(root) {
                Ok(metadata) if metadata.is_dir() => self.walk(root, root, &mut scan),
                Ok(_) => scan.files.push(root.clone()),
                Err(error) => scan.problems.push((root.clone(), error.to_string())),
            }
        }
        scan.files.sort_by(|a, b| natural_order(a, b));
        scan.files.dedup();
        scan
    }

    /// Finds the files to take of what has changed at a path in a folder.
    pub(super) fn scan_below(self, root: &Path, path: &Path) -> Scan {
        let mut scan = Scan::default();
        let below = path.strip_prefix(root).unwrap_or(path);
        if root == path && !path.is_dir() {
            scan.files.push(path.to_owned());
        } else if !below.components().any(|part| is_hidden(part.as_os_str())) {
            self.walk(root, path, &mut scan);
        }
        scan
    }

    /// Walks from a path in a folder. Symbolic links are followed, except those that lead out of the folder, or to a folder
    /// that contains them.
    fn walk(self, root: &Path, from: &Path, scan: &mut Scan) {
        let own = root.canonicalize();
        let is_inside = |path: &Path| match (&own, path.canonicalize()) {
            (Ok(own), Ok(target)) => target.starts_with(own),
            // It cannot be read, which is reported for another reason.
            _ => true,
        };
        let mut outside = Vec::new();
        let visible = |entry: &DirEntry| {
            if entry.depth() > 0 && is_hidden(entry.file_name()) {
                return false;
            }
            let may_leave = entry.path_is_symlink() || entry.depth() == 0;
            let stays = !may_leave || is_inside(entry.path());
            if !stays && (entry.file_type().is_dir() || self.takes(entry.path())) {
                outside.push(entry.path().to_owned());
            }
            stays
        };
        for entry in WalkDir::new(from).follow_links(true).into_iter().filter_entry(visible) {
            match entry {
                Ok(entry) if entry.file_type().is_file() && self.takes(entry.path()) => {
                    scan.files.push(entry.into_path());
                }
                Ok(_) => {}
                Err(error) if error.loop_ancestor().is_some() => {}
                Err(error) => {
                    let path = error.path().unwrap_or(root).to_owned();
                    // A broken link is a problem only if its name would be taken.
                    let is_link = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
                    if !is_link || self.takes(&path) {
                        let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                        scan.problems.push((path, reason));
                    }
                }
            }
        }
        let leaves = "it is a link that leads out of the folder; to upload its target, name it as well";
        scan.problems.extend(outside.into_iter().map(|path| (path, leaves.to_owned())));
    }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_bytes().first() == Some(&b'.')
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

fn is_cover(path: &Path) -> bool {
    let stem = path.file_stem().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    let is_picture = extension(path).is_some_and(|own| PICTURE_EXTENSIONS.contains(&own.as_str()));
    is_picture && stem.is_some_and(|stem| PICTURES.contains(&stem.as_str()))
}

#[cfg(test)]
mod tests {
    use std::fs::{File, create_dir_all};
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(root: &Path, is_all: bool) -> Vec<String> {
        let scan = Selection { is_all }.scan(&[root.to_owned()]);
        // A broken link might have been an audio file.
        assert_eq!(scan.problems.len(), usize::from(is_all), "{:?}", scan.problems);
        let below =
            scan.files.iter().map(|file| file.strip_prefix(root).unwrap().to_string_lossy().into_owned());
        below.collect()
    }

    #[test]
    fn a_folder_is_walked() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in
            ["b/2.mp3", "b/10.FLAC", "b/cover.jpg", "b/notes.txt", ".hidden/3.mp3", "b/.4.mp3", "5.wav"]
        {
            create_dir_all(root.join(path).parent().unwrap()).unwrap();
            File::create(root.join(path)).unwrap();
        }
        symlink(root, root.join("b/loop")).unwrap();
        symlink(root.join("5.wav"), root.join("b/11.wav")).unwrap();
        symlink(root.join("nowhere"), root.join("b/broken")).unwrap();
        let status = std::process::Command::new("mkfifo").arg(root.join("pipe.mp3")).status().unwrap();
        assert!(status.success());
        assert_eq!(names(root, false), ["5.wav", "b/2.mp3", "b/10.FLAC", "b/11.wav"]);
        assert_eq!(names(root, true), ["5.wav", "b/2.mp3", "b/10.FLAC", "b/11.wav", "b/notes.txt"]);
    }

    #[test]
    fn what_is_named_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let (odd, missing) = (folder.path().join(".odd"), folder.path().join("missing.mp3"));
        File::create(&odd).unwrap();
        symlink("nowhere", folder.path().join("gone.mp3")).unwrap();
        let scan = Selection { is_all: false }.scan(&[odd.clone(), missing.clone(), odd.clone()]);
        assert_eq!((scan.files, scan.problems.len()), (vec![odd], 1));
        let scan = Selection { is_all: false }.scan(&[folder.path().to_owned()]);
        assert_eq!(scan.problems.len(), 1, "a link that leads nowhere");
    }

    #[test]
    fn what_changes_in_a_watched_folder_is_taken_as_in_a_walk() {
        let folder = tempfile::tempdir().unwrap();
        let (root, elsewhere) = (folder.path().join(".mine"), folder.path().join("elsewhere"));
        for path in ["a/b.mp3", "a/b.txt", ".Trash-1000/files/c.mp3", ".d.mp3"] {
            create_dir_all(root.join(path).parent().unwrap()).unwrap();
            File::create(root.join(path)).unwrap();
        }
        create_dir_all(&elsewhere).unwrap();
        File::create(elsewhere.join("e.mp3")).unwrap();
        symlink(&elsewhere, root.join("out")).unwrap();
        symlink(elsewhere.join("e.mp3"), root.join("f.mp3")).unwrap();
        let selection = Selection { is_all: false };
        let found = |path: &str| {
            let scan = selection.scan_below(&root, &root.join(path));
            let below = scan.files.iter().map(|file| file.strip_prefix(&root).unwrap().display().to_string());
            (below.collect::<Vec<_>>(), scan.problems.len())
        };
        let nothing = (Vec::new(), 0);
        assert_eq!(
            (found("a").0, found("a/b.mp3").0, found("a/b.txt")),
            (vec!["a/b.mp3".to_owned()], vec!["a/b.mp3".to_owned()], nothing.clone())
        );
        for hidden in [".Trash-1000", ".Trash-1000/files", ".Trash-1000/files/c.mp3", ".d.mp3"] {
            assert_eq!(found(hidden), nothing, "{hidden}");
        }
        for outside in ["out", "out/e.mp3", "f.mp3"] {
            assert_eq!(found(outside), (Vec::new(), 1), "{outside}");
        }
        assert_eq!(selection.scan(std::slice::from_ref(&root)).files, [root.join("a/b.mp3")]);
    }
}
