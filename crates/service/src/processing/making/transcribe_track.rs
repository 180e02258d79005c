//! Transcribing a track. Nothing waits for this: the track is ready long before.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Ambient, OrganizationId, Track, TrackId, Transcription, TranscriptionSettings, TranscriptionState,
    paragraphs, worth_keeping,
};
use tonearm_media::LimitTier;
use tonearm_outbound::TranscribeError;

use super::fitting::no_room_for_data;
use super::limits::Limits;
use super::spoken_pieces::{Arrived, Piece, cut_within, spoken_language};
use super::stop::Stop;
use crate::processing::job_error::{JobError, ThirdPartyFailure};
use crate::processing::runner::{JobRun, Processing, finish};
use crate::transcription::{NO_PROVIDER, TURNED_OFF};

/// Why a transcription ended without words.
enum Trouble {
    Provider(TranscribeError),
    Run(JobError),
    /// The track does not wait for this job any more.
    NotAwaited,
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
        if !self.catalog.awaits_transcription(organization_id, track_id, run.claimed.id).await? {
            return self.end_unawaited(run, &track).await;
        }
        let Some(settings) = self.settings_or_failure(run, &track).await? else {
            return Ok(());
        };
        let heard = match self.pieces(run, &track, &settings).await {
            Ok(pieces) => Ok(pieces),
            Err(Trouble::Provider(error)) => Err(error),
            Err(Trouble::Run(error)) => return Err(error),
            Err(Trouble::NotAwaited) => return self.end_unawaited(run, &track).await,
        };
        let Some((tx, track)) = self.begin_recording(run, &track).await? else {
            return self.finish(&run.claimed).await;
        };
        match heard {
            Ok(pieces) => {
                record(&tx, &self.ambient, track, &pieces, settings.language).await?;
                finish(&run.claimed, tx).await
            }
            Err(TranscribeError::Later(reason, wait)) => {
                tx.note_transcription_retry(track_id, &reason).await?;
                tx.commit().await?;
                Err(ThirdPartyFailure { reason, wait }.into())
            }
            Err(TranscribeError::Final(reason)) => {
                tx.put_transcription(&failed(&self.ambient, organization_id, track_id, reason)).await?;
                finish(&run.claimed, tx).await
            }
        }
    }

    /// The organization's transcription settings. If no provider is set, the transcription fails and the job ends.
    async fn settings_or_failure(
        &self,
        run: &JobRun,
        track: &Track,
    ) -> Result<Option<TranscriptionSettings>, JobError> {
        let (organization_id, track_id) = (track.organization_id, track.id);
        if let Some(settings) = self.catalog.transcription_settings(organization_id).await? {
            return Ok(Some(settings));
        }
        // A request that repeats the transcription after a provider was set locks the track, too.
        let Some((tx, _)) = self.begin_recording(run, track).await? else {
            self.finish(&run.claimed).await?;
            return Ok(None);
        };
        if let Some(settings) = tx.transcription_settings_to_change(organization_id).await? {
            return Ok(Some(settings));
        }
        tx.put_transcription(&failed(&self.ambient, organization_id, track_id, NO_PROVIDER.to_owned()))
            .await?;
        finish(&run.claimed, tx).await?;
        Ok(None)
    }

    /// Sends the sound in pieces, except those that were transcribed by an earlier attempt.
    async fn pieces(
        &self,
        run: &JobRun,
        track: &Track,
        settings: &TranscriptionSettings,
    ) -> Result<Vec<Piece>, Trouble> {
        let transcriptions = self.transcriptions.as_ref().ok_or(JobError::Cancelled)?;
        let source = track.source.as_ref().ok_or(JobError::Cancelled)?;
        let stored = self.catalog.transcription_pieces(track.id).await.map_err(JobError::from)?;
        let mut arrived = Arrived::of(stored.as_deref(), source, settings);
        if arrived.next_start(track.duration).is_none() {
            return Ok(arrived.pieces);
        }
        let local = self.local_source(source, "words-").await?;
        let (input, scratch) = (&local.path, local.scratch.path());
        let limits = Limits::new(run.scope(LimitTier::Normal));
        let probe = |scope| async move { self.media.probe(input, &scope).await };
        let probe = self.within(&limits, run, track, probe).await?;
        let probe = &probe;
        while let Some(start) = arrived.next_start(track.duration) {
            let end = match cut_within(start, track.duration) {
                Some(window) => {
                    let quiet =
                        |scope| async move { self.media.quiet_moment(input, probe, window, &scope).await };
                    self.within(&limits, run, track, quiet).await?.unwrap_or(window.1)
                }
                None => track.duration,
            };
            let window = (start, end);
            let piece = |scope| async move { self.media.speech(input, probe, window, scratch, &scope).await };
            let sound = tokio::fs::read(self.within(&limits, run, track, piece).await?).await?;
            // Cutting may have taken long.
            self.require_awaited(run, track, settings).await?;
            let request = transcriptions.ask(settings, sound.into());
            let response = tokio::select! {
                response = request => response.map_err(Trouble::Provider)?,
                () = run.cancel.cancelled() => return Err(JobError::Cancelled.into()),
            };
            arrived.pieces.push(Piece::new(window, response));
            if let Some(text) = arrived.written()
                && !self
                    .catalog
                    .put_transcription_pieces(track.id, run.claimed.id, &text)
                    .await
                    .map_err(JobError::from)?
            {
                return Err(Trouble::NotAwaited);
            }
        }
        Ok(arrived.pieces)
    }

    /// Makes sure that nothing is sent that is not wanted any more, and nothing to a former provider.
    async fn require_awaited(
        &self,
        run: &JobRun,
        track: &Track,
        settings: &TranscriptionSettings,
    ) -> Result<(), Trouble> {
        let id = track.organization_id;
        if !self.catalog.awaits_transcription(id, track.id, run.claimed.id).await.map_err(JobError::from)? {
            return Err(Trouble::NotAwaited);
        }
        // The next run has the new ones.
        let current = self.catalog.transcription_settings(id).await.map_err(JobError::from)?;
        if current.as_ref() == Some(settings) { Ok(()) } else { Err(JobError::Cancelled.into()) }
    }

    /// Ends the job of a transcription that is not wanted any more. One that was queued while transcription was turned
    /// off still waits for it, and ends, too.
    async fn end_unawaited(&self, run: &JobRun, track: &Track) -> Result<(), JobError> {
        let Some((tx, track)) = self.begin_recording(run, track).await? else {
            return self.finish(&run.claimed).await;
        };
        let reason = TURNED_OFF.to_owned();
        tx.put_transcription(&failed(&self.ambient, track.organization_id, track.id, reason)).await?;
        finish(&run.claimed, tx).await
    }

    /// Begins the transaction that records the result of a transcription, with its track locked. None: the track was
    /// deleted or does not wait for this job any more. If its source was replaced meanwhile, the next run decides.
    async fn begin_recording(
        &self,
        run: &JobRun,
        transcribed: &Track,
    ) -> Result<Option<(Transaction, Track)>, JobError> {
        let tx = self.catalog.begin().await?;
        let Some(track) = tx.track(transcribed.organization_id, transcribed.id).await? else {
            return Ok(None);
        };
        if track.source != transcribed.source {
            return Err(JobError::Cancelled);
        }
        let is_awaited = tx.awaits_transcription(track.id, run.claimed.id).await?;
        Ok(is_awaited.then_some((tx, track)))
    }
}

