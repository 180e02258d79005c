//! Which variants a new play session lists.

use std::collections::HashMap;

use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{
    ApiKeyId, KeyScope, LevelsFormat, NamedRecipes, OrganizationId, PlaySession, Recipe, RecipeKind,
    Selection, TrackId, VariantIndex,
};

/// What decides which variants a new session lists.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// The names that were requested.
    pub(super) requested: Vec<String>,
    /// The variants that its creator allows. Those of a key are read again.
    pub(super) allowed: Selection,
}

/// Decides in the transaction that writes the sessions what they list: a variant that is renamed or removed meanwhile
/// either waits for the transaction and then changes the selections, or was changed before. Remembers what it read.
pub(super) struct Selecting<'a> {
    tx: &'a Transaction,
    recipes: HashMap<(OrganizationId, Option<TrackId>), Vec<Recipe>>,
    keys: HashMap<ApiKeyId, Option<Selection>>,
}

impl<'a> Selecting<'a> {
    pub(super) fn new(tx: &'a Transaction) -> Self {
        Self { tx, recipes: HashMap::new(), keys: HashMap::new() }
    }

    /// The session with the requested variants, as far as they exist and the key allows them (see
    /// [`Selection::for_session`]). `None` if no variant that the key allows exists.
    pub(super) async fn select(
        &mut self,
        session: &PlaySession,
        wanted: &Wanted,
    ) -> Result<Option<PlaySession>, CatalogError> {
        let allowed = self.allowed(session, wanted).await?;
        if wanted.requested.is_empty() && allowed == Selection::All {
            return Ok(Some(PlaySession { variants: allowed, ..session.clone() }));
        }
        let listable = self.of_recipes(session).await?;
        let mut existing: Vec<VariantIndex> = listable.iter().map(|recipe| recipe.index.clone()).collect();
        let of_organization = listable.iter().filter(|recipe| recipe.track_id.is_none());
        let recipes = NamedRecipes::of(of_organization.map(|recipe| (recipe.index.clone(), recipe.id)));
        if session.track_id.is_none() {
            let named = allowed.only().map(|list| &**list).unwrap_or_default();
            let named =
                wanted.requested.iter().map(String::as_str).chain(named.iter().map(VariantIndex::as_str));
            let is_own = |name: &&str| existing.iter().all(|index| index.as_str() != *name);
            let own: Vec<&str> = named.filter(is_own).collect();
            if !own.is_empty() {
                let scope = KeyScope::Collection(session.collection_id);
                existing.extend(self.tx.own_variants(session.organization_id, scope, &own).await?);
            }
        }
        let variants = allowed.for_session(&wanted.requested, &existing);
        Ok(variants.map(|variants| PlaySession { variants, recipes, ..session.clone() }))
    }

    async fn allowed(&mut self, session: &PlaySession, wanted: &Wanted) -> Result<Selection, CatalogError> {
        let Some(id) = session.api_key_id else { return Ok(wanted.allowed.clone()) };
        // The recipes are locked before the key is read: whoever renames a variant changes both under that lock.
        self.of_recipes(session).await?;
        if !self.keys.contains_key(&id) {
            let key = self.tx.api_key_as_it_is(session.organization_id, id).await?;
            self.keys.insert(id, key.map(|key| key.variants));
        }
        let read = self.keys.get(&id).and_then(Option::as_ref);
        Ok(read.unwrap_or(&wanted.allowed).clone())
    }

    /// The variants that can be listed for a track or a collection, in their order, without those of single tracks of a
    /// collection.
    async fn of_recipes(&mut self, session: &PlaySession) -> Result<&[Recipe], CatalogError> {
        let (organization, track) = (session.organization_id, session.track_id);
        if !self.recipes.contains_key(&(organization, track)) {
            let mut recipes = match track {
                Some(track) => self.tx.recipes_for_track(organization, track).await?,
                None => self.tx.recipes_to_follow(organization).await?,
            };
            recipes.retain(is_listable);
            self.recipes.insert((organization, track), recipes);
        }
        Ok(self.recipes.get(&(organization, track)).map(Vec::as_slice).unwrap_or_default())
    }
}

/// All variants except Tonearm's own levels, which are part of the playback data. Every other file can be requested by
/// name.
fn is_listable(recipe: &Recipe) -> bool {
    !matches!(&recipe.kind, RecipeKind::Levels(levels) if levels.format == LevelsFormat::Levels)
}
