//! Renderings of recipes for tracks that existed before the recipe: the `rendering` table.

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ColumnTrait, EntityTrait, Iterable, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
};
use tonearm_domain::{CollectionId, OrganizationId, Rendering, TrackId, TrackStatus, VariantId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::rendering::{ActiveModel, Column, Entity, PrimaryKey};
use crate::entity::track;
use crate::error::CatalogError;
use crate::living::living_track;
use crate::query::{TO_CHANGE, one, readable};
use crate::transaction::Transaction;

fn by_recipe(organization: OrganizationId, recipe: VariantId) -> Select<Entity> {
    Entity::find_by_id(recipe.uuid()).filter(Column::OrganizationId.eq(organization.uuid()))
}

/// Tracks whose processing has finished and whose source is available for rendering.
fn renderable(organization: OrganizationId, after: Option<TrackId>) -> Select<track::Entity> {
    let has_settled = TrackStatus::ALL.into_iter().filter(|status| status.is_settled());
    with_source(organization, None, after)
        .filter(track::Column::TrackStatusId.is_in(has_settled.map(TrackStatus::as_str)))
}

/// Tracks whose source is available.
fn with_source(
    organization: OrganizationId,
    collection: Option<CollectionId>,
    after: Option<TrackId>,
) -> Select<track::Entity> {
    use track::Column;
    track::Entity::find()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .filter(living_track())
        .filter(Column::SourceKey.is_not_null())
        .apply_if(collection, |select, id| select.filter(Column::CollectionId.eq(id.uuid())))
        .apply_if(after, |select, after| select.filter(Column::Id.gt(after.uuid())))
}

impl Catalog {
    /// The renderings of an organization's recipes, the latest first. Those that have finished stay until their recipe
    /// is rendered again or removed.
    pub async fn renderings(&self, organization: OrganizationId) -> Result<Vec<Rendering>, CatalogError> {
        let select = Entity::find()
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .order_by_desc(Column::StartedAt)
            .order_by_desc(Column::VariantId);
        readable(self.reader(), select).await
    }

    /// The rendering of one recipe.
    pub async fn rendering(
        &self,
        organization: OrganizationId,
        recipe: VariantId,
    ) -> Result<Option<Rendering>, CatalogError> {
        one(self.reader(), by_recipe(organization, recipe)).await
    }

    /// The number of tracks of an organization for which recipes can be rendered.
    pub async fn count_renderable_tracks(&self, organization: OrganizationId) -> Result<u64, CatalogError> {
        Ok(renderable(organization, None).count(self.reader()).await?)
    }
}

impl Transaction {
    /// The next tracks of a collection, or of the organization, that have a source, by id, and their status.
    pub async fn tracks_with_source(
        &self,
        organization: OrganizationId,
        collection: Option<CollectionId>,
        after: Option<TrackId>,
        limit: u64,
    ) -> Result<Vec<(TrackId, TrackStatus)>, CatalogError> {
        let next = with_source(organization, collection, after)
            .select_only()
            .columns([track::Column::Id, track::Column::TrackStatusId])
            .order_by_asc(track::Column::Id)
            .limit(limit);
        let rows: Vec<(Uuid, String)> = next.into_tuple().all(self.db()).await?;
        let row = |(id, status): (Uuid, String)| {
            // One that cannot be read is not settled.
            (TrackId::from_uuid(id), status.parse().unwrap_or(TrackStatus::Processing))
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// The recipes that were rendered for existing tracks.
    pub async fn rendered_recipes(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<VariantId>, CatalogError> {
        let own = Entity::find().filter(Column::OrganizationId.eq(organization.uuid()));
        let ids: Vec<Uuid> = own.select_only().column(Column::VariantId).into_tuple().all(self.db()).await?;
        Ok(ids.into_iter().map(VariantId::from_uuid).collect())
    }

    /// The next tracks of the organization for which recipes can be rendered, by id.
    pub async fn renderable_tracks(
        &self,
        organization: OrganizationId,
        after: Option<TrackId>,
        limit: u64,
    ) -> Result<Vec<TrackId>, CatalogError> {
        let next = renderable(organization, after).select_only().column(track::Column::Id);
        let next = next.order_by_asc(track::Column::Id).limit(limit);
        let ids: Vec<Uuid> = next.into_tuple().all(self.db()).await?;
        Ok(ids.into_iter().map(TrackId::from_uuid).collect())
    }

    /// The rendering of one recipe, locked for a change.
    pub async fn rendering(
        &self,
        organization: OrganizationId,
        recipe: VariantId,
    ) -> Result<Option<Rendering>, CatalogError> {
        one(self.db(), by_recipe(organization, recipe).lock(TO_CHANGE)).await
    }

    /// Writes a rendering, in place of an earlier one of the same recipe.
    pub async fn put_rendering(&self, rendering: &Rendering) -> Result<(), CatalogError> {
        let key = PrimaryKey::iter().map(|_| Column::VariantId);
        let replace = OnConflict::columns(key)
            .update_columns(Column::iter().filter(|column| !matches!(column, Column::VariantId)))
            .to_owned();
        Entity::insert(ActiveModel::from(rendering))
            .on_conflict(replace)
            .exec_without_returning(self.db())
            .await?;
        Ok(())
    }

    /// Deletes the rendering of a recipe that is removed.
    pub(crate) async fn delete_rendering(&self, recipe: VariantId) -> Result<(), CatalogError> {
        Entity::delete_by_id(recipe.uuid()).exec(self.db()).await?;
        Ok(())
    }
}
