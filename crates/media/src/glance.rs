//! What can be learnt from the bytes of a file before ffprobe is run.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::declared_length;
use crate::entry::{self, Entry};

/// What was found in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HeaderScan {
    /// Whether a known format begins at the start of the file or at the end of its tags.
    pub(crate) is_beginning: bool,
    /// Where the sound begins, if the file's tags declare a wrong length.
    pub(crate) entry: Option<Entry>,
    /// Whether the file ends before its declared end.
    pub(crate) is_cut: bool,
    /// Whether its first MPEG frame holds a frame count.
    pub(crate) has_frame_count: bool,
}

impl HeaderScan {
    /// Scans a file of `size` bytes.
    pub(crate) async fn at(path: &Path, size: u64) -> io::Result<Self> {
        look(path, move |file| {
            let end_of_tags = entry::end_of_tags(file)?;
            let is_beginning = entry::is_beginning(file, end_of_tags)?;
            let entry = if is_beginning { None } else { entry::behind_lying_tags(file, end_of_tags)? };
            let first_frame = entry::read_at(file, entry.map_or(end_of_tags, |entry| entry.skip), 64)?;
            Ok(Self {
                is_beginning,
                entry,
                is_cut: declared_length::is_cut(file, size)?,
                has_frame_count: declared_length::has_frame_count(&first_frame),
            })
        })
        .await
    }
}

/// Looks for the beginning of a bare stream anywhere in a file.
pub(crate) async fn search(path: &Path) -> io::Result<Option<Entry>> {
    look(path, |file| entry::find(file, 0)).await
}

async fn look<T: Send + 'static>(
    path: &Path,
    at: impl FnOnce(&mut File) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let path = path.to_owned();
    let work = move || at(&mut File::open(path)?);
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
