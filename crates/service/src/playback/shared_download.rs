//! Saving the file behind a share link.

use tonearm_domain::{ErrorCode, TrackId, UsageCounts};
use tonearm_signing::DeliveryTerms;

use super::Playback;
use super::download::DOWNLOAD_TTL_SECONDS;
use crate::refusal::Refusal;

impl Playback {
    /// A URL that saves the file behind a share link, valid for 30 seconds at most, if the link allows downloads. Counted.
    pub async fn shared_download(&self, track_id: TrackId, key_text: &str) -> Result<String, Refusal> {
        let shared = self.shared(track_id, key_text).await?;
        if !shared.key.is_downloadable {
            return Err(Refusal::Forbidden {
                code: ErrorCode::DownloadsNotAllowed,
                message: "this share link does not allow downloads",
            });
        }
        self.count(&shared.ready.track, Some(&shared.recipe.index), UsageCounts::DOWNLOAD);
        let ttl = shared.ttl.map_or(DOWNLOAD_TTL_SECONDS, |left| left.min(DOWNLOAD_TTL_SECONDS));
        let (ttl, attachment) = (Some(ttl), Some(&*shared.file_name));
        let terms = DeliveryTerms { ttl, attachment, ..DeliveryTerms::default() };
        Ok(self.0.links.delivery(&shared.file, terms))
    }
}
