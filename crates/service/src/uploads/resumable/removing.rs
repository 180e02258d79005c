//! Ending uploads early: at the request of the sender, or because nobody continues them.

use tonearm_blobs::{BlobError, Blobs};
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{Upload, UploadId};

use super::UploadRefusal;
use super::lookup::HeldUpload;
use crate::removal::remove_unnamed;
use crate::uploads::Uploads;

impl Uploads {
    /// Removes an upload and its bytes. Of a complete upload, only the row is removed, and its source stays. A request
    /// that is still sending is stopped.
    pub async fn remove_upload(&self, id: UploadId) -> Result<(), UploadRefusal> {
        let held = self.hold_upload(id).await?;
        self.remove_held(&held).await
    }

    /// Removes an upload, and then its bytes. If the lease is lost, both stay: another request continues the upload.
    pub(super) async fn remove_held(&self, held: &HeldUpload) -> Result<(), UploadRefusal> {
        let tx = self.catalog.begin().await?;
        let deleted = tx.delete_held_upload(held.upload.id, held.lease).await?;
        let upload = deleted.ok_or(UploadRefusal::Locked)?;
        tx.commit().await?;
        remove_upload_bytes(&self.catalog, &self.blobs, upload).await
    }
}

/// Removes the bytes of an upload whose row is deleted. What is left after an interruption is removed by the sweep, by
/// the start of a node, or by a lifecycle rule of the bucket.
#[expect(clippy::disallowed_methods, reason = "the row of the draft is deleted")]
pub(crate) async fn remove_upload_bytes<E>(catalog: &Catalog, blobs: &Blobs, upload: Upload) -> Result<(), E>
where
    E: From<CatalogError> + From<BlobError>,
{
    let mut objects: Vec<_> = upload.object.clone().into_iter().collect();
    if upload.is_receiving() {
        // A draft written by another version cannot be parsed. If it left anything in a bucket, a lifecycle rule of the
        // bucket removes that.
        let draft = Uploads::draft_of(&upload).unwrap_or_default();
        objects.extend(draft.object().cloned());
        blobs.remove_draft(upload.id, draft).await?;
    }
    remove_unnamed::<E>(catalog, blobs, objects).await.map(drop)
}
