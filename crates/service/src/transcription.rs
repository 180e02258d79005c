//! Transcription: the settings of organizations, and the transcripts of tracks.

mod provider_test;

use tonearm_catalog::{Catalog, CatalogError, Transaction};
use tonearm_domain::{
    Ambient, AuditAction, ErrorCode, Job, OrganizationId, Patch, Shares, Track, TrackId, Transcription,
    TranscriptionSettings, TranscriptionState, language_code,
};
use tonearm_outbound::{Outbound, TranscribeCall, TranscribeError, TranscribedAudio};
use tonearm_signing::Vault;
use tonearm_telemetry::Outcome;

use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

pub use provider_test::{ProviderTest, TranscriptionFailure};

/// The error message if no transcription provider is configured.
pub(crate) const NO_PROVIDER: &str = "no transcription provider is set; set one first";

/// Why what waited has ended.
pub(crate) const TURNED_OFF: &str = "transcription was turned off";

/// The maximum number of failures to list at once.
const MOST_SHOWN: u64 = 500;

/// Manages transcription, and calls providers.
#[derive(Clone)]
pub struct Transcriptions {
    catalog: Catalog,
    ambient: Ambient,
    vault: Vault,
    outbound: Outbound,
    tests: Shares,
}

/// The settings as users see them. The key is never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptionView {
    /// Whether new tracks are transcribed.
    pub is_enabled: bool,
    /// The base URL of the provider.
    pub base_url: Option<String>,
    /// Whether a key is set.
    pub has_key: bool,
    /// The model.
    pub model: Option<String>,
    /// The language of all tracks, if known.
    pub language: Option<String>,
}

/// New settings.
#[derive(Debug, Clone)]
pub struct SetTranscription {
    /// The base URL of the provider, such as `https://api.example.com/v1`.
    pub base_url: Patch<String>,
    /// The key. `None` keeps the existing key; an empty text removes it.
    pub key: Option<String>,
    /// The model.
    pub model: Patch<String>,
    /// The language of all tracks (BCP 47), if known.
    pub language: Patch<String>,
}

pub(crate) fn vault_context(id: OrganizationId) -> String {
    format!("transcription/{id}")
}

impl Transcriptions {
    /// Creates the use cases for this catalog. Keys are sealed with `vault`, and audio is sent through `outbound`.
    pub fn new(catalog: Catalog, ambient: Ambient, vault: Vault, outbound: Outbound) -> Self {
        Self { catalog, ambient, vault, outbound, tests: Shares::new(2) }
    }

    /// The organization's settings.
    pub async fn settings(&self, caller: &Caller) -> Result<TranscriptionView, Refusal> {
        caller.require_whole_organization()?;
        let id = caller.organization_id;
        let organization = self.catalog.organization(id).await?;
        let is_enabled =
            organization.ok_or(Refusal::NotFound(Resource::Organization))?.is_transcription_enabled;
        let settings = self.catalog.transcription_settings(id).await?;
        Ok(TranscriptionView {
            is_enabled,
            has_key: settings.as_ref().is_some_and(|settings| settings.key.is_some()),
            base_url: settings.as_ref().map(|settings| settings.base_url.clone()),
            model: settings.as_ref().map(|settings| settings.model.clone()),
            language: settings.and_then(|settings| settings.language),
        })
    }

    /// Sets the provider, and turns transcription on for tracks that become ready from now on.
    pub async fn set(&self, caller: &Caller, set: SetTranscription) -> Result<(), Refusal> {
        caller.require_whole_organization()?;
        let id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let existing = tx.transcription_settings_to_change(id).await?;
        let settings = self.changed(id, existing, set)?;
        tx.put_transcription_settings(&settings).await?;
        self.switch(&tx, caller, true, &settings.base_url).await?;
        Ok(tx.commit().await?)
    }

