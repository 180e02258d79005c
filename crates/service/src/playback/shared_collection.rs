//! The contents of the page behind a share key of a collection.

use std::sync::Arc;

use tonearm_domain::{Action, CoverSize, PlayerColours, TrackId};

use super::{CoverImage, Playback};
use crate::lookups::{SharedList, SharedPage};
use crate::refusal::{Refusal, Resource};
use crate::track_view::TrackSummaryView;

/// A page of a shared collection, for everyone who has the key.
#[derive(Debug, Clone)]
pub struct SharedCollection {
    list: Arc<SharedList>,
    /// The largest cover of the first track, which represents the collection.
    pub cover: Option<CoverImage>,
    /// The origin of sound and pictures, for the page's security policy.
    pub delivery_origin: String,
    /// Whether the files may be saved, by [`Playback::shared_download`].
    pub is_downloadable: bool,
}

impl SharedCollection {
    /// The title of the collection.
    pub fn title(&self) -> &str {
        &self.list.title
    }

    /// The line under it.
    pub fn subtitle(&self) -> Option<&str> {
        self.list.subtitle.as_deref()
    }

    /// The colours of the first track.
    pub fn colours(&self) -> Option<PlayerColours> {
        self.list.first.as_ref().map(|first| first.colours)
    }

    /// Its playable tracks in their order, at most 1000. Only one, if the key is limited to a track.
    pub fn tracks(&self) -> &[TrackSummaryView] {
        &self.list.tracks
    }

    /// Whether more tracks follow.
    pub fn has_more(&self) -> bool {
        self.list.has_more
    }
}

impl Playback {
    /// The tracks that a share key opens, if it is limited to a collection or a track. A key of the whole organization
    /// has no list: its holders can only open the tracks that they were told about.
    ///
    /// `after` is the track that the page follows.
    pub async fn shared_collection(
        &self,
        key_text: &str,
        after: Option<TrackId>,
    ) -> Result<SharedCollection, Refusal> {
        let not_found = || Refusal::NotFound(Resource::Collection);
        let key = self.0.access.key(key_text, Action::Share).await?;
        let page = SharedPage {
            organization_id: key.organization_id,
            collection_id: key.scope.collection().ok_or_else(not_found)?,
            only: key.scope.track(),
            variant: key.variants.single().ok_or_else(not_found)?.clone(),
            after,
        };
        let list = self.0.lookups.shared_list(page).await?.ok_or_else(not_found)?;
        let ttl = self.ttl_of_link(&key);
        let largest =
            |first| CoverSize::ALL.iter().rev().find_map(|size| self.cover_in(first, &[*size], ttl).pop());
        Ok(SharedCollection {
            cover: list.first.as_ref().and_then(largest),
            delivery_origin: self.0.links.delivery_origin(key.organization_id),
            is_downloadable: key.is_downloadable,
            list,
        })
    }
}
