//! Uploads files as tracks. Files are hashed in order, one at a time and somewhat ahead of the uploads. Tracks are
//! created in the same order, and a few files are uploaded concurrently.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;
use tonearm_client::{Client, ClientError, FileError, ListedTrack, SourceFile, TrackQuery};
use tonearm_domain::{CollectionId, TrackId, TrackStatus};

use super::bars::Bars;
use super::journal::Journal;
use super::sending::{Sending, SendingError};
use super::sessions::Sessions;
use crate::cli::bulk::{Outcome, Report, ReportEntry, Stop, shown_path, shown_text};

/// The options of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunOptions {
    pub(super) collection: CollectionId,
    /// Maximum number of concurrent uploads.
    pub(super) jobs: usize,
    /// Maximum bytes of one request.
    pub(super) piece: u64,
    pub(super) is_dry: bool,
    /// Whether folders are watched. A file that changes is then checked again.
    pub(super) is_watching: bool,
    /// Whether uploaded tracks are reported only after they are processed.
    pub(super) waits: bool,
}

/// One run of the command.
pub(super) struct Run {
    pub(super) client: Client,
    pub(super) options: RunOptions,
    pub(super) journal: Journal,
    pub(super) sessions: Sessions,
    pub(super) bars: Bars,
    pub(super) stop: Stop,
    report: Mutex<Report>,
    /// The files that this run uploads, by hash.
    begun: Mutex<HashMap<[u8; 32], PathBuf>>,
    /// Watched files that changed while they were read or sent.
    changed: Mutex<Vec<PathBuf>>,
    uploaded: Mutex<Vec<(TrackId, ReportEntry)>>,
}

impl Run {
    pub(super) fn new(
        client: Client,
        options: RunOptions,
        journal: Journal,
        bars: Bars,
        report: Report,
    ) -> Self {
        Self {
            sessions: Sessions::new(journal.clone()),
            client,
            options,
            journal,
            bars,
            stop: Stop::default(),
            report: Mutex::new(report),
            begun: Mutex::default(),
            changed: Mutex::default(),
            uploaded: Mutex::default(),
        }
    }

