//! The contents of the page behind a share key of a collection.

use tonearm_domain::{Action, CoverSize, PlayerColours, TrackId};

use super::{CoverImage, Playback};
use crate::refusal::{Refusal, Resource};
use crate::track_view::TrackView;

/// Tracks on a page of a shared collection.
const PER_PAGE: usize = 1000;

/// A page of a shared collection, for everyone who has the key.
#[derive(Debug, Clone)]
pub struct SharedCollection {
    /// Its title.
    pub title: String,
    /// The line under it.
    pub subtitle: Option<String>,
    /// The colours of the first track, which represents the collection.
    pub colours: Option<PlayerColours>,
    /// The cover of the first track.
    pub cover: Vec<CoverImage>,
    /// Its playable tracks in their order, at most 1000. Only one, if the key is limited to a track.
    pub tracks: Vec<TrackView>,
    /// Whether more tracks follow.
    pub has_more: bool,
    /// The origin of sound and pictures, for the page's security policy.
    pub delivery_origin: String,
    /// Whether the files may be saved, by [`Playback::shared_download`].
    pub is_downloadable: bool,
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
        let key = self.0.access.key(key_text, Action::Share).await?;
        let collection_id = key.scope.collection().ok_or(Refusal::NotFound(Resource::Collection))?;
        let organization_id = key.organization_id;
        let parents = self.0.lookups.parents(organization_id, collection_id).await?;
        let variant = key.variants.single().ok_or(Refusal::NotFound(Resource::Collection))?;
        let page = (after, PER_PAGE);
        let (tracks, has_more) = self
            .0
            .lookups
            .catalog()
            .shared_tracks(organization_id, collection_id, key.scope.track(), variant, page)
            .await?;
        let tracks: Vec<TrackView> = tracks.into_iter().map(|track| parents.view(track)).collect();
        let first = tracks.first();
        Ok(SharedCollection {
            title: parents.collection.title.clone(),
            subtitle: parents.collection.shown_subtitle(&parents.organization).map(ToOwned::to_owned),
            colours: first.map(|first| first.colours),
            cover: first.map_or_else(Vec::new, |first| self.cover_in(first, &CoverSize::ALL, None)),
            delivery_origin: self.0.links.delivery_origin(organization_id),
            is_downloadable: key.is_downloadable,
            tracks,
            has_more,
        })
    }
}
