//! The upload session that the tracks of a run belong to.

use tokio::sync::Mutex;
use tokio::time::{Duration, Instant};
use tonearm_client::{Client, ClientError, UploadSession};
use tonearm_domain::CollectionId;

use super::journal::Journal;

/// The longest that a session may last.
const SECONDS: u32 = 24 * 3600;

/// A session with less time left is not used for new tracks.
const LEAST_SECONDS: u32 = 3600;

/// Provides the session, and creates a new one after it has expired.
pub(super) struct Sessions {
    journal: Journal,
    current: Mutex<Option<(UploadSession, Instant)>>,
}

impl Sessions {
    pub(super) fn new(journal: Journal) -> Self {
        Self { journal, current: Mutex::new(None) }
    }

    /// The session for a new track.
    pub(super) async fn get(
        &self,
        client: &Client,
        collection: CollectionId,
    ) -> Result<UploadSession, ClientError> {
        let mut current = self.current.lock().await;
        if let Some((session, until)) = &*current
            && *until > Instant::now()
        {
            return Ok(*session);
        }
        let (session, left) = match self.journal.session(LEAST_SECONDS) {
            // The journal is read again soon, to check that the session still lasts long enough.
            Some(session) => (session, LEAST_SECONDS / 2),
            None => {
                let session = client.create_upload_session(collection, SECONDS).await?;
                self.journal.keep_session(session, SECONDS);
                (session, SECONDS - LEAST_SECONDS)
            }
        };
        *current = Some((session, Instant::now() + Duration::from_secs(left.into())));
        Ok(session)
    }

    /// Forgets a session that the service no longer knows.
    pub(super) async fn forget(&self, session: UploadSession) {
        let mut current = self.current.lock().await;
        if current.is_none_or(|(current, _)| current == session) {
            *current = None;
            self.journal.forget_session();
        }
    }
}
