//! The organization's recipes: the files that are made from every track.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    AuditAction, CachePolicy, ErrorCode, Input, Job, MOST_RECIPES, Patch, Recipe, RecipeError, RecipeKind,
    RecipeSettings, RecipeType, Rendering, Total, VariantId, VariantIndex,
};

use super::{Library, derived, renderings};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// A recipe of an organization, and the progress of its rendering for tracks that existed before it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecipeView {
    /// The recipe.
    pub recipe: Recipe,
    /// The last rendering for existing tracks, if any.
    pub rendering: Option<Rendering>,
}

/// Changes to a recipe.
#[derive(Debug, Clone, Default)]
pub struct UpdateRecipe {
    /// Its name; cannot be cleared.
    pub index: Patch<VariantIndex>,
    /// Its type and settings; cannot be cleared. Existing files stay as they are until the recipe is rendered for
    /// existing tracks, or their track is processed.
    pub kind: Patch<RecipeKind>,
    /// The type that the caller expects. It cannot be changed, so another type is refused; cannot be cleared.
    pub recipe_type: Patch<RecipeType>,
    /// Settings to change, one by one; the others stay as they are.
    pub settings: RecipeSettings,
    /// Its position among the other recipes; cannot be cleared.
    pub position: Patch<i32>,
    /// Who may cache its files; cannot be cleared. Applies to URLs that are signed later.
    pub cache: Patch<CachePolicy>,
}

impl Library {
    /// The organization's recipes in order, each with its rendering for existing tracks.
    pub async fn recipes(&self, caller: &Caller) -> Result<Vec<RecipeView>, Refusal> {
        let recipes = self.catalog.recipes(caller.organization_id).await?;
        let renderings = self.catalog.renderings(caller.organization_id).await?;
        let rendering = |id| renderings.iter().find(|rendering| rendering.variant_id == id).cloned();
        Ok(recipes.into_iter().map(|recipe| RecipeView { rendering: rendering(recipe.id), recipe }).collect())
    }

    /// Adds a recipe after the others. It applies to tracks that are uploaded later; see [`Library::render_existing`] for
    /// the others.
    pub async fn add_recipe(
        &self,
        caller: &Caller,
        index: VariantIndex,
        kind: RecipeKind,
        cache: CachePolicy,
    ) -> Result<Recipe, Refusal> {
        caller.require_no_limits()?;
        kind.validate().map_err(refused)?;
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        tx.lock_recipes(organization_id).await?;
        let recipes = tx.recipes(organization_id).await?;
        if recipes.len() >= MOST_RECIPES {
            let message =
                format!("the organization has {MOST_RECIPES} variants and can have no more; remove one");
            return Err(Refusal::Conflict { code: ErrorCode::TooManyVariants, message });
        }
        let recipe = Recipe {
            id: self.ambient.record_id(),
            organization_id,
            track_id: None,
            index,
            kind,
            position: recipes.iter().map(|recipe| recipe.position + 1).max().unwrap_or(0),
            cache,
            created_at: self.ambient.now(),
        };
        tx.insert_recipe(&recipe).await?;
        // What still lists the name is about a variant that is gone.
        tx.remove_from_selections(organization_id, &recipe.index).await?;
        self.record_recipe(&tx, caller, AuditAction::VariantCreate, &recipe).await?;
        tx.commit().await?;
        Ok(recipe)
    }

