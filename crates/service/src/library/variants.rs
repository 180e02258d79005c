//! Reading variants.

use tonearm_domain::{LimitOffset, Recipe, VariantId};

use super::Library;
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

impl Library {
    /// One page of the organization's recipes, in order, and the total number.
    pub async fn variants(&self, caller: &Caller, page: LimitOffset) -> Result<(u64, Vec<Recipe>), Refusal> {
        let recipes = self.catalog.recipes(caller.organization_id).await?;
        let total = recipes.len() as u64;
        // An organization has few recipes, so all are read at once.
        let [offset, limit] =
            [page.offset(), page.limit()].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        Ok((total, recipes.into_iter().skip(offset).take(limit).collect()))
    }

    /// One recipe: the organization's, or one that belongs to a track in reach.
    pub async fn variant(&self, caller: &Caller, id: VariantId) -> Result<Recipe, Refusal> {
        let not_found = Refusal::NotFound(Resource::Variant);
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
