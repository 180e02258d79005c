//! The order of the organization's recipes, in which variants are listed.

use tonearm_domain::{AuditAction, Recipe, VariantId};

use super::Library;
use crate::caller::Caller;
use crate::refusal::Refusal;

impl Library {
    /// Puts the organization's recipes in this order, which must name each of them once.
    pub async fn order_recipes(&self, caller: &Caller, order: &[VariantId]) -> Result<Vec<Recipe>, Refusal> {
        caller.require_no_limits()?;
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        tx.lock_recipes(organization_id).await?;
        let recipes = tx.recipes(organization_id).await?;
        let ordered: Option<Vec<Recipe>> =
            order.iter().map(|id| recipes.iter().find(|recipe| recipe.id == *id).cloned()).collect();
        let mut once = order.to_vec();
        once.sort();
        once.dedup();
        let named_all = once.len() == recipes.len() && order.len() == recipes.len();
        let Some(mut ordered) = ordered.filter(|_| named_all) else {
            let message = "must list each variant of the organization exactly once";
            return Err(Refusal::invalid("variant_ids", message));
        };
        for (recipe, position) in ordered.iter_mut().zip(0..) {
            if recipe.position != position {
                recipe.position = position;
                tx.update_recipe(recipe).await?;
                self.record_recipe(&tx, caller, AuditAction::VariantUpdate, recipe).await?;
            }
        }
        tx.commit().await?;
        Ok(ordered)
    }
}
