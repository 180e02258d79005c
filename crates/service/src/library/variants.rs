//! Reading variants.

use tonearm_domain::{Recipe, VariantId};

use super::Library;
use crate::{Caller, Noun, Refusal};

impl Library {
    /// The organization's recipes, in order.
    pub async fn variants(&self, caller: &Caller) -> Result<Vec<Recipe>, Refusal> {
        Ok(self.catalog.recipes(caller.organization_id).await?)
    }

    /// One recipe: the organization's, or the own one of a track in reach.
    pub async fn variant(&self, caller: &Caller, id: VariantId) -> Result<Recipe, Refusal> {
        let not_found = Refusal::NotFound(Noun::Variant);
        let Some(recipe) = self.catalog.recipe(caller.organization_id, id).await? else {
            return Err(not_found);
        };
        let Some(track_id) = recipe.track_id else {
            return Ok(recipe);
        };
        match self.catalog.track(caller.organization_id, track_id).await? {
            Some(track) if caller.scope.covers_track(track.collection_id, track_id) => Ok(recipe),
            _ => Err(not_found),
        }
    }
}
