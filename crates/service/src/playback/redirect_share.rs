//! Inline share links.

use std::sync::Arc;

use tonearm_domain::{
    Action, ApiKey, FileData, FileOutcome, ObjectKey, OrganizationId, Recipe, TrackId, UsageCounts,
};
use tonearm_signing::{DEFAULT_TTL_SECONDS, DeliveryTerms};

use super::{Playback, Visit};
use crate::lookups::ReadyTrack;
use crate::refusal::{Refusal, Resource};

/// What a share link opens: a track, and the one file that the link's key gives access to.
pub(super) struct Shared {
    pub(super) key: Arc<ApiKey>,
    pub(super) ready: Arc<ReadyTrack>,
    pub(super) recipe: Recipe,
    pub(super) file: ObjectKey,
    pub(super) data: FileData,
    /// The name it is saved under.
    pub(super) file_name: String,
    /// How long its URLs are valid.
    pub(super) ttl: Option<u32>,
}

impl Playback {
    /// The target of a share link: a freshly signed URL of the key's one variant. Counted only if there is a visit.
    pub async fn redirect_share(
        &self,
        track_id: TrackId,
        key_text: &str,
        visit: Option<&Visit<'_>>,
    ) -> Result<String, Refusal> {
        let shared = self.shared(track_id, key_text).await?;
        if let Some(visit) = visit {
            let track = &shared.ready.track;
            self.count(track, Some(&shared.recipe.index), UsageCounts::STREAM_REDIRECT);
            self.note_listener(track, Some(shared.key.id), visit);
        }
        let terms = DeliveryTerms { ttl: shared.ttl, cache: shared.recipe.cache, ..DeliveryTerms::default() };
        Ok(self.0.links.delivery(&shared.file, terms))
    }

    /// Notes that a listener opens the player of a share link in a frame on the page of another site.
    pub async fn visit_frame(
        &self,
        track_id: TrackId,
        key_text: &str,
        visit: &Visit<'_>,
    ) -> Result<(), Refusal> {
        let shared = self.shared(track_id, key_text).await?;
        self.note_listener(&shared.ready.track, Some(shared.key.id), visit);
        Ok(())
    }

    /// How long the URLs of a share link are valid, in seconds, if it expires before they would: within an hour.
    pub(super) fn ttl_of_link(&self, key: &ApiKey) -> Option<u32> {
        key.expires_at.map(|end| self.seconds_until(end)).filter(|left| *left < DEFAULT_TTL_SECONDS)
    }

    /// The organization of a key in a share link, if the key is valid.
    pub async fn organization_of(&self, key_text: &str) -> Option<OrganizationId> {
        self.0.access.bearer(key_text).await.ok().map(|key| key.organization_id)
    }

    /// Checks a share link. All access to shared tracks goes through here.
    pub(super) async fn shared(&self, track_id: TrackId, key_text: &str) -> Result<Shared, Refusal> {
        let key = self.0.access.key(key_text, Action::Share).await?;
        let not_found = Refusal::NotFound(Resource::Track);
        let Some(ready) = self.0.lookups.track(key.organization_id, track_id).await? else {
            return Err(not_found);
        };
        let track = &ready.track;
        if !key.scope.covers_track(track.collection_id, track_id) || !track.is_playable() {
            return Err(not_found);
        }
        let object = ready.files.iter().filter(|file| key.selects(&file.recipe)).find_map(|file| match &file
            .outcome
        {
            FileOutcome::Made { key, data, file_name, .. } => {
                Some((file.recipe.clone(), key.clone(), data.clone(), file_name.clone()))
            }
            FileOutcome::Failed { .. } => None,
        });
        let (recipe, file, data, file_name) = object.ok_or(not_found)?;
        Ok(Shared { ttl: self.ttl_of_link(&key), key, ready, recipe, file, data, file_name })
    }
}
