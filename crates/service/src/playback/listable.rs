//! Which variants a play session may list.

use tonearm_domain::{
    CollectionId, KeyScope, LevelsFormat, Recipe, RecipeKind, Selection, TrackId, VariantIndex,
};

use super::Playback;
use crate::caller::Caller;
use crate::refusal::Refusal;

impl Playback {
    /// The variants that a session lists: those requested, as far as they exist and the key allows them (see
    /// [`Selection::for_session`]). Refused if no variant that the key allows exists.
    pub(super) async fn select(
        &self,
        caller: &Caller,
        collection_id: CollectionId,
        track_id: Option<TrackId>,
        requested: &[String],
    ) -> Result<Selection, Refusal> {
        if requested.is_empty() && caller.variants == Selection::All {
            return Ok(Selection::All);
        }
        let allowed = caller.variants.only().map(|list| &**list).unwrap_or_default();
        let names: Vec<&str> =
            requested.iter().map(String::as_str).chain(allowed.iter().map(VariantIndex::as_str)).collect();
        let existing = self.existing(caller, collection_id, track_id, &names).await?;
        caller.variants.for_session(requested, &existing).ok_or_else(|| {
            let allowed: Vec<&str> = allowed.iter().map(VariantIndex::as_str).collect();
            let message = match allowed.as_slice() {
                [] => "cannot be used: the variants that this key allows were removed; give it others"
                    .to_owned(),
                allowed => format!(
                    "cannot be used: this key allows only {}, and none of them exists here",
                    allowed.join(", ")
                ),
            };
            Refusal::invalid("variants", message)
        })
    }

    /// The variants that can be listed for a track or a collection: the organization's in their order, followed by
    /// those in `names` that single tracks have of their own.
    async fn existing(
        &self,
        caller: &Caller,
        collection_id: CollectionId,
        track_id: Option<TrackId>,
        names: &[&str],
    ) -> Result<Vec<VariantIndex>, Refusal> {
        let organization_id = caller.organization_id;
        let (lookups, catalog) = (&self.0.lookups, self.0.lookups.catalog());
        if let Some(id) = track_id {
            return Ok(listable(&catalog.recipes_for_track(organization_id, id).await?));
        }
        let all_known = |recipes: &[Recipe]| {
            names.iter().all(|name| recipes.iter().any(|recipe| recipe.index.as_str() == *name))
        };
        let known = lookups.recipes(organization_id).await?;
        if all_known(&known) {
            return Ok(listable(&known));
        }
        // The cached recipes may predate a change by another node, and a new key may name a new recipe.
        let known = catalog.recipes(organization_id).await?;
        let mut existing = listable(&known);
        if !all_known(&known) {
            let scope = KeyScope::Collection(collection_id);
            existing.extend(catalog.own_variants(organization_id, scope, names).await?);
        }
        Ok(existing)
    }
}

/// All variants except Tonearm's own levels, which are part of the playback data. Every other file can be requested by
/// name.
fn listable(recipes: &[Recipe]) -> Vec<VariantIndex> {
    let is_in_playback_data = |kind: &RecipeKind| matches!(kind, RecipeKind::Levels(levels) if levels.format == LevelsFormat::Levels);
    let listable = recipes.iter().filter(|recipe| !is_in_playback_data(&recipe.kind));
    listable.map(|recipe| recipe.index.clone()).collect()
}
