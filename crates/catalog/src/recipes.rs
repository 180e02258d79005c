//! Recipes: the `variant` table.

use std::collections::BTreeSet;

use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Query};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, NotSet, Order, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    Select,
};
use tonearm_domain::{KeyScope, OrganizationId, Recipe, TrackId, VariantId, VariantIndex};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::column::parsed;
use crate::ending::one_to_end;
use crate::entity::variant::{ActiveModel, Column, Entity};
use crate::entity::{organization, track};
use crate::error::{CatalogError, Record};
use crate::files::BATCH;
use crate::living::{living_track, names_living_track};
use crate::query::{TO_CHANGE, change, one, readable};
use crate::transaction::Transaction;

fn living() -> Select<Entity> {
    Entity::find().filter(Column::DeletedAt.is_null())
}

fn for_organization(organization: OrganizationId) -> Condition {
    Condition::all().add(Column::OrganizationId.eq(organization.uuid())).add(Column::TrackId.is_null())
}

/// The recipes of the organization itself.
pub(crate) fn of_organization(organization: OrganizationId) -> Select<Entity> {
    living().filter(for_organization(organization))
}

/// The organization's row, whose lock stands for all of its recipes.
fn row_of(organization: OrganizationId) -> Select<organization::Entity> {
    organization::Entity::find_by_id(organization.uuid()).select_only().column(organization::Column::Id)
}

fn by_id(organization: OrganizationId, id: VariantId) -> Select<Entity> {
    living().filter(Column::Id.eq(id.uuid())).filter(Column::OrganizationId.eq(organization.uuid()))
}

/// The organization's recipes, then the track's own.
fn for_track(organization: OrganizationId, track: TrackId) -> Select<Entity> {
    let own = Condition::all()
        .add(Column::TrackId.eq(track.uuid()))
        .add(Column::OrganizationId.eq(organization.uuid()));
    in_order(living().filter(Condition::any().add(for_organization(organization)).add(own)))
}

/// Sorts the organization's recipes before those of a track, each by position.
fn in_order(select: Select<Entity>) -> Select<Entity> {
    select
        .order_by(Expr::col(Column::TrackId).is_not_null(), Order::Asc)
        .order_by_asc(Column::Position)
        .order_by_asc(Column::Id)
}

impl Catalog {
    /// The recipes that apply to every track of the organization, in their order.
    pub async fn recipes(&self, organization: OrganizationId) -> Result<Vec<Recipe>, CatalogError> {
        readable(self.reader(), in_order(of_organization(organization))).await
    }

    /// The recipes that apply to one track: the organization's, then its own.
    pub async fn recipes_for_track(
        &self,
        organization: OrganizationId,
        track: TrackId,
    ) -> Result<Vec<Recipe>, CatalogError> {
        readable(self.reader(), for_track(organization, track)).await
    }

    /// One recipe of the organization or of one of its tracks.
    pub async fn recipe(
        &self,
        organization: OrganizationId,
        id: VariantId,
    ) -> Result<Option<Recipe>, CatalogError> {
        one(self.reader(), by_id(organization, id)).await
    }
}

impl Transaction {
    /// The recipes that apply to every track of the organization, in their order.
    pub async fn recipes(&self, organization: OrganizationId) -> Result<Vec<Recipe>, CatalogError> {
        readable(self.db(), in_order(of_organization(organization))).await
    }

