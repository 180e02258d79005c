//! The upload of one file to its track.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tonearm_client::{
    ClientError, CreatedTrack, SourceFile, UploadError, UploadLifetime, UploadOptions, UploadSession,
};
use tonearm_domain::TrackId;

use super::journal::{Claim, JournalEntry};
use super::run::Run;

/// Maximum number of tracks that are created for one file, if its uploads expire.
const MAX_TRACKS: u32 = 3;

/// How long the removal of a failed upload may take.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(20);

/// The name used for a file without a usable name.
const DEFAULT_NAME: &str = "audio";

/// Why a file has no track.
#[derive(Debug)]
pub(super) enum SendingError {
    Failed(ClientError),
    Expired,
}

impl From<ClientError> for SendingError {
    fn from(error: ClientError) -> Self {
        Self::Failed(error)
    }
}

/// A file, and the state of its upload in the journal.
pub(super) struct Sending {
    pub(super) run: Arc<Run>,
    pub(super) file: SourceFile,
    claim: Arc<Mutex<Claim>>,
    track: Option<CreatedTrack>,
    is_new: bool,
}

impl Sending {
    pub(super) fn new(run: Arc<Run>, file: SourceFile, claim: Claim) -> Self {
        Self { run, file, claim: Arc::new(Mutex::new(claim)), track: None, is_new: false }
    }

    fn entry(&self) -> Option<JournalEntry> {
        self.claim.lock().unwrap_or_else(PoisonError::into_inner).entry.clone()
    }

    /// Stores the state of the upload in the journal. If this fails, an interrupted upload cannot be resumed later.
    fn remember(&self, entry: JournalEntry, expires_at: Option<i64>) {
        let saved = self.claim.lock().unwrap_or_else(PoisonError::into_inner).save(entry, expires_at);
        if let Err(error) = saved {
            self.run.bars.screen().warn(&format!("interrupted uploads cannot be resumed later: {error}"));
        }
    }

    fn forget(&mut self) {
        self.track = None;
        self.claim.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Finds the track of an earlier run, or creates one.
    pub(super) async fn prepare(&mut self) -> Result<(), SendingError> {
        let remembered = self.entry();
        if let Some(created) = remembered.as_ref().and_then(|entry| entry.created.clone()) {
            (self.track, self.is_new) = (Some(created), false);
            return Ok(());
        }
        let (run, collection) = (Arc::clone(&self.run), self.run.options.collection);
        let name = Some(self.file.name()).filter(|name| !name.trim().is_empty());
        let name = name.unwrap_or_else(|| DEFAULT_NAME.to_owned());
        // A request of an earlier run that got no response is repeated unchanged.
        let mut unanswered = remembered.map(|entry| (entry.session, entry.file_name, entry.idempotency_key));
        for _ in 0..2 {
            let (session, name, key) = match unanswered.take() {
                Some(request) => request,
                None => {
                    let session = run.sessions.get(&run.client, collection).await?;
                    (session, name.clone(), run.client.new_idempotency_key())
                }
            };
            if self.create(session, name, key).await? {
                return Ok(());
            }
            run.sessions.forget(session).await;
        }
        Err(SendingError::Expired)
    }

    /// Creates the track; false if the session has expired.
    async fn create(
        &mut self,
        session: UploadSession,
        name: String,
        key: String,
    ) -> Result<bool, SendingError> {
        let entry = self.run.journal.entry(name, session, key);
        self.remember(entry.clone(), None);
        let created =
            self.run.client.create_session_track(session, &entry.file_name, &entry.idempotency_key).await;
        match created {
            Ok(created) => {
                let expires_at = self.run.journal.in_seconds(created.track_upload.ttl.into());
                self.remember(entry.of(created.clone()), Some(expires_at));
                (self.track, self.is_new) = (Some(created), true);
                Ok(true)
            }
            Err(error) if error.code() == "invalid_upload_session" => {
                self.forget();
                Ok(false)
            }
            Err(error) => {
                if !error.is_transient() {
                    self.forget();
                }
                Err(error.into())
            }
        }
    }

    /// Sends the bytes. If the upload has expired, it starts over with another track.
    pub(super) async fn send(&mut self) -> Result<TrackId, SendingError> {
        for _ in 0..MAX_TRACKS {
            if self.track.is_none() {
                self.prepare().await?;
            }
            let Some(track) = self.track.clone() else { break };
            match self.upload(&track).await {
                Ok(()) => {
                    self.forget();
                    return Ok(track.track_id);
                }
                Err(UploadError::Gone) => self.give_up(&track).await,
                Err(UploadError::Failed(error)) if error.is_transient() => return Err(error.into()),
                Err(UploadError::Failed(error)) => {
                    self.give_up(&track).await;
                    return Err(error.into());
                }
            }
        }
        Err(SendingError::Expired)
    }

    async fn upload(&self, track: &CreatedTrack) -> Result<(), UploadError> {
        let run = &self.run;
        let bar = run.bars.file(&self.file);
        let options =
            UploadOptions { piece: run.options.piece, is_new: self.is_new, position: bar.position() };
        let on_begun = |lifetime: UploadLifetime| {
            if let (Some(seconds), Some(entry)) = (lifetime.max_age, self.entry()) {
                self.remember(entry, Some(run.journal.in_seconds(seconds)));
            }
        };
        run.client.upload(&track.track_upload.upload_url, &self.file, &options, &on_begun).await
    }

    /// Cancels the upload, and deletes its track.
    async fn give_up(&mut self, track: &CreatedTrack) {
        let client = &self.run.client;
        let cleanup = tokio::time::timeout(CLEANUP_TIMEOUT, async {
            client.cancel_upload(&track.track_upload.upload_url).await;
            client.delete_track(track.track_id).await
        });
        // If the cleanup fails, the rest expires by itself.
        drop(cleanup.await);
        self.forget();
    }
}
