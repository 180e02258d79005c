//! Trying the provider of transcriptions, and what went wrong of late.

use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::time::timeout;
use tonearm_domain::{AuditAction, Timestamp, TrackId, TranscriptionState};
use tonearm_outbound::TranscribedAudio;

use super::{NO_PROVIDER, Transcriptions};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::Refusal;

/// How long a provider may take for one second of sound.
const PATIENCE: Duration = Duration::from_secs(30);

/// A tone of one second, as MP3.
const SECOND: &[u8] = include_bytes!("../../assets/second.mp3");

/// Failures that are shown.
const SHOWN: usize = 10;

/// Tracks in the queue among which those are looked for that failed before.
const LOOKED_AT: u64 = 200;

/// What a provider did with a second of sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderTest {
    /// It answered.
    Answered {
        /// After this time.
        after: Duration,
        /// The words that it heard; a tone has none.
        words: String,
    },
    /// It did not, or not as it should: a sentence for people.
    Failed(String),
}

/// A transcription that went wrong.
#[derive(Debug, Clone)]
pub struct TranscriptionFailure {
    /// Of which track.
    pub track_id: TrackId,
    /// What the track is called; none where it was deleted.
    pub title: Option<String>,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
    /// Whether it is tried again by itself.
    pub is_retried: bool,
}

impl Transcriptions {
    /// Sends a second of sound to the provider as it is set. Somebody waits for the answer, so it has a deadline. At most
    /// two are tried at once.
    pub async fn test(&self, caller: &Caller) -> Result<ProviderTest, Refusal> {
        caller.require_whole_organization()?;
        let Ok(_turn) = self.tests.try_acquire() else {
            return Err(Refusal::Conflict {
                code: "test_running",
                message: "other providers are being tested right now; try again in a minute".to_owned(),
            });
        };
        let id = caller.organization_id;
        let settings = self
            .catalog
            .transcription_settings(id)
            .await?
            .ok_or(Refusal::Unprocessable { code: "no_provider", message: NO_PROVIDER })?;
        let tx = self.catalog.begin().await?;
        let action = AuditAction::TranscriptionTest;
        let done = AuditedAction { action, subject_id: id.uuid(), title: &settings.base_url };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        let began = Instant::now();
        Ok(match timeout(PATIENCE, self.ask(&settings, Bytes::from_static(SECOND))).await {
            Ok(Ok(response)) => ProviderTest::Answered { after: began.elapsed(), words: words(&response) },
            Ok(Err(error)) => ProviderTest::Failed(error.to_string()),
            Err(_) => {
                ProviderTest::Failed(format!("the provider did not respond within {} s", PATIENCE.as_secs()))
            }
        })
    }

    /// What went wrong of late, the latest first: transcriptions that failed, and those that are tried again.
    pub async fn recent_failures(&self, caller: &Caller) -> Result<Vec<TranscriptionFailure>, Refusal> {
        caller.require_whole_organization()?;
        let id = caller.organization_id;
        let failed = TranscriptionState::Failed;
        let mut found = self.catalog.transcriptions(id, failed, SHOWN as u64).await?;
        let queued = self.catalog.transcriptions(id, TranscriptionState::Pending, LOOKED_AT).await?;
        found.extend(queued.into_iter().filter(|found| found.reason.is_some()));
        found.sort_by_key(|found| std::cmp::Reverse(found.updated_at));
        found.truncate(SHOWN);
        let tracks: Vec<TrackId> = found.iter().map(|found| found.track_id).collect();
        let mut titles = self.catalog.scope_titles(id, &[], &tracks).await?.tracks;
        let failures = found.into_iter().map(|found| TranscriptionFailure {
            track_id: found.track_id,
            title: titles.remove(&found.track_id),
            reason: found.reason.unwrap_or_default(),
            at: found.updated_at,
            is_retried: found.state == TranscriptionState::Pending,
        });
        Ok(failures.collect())
    }
}

/// The first words, on one line.
fn words(transcribed: &TranscribedAudio) -> String {
    let text: Vec<&str> =
        transcribed.utterances.iter().flat_map(|utterance| utterance.text.split_whitespace()).collect();
    text.join(" ").chars().filter(|c| !c.is_control()).take(200).collect()
}
