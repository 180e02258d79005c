//! `GET /v1/job/{job_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{JobId, JobStatus, Timestamp, TrackId};
use tonearm_service::{JobView, Library};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = job::read::Found)]
pub(crate) struct JobResponse {
    job_id: JobId,
    job: JobRecord,
}

/// A background job.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = job::read::JobRecord)]
pub(crate) struct JobRecord {
    id: JobId,
    /// The kind of work, such as `process_track`.
    kind: String,
    status: JobStatus,
    /// Why the job waits, failed or was cancelled, as a sentence.
    reason: Option<String>,
    /// The track that the job works on.
    track_id: Option<TrackId>,
    /// Number of times the job has been started. Null if it has ended.
    attempts: Option<u32>,
    /// The earliest time of the next attempt, if the job is queued or waiting.
    next_attempt_at: Option<Timestamp>,
}

impl From<JobView> for JobRecord {
    fn from(job: JobView) -> Self {
        let JobView { id, kind, status, reason, track_id, attempts, next_attempt_at } = job;
        Self { id, kind, status, reason, track_id, attempts, next_attempt_at }
    }
}

/// Returns the status of a background job.
///
/// A job whose `job_id` was returned can be read until a week after it was queued, even if it has ended.
#[utoipa::path(
    get,
    path = "/job/{job_id}",
    tag = "Jobs",
    operation_id = "read_job",
    params(("job_id" = JobId, Path)),
    responses((status = 200, body = Answer<JobResponse>, description = "The job.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(job_id): PathId<JobId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<JobResponse>, ApiError> {
    let job = library.job(&caller, job_id).await?.into();
    Ok(Answer::traced(request, JobResponse { job_id, job }))
}
