//! What somebody is told of a job who was answered its id.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;
use crate::track_file::FileOutcome;
use crate::track_status::TrackStatus;
use crate::{JobId, OrganizationId, TrackId, VariantId};

/// A job whose id was answered to somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredJob {
    /// Its id.
    pub id: JobId,
    /// Whose it is.
    pub organization_id: OrganizationId,
    /// Its kind as text.
    pub kind: String,
    /// The track that it works on.
    pub track_id: Option<TrackId>,
    /// The recipe whose file it was queued for.
    pub variant_id: Option<VariantId>,
    /// When it was queued.
    pub created_at: Timestamp,
}

impl AnsweredJob {
    /// For how many seconds it is told what has become of a job.
    pub const KEPT_SECONDS: i64 = 7 * 24 * 3600;
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// It waits for its turn.
    Queued,
    /// A worker is at it.
    Running,
    /// It waits for its next attempt, or for a part of the service.
    Waiting,
    /// It is done.
    Done,
    /// It could not be done.
    Failed,
    /// It was not done, as what it was about is gone.
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

    /// What has become of a job that made files of a track and is removed, by the track. `file` is that of the one recipe
    /// which it was queued for: none where there is no such file.
    pub fn of_removed(track: TrackStatus, file: Option<Option<&FileOutcome>>) -> Self {
        match (file, track) {
            (Some(Some(FileOutcome::Made { .. })), _) => Self::Done,
            (Some(Some(FileOutcome::Failed { .. })), _) => Self::Failed,
            // Another job does it.
            (_, status) if !status.is_final() => Self::Running,
            (None, TrackStatus::Ready | TrackStatus::Incomplete) => Self::Done,
            (None, _) => Self::Failed,
            (Some(None), _) => Self::Cancelled,
        }
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
