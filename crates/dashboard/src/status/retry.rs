//! Retries jobs that failed for the same reason.

use axum::extract::State;
use axum::response::Response;
use tonearm_domain::JobId;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::path::PathId;
use crate::session::Administrator;

/// Retries a job and those that failed for the same reason. If another administrator was faster, there is nothing left
/// to retry.
pub(super) async fn retry(
    State(app): State<Dashboard>,
    administrator: Administrator,
    PathId(job_id): PathId<JobId>,
) -> Result<Response, PageError> {
    let done = app.jobs.retry_alike(administrator.origin(), job_id).await?;
    app.status.forget_cached_report().await;
    let flash = match (done.retried, done.left) {
        (0, _) => Flash::NothingChanged,
        (_, 0) => Flash::JobsRetried,
        _ => Flash::SomeJobsRetried,
    };
    Ok(flash.then("/dashboard/status"))
}
