//! Why a run of a job ended without finishing it, and what was at fault.

use std::error::Error;
use std::io;

use tonearm_blobs::{BlobError, PutError};
use tonearm_catalog::{CatalogError, Record};
use tonearm_domain::Outage;
use tonearm_media::MediaError;

use crate::refusal::Refusal;

type Source = Box<dyn Error + Send + Sync>;

/// Why a run ended without finishing its job.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// A part of the service failed. The job waits until that part works again, and is never given up because of it.
    #[error("{source}")]
    Outage {
        /// Which part.
        outage: Outage,
        /// What happened.
        #[source]
        source: Source,
    },
    /// A third party's server failed. A later attempt may succeed. The job is given up after a number of attempts.
    #[error("{0}")]
    Retry(#[source] ThirdPartyFailure),
    /// The lease passed to another worker, which now owns the job.
    #[error("the lease of the job was lost")]
    LeaseLost,
    /// The run was told to stop.
    #[error("the run was cancelled")]
    Cancelled,
}

/// A failure of a third party's server.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub struct ThirdPartyFailure {
    /// What happened, as a sentence for people.
    pub reason: String,
    /// How long the server asked to wait before the next attempt, in seconds.
    pub wait: Option<i64>,
}

impl From<ThirdPartyFailure> for JobError {
    fn from(failure: ThirdPartyFailure) -> Self {
        Self::Retry(failure)
    }
}

impl JobError {
    /// A part of the service failed.
    pub fn outage(outage: Outage, source: impl Into<Source>) -> Self {
        Self::Outage { outage, source: source.into() }
    }

    /// A bug in the service.
    pub fn internal(source: impl Into<Source>) -> Self {
        Self::outage(Outage::Internal, source)
    }
}

impl From<CatalogError> for JobError {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::Unavailable(_) | CatalogError::UnknownOutcome(_) => {
                Self::outage(Outage::Database, error)
            }
            CatalogError::Full(_) => Self::outage(Outage::Disk, error),
            // The track was deleted meanwhile: the next run finds nothing to do.
            CatalogError::Missing(Record::Track) => Self::Cancelled,
            _ => Self::internal(error),
        }
    }
}

impl From<BlobError> for JobError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Full => Self::outage(Outage::Disk, error),
            BlobError::Unavailable(_) | BlobError::Corrupt => Self::outage(Outage::Store, error),
        }
    }
}

impl From<PutError> for JobError {
    fn from(error: PutError) -> Self {
        match error {
            PutError::Store(error) => error.into(),
            // Only the service's own files are stored here, so a defect in them is the service's fault.
            _ => Self::outage(Outage::Disk, error),
        }
    }
}

impl From<MediaError> for JobError {
    /// For work on files that do not come from users, so that every failure is the service's fault.
    fn from(error: MediaError) -> Self {
        match error {
            MediaError::Cancelled => Self::Cancelled,
            MediaError::Outage(outage, reason) => Self::outage(outage, reason),
            other => Self::internal(other),
        }
    }
}

impl From<io::Error> for JobError {
    fn from(error: io::Error) -> Self {
        Self::outage(outage_of(&error), error)
    }
}

impl From<Refusal> for JobError {
    fn from(error: Refusal) -> Self {
        match error {
            Refusal::Unavailable(_) | Refusal::UnknownOutcome(_) => Self::outage(Outage::Database, error),
            Refusal::Full(_) => Self::outage(Outage::Disk, error),
            // The object of the run has been deleted meanwhile.
            Refusal::NotFound(_) => Self::Cancelled,
            _ => Self::internal(error),
        }
    }
}

impl From<JobError> for Refusal {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Outage { outage: Outage::Database, source } => Self::Unavailable(source),
            error => Self::Internal(error.into()),
        }
    }
}

/// The part of the service that has failed if one of its own files cannot be read or written.
fn outage_of(error: &io::Error) -> Outage {
    match error.kind() {
        io::ErrorKind::OutOfMemory => Outage::Memory,
        _ => Outage::Disk,
    }
}
