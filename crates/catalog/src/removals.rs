//! Removal of recipes. A removed recipe disappears at once, while the rows of its files are deleted in batches.

use std::collections::BTreeSet;

use sea_orm::sea_query::{Expr, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};
use tonearm_domain::{ObjectKey, OrganizationId, Recipe, Timestamp, Total, TrackId, VariantId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::column::{parsed, size};
use crate::entity::variant::{Column, Entity};
use crate::entity::{track, track_file};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, readable};
use crate::transaction::Transaction;

/// More files than this are not counted.
const MOST_COUNTED: u64 = 10_000;
/// More recipes than this are not listed. An organization has a handful of recipes in all.
const MOST_LISTED: u64 = 100;

/// An organization's recipes that are being removed.
fn removed(organization: OrganizationId) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .filter(Column::TrackId.is_null())
        .filter(Column::DeletedAt.is_not_null())
}

impl Catalog {
    /// The organization's recipes that are being removed, oldest first, each with the number of files left; at most
    /// 100.
    pub async fn recipes_being_removed(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<(Recipe, Total)>, CatalogError> {
        let recipes: Vec<Recipe> =
            readable(self.reader(), removed(organization).order_by_asc(Column::Id).limit(MOST_LISTED))
                .await?;
        let mut counted = Vec::with_capacity(recipes.len());
        for recipe in recipes {
            let left = self.count_files_of_recipe(recipe.id).await?;
            counted.push((recipe, left));
        }
        Ok(counted)
    }

    async fn count_files_of_recipe(&self, recipe: VariantId) -> Result<Total, CatalogError> {
        let some = track_file::Entity::find()
            .select_only()
            .column(track_file::Column::Id)
            .filter(track_file::Column::VariantId.eq(recipe.uuid()))
            .limit(MOST_COUNTED + 1);
        let count = Query::select()
            .expr_as(Expr::cust("COUNT(*)"), "files")
            .from_subquery(some.into_query(), "some")
            .take();
        let row = self.reader().query_one(&count).await?;
        let files = row.map(|row| row.try_get::<i64>("", "files")).transpose()?.unwrap_or(0);
        let files = size("track_file.id", files)?;
        Ok(if files > MOST_COUNTED { Total::MoreThan(MOST_COUNTED) } else { Total::Exactly(files) })
    }
}

impl Transaction {
    /// Marks a recipe as removed: it is no longer found, and its index is free. Its files are no longer read; see
    /// [`Transaction::delete_files_of_recipe`]. Returns whether the recipe existed.
    pub async fn soft_delete_recipe(
        &self,
        organization: OrganizationId,
        id: VariantId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        self.lock_recipes(organization).await?;
        self.note(Change::Recipes(organization));
        let marked = Entity::update_many()
            .col_expr(Column::DeletedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_null())
            .exec(self.db())
            .await?;
        self.blank_recipe(id.uuid()).await?;
        Ok(marked.rows_affected > 0)
    }

    /// Deletes the rows of at most `most` files of a recipe that is removed at `now`, whatever the state of their tracks.
    /// Returns the tracks of the files, each with whether its file had failed, and the objects that no row names any more,
    /// with their sizes. Without tracks, no files are left.
    pub async fn delete_files_of_recipe(
        &self,
        recipe: VariantId,
        now: Timestamp,
        most: u64,
    ) -> Result<(Vec<(TrackId, bool)>, Vec<(ObjectKey, u64)>), CatalogError> {
        use track_file::Column as File;
        let next: Vec<(Uuid, Uuid, Option<String>, Option<i64>)> = track_file::Entity::find()
            .select_only()
            .columns([File::Id, File::TrackId, File::ObjectKey, File::Size])
            .filter(File::VariantId.eq(recipe.uuid()))
            .order_by_asc(File::Id)
            .limit(most)
            .into_tuple()
            .all(self.db())
            .await?;
        if next.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let tracks: BTreeSet<Uuid> = next.iter().map(|(_, track, ..)| *track).collect();
        let these = track::Column::Id.is_in(tracks.iter().copied());
        // All transactions lock tracks before their files.
        let sources: Vec<Option<String>> = track::Entity::find()
            .select_only()
            .column(track::Column::SourceKey)
            .filter(these.clone())
            .order_by_asc(track::Column::Id)
            .lock(TO_CHANGE)
            .into_tuple()
            .all(self.db())
            .await?;
        let removed = File::Id.is_in(next.iter().map(|(id, ..)| *id));
        self.keep_former_files(removed.clone(), now).await?;
        track_file::Entity::delete_many().filter(removed).exec(self.db()).await?;
        // Write the status unchanged: the bytes of a track are recounted when its status is written.
        track::Entity::update_many()
            .col_expr(track::Column::TrackStatusId, Expr::col(track::Column::TrackStatusId))
            .filter(these)
            .exec(self.db())
            .await?;
        let failed: BTreeSet<Uuid> =
            next.iter().filter(|(_, _, key, _)| key.is_none()).map(|(_, track, ..)| *track).collect();
        let tracks = tracks.into_iter().map(|id| (TrackId::from_uuid(id), failed.contains(&id)));
        let tracks: Vec<(TrackId, bool)> = tracks.collect();
        tracks.iter().for_each(|(track, _)| self.note(Change::Track(*track)));
        let mut objects = Vec::new();
        for (_, _, key, bytes) in next {
            // A file of the type `original` is the source.
            if let Some(name) = key.filter(|key| !sources.iter().flatten().any(|source| source == key)) {
                let bytes = size("track_file.size", bytes.unwrap_or(0))?;
                objects.push((parsed("track_file.object_key", &name)?, bytes));
            }
        }
        Ok((tracks, objects))
    }

    /// Deletes a removed recipe that has no files left, and its rendering.
    pub async fn delete_removed_recipe(
        &self,
        organization: OrganizationId,
        id: VariantId,
    ) -> Result<(), CatalogError> {
        self.delete_rendering(id).await?;
        Entity::delete_many()
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_not_null())
            .exec(self.db())
            .await?;
        Ok(())
    }
}