    /// Those of the names, however many there are and whatever they contain, that are variants from tracks' own recipes,
    /// besides the organization's recipes. Includes any track in the scope. Sorted by name.
    pub async fn own_variants(
        &self,
        organization: OrganizationId,
        scope: KeyScope,
        names: &[&str],
    ) -> Result<Vec<VariantIndex>, CatalogError> {
        let mut tracks = Query::select()
            .column(track::Column::Id)
            .from(track::Entity)
            .and_where(track::Column::OrganizationId.eq(organization.uuid()))
            .cond_where(living_track())
            .take();
        if let Some(collection) = scope.collection() {
            tracks.and_where(track::Column::CollectionId.eq(collection.uuid()));
        }
        if let Some(id) = scope.track() {
            tracks.and_where(track::Column::Id.eq(id.uuid()));
        }
        let names: BTreeSet<&str> =
            names.iter().copied().filter(|name| name.parse::<VariantIndex>().is_ok()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let mut own = Vec::new();
        for batch in names.chunks(BATCH) {
            let found: Vec<String> = living()
                .select_only()
                .column(Column::Index)
                .distinct()
                .filter(Column::OrganizationId.eq(organization.uuid()))
                .filter(Column::Index.is_in(batch.iter().copied()))
                .filter(Column::TrackId.in_subquery(tracks.clone()))
                .order_by_asc(Column::Index)
                .into_tuple()
                .all(self.db())
                .await?;
            for index in &found {
                own.push(parsed("variant.index", index)?);
            }
        }
        Ok(own)
    }

    /// Adds a recipe. Its index must be free: a recipe of the organization must not share it with any other recipe, and
    /// a recipe of a track not with a recipe of the organization or of the same track.
    pub async fn insert_recipe(&self, recipe: &Recipe) -> Result<(), CatalogError> {
        self.refuse_taken_index(recipe).await?;
        self.note(Change::Recipes(recipe.organization_id));
        Entity::insert(ActiveModel::try_from(recipe)?)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::VariantIndex))?;
        Ok(())
    }

    /// Writes the index, settings and position of a recipe. The recipe must exist and its index must be free.
    pub async fn update_recipe(&self, recipe: &Recipe) -> Result<(), CatalogError> {
        self.refuse_taken_index(recipe).await?;
        self.note(Change::Recipes(recipe.organization_id));
        let mut row = ActiveModel::try_from(recipe)?;
        (row.id, row.organization_id) = (NotSet, NotSet);
        (row.track_id, row.created_at) = (NotSet, NotSet);
        let update = Entity::update_many()
            .set(row)
            .filter(Column::Id.eq(recipe.id.uuid()))
            .filter(Column::OrganizationId.eq(recipe.organization_id.uuid()))
            .filter(Column::DeletedAt.is_null());
        change(self.db(), update, Record::Variant).await
    }

    /// The recipes that apply to one track. No recipe can be added, changed or removed until the end of the
    /// transaction. Any number of transactions may hold this lock at once.
    pub async fn recipes_for_track(
        &self,
        organization: OrganizationId,
        track: TrackId,
    ) -> Result<Vec<Recipe>, CatalogError> {
        self.hold_recipes(organization, LockType::Share).await?;
        readable(self.db(), for_track(organization, track)).await
    }

    /// The recipes that apply to every track of the organization, in their order. They do not change until the
    /// transaction ends.
    pub async fn recipes_to_follow(&self, organization: OrganizationId) -> Result<Vec<Recipe>, CatalogError> {
        self.hold_recipes(organization, LockType::Share).await?;
        self.recipes(organization).await
    }

    /// One recipe, which does not change until the transaction ends.
    pub async fn recipe_to_follow(
        &self,
        organization: OrganizationId,
        id: VariantId,
    ) -> Result<Option<Recipe>, CatalogError> {
        self.hold_recipes(organization, LockType::Share).await?;
        one(self.db(), by_id(organization, id)).await
    }

    /// Holds the recipes of an organization, unless somebody is changing them.
    pub async fn try_hold_recipes(&self, organization: OrganizationId) -> Result<bool, CatalogError> {
        let locked = row_of(organization).lock_with_behavior(LockType::Share, LockBehavior::SkipLocked);
        Ok(locked.into_tuple::<Uuid>().one(self.db()).await?.is_some())
    }

    /// Locks all recipes of an organization. `None` if the organization does not exist.
    async fn hold_recipes(
        &self,
        organization: OrganizationId,
        lock: LockType,
    ) -> Result<Option<Uuid>, CatalogError> {
        Ok(row_of(organization).lock(lock).into_tuple::<Uuid>().one(self.db()).await?)
    }

    /// One recipe, locked for a change together with all others of the organization.
    pub async fn recipe(
        &self,
        organization: OrganizationId,
        id: VariantId,
    ) -> Result<Option<Recipe>, CatalogError> {
        self.lock_recipes(organization).await?;
        one(self.db(), by_id(organization, id)).await
    }

    /// The same, for removing the recipe.
    pub async fn recipe_to_end(
        &self,
        organization: OrganizationId,
        id: VariantId,
    ) -> Result<Option<Recipe>, CatalogError> {
        self.lock_recipes(organization).await?;
        one_to_end(self.db(), by_id(organization, id)).await
    }

    /// Refuses an index that is taken. A recipe of the organization and a recipe of a track must not share an index
    /// either, which no unique index can enforce. Tracks of a deleted collection are ignored: their recipes give way
    /// when it is restored.
    async fn refuse_taken_index(&self, recipe: &Recipe) -> Result<(), CatalogError> {
        self.lock_recipes(recipe.organization_id).await?;
        let mut rivals = living()
            .filter(Column::OrganizationId.eq(recipe.organization_id.uuid()))
            .filter(Column::Index.eq(recipe.index.as_str()))
            .filter(Column::Id.ne(recipe.id.uuid()))
            .filter(Column::TrackId.is_null().or(names_living_track(Expr::col((Entity, Column::TrackId)))));
        if let Some(track) = recipe.track_id {
            let of_both = Column::TrackId.is_null().or(Column::TrackId.eq(track.uuid()));
            rivals = rivals.filter(of_both);
        }
        match rivals.count(self.db()).await? {
            0 => Ok(()),
            _ => Err(CatalogError::Taken(Record::VariantIndex)),
        }
    }

    /// Locks all recipes of an organization. Its recipes are added one at a time, so that the result of a look-up stays
    /// true.
    pub async fn lock_recipes(&self, organization: OrganizationId) -> Result<(), CatalogError> {
        let held = self.hold_recipes(organization, TO_CHANGE).await?;
        held.map(|_| ()).ok_or(CatalogError::Missing(Record::Organization))
    }
}
