//! The progress of a track's transcription, if there is something to report.

use tonearm_domain::{Role, Track, TranscriptionState};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::refusal_text::sentence;
use crate::session::Member;
use crate::text::{Message, t};

/// A transcription that is not completed.
pub(super) struct Transcribing {
    pub(super) message: Message,
    pub(super) is_failed: bool,
    /// Whether the page has a button that queues it again. If the track has a transcript, that button is on the
    /// transcript's page, which says what will be replaced.
    pub(super) may_retry: bool,
}

impl Transcribing {
    pub(super) async fn of<R>(
        app: &Dashboard,
        member: &Member<R>,
        track: &Track,
    ) -> Result<Option<Self>, PageError> {
        let caller = member.caller();
        let Some(transcription) = app.transcriptions.of_track(&caller, track.id).await? else {
            return Ok(None);
        };
        let is_failed = match transcription.state {
            TranscriptionState::Done => return Ok(None),
            TranscriptionState::Pending => false,
            TranscriptionState::Failed => true,
        };
        let may_retry = is_failed
            && member.role >= Role::Editor
            && track.transcription.is_none()
            && track.status.is_playable()
            && app.transcriptions.settings(&caller).await?.base_url.is_some();
        Ok(Some(Self {
            message: message(is_failed, transcription.reason, member.role),
            is_failed,
            may_retry,
        }))
    }
}

/// Only owners configure the provider, and only they see its response, which may name hosts and accounts.
fn message(is_failed: bool, reason: Option<String>, role: Role) -> Message {
    let shown_reason = reason.as_deref().filter(|_| role == Role::Owner).map(sentence);
    let id = match (is_failed, &reason, &shown_reason) {
        (false, None, _) => "track-transcribing",
        (false, Some(_), None) => "track-transcription-retried",
        (false, Some(_), Some(_)) => "track-transcription-retried-because",
        (true, _, None) => "track-transcription-failed",
        (true, _, Some(_)) => "track-transcription-failed-because",
    };
    t(id).with("reason", shown_reason.unwrap_or_default())
}
