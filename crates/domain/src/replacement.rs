//! Replacements of a track's source: the new files replace the old ones all at once.

use serde::Serialize;

use crate::player_text::TextChanges;
use crate::timestamp::Timestamp;
use crate::track::Source;
use crate::upload::Upload;
use crate::{ApiKeyId, OrganizationId, PersonId, ReplacementId, TrackId};

/// The state of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplacementState {
    /// It waits for its bytes.
    Waiting,
    /// Files are being rendered from the new source.
    Processing,
    /// The track has the new source.
    Completed,
    /// The track keeps the source that it had.
    Failed,
}

/// A new source for a track. The track keeps its current source until all files have been rendered from the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Its id, part of its upload URL.
    pub id: ReplacementId,
    /// The organization that owns the track.
    pub organization_id: OrganizationId,
    /// The track. It has at most one replacement at a time.
    pub track_id: TrackId,
    /// Its state.
    pub state: ReplacementState,
    /// Why it failed, as a sentence. When it is completed: why it could not be undone.
    pub reason: Option<String>,
    /// The new file name, as the caller sent it; none keeps the track's file name.
    pub file_name: Option<String>,
    /// The new source, once its bytes have arrived. When it is completed: the source that the track had before.
    pub source: Option<Source>,
    /// When it is completed: the file name that the track had before. An undo keeps that of the replacement it undoes.
    pub former_file_name: Option<String>,
    /// When it is completed: the texts of the track that it changed. An undo has those that it changes back.
    pub text_changes: TextChanges,
    /// When it was requested.
    pub created_at: Timestamp,
    /// When its upload URL expires, or `created_at`, if the right of whoever requested it has ended since. When it is
    /// completed: until when it can be undone.
    pub expires_at: Timestamp,
    /// The person who requested it, if it was requested in the dashboard. Then only this person has its upload URL.
    pub person_id: Option<PersonId>,
    /// The API key that requested it.
    pub api_key_id: Option<ApiKeyId>,
}

/// A state transition that a replacement does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the replacement is {}", .0.as_str())]
pub struct ReplacementStateError(pub ReplacementState);

/// Seconds until replaced files are removed. Their signed URLs are valid for at most a day.
pub const REPLACED_FILES_SECONDS: i64 = 24 * 3600;

impl ReplacementState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Processing, Self::Completed, Self::Failed];

    /// The state as text, as in SQL and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Processing => "processing",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// Parses a state.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

impl Replacement {
    /// How long its row is kept, in seconds: longer than its upload can take.
    pub const KEPT_SECONDS: i64 = Upload::MOST_SECONDS + 7 * 24 * 3600;

    /// Whether its upload URL ended with the right of whoever requested it.
    pub fn upload_has_ended(&self) -> bool {
        self.expires_at <= self.created_at
    }

    /// Records that its bytes have arrived.
    pub fn accept_source(&mut self, source: Source) -> Result<(), ReplacementStateError> {
        self.leave(ReplacementState::Waiting)?;
        (self.state, self.source) = (ReplacementState::Processing, Some(source));
        Ok(())
    }

    /// Records that the track has the new source. The former one can be put back until it is removed.
    pub fn complete(
        &mut self,
        former: Option<Source>,
        former_file_name: String,
        now: Timestamp,
    ) -> Result<(), ReplacementStateError> {
        self.leave(ReplacementState::Processing)?;
        (self.state, self.source) = (ReplacementState::Completed, former);
        self.former_file_name = Some(former_file_name);
        self.expires_at = now.plus_seconds(REPLACED_FILES_SECONDS);
        Ok(())
    }

    /// The replacement that puts the former source of a completed one back: its bytes are there. `None` if it is not
    /// completed, can no longer be undone, or was completed by a version that did not note the former source.
    pub fn undone(self, id: ReplacementId, now: Timestamp) -> Option<Self> {
        let is_kept = self.state == ReplacementState::Completed && now < self.expires_at;
        let file_name = Some(self.former_file_name.clone().filter(|_| is_kept)?);
        let state = ReplacementState::Processing;
        self.source.is_some().then_some(Self { id, state, reason: None, file_name, created_at: now, ..self })
    }