    fn changed(
        &self,
        id: OrganizationId,
        existing: Option<TranscriptionSettings>,
        set: SetTranscription,
    ) -> Result<TranscriptionSettings, Refusal> {
        let stored = existing.as_ref();
        let mut base_url = stored.map(|existing| existing.base_url.clone());
        let mut model = stored.map(|existing| existing.model.clone());
        let mut language = stored.and_then(|existing| existing.language.clone());
        set.base_url.map(|url| url.trim().trim_end_matches('/').to_owned()).apply(&mut base_url)?;
        set.model.map(|model| model.trim().to_owned()).apply(&mut model)?;
        set.language.apply(&mut language)?;
        let (base_url, model) = (base_url.unwrap_or_default(), model.unwrap_or_default());
        self.outbound
            .check_url(&base_url)
            .map_err(|error| Refusal::invalid("base_url", error.to_string()))?;
        if base_url.contains(['?', '#']) {
            return Err(Refusal::invalid("base_url", "cannot contain ? or #"));
        }
        if model.is_empty() || model.contains('\0') {
            return Err(Refusal::invalid("model", "cannot be empty"));
        }
        let code = |text: String| {
            language_code(&text)
                .ok_or_else(|| Refusal::invalid("language", "must be a code such as de or pt-BR"))
        };
        let language = language.filter(|text| !text.trim().is_empty()).map(code).transpose()?;
        let key = match set.key.as_deref().map(str::trim) {
            // A key is only ever sent to the server for which it was entered.
            None => {
                existing.filter(|existing| existing.base_url == base_url).and_then(|existing| existing.key)
            }
            Some("") => None,
            Some(key) => Some(self.vault.seal(&vault_context(id), self.ambient.random(), key.as_bytes())),
        };
        Ok(TranscriptionSettings { organization_id: id, base_url, key, model, language })
    }

    /// Turns transcription on or off. The settings are kept. Turning it off ends what waits.
    pub async fn enable(&self, caller: &Caller, is_enabled: bool) -> Result<(), Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        if is_enabled && tx.transcription_settings_to_change(caller.organization_id).await?.is_none() {
            return Err(Refusal::Unprocessable { code: ErrorCode::NoProvider, message: NO_PROVIDER });
        }
        self.switch(&tx, caller, is_enabled, if is_enabled { "on" } else { "off" }).await?;
        if !is_enabled {
            tx.end_transcriptions(caller.organization_id, TURNED_OFF, self.ambient.now()).await?;
        }
        Ok(tx.commit().await?)
    }

    async fn switch(&self, tx: &Transaction, caller: &Caller, on: bool, title: &str) -> Result<(), Refusal> {
        let id = caller.organization_id;
        let mut organization = tx.organization(id).await?.ok_or(Refusal::NotFound(Resource::Organization))?;
        organization.is_transcription_enabled = on;
        tx.update_organization(&organization).await?;
        let done = AuditedAction { action: AuditAction::TranscriptionUpdate, subject_id: id.uuid(), title };
        Ok(audit::record(tx, &self.ambient, caller, done).await?)
    }

    /// The state of a track's transcription. `None` if it was never requested.
    pub async fn of_track(&self, caller: &Caller, id: TrackId) -> Result<Option<Transcription>, Refusal> {
        caller.require_whole_organization()?;
        Ok(self.catalog.transcription(caller.organization_id, id).await?)
    }

    /// The failed transcriptions, latest first.
    pub async fn failures(&self, caller: &Caller) -> Result<Vec<Transcription>, Refusal> {
        caller.require_whole_organization()?;
        let failed = TranscriptionState::Failed;
        Ok(self.catalog.transcriptions(caller.organization_id, failed, MOST_SHOWN).await?)
    }

    /// Queues the transcription of a track, even if it was transcribed before. An edited transcript is replaced only if
    /// `is_overwriting` is set.
    pub async fn retry(&self, caller: &Caller, id: TrackId, is_overwriting: bool) -> Result<(), Refusal> {
        caller.require_whole_organization()?;
        let tx = self.catalog.begin().await?;
        let track = tx.track(caller.organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        if !track.status.is_playable() {
            return Err(Refusal::Unprocessable {
                code: ErrorCode::NotReady,
                message: "the track is not ready yet; transcribe it when it is",
            });
        }
        if tx.transcription_settings_to_change(caller.organization_id).await?.is_none() {
            return Err(Refusal::Unprocessable { code: ErrorCode::NoProvider, message: NO_PROVIDER });
        }
        let organization = tx.organization_as_it_is(caller.organization_id).await?;
        if !organization.is_some_and(|organization| organization.is_transcription_enabled) {
            return Err(Refusal::Unprocessable {
                code: ErrorCode::TranscriptionOff,
                message: "transcription is turned off; turn it on first",
            });
        }
        if tx.transcript_edited_at(id).await?.is_some() {
            if !is_overwriting {
                return Err(Refusal::Conflict {
                    code: ErrorCode::TranscriptEdited,
                    message: "the transcript was edited; to replace it and its edits, reload the page and transcribe again, or pass --overwrite-edits on the command line"
                        .to_owned(),
                });
            }
            tx.put_transcript_edited_at(id, None).await?;
        }
        queue(&tx, &self.ambient, &track).await?;
        Ok(tx.commit().await?)
    }

    /// Sends audio to the organization's provider for transcription.
    pub(crate) async fn ask(
        &self,
        settings: &TranscriptionSettings,
        sound: bytes::Bytes,
    ) -> Result<TranscribedAudio, TranscribeError> {
        let key = settings.key.as_deref().map(|sealed| {
            let opened = self.vault.open(&vault_context(settings.organization_id), sealed);
            let lost = "the provider's key cannot be decrypted, as its master secret is gone; enter it again";
            opened
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .ok_or_else(|| TranscribeError::Final(lost.to_owned()))
        });
        let call = TranscribeCall {
            base_url: settings.base_url.clone(),
            key: key.transpose()?,
            model: settings.model.clone(),
            language: settings.language.clone(),
            sound,
        };
        let transcribed = self.outbound.transcribe(call).await;
        tonearm_telemetry::transcribed(match &transcribed {
            Ok(_) => Outcome::Success,
            Err(TranscribeError::Later(..)) => Outcome::Retry,
            Err(TranscribeError::Final(_)) => Outcome::Failure,
        });
        transcribed
    }
}

