//! Progress bars: one for each running upload, and one for all files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::ProgressBar;
use tokio::task::JoinHandle;
use tonearm_client::SourceFile;

use crate::cli::bulk::Screen;

/// How often the bar of an upload is updated.
const EVERY: Duration = Duration::from_millis(100);

/// Template of the bar for all files. It counts the bytes that have to be uploaded, as far as they are known.
const TOTAL: &str = "total     {wide_bar} {decimal_bytes:>10}/{decimal_total_bytes:10} {elapsed:>4}  {msg}";

pub(super) struct Bars {
    screen: Screen,
    total: ProgressBar,
}

/// The bar of one upload. It is updated until it is dropped.
pub(super) struct FileBar {
    bar: ProgressBar,
    position: Arc<AtomicU64>,
    following: JoinHandle<()>,
}

impl Bars {
    pub(super) fn new(screen: Screen) -> Self {
        let total = screen.total(TOTAL, 0);
        Self { screen, total }
    }

    pub(super) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Adds a bar for a file that is being hashed.
    pub(super) fn hashing(&self, path: &Path, size: u64) -> ProgressBar {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.screen.file("checking", &name, size)
    }

    /// Adds a file that may have to be uploaded to the total.
    pub(super) fn expect(&self, bytes: u64) {
        self.total.inc_length(bytes);
    }

    /// Counts a file as uploaded.
    pub(super) fn uploaded(&self, bytes: u64) {
        self.total.inc(bytes);
    }

    /// Removes a file that is not uploaded from the total.
    pub(super) fn forget(&self, bytes: u64) {
        self.total.set_length(self.total.length().unwrap_or_default().saturating_sub(bytes));
    }

    /// Removes the bar for all files, and returns the number of bytes of uploaded files.
    pub(super) fn finish(&self) -> u64 {
        let bytes = self.total.position();
        self.total.finish_and_clear();
        bytes
    }

    /// Adds a bar for a file that is being uploaded.
    pub(super) fn file(&self, file: &SourceFile) -> FileBar {
        let bar = self.screen.file("uploading", &file.name(), file.size());
        let position = Arc::new(AtomicU64::new(0));
        let (followed, of_task) = (Arc::clone(&position), bar.clone());
        let following = tokio::spawn(async move {
            loop {
                of_task.set_position(followed.load(Ordering::Relaxed));
                tokio::time::sleep(EVERY).await;
            }
        });
        FileBar { bar, position, following }
    }
}

impl FileBar {
    /// Bytes of the file that have been sent.
    pub(super) fn position(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.position)
    }
}

impl Drop for FileBar {
    fn drop(&mut self) {
        self.following.abort();
        self.bar.finish_and_clear();
    }
}
