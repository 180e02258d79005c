//! Usage counts that could not be stored before a node ended, kept on its disk until the next start.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use tonearm_domain::{Retention, Timestamp, UsageBatch};

use super::stored::MOST_BYTES as MOST_BYTES_OF_BATCH;

/// The most files in the folder, and the most bytes of all of them.
const MOST_FILES: usize = 1000;
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// File extensions of batches, of files that were set aside, and of unfinished files.
const ENDING: &str = "json";
const ASIDE: &str = "unread";
const UNFINISHED: &str = "tmp";

/// The result of opening a file.
pub(super) enum Opened {
    Batch(UsageBatch),
    /// Another process has taken it.
    Gone,
    /// It is not a batch, or one so old that it is no longer known whether it was counted.
    Unfit(String),
}

/// A folder of batches. Their names are derived from the time, so they sort in the order in which they were taken.
#[derive(Debug, Clone)]
pub(super) struct Unstored {
    folder: PathBuf,
}

impl Unstored {
    pub(super) fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes a batch so that it survives a power failure. Readers find the whole file or none.
    pub(super) fn write(&self, batch: &UsageBatch) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let json = serde_json::to_vec(batch)?;
        self.require_room(json.len() as u64)?;
        let draft = self.folder.join(format!("{}.{UNFINISHED}", batch.id));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        file.write_all(&json)?;
        file.sync_all()?;
        fs::rename(&draft, self.folder.join(format!("{}.{ENDING}", batch.id)))?;
        File::open(&self.folder)?.sync_all()
    }

    fn require_room(&self, more: u64) -> io::Result<()> {
        let (mut files, mut bytes) = (1, more);
        for entry in fs::read_dir(&self.folder)? {
            files += 1;
            bytes += entry?.metadata().map_or(0, |meta| meta.len());
        }
        if files > MOST_FILES || bytes > MOST_BYTES || more > MOST_BYTES_OF_BATCH {
            let problem = format!("{} would hold {files} files of {bytes} bytes", self.folder.display());
            return Err(io::Error::other(problem));
        }
        Ok(())
    }

    /// The files of batches, the oldest last. Removes unfinished files of a process that was killed.
    pub(super) fn list(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry?.path();
            match path.extension().and_then(|ending| ending.to_str()) {
                Some(ENDING) => found.push(path),
                Some(UNFINISHED) => drop(fs::remove_file(&path)),
                _ => {}
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        Ok(found)
    }

    /// Reads a file. An error says that the disk fails, not that the file is bad.
    pub(super) fn open(path: &Path, now: Timestamp) -> io::Result<Opened> {
        let mut json = Vec::new();
        match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Opened::Gone),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(Opened::Unfit(error.to_string()));
            }
            file => file?.take(MOST_BYTES_OF_BATCH + 1).read_to_end(&mut json)?,
        };
        if json.len() as u64 > MOST_BYTES_OF_BATCH {
            return Ok(Opened::Unfit("it is too large".to_owned()));
        }
        let batch: UsageBatch = match serde_json::from_slice(&json) {
            Ok(batch) => batch,
            Err(error) => return Ok(Opened::Unfit(error.to_string())),
        };
        // For at least this long, it is known which batches were counted.
        let known_for = i64::from(Retention::LEAST_USAGE_BATCH_DAYS) * 24 * 3600;
        if batch.taken_at.plus_seconds(known_for) < now {
            return Ok(Opened::Unfit("it is so old that it may have been counted already".to_owned()));
        }
        Ok(Opened::Batch(batch))
    }

    /// Keeps a file that is not a batch for people to examine, under a name that is ignored.
    pub(super) fn set_aside(path: &Path) -> io::Result<()> {
        fs::rename(path, path.with_extension(ASIDE))
    }

    pub(super) fn remove(path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
