//! Give up on a track whose upload URL has ended unused. One that bytes are on their way to is waited for.

use tonearm_domain::{Job, OrganizationId, TrackId};

use crate::webhooks::events;

use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

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
            if track.upload_expires_at > self.ambient.now() {
                let job = Job::ExpireUpload { organization_id, track_id };
                tx.enqueue(job, self.ambient.record_id(), track.upload_expires_at, None).await?;
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
