//! Ending uploads early: by their sender, or because nobody continues them.

use tonearm_blobs::{BlobError, Blobs};
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{Upload, UploadId};

use super::UploadRefusal;
use crate::uploads::Uploads;

impl Uploads {
    /// Removes an upload and its bytes; one that is complete is only forgotten, and its source stays. A request that
    /// is still sending is stopped.
    pub async fn remove_upload(&self, id: UploadId) -> Result<(), UploadRefusal> {
        let held = self.hold_upload(id).await?;
        remove_upload(&self.catalog, &self.blobs, &held.upload).await
    }
}

/// Removes an upload that nobody writes to, and its bytes.
pub(crate) async fn remove_upload<E>(catalog: &Catalog, blobs: &Blobs, upload: &Upload) -> Result<(), E>
where
    E: From<CatalogError> + From<BlobError>,
{
    if upload.is_receiving() {
        // A draft that another version wrote is not understood; what is left of it in a bucket, a rule of the bucket
        // removes.
        let draft = Uploads::draft_of(upload).unwrap_or_default();
        blobs.remove_draft(upload.id, draft).await?;
    }
    if let Some(part) = &upload.object {
        blobs.delete(part).await?;
    }
    let tx = catalog.begin().await?;
    tx.delete_upload(upload.id).await?;
    tx.commit().await?;
    Ok(())
}