    pub(super) fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the uploaded tracks that are not reported yet.
    pub(super) fn take_uploaded(&self) -> Vec<(TrackId, ReportEntry)> {
        std::mem::take(&mut *self.uploaded.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the watched files that have to be checked again.
    pub(super) fn take_changed(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.changed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn check_again(&self, path: &Path) {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
    }

    /// Uploads all files that arrive in `paths`, until it is closed.
    pub(super) async fn work(self: &Arc<Self>, paths: mpsc::Receiver<PathBuf>) {
        let (hashed, mut files) = mpsc::channel(self.options.jobs * 2);
        let hashing = tokio::spawn(hash_all(Arc::clone(self), paths, hashed));
        let (permits, mut uploads) = (Arc::new(Semaphore::new(self.options.jobs)), JoinSet::new());
        while let Some(file) = files.recv().await {
            if self.stop.is_closing() {
                self.leave(file.path(), Some(file.size()));
                continue;
            }
            match self.stop.unless_interrupted(self.needs_no_upload(&file)).await {
                Some(false) => {}
                Some(true) => continue,
                None => {
                    self.leave(file.path(), Some(file.size()));
                    continue;
                }
            }
            let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { break };
            while uploads.try_join_next().is_some() {}
            self.begin(file, permit, &mut uploads).await;
        }
        uploads.join_all().await;
        // It has ended, or nothing receives what it hashes.
        drop(hashing.await);
    }

    /// Whether a file needs no upload. Such a file is reported here.
    async fn needs_no_upload(&self, file: &SourceFile) -> bool {
        let begun = self.begun().get(&file.sha256()).cloned();
        if let Some(of) = begun.as_deref().filter(|of| *of != file.path()) {
            let of = shown_path(of);
            let entry = entry(Outcome::Duplicate, file.path())
                .with_reason(format!("the same as {of}"))
                .with("same_as", of);
            self.report_file(file, entry);
            return true;
        }
        let query = TrackQuery { source_sha256: Some(file.sha256()), limit: 1, ..TrackQuery::default() };
        match self.client.tracks(self.options.collection, &query).await {
            Ok(found) => match found.tracks.first() {
                Some(track) => {
                    self.report_file(file, present(file, track));
                    true
                }
                // A watched file that was touched during its upload.
                None if begun.is_some() => {
                    self.bars.forget(file.size());
                    true
                }
                None => false,
            },
            Err(error) => {
                self.fail(file, &error);
                true
            }
        }
    }

    fn begun(&self) -> MutexGuard<'_, HashMap<[u8; 32], PathBuf>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the track, or finds the one of an earlier run, and uploads the file concurrently with the others.
    async fn begin(
        self: &Arc<Self>,
        file: SourceFile,
        permit: OwnedSemaphorePermit,
        uploads: &mut JoinSet<()>,
    ) {
        // While this file waited for a permit, another upload may have failed with an error that affects all files.
        if self.stop.is_closing() {
            return self.leave(file.path(), Some(file.size()));
        }
        self.begun().insert(file.sha256(), file.path().to_owned());
        if self.options.is_dry {
            return self.report_file(&file, entry(Outcome::WouldUpload, file.path()));
        }
        let Ok(claim) = self.journal.claim(&file) else {
            let entry = entry(Outcome::Failed, file.path());
            return self.report_file(&file, entry.with_reason("another tonearm process is uploading it"));
        };
        let mut sending = Sending::new(Arc::clone(self), file, claim);
        match self.stop.unless_interrupted(sending.prepare()).await {
            None => self.leave(sending.file.path(), Some(sending.file.size())),
            Some(Err(error)) => self.end(&sending, Err(error)),
            Some(Ok(())) => {
                uploads.spawn(async move {
                    let run = Arc::clone(&sending.run);
                    match run.stop.unless_interrupted(sending.send()).await {
                        Some(sent) => run.end(&sending, sent),
                        None => run.leave(sending.file.path(), Some(sending.file.size())),
                    }
                    drop(permit);
                });
            }
        }
    }

    fn end(&self, sending: &Sending, sent: Result<TrackId, SendingError>) {
        let file = &sending.file;
        match sent {
            Ok(track) => {
                let entry = entry(Outcome::Uploaded, file.path()).with("track_id", track.to_string());
                self.bars.uploaded(file.size());
                self.report_uploaded(file, track, entry);
            }
            Err(SendingError::Failed(error)) => self.fail(file, &error),
            Err(SendingError::Expired) => {
                let entry = entry(Outcome::Failed, file.path());
                self.report_file(file, entry.with_reason("its upload expired repeatedly"));
            }
        }
    }

    fn report_uploaded(&self, file: &SourceFile, track: TrackId, entry: ReportEntry) {
        if self.options.waits {
            let entry = described(entry, file);
            self.uploaded.lock().unwrap_or_else(PoisonError::into_inner).push((track, entry));
        } else {
            self.report_file(file, entry);
        }
    }

    /// Reports an error. If it affects all files, no further one is started.
    fn fail(&self, file: &SourceFile, error: &ClientError) {
        self.begun().remove(&file.sha256());
        let is_changed = matches!(error, ClientError::File(FileError::Changed));
        if self.options.is_watching && (is_changed || error.is_transient()) {
            if !is_changed {
                self.bars.screen().warn(&format!("{}: {error}; trying again", shown_path(file.path())));
            }
            self.check_again(file.path());
            return self.bars.forget(file.size());
        }
        if error.affects_all() {
            self.stop.close(&error.to_string());
        }
        self.report_file(file, entry(Outcome::Failed, file.path()).with_reason(error.to_string()));
    }

    /// Reports a file that was not hashed.
    fn fail_unread(&self, path: &Path, error: &FileError) {
        match error {
            FileError::Stopped => self.leave(path, None),
            FileError::Changed | FileError::Empty if self.options.is_watching => self.check_again(path),
            error => self.add(entry(Outcome::Failed, path).with_reason(error.to_string())),
        }
    }

    /// Reports a file that is not done because the run ends. The next run continues with it.
    fn leave(&self, path: &Path, size: Option<u64>) {
        size.into_iter().for_each(|size| self.bars.forget(size));
        self.add(entry(Outcome::Stopped, path));
    }

    fn report_file(&self, file: &SourceFile, entry: ReportEntry) {
        if entry.outcome != Outcome::Uploaded {
            self.bars.forget(file.size());
        }
        self.add(described(entry, file));
    }

    pub(super) fn add(&self, entry: ReportEntry) {
        self.report().add(entry);
    }
}

/// The entry for a file that the collection already has. If its processing failed, another upload would not help.
fn present(file: &SourceFile, track: &ListedTrack) -> ReportEntry {
    let status = track.track_status_id;
    let (outcome, reason) = match (status, &track.status_reason) {
        (TrackStatus::Error | TrackStatus::InitError, Some(reason)) => {
            (Outcome::Failed, Some(format!("its track failed: {}", shown_text(reason))))
        }
        _ => (Outcome::Present, None),
    };
    let entry = entry(outcome, file.path())
        .with("track_id", track.id.to_string())
        .with("track_status_id", status.as_str());
    reason.into_iter().fold(entry, ReportEntry::with_reason)
}

fn described(entry: ReportEntry, file: &SourceFile) -> ReportEntry {
    entry.with("sha256", hex::encode(file.sha256())).with("size", file.size())
}

/// An entry of the report about a file.
pub(super) fn entry(outcome: Outcome, path: &Path) -> ReportEntry {
    ReportEntry::new(outcome, shown_path(path)).with("file", Value::from(path.to_string_lossy()))
}

/// Hashes files one after another, on a thread for blocking work.
async fn hash_all(run: Arc<Run>, mut paths: mpsc::Receiver<PathBuf>, hashed: mpsc::Sender<SourceFile>) {
    while let Some(path) = paths.recv().await {
        if run.stop.is_closing() {
            run.leave(&path, None);
            continue;
        }
        let of_thread = Arc::clone(&run);
        let read = tokio::task::spawn_blocking(move || {
            let size = std::fs::metadata(&path).map_or(0, |file| file.len());
            let bar = of_thread.bars.hashing(&path, size);
            let go_on = |bytes| {
                bar.inc(bytes);
                !of_thread.stop.is_interrupted()
            };
            let file = SourceFile::hash(&path, &go_on);
            bar.finish_and_clear();
            (path, file)
        });
        match read.await {
            Ok((_, Ok(file))) => {
                run.bars.expect(file.size());
                if hashed.send(file).await.is_err() {
                    return;
                }
            }
            Ok((path, Err(error))) => run.fail_unread(&path, &error),
            // The panic was printed.
            Err(_) => return,
        }
    }
}
