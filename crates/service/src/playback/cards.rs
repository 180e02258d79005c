//! Tracks as the library shows them to people who manage them.

use std::collections::HashMap;

use tonearm_domain::{CoverSize, Metadata, NamedRecipes, PlaySession, Selection, TrackId};
use tonearm_signing::DeliveryTerms;

use super::{Playable, Playback, Visit};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::{TrackView, waiting};

/// How long the URLs of a page are valid, in seconds.
const PAGE_SECONDS: u32 = 3600;

/// A track in a list.
#[derive(Debug, Clone)]
pub struct TrackCard {
    /// The track.
    pub view: TrackView,
    /// The URL of its small cover.
    pub cover: Option<String>,
    /// Its waveform. Empty if there is none.
    pub levels: Vec<f64>,
}

impl Playback {
    /// Tracks with their covers and waveforms.
    pub async fn cards(&self, mut views: Vec<TrackView>) -> Result<Vec<TrackCard>, Refusal> {
        let ids: Vec<TrackId> = views.iter().map(|view| view.track.id).collect();
        waiting::explain(self.0.lookups.catalog(), self.0.ambient.now(), &mut views).await?;
        let mut levels = HashMap::new();
        for file in self.0.lookups.catalog().files_of_tracks(&ids).await? {
            if let Some(found) = file.outcome.into_levels() {
                levels.entry(file.track_id).or_insert(found);
            }
        }
        let card = |view: TrackView| TrackCard {
            cover: self.cover_in(&view, &[CoverSize::Small], None).pop().map(|image| image.url),
            levels: levels.remove(&view.track.id).unwrap_or_default(),
            view,
        };
        Ok(views.into_iter().map(card).collect())
    }

    /// Everything needed to play a track in all its variants, whatever its status. It is not counted: the visitor
    /// manages the track and is not part of the audience, so nothing that this visitor hears of the track today counts
    /// as a listen.
    pub async fn audition(
        &self,
        caller: &Caller,
        id: TrackId,
        visit: Option<&Visit<'_>>,
    ) -> Result<Playable, Refusal> {
        let organization_id = caller.organization_id;
        let ready =
            self.0.lookups.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(ready.track.collection_id, id)?;
        if let Some(visit) = visit {
            self.note_member(&ready.track, visit);
        }
        let session = PlaySession {
            id: self.0.ambient.credential_id(),
            organization_id,
            creator_id: None,
            collection_id: ready.track.collection_id,
            track_id: Some(id),
            variants: Selection::All,
            recipes: NamedRecipes::UNKNOWN,
            organization_index: None,
            metadata: Metadata::default(),
            is_downloadable: true,
            expires_at: self.0.ambient.now().plus_seconds(PAGE_SECONDS.into()),
            api_key_id: None,
            handle: None,
        };
        let mut playable = self.playable(&session, &ready).await?;
        waiting::explain(self.0.lookups.catalog(), self.0.ambient.now(), [&mut playable.track]).await?;
        Ok(playable)
    }

    /// A URL that saves a variant of [`Playback::audition`] as a file.
    pub fn saving(&self, variant: &super::PlayableVariant) -> String {
        let attachment = Some(&*variant.file_name);
        let terms = DeliveryTerms { ttl: Some(PAGE_SECONDS), attachment, ..DeliveryTerms::default() };
        self.0.links.delivery(&variant.key, terms)
    }
}