    /// Whether it is putting a former source back. It cannot be cancelled, but undone when it is completed.
    pub fn is_undo(&self) -> bool {
        self.state == ReplacementState::Processing && self.former_file_name.is_some()
    }

    /// Whether it can be cancelled.
    pub fn is_open(&self) -> bool {
        matches!(self.state, ReplacementState::Waiting | ReplacementState::Processing) && !self.is_undo()
    }

    /// Records that it failed; the track keeps its current source. Returns the new source, which is not used. An undo that
    /// failed can be tried again: the replacement that it undoes is the latest one again.
    pub fn fail(&mut self, reason: String) -> Result<Option<Source>, ReplacementStateError> {
        self.leave(ReplacementState::Processing)?;
        self.reason = Some(reason);
        if self.is_undo() {
            self.state = ReplacementState::Completed;
            return Ok(None);
        }
        self.state = ReplacementState::Failed;
        Ok(self.source.take())
    }

    fn leave(&self, state: ReplacementState) -> Result<(), ReplacementStateError> {
        if self.state == state { Ok(()) } else { Err(ReplacementStateError(self.state)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContentType, ObjectFile, ObjectKey, RecordId, ShortId, VariantIndex};

    fn replacement(state: ReplacementState) -> Replacement {
        let now = Timestamp::from_unix_seconds(1_000_000).unwrap();
        let (organization_id, track_id) =
            (RecordId::from_parts(now, [1; 10]), RecordId::from_parts(now, [2; 10]));
        Replacement {
            id: RecordId::from_parts(now, [3; 10]),
            organization_id,
            track_id,
            state,
            reason: None,
            file_name: None,
            source: None,
            former_file_name: None,
            text_changes: TextChanges::default(),
            created_at: now,
            expires_at: now.plus_seconds(3600),
            person_id: None,
            api_key_id: None,
        }
    }

    fn source() -> Source {
        let now = Timestamp::from_unix_seconds(1_000_000).unwrap();
        let file = ObjectFile {
            label: VariantIndex::from_static("source"),
            version: ShortId::from_random([1; 8]),
            content_type: ContentType::Wav,
        };
        let key = ObjectKey {
            organization_id: RecordId::from_parts(now, [1; 10]),
            folder: ShortId::from_random([2; 8]),
            file,
        };
        Source { key, size: 1, sha256: [0; 32] }
    }

    #[test]
    fn each_move_leaves_one_state() {
        for state in ReplacementState::ALL {
            assert_eq!(ReplacementState::from_text(state.as_str()), Some(state));
            let is_waiting = state == ReplacementState::Waiting;
            let is_processing = state == ReplacementState::Processing;
            assert_eq!(replacement(state).accept_source(source()).is_ok(), is_waiting);
            let now = replacement(state).created_at;
            let mut completed = replacement(state);
            let is_completed = completed.complete(Some(source()), "a.wav".to_owned(), now).is_ok();
            assert_eq!(is_completed, is_processing);
            let undone = |replacement: &Replacement, seconds| {
                replacement.clone().undone(replacement.id, now.plus_seconds(seconds)).is_some()
            };
            assert_eq!(undone(&completed, REPLACED_FILES_SECONDS - 1), is_processing);
            assert!(!replacement(state).is_undo() && !completed.is_undo());
            if let Some(mut undo) = completed.clone().undone(completed.id, now) {
                assert!(undo.is_undo());
                assert_eq!(undo.fail("no room".to_owned()), Ok(None));
                assert!(undo.state == ReplacementState::Completed && undone(&undo, 0));
            }
            assert!(!undone(&completed, REPLACED_FILES_SECONDS) && !undone(&replacement(state), 0));
            assert_eq!(replacement(state).fail("it is no audio".to_owned()).is_ok(), is_processing);
        }
        let mut processed = replacement(ReplacementState::Waiting);
        processed.accept_source(source()).unwrap();
        assert_eq!((processed.state, processed.source.is_some()), (ReplacementState::Processing, true));
        processed.fail("it is no audio".to_owned()).unwrap();
        assert_eq!(processed.reason.as_deref(), Some("it is no audio"));
    }
}
