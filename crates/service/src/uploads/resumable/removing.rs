//! Ending uploads early: at the request of the sender, or because nobody continues them.

use tonearm_blobs::{BlobError, Blobs};
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{Upload, UploadId};

use super::UploadRefusal;
use crate::uploads::Uploads;

impl Uploads {
    /// Removes an upload and its bytes. Of a complete upload, only the row is removed, and its source stays. A request
    /// that is still sending is stopped.
    pub async fn remove_upload(&self, id: UploadId) -> Result<(), UploadRefusal> {
        let held = self.hold_upload(id).await?;
        remove_upload(&self.catalog, &self.blobs, &held.upload).await
    }
}

/// Removes an upload to which no request writes, and its bytes.
pub(crate) async fn remove_upload<E>(catalog: &Catalog, blobs: &Blobs, upload: &Upload) -> Result<(), E>
where
    E: From<CatalogError> + From<BlobError>,
{
    if upload.is_receiving() {
        // A draft written by another version cannot be parsed. If it left anything in a bucket, a lifecycle rule of the
        // bucket removes that.
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