/// Queues the transcription of a track that has become playable, if its organization has transcription on and none was
/// requested before.
pub(crate) async fn queue_if_wanted(
    tx: &Transaction,
    ambient: &Ambient,
    track: &Track,
) -> Result<(), CatalogError> {
    if !track.status.is_playable() {
        return Ok(());
    }
    let organization = tx.organization_as_it_is(track.organization_id).await?;
    if !organization.is_some_and(|organization| organization.is_transcription_enabled)
        || tx.transcription(track.id).await?.is_some()
    {
        return Ok(());
    }
    queue(tx, ambient, track).await
}

/// Queues the transcription of a restored track: one that was pending while the track was deleted, or one that has
/// become due meanwhile.
pub(crate) async fn resume(tx: &Transaction, ambient: &Ambient, track: &Track) -> Result<(), CatalogError> {
    match tx.transcription(track.id).await? {
        Some(transcription) if transcription.state == TranscriptionState::Pending => {
            queue(tx, ambient, track).await
        }
        _ => queue_if_wanted(tx, ambient, track).await,
    }
}

async fn queue(tx: &Transaction, ambient: &Ambient, track: &Track) -> Result<(), CatalogError> {
    let (organization_id, track_id, now) = (track.organization_id, track.id, ambient.now());
    let state = TranscriptionState::Pending;
    let pending = Transcription { track_id, organization_id, state, reason: None, updated_at: now };
    tx.put_transcription(&pending).await?;
    // Earlier jobs no longer count: what was asked for last is written.
    let (job, id) = (Job::TranscribeTrack { organization_id, track_id }, ambient.record_id());
    tx.await_transcription(track_id, id).await?;
    tx.withdraw_jobs(job.kind(), track_id).await?;
    tx.enqueue(job, id, now, None).await
}
