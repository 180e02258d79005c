//! Watches folders for new files. Each is uploaded after it has stopped changing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tonearm_client::FileStamp;

use super::run::Run;
use super::selection::Selection;
use crate::cli::Failure;
use crate::cli::bulk::shown_path;

/// How long a file has to stay the same before it is uploaded.
pub(super) const SETTLED: Duration = Duration::from_secs(3);

/// How often files that may still be written to are checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// How often all folders are scanned. Network file systems do not report changes by other machines, and a queue may
/// overflow.
const RESCAN_INTERVAL: Duration = Duration::from_secs(60);

/// The pause after a scan is at least this many times as long as the scan, however many files there are.
const SCAN_SHARE: u32 = 20;

/// Maximum number of changes that wait to be handled.
const MAX_CHANGES: usize = 4096;

/// Watches folders from the time it is created.
pub(super) struct Watch {
    roots: Vec<PathBuf>,
    selection: Selection,
    changes: mpsc::Receiver<PathBuf>,
    has_overflown: Arc<AtomicBool>,
    /// Files that were sent, with their stamps at that time.
    sent: HashMap<PathBuf, FileStamp>,
    /// Files that may still be written to, with their stamps and the time since when they are unchanged.
    unsettled: HashMap<PathBuf, (FileStamp, Instant)>,
    next_scan: Instant,
    _watcher: RecommendedWatcher,
}

impl Watch {
    pub(super) fn begin(roots: &[PathBuf], selection: Selection) -> Result<Self, Failure> {
        let (sender, changes) = mpsc::channel(MAX_CHANGES);
        let has_overflown = Arc::new(AtomicBool::new(false));
        let overflow = Arc::clone(&has_overflown);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let is_lost = match event {
                Ok(event) if event.kind.is_access() && !is_written(&event) => false,
                Ok(event) => {
                    event.need_rescan() || event.paths.into_iter().any(|path| sender.try_send(path).is_err())
                }
                Err(_) => true,
            };
            if is_lost {
                overflow.store(true, Ordering::Relaxed);
            }
        })
        .map_err(Failure::failed)?;
        for root in roots {
            let problem = |error: notify::Error| {
                Failure::Failed(format!("{} cannot be watched: {error}", shown_path(root)))
            };
            watcher.watch(root, RecursiveMode::Recursive).map_err(problem)?;
        }
        Ok(Self {
            roots: roots.to_vec(),
            selection,
            changes,
            has_overflown,
            sent: HashMap::new(),
            unsettled: HashMap::new(),
            next_scan: Instant::now() + RESCAN_INTERVAL,
            _watcher: watcher,
        })
    }

    /// Ignores a file until it changes, since its current version is uploaded already.
    pub(super) fn ignore_current(&mut self, path: &Path) {
        if let Ok(metadata) = std::fs::metadata(path) {
            self.sent.insert(path.to_owned(), FileStamp::of(&metadata));
        }
    }

    /// Sends files that have settled until the run ends.
    pub(super) async fn run(mut self, files: mpsc::Sender<PathBuf>, run: &Run) {
        let stop = &run.stop;
        let mut check = interval(CHECK_INTERVAL);
        check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.closed() => return,
                Some(path) = self.changes.recv() => self.changed(&path),
                _ = check.tick() => {
                    if self.has_overflown.swap(false, Ordering::Relaxed) || Instant::now() >= self.next_scan {
                        self = self.rescan().await;
                    }
                    for path in run.take_changed() {
                        self.sent.remove(&path);
                        self.consider(&path);
                    }
                    for path in self.settled() {
                        // If the queue is full, later changes wait too.
                        tokio::select! {
                            () = stop.closed() => return,
                            sent = files.send(path) => if sent.is_err() { return },
                        }
                    }
                }
            }
        }
    }

    fn changed(&mut self, path: &Path) {
        let Some(root) = self.roots.iter().find(|root| path.starts_with(root)).cloned() else { return };
        // Files that were put into a folder before it was watched cause no event.
        for file in self.selection.scan_below(&root, path).files {
            self.consider(&file);
        }
    }

    fn consider(&mut self, path: &Path) {
        let Ok(metadata) = std::fs::metadata(path) else { return };
        let stamp = FileStamp::of(&metadata);
        // An empty file is still being written.
        if !metadata.is_file() || stamp.size() == 0 || self.sent.get(path) == Some(&stamp) {
            return;
        }
        let since = Instant::now();
        let unsettled = self.unsettled.entry(path.to_owned()).or_insert((stamp, since));
        if unsettled.0 != stamp {
            *unsettled = (stamp, since);
        }
    }

    /// Removes and returns the files that have not changed for long enough.
    fn settled(&mut self) -> Vec<PathBuf> {
        let mut settled = Vec::new();
        let now = Instant::now();
        self.unsettled.retain(|path, (stamp, since)| {
            let Ok(metadata) = std::fs::metadata(path) else { return false };
            let current = FileStamp::of(&metadata);
            if current != *stamp {
                (*stamp, *since) = (current, now);
            }
            let is_settled = now.duration_since(*since) >= SETTLED;
            if is_settled {
                self.sent.insert(path.clone(), current);
                settled.push(path.clone());
            }
            !is_settled
        });
        settled.sort_by(|a, b| super::natural::natural_order(a, b));
        settled
    }

    /// Scans all folders, and forgets deleted files.
    async fn rescan(mut self) -> Self {
        let begun = Instant::now();
        let scanned = tokio::task::spawn_blocking(move || {
            for file in self.selection.scan(&self.roots).files {
                self.consider(&file);
            }
            self.sent.retain(|path, _| path.exists());
            self
        });
        let mut scanned = match scanned.await {
            Ok(scanned) => scanned,
            Err(ended) => std::panic::resume_unwind(ended.into_panic()),
        };
        let pause = RESCAN_INTERVAL.max(begun.elapsed() * SCAN_SHARE);
        scanned.next_scan = Instant::now() + pause;
        scanned
    }
}

/// Whether a file was closed after it was written to.
fn is_written(event: &Event) -> bool {
    use notify::event::{AccessKind, AccessMode, EventKind};
    matches!(event.kind, EventKind::Access(AccessKind::Close(AccessMode::Write)))
}