/// Writes the words of a track.
async fn record(
    tx: &Transaction,
    ambient: &Ambient,
    mut track: Track,
    pieces: &[Piece],
    known_language: Option<String>,
) -> Result<(), JobError> {
    let text = paragraphs(&pieces.iter().flat_map(Piece::said).collect::<Vec<_>>());
    let timed = worth_keeping(&pieces.iter().flat_map(Piece::captions).collect::<Vec<_>>());
    // If nothing is said, there are no words and no language.
    let is_silent = text.is_empty();
    let bytes = text.len() + timed.iter().map(|it| it.text.len()).sum::<usize>();
    if let Some(exceeded) = tx.record_exceeds(track.organization_id, bytes as u64).await? {
        let reason = no_room_for_data(bytes as u64, exceeded);
        let failed = failed(ambient, track.organization_id, track.id, reason);
        return Ok(tx.put_transcription(&failed).await?);
    }
    track.transcription = Some(text).filter(|_| !is_silent);
    track.transcription_language = spoken_language(pieces).or(known_language).filter(|_| !is_silent);
    tx.update_track(&track).await?;
    tx.put_track_words(track.id, &timed).await?;
    let (state, updated_at) = (TranscriptionState::Done, ambient.now());
    let (track_id, organization_id) = (track.id, track.organization_id);
    tx.put_transcription(&Transcription { track_id, organization_id, state, reason: None, updated_at })
        .await?;
    Ok(())
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
