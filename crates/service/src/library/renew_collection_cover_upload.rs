//! A new upload URL for the cover of a collection.

use tonearm_domain::CollectionId;

use super::Library;
use crate::caller::Caller;
use crate::delivery::UploadHandle;
use crate::library::CollectionView;
use crate::refusal::Refusal;

impl Library {
    /// Signs a new upload URL for the cover of a collection.
    pub async fn renew_collection_cover_upload(
        &self,
        caller: &Caller,
        id: CollectionId,
    ) -> Result<(CollectionView, UploadHandle), Refusal> {
        let view = self.collection(caller, id).await?;
        let cover = self.links.collection_cover_upload(caller.organization_id, view.collection.id);
        Ok((view, cover))
    }
}
