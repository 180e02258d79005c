//! The last piece is there: the bytes become the source of a track, or a part that waits to be joined with others.

use tonearm_blobs::{DraftWriter, PutError, Stored};
use tonearm_domain::{ObjectKey, Origin, TrackId, Upload, UploadKind};

use super::lookup::HeldUpload;
use super::removing::remove_upload;
use super::{LEASE_SECONDS, Progress, UploadRefusal};
use crate::refusal::Refusal;
use crate::uploads::Uploads;
use crate::uploads::accept_source::{AcceptedUpload, Recorded, SourceSlot, refuse_put};

impl Uploads {
    pub(super) async fn finish_upload(
        &self,
        origin: Origin,
        mut held: HeldUpload,
        mut writer: DraftWriter,
    ) -> Result<Progress, UploadRefusal> {
        if held.upload.offset == 0 {
            return Err(Refusal::invalid("body", "is empty; send an audio file").into());
        }
        held.upload.announce(held.upload.offset)?;
        // The name is recorded before there is an object of that name: whoever continues after a crash finds it.
        let draft = writer.settle().await?;
        self.record_draft(&mut held, &draft).await?;
        writer.recorded().await;
        let (key, stored) = writer.publish().await?;
        if held.upload.sha256.is_some_and(|expected| expected != stored.sha256) {
            self.discard(&held.upload).await;
            return Err(refuse_put(PutError::DigestMismatch).into());
        }
        let recorded = match (held.upload.kind, held.upload.track_id) {
            (UploadKind::Url | UploadKind::Tus, Some(track_id)) => {
                self.record_finished(origin, &mut held, track_id, &key, stored).await.map(Some)
            }
            _ => self.record_part(&mut held, key).await.map(|()| None),
        };
        match recorded {
            Ok(accepted) => Ok(Progress { upload: held.upload, accepted }),
            // A row may name the object, or the same request may succeed later.
            Err(refusal @ UploadRefusal::Refused(Refusal::UnknownOutcome(_) | Refusal::Unavailable(_))) => {
                Err(refusal)
            }
            Err(refusal) => {
                self.discard(&held.upload).await;
                Err(refusal)
            }
        }
    }

    async fn record_finished(
        &self,
        origin: Origin,
        held: &mut HeldUpload,
        track_id: TrackId,
        key: &ObjectKey,
        stored: Stored,
    ) -> Result<AcceptedUpload, UploadRefusal> {
        let mut complete = held.upload.clone();
        complete.complete(None);
        let tx = self.catalog.begin().await?;
        let until = self.ambient.now().plus_seconds(LEASE_SECONDS);
        // Quotas are asked before anything is locked.
        let recorded =
            Recorded { slot: SourceSlot::of_track(complete.organization_id, track_id), key, stored: &stored };
        self.record_upload(&tx, origin, recorded).await?;
        if !tx.record_upload(&complete, held.lease, until).await? {
            return Err(UploadRefusal::Locked);
        }
        tx.commit().await?;
        held.upload = complete;
        Ok(AcceptedUpload { track_id, size: stored.size, sha256: stored.sha256 })
    }

    async fn record_part(&self, held: &mut HeldUpload, key: ObjectKey) -> Result<(), UploadRefusal> {
        let mut complete = held.upload.clone();
        complete.complete(Some(key));
        let tx = self.catalog.begin().await?;
        let until = self.ambient.now().plus_seconds(LEASE_SECONDS);
        if !tx.record_upload(&complete, held.lease, until).await? {
            return Err(UploadRefusal::Locked);
        }
        tx.commit().await?;
        held.upload = complete;
        Ok(())
    }

    /// Removes an upload that cannot become anything.
    async fn discard(&self, upload: &Upload) {
        if let Err(error) = remove_upload::<UploadRefusal>(&self.catalog, &self.blobs, upload).await {
            // It is removed when it expires.
            tracing::warn!(upload_of = %upload.organization_id, %error, "could not remove an upload that failed");
        }
    }
}
