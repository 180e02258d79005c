//! Completing an upload after its last piece: the bytes become the source of a track, or a part that waits to be joined
//! with others.

use tonearm_blobs::{DraftWriter, PutError, Stored};
use tonearm_domain::{ObjectKey, Origin};

use super::appending::Pace;
use super::lookup::HeldUpload;
use super::{LEASE_SECONDS, Progress, UploadRefusal};
use crate::refusal::Refusal;
use crate::uploads::Uploads;
use crate::uploads::accept_source::{AcceptedUpload, Recorded, refuse_put};

impl Uploads {
    pub(super) async fn finish_upload(
        &self,
        origin: Origin,
        mut held: HeldUpload,
        mut writer: DraftWriter,
        pace: &Pace,
    ) -> Result<Progress, UploadRefusal> {
        if held.upload.offset == 0 {
            return Err(Refusal::invalid("body", "is empty; send an audio file").into());
        }
        held.upload.announce(held.upload.offset)?;
        // The name is recorded before an object of that name exists: a request that continues after a crash finds it.
        let draft = writer.settle().await?;
        self.record_draft(&mut held, &draft).await?;
        writer.recorded().await;
        let (key, stored) = writer.publish().await?;
        if held.upload.sha256.is_some_and(|expected| expected != stored.sha256) {
            self.discard(&held, pace).await;
            return Err(refuse_put(PutError::DigestMismatch).into());
        }
        let recorded = self.record_complete(origin, &mut held, key, stored).await;
        match recorded {
            Ok(accepted) => Ok(Progress { upload: held.upload, accepted }),
            // A row may name the object, or the same request may succeed later.
            Err(refusal @ UploadRefusal::Refused(Refusal::UnknownOutcome(_) | Refusal::Unavailable(_))) => {
                Err(refusal)
            }
            Err(refusal) => {
                self.discard(&held, pace).await;
                Err(refusal)
            }
        }
    }

    /// Records that an upload is complete, and what it became: the source of its track, or a part.
    async fn record_complete(
        &self,
        origin: Origin,
        held: &mut HeldUpload,
        key: ObjectKey,
        stored: Stored,
    ) -> Result<Option<AcceptedUpload>, UploadRefusal> {
        let mut complete = held.upload.clone();
        let slot = complete.slot();
        let until = self.ambient.now().plus_seconds(LEASE_SECONDS);
        let tx = self.catalog.begin().await?;
        if let Some(slot) = slot {
            // Quotas are checked before anything is locked.
            let recorded = Recorded { slot, key: &key, stored: &stored, counted: held.counted() };
            self.record_upload(&tx, origin, recorded).await?;
        }
        complete.complete(slot.is_none().then_some(key));
        if !tx.record_upload(&complete, held.lease, until).await? {
            return Err(UploadRefusal::Locked);
        }
        tx.commit().await?;
        held.upload = complete;
        let Stored { size, sha256, .. } = stored;
        Ok(slot.map(|slot| AcceptedUpload { track_id: slot.track_id, size, sha256 }))
    }

    /// Removes an upload that cannot become anything, unless another request has taken it over.
    async fn discard(&self, held: &HeldUpload, pace: &Pace) {
        pace.end();
        if let Err(error) = self.remove_held(held).await {
            // It is removed later, when it expires.
            tracing::warn!(upload_of = %held.upload.organization_id, %error, "did not remove an upload that failed");
        }
    }
}
