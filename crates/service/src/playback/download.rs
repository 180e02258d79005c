//! A URL that a browser saves instead of playing.

use tonearm_domain::{FileOutcome, PlaySessionId, TrackId, UsageCounts};

use super::Playback;
use crate::{Noun, Refusal};

/// Seconds a download URL is valid.
const DOWNLOAD_TTL_SECONDS: u32 = 30;

/// A download.
#[derive(Debug, Clone)]
pub struct Download {
    /// The variant's index.
    pub variant: String,
    /// A signed URL, valid for 30 seconds.
    pub url: String,
}

impl Playback {
    /// A download of one variant, where the session allows downloads and lists the variant. Counted.
    pub async fn download(
        &self,
        id: PlaySessionId,
        track_id: TrackId,
        variant: &str,
    ) -> Result<Download, Refusal> {
        let session = self.valid_session(id).await?;
        if !session.is_downloadable {
            return Err(Refusal::Forbidden {
                code: "downloads_not_allowed",
                message: "this play session does not allow downloads",
            });
        }
        let track = self.track_of(&session, track_id).await?;
        let not_found = Refusal::NotFound(Noun::Variant);
        let file = track
            .files
            .iter()
            .find(|file| file.recipe.index.as_str() == variant && session.lists(&file.recipe));
        let Some(file) = file else {
            return Err(not_found);
        };
        let FileOutcome::Made { key, file_name, .. } = &file.outcome else {
            return Err(not_found);
        };
        self.count(&track.track, Some(&file.recipe.index), UsageCounts::DOWNLOAD);
        let url = self.0.links.delivery(key, Some(DOWNLOAD_TTL_SECONDS), Some(file_name));
        Ok(Download { variant: variant.to_owned(), url })
    }
}
