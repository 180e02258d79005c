//! Remove the rows of sessions, kept answers, sign-ins, links and given-up jobs that have expired.

use super::{JobError, JobRun, Processing, finish};

/// Expired sessions stay for a day, so that a player that comes back late is told that its session has expired.
const GRACE_SECONDS: i64 = 24 * 3600;

/// It stays known for a fortnight which batches of counts were added: longer than any node goes on giving one. The
/// record of one that still lies in the store is renewed by everybody who looks at it.
const BATCHES_KNOWN_SECONDS: i64 = 14 * 24 * 3600;

/// How long given-up jobs can be looked at.
const GIVEN_UP_KEPT_SECONDS: i64 = 90 * 24 * 3600;

impl Processing {
    pub(super) async fn forget_expired(&self, run: &JobRun) -> Result<(), JobError> {
        let now = self.ambient.now();
        let tx = self.catalog.begin().await?;
        let sessions = tx.delete_expired_sessions(now.plus_seconds(-GRACE_SECONDS)).await?;
        let answers = tx.delete_expired_answers(now).await?;
        let sign_ins = tx.delete_old_sign_ins(now).await?;
        let links = tx.delete_expired_invitations(now.plus_seconds(-GRACE_SECONDS)).await?;
        tx.forget_usage_batches(now.plus_seconds(-BATCHES_KNOWN_SECONDS)).await?;
        tx.delete_given_up_jobs(now.plus_seconds(-GIVEN_UP_KEPT_SECONDS)).await?;
        finish(&run.claimed, tx).await?;
        if sessions + answers + sign_ins + links > 0 {
            tracing::info!(sessions, answers, sign_ins, links, "removed what had expired");
        }
        Ok(())
    }
}
