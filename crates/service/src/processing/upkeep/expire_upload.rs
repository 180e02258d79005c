//! Giving up on a track whose upload URL has expired unused. A track whose bytes are on their way, or that is being
//! imported, is not given up.

use tonearm_domain::{Job, OrganizationId, TrackId};

use crate::webhooks::events;

use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

/// Seconds until a track that is being imported is checked again. An import ends by itself, and removes this job.
const LOOK_AGAIN_SECONDS: i64 = 3600;

impl Processing {
    pub(in crate::processing) async fn expire_upload(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        let tx = self.catalog.begin().await?;
        if let Some(mut track) = tx.track(organization_id, track_id).await?
            && let Ok(status) = track.status.expire_upload()
        {
            let now = self.ambient.now();
            let is_importing = tx.import(track_id).await?.is_some();
            if is_importing || track.upload_expires_at > now {
                let later = if is_importing { now.plus_seconds(LOOK_AGAIN_SECONDS) } else { now };
                let job = Job::ExpireUpload { organization_id, track_id };
                tx.enqueue(job, self.ambient.record_id(), later.max(track.upload_expires_at), None).await?;
                return finish(&run.claimed, tx).await;
            }
            let previous = track.status;
            track.status = status;
            track.status_reason = Some("no file was uploaded before the upload URL expired".to_owned());
            tx.update_track(&track).await?;
            events::track_settled(&tx, &self.ambient, &track, previous).await?;
        }
        finish(&run.claimed, tx).await
    }
}