    /// Changes a recipe. Keys and play sessions that list it list it under its new name. If its settings change while
    /// it is rendered for existing tracks, the rendering starts over.
    pub async fn update_recipe(
        &self,
        caller: &Caller,
        id: VariantId,
        update: UpdateRecipe,
    ) -> Result<Recipe, Refusal> {
        caller.require_no_limits()?;
        let total = self.catalog.count_renderable_tracks(caller.organization_id).await?;
        let tx = self.catalog.begin().await?;
        let mut recipe = own(tx.recipe(caller.organization_id, id).await?)?;
        let before = recipe.clone();
        let UpdateRecipe { index, kind, recipe_type, settings, position, cache } = update;
        if matches!(recipe_type, Patch::Set(sent) if sent != recipe.kind.recipe_type()) {
            return Err(refused(RecipeError::OtherType));
        }
        if let Patch::Set(index) = index {
            recipe.index = index;
        }
        if let Patch::Set(kind) = kind {
            kind.validate().map_err(refused)?;
            recipe.kind = kind;
        }
        if !settings.is_empty() {
            recipe.kind = recipe.kind.with_settings(&settings).map_err(refused)?;
        }
        if let Patch::Set(position) = position {
            recipe.position = position;
        }
        if let Patch::Set(cache) = cache {
            recipe.cache = cache;
        }
        tx.update_recipe(&recipe).await?;
        let rendering = tx.rendering(recipe.organization_id, id).await?;
        if !recipe.is_same_revision(&before) && rendering.is_some_and(|it| it.finished_at.is_none()) {
            renderings::begin(&tx, &self.ambient, &recipe, total).await?;
        }
        if recipe.index != before.index {
            let organization_id = caller.organization_id;
            tx.rename_in_selections(organization_id, &before.index, &recipe.index).await?;
            derived::tracks_of(&tx, &self.ambient, organization_id, None, &[Input::VariantNames]).await?;
        }
        self.record_recipe(&tx, caller, AuditAction::VariantUpdate, &recipe).await?;
        tx.commit().await?;
        Ok(recipe)
    }

    /// Removes a recipe. The recipe and its files disappear for everyone at once, keys and play sessions no longer list
    /// it, and its name can be used again. The files are deleted in the background.
    pub async fn remove_recipe(&self, caller: &Caller, id: VariantId) -> Result<Recipe, Refusal> {
        caller.require_no_limits()?;
        let (organization_id, now) = (caller.organization_id, self.ambient.now());
        let tx = self.catalog.begin().await?;
        let recipe = own(tx.recipe_to_end(organization_id, id).await?)?;
        if !tx.soft_delete_recipe(organization_id, id, now).await? {
            return Err(Refusal::NotFound(Resource::Variant));
        }
        tx.remove_from_selections(organization_id, &recipe.index).await?;
        let job = Job::RemoveRecipe { organization_id, variant_id: id };
        tx.enqueue(job, self.ambient.record_id(), now, None).await?;
        self.record_recipe(&tx, caller, AuditAction::VariantDelete, &recipe).await?;
        tx.commit().await?;
        Ok(recipe)
    }

    /// The recipes that are being removed, each with the number of files left.
    pub async fn recipes_being_removed(&self, caller: &Caller) -> Result<Vec<(Recipe, Total)>, Refusal> {
        Ok(self.catalog.recipes_being_removed(caller.organization_id).await?)
    }

    /// Starts rendering a recipe in the background for the tracks that lack its file, have it with other settings, or
    /// failed to render it. The tracks stay playable. A running rendering of the same recipe starts over.
    pub async fn render_existing(&self, caller: &Caller, id: VariantId) -> Result<Rendering, Refusal> {
        caller.require_no_limits()?;
        let organization_id = caller.organization_id;
        let total = self.catalog.count_renderable_tracks(organization_id).await?;
        let tx = self.catalog.begin().await?;
        let recipe = own(tx.recipe(organization_id, id).await?)?;
        let rendering = renderings::begin(&tx, &self.ambient, &recipe, total).await?;
        self.record_recipe(&tx, caller, AuditAction::VariantRender, &recipe).await?;
        tx.commit().await?;
        Ok(rendering)
    }

    /// The progress of the last rendering of a recipe for existing tracks.
    pub async fn rendering(&self, caller: &Caller, id: VariantId) -> Result<Rendering, Refusal> {
        caller.require_whole_organization()?;
        own(self.catalog.recipe(caller.organization_id, id).await?)?;
        let rendering = self.catalog.rendering(caller.organization_id, id).await?;
        rendering.ok_or(Refusal::NotFound(Resource::Rendering))
    }

    pub(super) async fn record_recipe(
        &self,
        tx: &Transaction,
        caller: &Caller,
        action: AuditAction,
        recipe: &Recipe,
    ) -> Result<(), Refusal> {
        let done = AuditedAction { action, subject_id: recipe.id.uuid(), title: recipe.index.as_str() };
        Ok(audit::record(tx, &self.ambient, caller, done).await?)
    }
}

/// A recipe of the organization itself, not of one of its tracks.
fn own(recipe: Option<Recipe>) -> Result<Recipe, Refusal> {
    recipe.filter(|recipe| recipe.track_id.is_none()).ok_or(Refusal::NotFound(Resource::Variant))
}

fn refused(error: RecipeError) -> Refusal {
    Refusal::invalid(error.field(), error.to_string())
}
