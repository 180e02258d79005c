//! The resource limits for the processes of one run.

use std::sync::atomic::{AtomicBool, Ordering};

use tonearm_domain::Track;
use tonearm_media::{LimitTier, MediaError, RunScope};

use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};

/// The limits for the processes of one run. Once one process needed larger limits, all that start later get them too.
pub(super) struct Limits {
    normal: RunScope,
    is_larger: AtomicBool,
}

impl Limits {
    /// Starts with the limits of the scope's tier.
    pub(super) fn new(scope: RunScope) -> Self {
        let is_larger = AtomicBool::new(scope.tier == LimitTier::Fallback);
        Self { normal: RunScope { tier: LimitTier::Normal, ..scope }, is_larger }
    }

    /// The scope for a process that starts now.
    pub(super) fn scope(&self) -> RunScope {
        let tier = match self.is_larger.load(Ordering::Relaxed) {
            true => LimitTier::Fallback,
            false => LimitTier::Normal,
        };
        RunScope { tier, ..self.normal.clone() }
    }
}

impl Processing {
    /// Runs `work` on a track's source, and runs it again with larger limits if it hits a limit.
    pub(super) async fn within<T, F>(
        &self,
        limits: &Limits,
        run: &JobRun,
        track: &Track,
        work: impl Fn(RunScope) -> F,
    ) -> Result<T, Stop>
    where
        F: Future<Output = Result<T, MediaError>>,
    {
        let scope = limits.scope();
        let tier = scope.tier;
        match Box::pin(work(scope)).await {
            Err(MediaError::LimitHit(reason)) if tier == LimitTier::Normal => {
                self.enlarge(limits, run, track, &reason).await?;
                Ok(Box::pin(work(limits.scope())).await?)
            }
            other => Ok(other?),
        }
    }

    /// Switches to larger limits for everything that starts from now on. A track that is being processed gets the
    /// status that shows this.
    pub(super) async fn enlarge(
        &self,
        limits: &Limits,
        run: &JobRun,
        track: &Track,
        reason: &str,
    ) -> Result<(), JobError> {
        if limits.is_larger.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        tracing::info!(track_id = %track.id, reason, "processing a track with larger limits");
        // A ready track that gets another file stays ready.
        if !track.status.is_processing() {
            return Ok(());
        }
        let recording = self.recording_for(run, track).await?;
        let mut recording = recording.ok_or(JobError::Cancelled)?;
        if let Ok(status) = recording.track.status.fall_back() {
            recording.track.status = status;
            recording.commit().await?;
        }
        Ok(())
    }
}
