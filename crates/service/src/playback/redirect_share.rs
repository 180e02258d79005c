//! Inline share links.

use std::sync::Arc;

use tonearm_domain::{
    Action, ApiKey, CachePolicy, FileData, FileOutcome, ObjectKey, OrganizationId, Recipe, TrackId,
    UsageCounts,
};
use tonearm_signing::DeliveryTerms;

use super::Playback;
use crate::lookups::ReadyTrack;
use crate::{Noun, Refusal};

/// What a share link opens: a track, and the one file of it that the link's key is for.
pub(super) struct Shared {
    pub(super) key: Arc<ApiKey>,
    pub(super) ready: Arc<ReadyTrack>,
    pub(super) recipe: Recipe,
    pub(super) file: ObjectKey,
    pub(super) data: FileData,
}

impl Playback {
    /// Where a share link leads: a URL of the key's one variant, signed afresh and valid for an hour. Counted.
    pub async fn redirect_share(&self, track_id: TrackId, key_text: &str) -> Result<String, Refusal> {
        let shared = self.shared(track_id, key_text).await?;
        self.count(&shared.ready.track, Some(&shared.recipe.index), UsageCounts::STREAM_REDIRECT);
        let cache = self.cache_policy(shared.key.organization_id, &shared.recipe).await?;
        Ok(self.0.links.delivery(&shared.file, DeliveryTerms { cache, ..DeliveryTerms::default() }))
    }

    /// Who may keep copies of the files of a recipe, by what it says now: files remember the recipe as it was.
    pub(super) async fn cache_policy(
        &self,
        organization_id: OrganizationId,
        recipe: &Recipe,
    ) -> Result<CachePolicy, Refusal> {
        let recipes = self.0.lookups.recipes(organization_id).await?;
        let current = recipes.iter().find(|current| current.id == recipe.id);
        Ok(current.map_or(recipe.cache, |current| current.cache))
    }

    /// Every way to a shared track goes through here.
    pub(super) async fn shared(&self, track_id: TrackId, key_text: &str) -> Result<Shared, Refusal> {
        let key = self.0.access.key(key_text, Action::Share).await?;
        let not_found = Refusal::NotFound(Noun::Track);
        let Some(ready) = self.0.lookups.track(key.organization_id, track_id).await? else {
            return Err(not_found);
        };
        let track = &ready.track;
        if !key.scope.covers_track(track.collection_id, track_id) || !track.is_playable() {
            return Err(not_found);
        }
        let shared = key.variants.single();
        let object =
            ready.files.iter().filter(|file| shared == Some(&file.recipe.index)).find_map(|file| match &file
                .outcome
            {
                FileOutcome::Made { key, data, .. } => Some((file.recipe.clone(), key.clone(), data.clone())),
                FileOutcome::Failed { .. } => None,
            });
        let (recipe, file, data) = object.ok_or(not_found)?;
        Ok(Shared { key, ready, recipe, file, data })
    }
}
