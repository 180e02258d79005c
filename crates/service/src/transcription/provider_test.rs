//! Testing the transcription provider, and listing recent failures.

use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::time::timeout;
use tonearm_domain::{AuditAction, ErrorCode, Timestamp, TrackId, TranscriptionState};
use tonearm_outbound::{TranscribedAudio, shown_host};

use super::{NO_PROVIDER, Transcriptions};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::Refusal;
use crate::request_turns::without_turn;

/// The timeout for transcribing one second of sound.
const PATIENCE: Duration = Duration::from_secs(30);

/// A tone of one second, as MP3.
const SECOND: &[u8] = include_bytes!("../../assets/second.mp3");

/// The number of failures shown.
const SHOWN: usize = 10;

/// Queued tracks that are searched for earlier failures.
const LOOKED_AT: u64 = 200;

/// The result of testing a provider with a second of sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderTest {
    /// It responded.
    Answered {
        /// The response time.
        after: Duration,
        /// The words that it heard; a tone has none.
        words: String,
    },
    /// It did not respond, or not correctly: a sentence for people.
    Failed(String),
}

/// A failed transcription.
#[derive(Debug, Clone)]
pub struct TranscriptionFailure {
    /// The track.
    pub track_id: TrackId,
    /// The title of the track. None if it was deleted.
    pub title: Option<String>,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
    /// Whether it is retried automatically.
    pub is_retried: bool,
}

impl Transcriptions {
    /// Sends a second of sound to the configured provider. A person waits for the result, so the request has a timeout.
    /// At most two tests run at once, of different organizations.
    pub async fn test(&self, caller: &Caller) -> Result<ProviderTest, Refusal> {
        caller.require_whole_organization()?;
        let Some(_turn) = self.tests.take(caller.organization_id) else {
            return Err(Refusal::Conflict {
                code: ErrorCode::TestRunning,
                message: "other providers are being tested right now; try again in a minute".to_owned(),
            });
        };
        let id = caller.organization_id;
        let settings = self
            .catalog
            .transcription_settings(id)
            .await?
            .ok_or(Refusal::Unprocessable { code: ErrorCode::NoProvider, message: NO_PROVIDER })?;
        let tx = self.catalog.begin().await?;
        let action = AuditAction::TranscriptionTest;
        let done = AuditedAction { action, subject_id: id.uuid(), title: &shown_host(&settings.base_url) };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        let began = Instant::now();
        let asked = timeout(PATIENCE, self.ask(&settings, Bytes::from_static(SECOND)));
        Ok(match without_turn(asked).await? {
            Ok(Ok(response)) => ProviderTest::Answered { after: began.elapsed(), words: words(&response) },
            Ok(Err(error)) => ProviderTest::Failed(error.to_string()),
            Err(_) => {
                ProviderTest::Failed(format!("the provider did not respond within {} s", PATIENCE.as_secs()))
            }
        })
    }

    /// Recent failures, the latest first: transcriptions that failed, and those that are being retried.
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

#[cfg(test)]
mod tests {
    use tonearm_catalog::Catalog;
    use tonearm_domain::{OrganizationId, RecordId};
    use tonearm_fixtures::TestDatabase;
    use tonearm_outbound::Outbound;
    use tonearm_signing::{Secrets, Vault};

    use super::*;

    #[tokio::test]
    async fn the_test_of_an_organization_keeps_no_other_waiting() {
        let database = TestDatabase::migrated_sqlite(tonearm_fixtures::migrate!()).await;
        let catalog = Catalog::connect(&database.url.parse().unwrap(), Default::default()).await.unwrap();
        let secrets = Secrets::parse("a secret for tests that is long enough").unwrap();
        let (ambient, outbound) = (tonearm_fixtures::ambient().0, Outbound::new(false).unwrap());
        let transcriptions = Transcriptions::new(catalog, ambient.clone(), Vault::new(&secrets), outbound);
        let [one, other] = [1, 2].map(|number| OrganizationId::from_parts(ambient.now(), [number; 10]));
        let _running = transcriptions.tests.take(one).unwrap();
        let test = async |id| transcriptions.test(&Caller::owner(id)).await.unwrap_err();
        assert!(matches!(test(one).await, Refusal::Conflict { code: ErrorCode::TestRunning, .. }));
        assert!(matches!(test(other).await, Refusal::Unprocessable { code: ErrorCode::NoProvider, .. }));
    }
}
