//! A new upload URL for the cover of a track.

use tonearm_domain::TrackId;

use super::Library;
use crate::caller::Caller;
use crate::delivery::UploadHandle;
use crate::refusal::Refusal;
use crate::track_view::TrackView;

impl Library {
    /// Signs a new upload URL for the cover of a track.
    pub async fn renew_cover_upload(
        &self,
        caller: &Caller,
        id: TrackId,
    ) -> Result<(TrackView, UploadHandle), Refusal> {
        let view = self.track(caller, id).await?;
        let (_, cover) = self.links.uploads(caller.organization_id, view.track.id);
        Ok((view, cover))
    }
}
