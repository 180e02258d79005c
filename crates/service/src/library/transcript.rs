//! The transcript of a track: read, and edited by people.

use tonearm_domain::{
    AuditAction, Captions, CaptionsError, ErrorCode, LeftOut, Timestamp, TrackId, Transcription,
    TranscriptionState, Utterance, language_code, paragraphs, parse_captions, print_captions,
};

use super::Library;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// The transcript of a track.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    /// The words as WebVTT. Without any, it has no cues.
    pub captions: String,
    /// The language (BCP 47).
    pub language: Option<String>,
    /// When somebody last edited it.
    pub edited_at: Option<Timestamp>,
    /// Identifies the version that was read. An edit of another version is refused.
    pub version: String,
}

/// A transcript as somebody edited it.
#[derive(Debug, Clone)]
pub struct EditTranscript {
    /// The words as WebVTT. Without cues, the track has no transcript.
    pub captions: String,
    /// The language (BCP 47), such as `de`; empty if it is not known.
    pub language: String,
    /// The [`Transcript::version`] that was edited.
    pub version: String,
}

impl Library {
    /// The transcript of a track.
    pub async fn transcript(&self, caller: &Caller, id: TrackId) -> Result<Transcript, Refusal> {
        let track = self.track(caller, id).await?.track;
        let mut utterances = self.catalog.track_words(id).await?;
        if utterances.is_empty()
            && let Some(text) = &track.transcription
        {
            // No times were stored, so one cue spans the whole track.
            utterances.push(Utterance { start: 0.0, end: track.duration.max(1.0), text: text.clone() });
        }
        let transcription = self.catalog.transcription(caller.organization_id, id).await?;
        Ok(Transcript {
            captions: print_captions(&utterances),
            language: track.transcription_language,
            edited_at: self.catalog.transcript_edited_at(id).await?,
            version: version(transcription.as_ref()),
        })
    }

    /// Replaces the transcript of a track with an edited one. Later transcriptions leave it alone. Returns what of the
    /// text is not kept.
    pub async fn edit_transcript(
        &self,
        caller: &Caller,
        id: TrackId,
        edit: EditTranscript,
    ) -> Result<Vec<LeftOut>, Refusal> {
        let language = match edit.language.trim() {
            "" => None,
            text => Some(language_code(text).ok_or_else(|| {
                Refusal::invalid("language", "must be a language code such as de or pt-BR")
            })?),
        };
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let mut track = tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        let Captions { cues, left_out } = parse_captions(&edit.captions, track.duration)
            .map_err(|error: CaptionsError| Refusal::invalid("captions", error.to_string()))?;
        if version(tx.transcription(id).await?.as_ref()) != edit.version {
            return Err(Refusal::Conflict {
                code: ErrorCode::TranscriptChanged,
                message: "the transcript was changed after you opened it; save again to replace that change"
                    .to_owned(),
            });
        }
        let text = paragraphs(&cues);
        track.transcription_language = language.filter(|_| !text.is_empty());
        track.transcription = Some(text).filter(|text| !text.is_empty());
        tx.update_track(&track).await?;
        tx.put_track_words(id, &cues).await?;
        let now = self.ambient.now();
        let state = TranscriptionState::Done;
        let done = Transcription { track_id: id, organization_id, state, reason: None, updated_at: now };
        tx.put_transcription(&done).await?;
        tx.put_transcript_edited_at(id, Some(now)).await?;
        let done = AuditedAction {
            action: AuditAction::TrackUpdate,
            subject_id: id.uuid(),
            title: &track.file_name,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(left_out)
    }
}

fn version(transcription: Option<&Transcription>) -> String {
    transcription.map(|found| found.updated_at.to_string()).unwrap_or_default()
}
