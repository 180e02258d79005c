//! How far the transcription of a track is, where there is something to tell.

use tonearm_domain::{Role, Track, Transcription, TranscriptionState};

use crate::app::Dashboard;
use crate::error::{PageError, sentence};
use crate::session::Member;
use crate::text::{Message, t};

/// A transcription that is not done.
pub(super) struct Transcribing {
    pub(super) message: Message,
    pub(super) is_failed: bool,
    /// Whether the page has a button that queues it again. A track with a transcript has that button on the page of its
    /// transcript, which tells what is replaced.
    pub(super) may_retry: bool,
}

impl Transcribing {
    pub(super) async fn of<R>(
        app: &Dashboard,
        member: &Member<R>,
        track: &Track,
    ) -> Result<Option<Self>, PageError> {
        let caller = member.caller();
        let Some(Transcription { state, reason, .. }) =
            app.transcriptions.of_track(&caller, track.id).await?
        else {
            return Ok(None);
        };
        let is_failed = match state {
            TranscriptionState::Done => return Ok(None),
            TranscriptionState::Pending => false,
            TranscriptionState::Failed => true,
        };
        let may_retry = is_failed
            && member.role >= Role::Editor
            && track.transcription.is_none()
            && track.status.is_playable()
            && app.transcriptions.settings(&caller).await?.base_url.is_some();
        let id = match (is_failed, &reason) {
            (false, None) => "track-transcribing",
            (false, Some(_)) => "track-transcription-retried",
            (true, _) => "track-transcription-failed",
        };
        let reason = sentence(&reason.unwrap_or_default());
        Ok(Some(Self { message: t(id).with("reason", reason), is_failed, may_retry }))
    }
}
