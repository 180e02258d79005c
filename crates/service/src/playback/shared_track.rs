//! What the page behind a share link shows.

use tonearm_domain::{ContentType, CoverSize, FileData, TrackId};

use super::redirect_share::Shared;
use super::{CoverImage, Playback};
use crate::{LevelsJson, Refusal, TrackView};

/// A shared track, for whoever has the link. It says nothing that the player does not show.
#[derive(Debug, Clone)]
pub struct SharedTrack {
    /// The track.
    pub view: TrackView,
    /// Its cover in every size, smallest first; the addresses are valid for an hour.
    pub cover: Vec<CoverImage>,
    /// Its waveform.
    pub levels: LevelsJson,
    /// What its sound is.
    pub content_type: ContentType,
    /// Which part of the track is heard, where it is a preview.
    pub part: FileData,
    /// Where sound and pictures come from, for the page's security policy.
    pub delivery_origin: String,
    /// Whether the key opens the whole collection.
    pub has_siblings: bool,
}

impl Playback {
    /// The track behind a share link; refused wherever the link itself would be.
    pub async fn shared_track(&self, track_id: TrackId, key_text: &str) -> Result<SharedTrack, Refusal> {
        let Shared { key, ready, file, data, .. } = self.shared(track_id, key_text).await?;
        let organization_id = key.organization_id;
        let surroundings = self.0.lookups.surroundings(organization_id, ready.track.collection_id).await?;
        let view = surroundings.view(ready.track.clone());
        Ok(SharedTrack {
            cover: self.cover_in(&view, &CoverSize::ALL, None),
            levels: ready.levels.clone(),
            content_type: file.file.content_type,
            part: data,
            delivery_origin: self.0.links.delivery_origin(organization_id),
            has_siblings: key.scope.collection().is_some() && key.scope.track().is_none(),
            view,
        })
    }
}
