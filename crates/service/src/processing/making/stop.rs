//! Why making a track's files ended early, and what was at fault.

use std::io;

use tonearm_blobs::{BlobError, PutError};
use tonearm_catalog::CatalogError;
use tonearm_media::MediaError;

use crate::processing::job_error::JobError;

/// Why making a file, or all files of a track, ended early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The source or the requested settings are at fault. A retry does not help.
    Source(String),
    /// The source needs more than the limits allow. Larger limits may help.
    Limit(String),
    /// The run or the service is at fault. The job is continued later.
    Job(JobError),
}

impl From<MediaError> for Stop {
    fn from(error: MediaError) -> Self {
        match error {
            MediaError::NotAudio(reason) | MediaError::Failed(reason) | MediaError::Unsupported(reason) => {
                Self::Source(reason)
            }
            MediaError::LimitHit(reason) => Self::Limit(reason),
            MediaError::Cancelled => Self::Job(JobError::Cancelled),
            MediaError::Outage(outage, reason) => Self::Job(JobError::outage(outage, reason)),
        }
    }
}

impl From<JobError> for Stop {
    fn from(error: JobError) -> Self {
        Self::Job(error)
    }
}

impl From<CatalogError> for Stop {
    fn from(error: CatalogError) -> Self {
        Self::Job(error.into())
    }
}

impl From<BlobError> for Stop {
    fn from(error: BlobError) -> Self {
        Self::Job(error.into())
    }
}

impl From<PutError> for Stop {
    fn from(error: PutError) -> Self {
        Self::Job(error.into())
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Job(error.into())
    }
}

impl From<tokio::task::JoinError> for Stop {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Job(JobError::internal(error))
    }
}
