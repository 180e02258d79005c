//! The status of a job, reported to the client that received the job's id.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;
use crate::track_file::{FileOutcome, TrackFile};
use crate::track_status::TrackStatus;
use crate::{JobId, OrganizationId, TrackId, VariantId};

/// A job whose id was returned to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredJob {
    /// Its id.
    pub id: JobId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// Its kind as text.
    pub kind: String,
    /// The track that it works on.
    pub track_id: Option<TrackId>,
    /// The recipe whose file it was queued for.
    pub variant_id: Option<VariantId>,
    /// When it was queued.
    pub created_at: Timestamp,
    /// How it ended, if its track was purged since.
    pub ended: Option<JobStatus>,
}

impl AnsweredJob {
    /// For how many seconds the status of a job can be queried.
    pub const KEPT_SECONDS: i64 = 7 * 24 * 3600;

    /// The outcome of the recipe that it was queued for, among the files of its track; `None` if it was queued for no
    /// single recipe, `Some(None)` if there is no such file.
    pub fn file_among<'a>(&self, files: &'a [TrackFile]) -> Option<Option<&'a FileOutcome>> {
        let outcome = |recipe| files.iter().find(|file| file.recipe.id == recipe).map(|file| &file.outcome);
        self.variant_id.map(outcome)
    }
}

/// The status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// It waits for its turn.
    Queued,
    /// A worker is running it.
    Running,
    /// It waits for its next attempt, or for a part of the service.
    Waiting,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// It was not completed, because its subject no longer exists.
    Cancelled,
}

impl JobStatus {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Running, Self::Waiting, Self::Done, Self::Failed, Self::Cancelled];

    /// The status as text, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of a removed job that rendered files of a track, derived from the status of the track. `file` is the
    /// outcome of the one recipe that the job was queued for; `Some(None)` if there is no such file, `None` if it was
    /// queued for no single recipe.
    pub fn of_removed(track: TrackStatus, file: Option<Option<&FileOutcome>>) -> Self {
        match (file, track) {
            (Some(Some(FileOutcome::Made { .. })), _) => Self::Done,
            (Some(Some(FileOutcome::Failed { .. })), _) => Self::Failed,
            // Another job does the work.
            (_, status) if !status.is_final() => Self::Running,
            (None, TrackStatus::Ready | TrackStatus::Incomplete) => Self::Done,
            (None, _) => Self::Failed,
            (Some(None), _) => Self::Cancelled,
        }
    }

    /// As [`JobStatus::of_removed`], for a track that was deleted since: what was not done by then is cancelled.
    pub fn of_deleted(track: TrackStatus, file: Option<Option<&FileOutcome>>) -> Self {
        match Self::of_removed(track, file) {
            Self::Running => Self::Cancelled,
            status => status,
        }
    }
}

impl FromStr for JobStatus {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_one_spelling() {
        for status in JobStatus::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
    }

    #[test]
    fn what_has_become_of_a_job_shows_in_its_track() {
        let failed = FileOutcome::Failed { reason: "too short".to_owned() };
        for (track, file, expected) in [
            (TrackStatus::Processing, None, JobStatus::Running),
            (TrackStatus::Processing, Some(None), JobStatus::Running),
            (TrackStatus::Processing, Some(Some(&failed)), JobStatus::Failed),
            (TrackStatus::Ready, None, JobStatus::Done),
            (TrackStatus::Incomplete, None, JobStatus::Done),
            (TrackStatus::Error, None, JobStatus::Failed),
            (TrackStatus::Ready, Some(None), JobStatus::Cancelled),
            (TrackStatus::Incomplete, Some(Some(&failed)), JobStatus::Failed),
        ] {
            assert_eq!(JobStatus::of_removed(track, file), expected, "{track} {file:?}");
        }
    }
}
