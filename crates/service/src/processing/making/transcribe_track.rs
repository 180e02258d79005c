//! Transcribing a track. Nothing waits for this: the track is ready long before.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Ambient, OrganizationId, Track, TrackId, Transcription, TranscriptionSettings, TranscriptionState,
    Utterance, language_code, paragraphs, worth_keeping,
};
use tonearm_media::LimitTier;
use tonearm_outbound::TranscribeError;

use super::limits::Limits;
use super::stop::Stop;
use crate::processing::job_error::{JobError, ThirdPartyFailure};
use crate::processing::runner::{JobRun, Processing, finish};
use crate::transcription::{NO_PROVIDER, pending};

/// The most seconds of sound in one request: 5 MB, below the limits of providers in bytes and in minutes.
const SEGMENT_SECONDS: f64 = 1200.0;
/// The number of seconds at the end of a segment within which it is cut, at the quietest moment, so that no word is cut
/// in two.
const CUT_WITHIN: f64 = 60.0;

/// Why a transcription ended without words.
enum Trouble {
    Provider(TranscribeError),
    Run(JobError),
}

impl From<JobError> for Trouble {
    fn from(error: JobError) -> Self {
        Self::Run(error)
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Source(reason) | Stop::Limit(reason) => Self::Provider(TranscribeError::Final(reason)),
            Stop::Job(error) => Self::Run(error),
        }
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::Run(error.into())
    }
}

impl Processing {
    pub(in crate::processing) async fn transcribe_track(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        let track = self.catalog.track(organization_id, track_id).await?;
        let Some(track) = track.filter(|track| track.source.is_some()) else {
            return self.finish(&run.claimed).await;
        };
        let Some(settings) = self.settings_or_failure(run, organization_id, track_id).await? else {
            return Ok(());
        };
        match self.words(run, &track, &settings).await {
            Ok((utterances, language)) => self.record_words(run, &track, &utterances, language).await,
            Err(Trouble::Run(error)) => Err(error),
            Err(Trouble::Provider(TranscribeError::Final(reason))) => {
                let (tx, _) = self.begin_recording(&track).await?;
                tx.put_transcription(&failed(&self.ambient, organization_id, track_id, reason)).await?;
                finish(&run.claimed, tx).await
            }
            Err(Trouble::Provider(TranscribeError::Later(reason, wait))) => {
                let (tx, _) = self.begin_recording(&track).await?;
                let noted = pending(organization_id, track_id, Some(reason.clone()), &self.ambient);
                tx.put_transcription(&noted).await?;
                tx.commit().await?;
                Err(ThirdPartyFailure { reason, wait }.into())
            }
        }
    }

    /// The organization's transcription settings. If no provider is set, the transcription fails and the job ends.
    async fn settings_or_failure(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<Option<TranscriptionSettings>, JobError> {
        if let Some(settings) = self.catalog.transcription_settings(organization_id).await? {
            return Ok(Some(settings));
        }
        let tx = self.catalog.begin().await?;
        // A request that repeats the transcription after a provider was set locks the track, too.
        tx.track(organization_id, track_id).await?;
        if let Some(settings) = tx.transcription_settings_to_change(organization_id).await? {
            return Ok(Some(settings));
        }
        tx.put_transcription(&failed(&self.ambient, organization_id, track_id, NO_PROVIDER.to_owned()))
            .await?;
        finish(&run.claimed, tx).await?;
        Ok(None)
    }

    /// Sends the sound in segments and puts the words together.
    async fn words(
        &self,
        run: &JobRun,
        track: &Track,
        settings: &TranscriptionSettings,
    ) -> Result<(Vec<Utterance>, Option<String>), Trouble> {
        let transcriptions = self.transcriptions.as_ref().ok_or(JobError::Cancelled)?;
        let source = track.source.as_ref().ok_or(JobError::Cancelled)?;
        let local = self.local_source(source, "words-").await?;
        let (input, scratch) = (&local.path, local.scratch.path());
        let limits = Limits::new(run.scope(LimitTier::Normal));
        let probe = |scope| async move { self.media.probe(input, &scope).await };
        let probe = self.within(&limits, run, track, probe).await?;
        let probe = &probe;
        let (mut utterances, mut language, mut start) = (Vec::new(), None, 0.0);
        while start == 0.0 || start < track.duration {
            let most = start + SEGMENT_SECONDS;
            let end = if most < track.duration {
                let window = (most - CUT_WITHIN, most);
                let quiet =
                    |scope| async move { self.media.quiet_moment(input, probe, window, &scope).await };
                self.within(&limits, run, track, quiet).await?.unwrap_or(most)
            } else {
                track.duration
            };
            let window = (start, end);
            let segment =
                |scope| async move { self.media.speech(input, probe, window, scratch, &scope).await };
            let sound = tokio::fs::read(self.within(&limits, run, track, segment).await?).await?;
            let request = transcriptions.ask(settings, sound.into());
            let response = tokio::select! {
                response = request => response.map_err(Trouble::Provider)?,
                () = run.cancel.cancelled() => return Err(JobError::Cancelled.into()),
            };
            language = language.or(response.language);
            let in_track = |it: Utterance| Utterance { start: it.start + start, end: it.end + start, ..it };
            utterances.extend(response.utterances.into_iter().map(in_track));
            start = end.max(start + SEGMENT_SECONDS - CUT_WITHIN);
        }
        let language = language.as_deref().and_then(language_code).or_else(|| settings.language.clone());
        Ok((utterances, language))
    }

    /// Begins the transaction that records the result of a transcription, with the track locked if it is not deleted.
    /// If its source was replaced meanwhile, the next run transcribes the new one.
    async fn begin_recording(&self, transcribed: &Track) -> Result<(Transaction, Option<Track>), JobError> {
        let tx = self.catalog.begin().await?;
        let track = tx.track(transcribed.organization_id, transcribed.id).await?;
        match track {
            Some(track) if track.source != transcribed.source => Err(JobError::Cancelled),
            track => Ok((tx, track)),
        }
    }

    async fn record_words(
        &self,
        run: &JobRun,
        transcribed: &Track,
        utterances: &[Utterance],
        language: Option<String>,
    ) -> Result<(), JobError> {
        let (organization_id, track_id) = (transcribed.organization_id, transcribed.id);
        let (text, timed) = (paragraphs(utterances), worth_keeping(utterances));
        let (tx, track) = self.begin_recording(transcribed).await?;
        if let Some(mut track) = track {
            // If nothing is said, there are no words and no language.
            let is_silent = text.is_empty();
            // If somebody edited the words meanwhile, the edited words stay.
            if tx.transcript_edited_at(track_id).await?.is_none() {
                track.transcription = Some(text).filter(|_| !is_silent);
                track.transcription_language = language.filter(|_| !is_silent);
                tx.update_track(&track).await?;
                tx.put_track_words(track_id, &timed).await?;
            }
            let (state, updated_at) = (TranscriptionState::Done, self.ambient.now());
            let done = Transcription { track_id, organization_id, state, reason: None, updated_at };
            tx.put_transcription(&done).await?;
        }
        finish(&run.claimed, tx).await
    }
}

/// A transcription that has failed now.
pub(in crate::processing) fn failed(
    ambient: &Ambient,
    organization_id: OrganizationId,
    track_id: TrackId,
    reason: String,
) -> Transcription {
    let (state, updated_at) = (TranscriptionState::Failed, ambient.now());
    Transcription { track_id, organization_id, state, reason: Some(reason), updated_at }
}
