//! Organizations.

use sea_orm::{ColumnTrait, EntityTrait, NotSet, QueryFilter, QueryOrder, QuerySelect, Select};
use tonearm_domain::{Organization, OrganizationId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::entity::organization::{ActiveModel, Column, Entity};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, change, one, readable};
use crate::transaction::Transaction;

fn by_id(id: OrganizationId) -> Select<Entity> {
    Entity::find_by_id(id.uuid())
}

impl Catalog {
    /// One organization.
    pub async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, CatalogError> {
        one(self.reader(), by_id(id)).await
    }

    /// Every organization, oldest first.
    pub async fn organizations(&self) -> Result<Vec<Organization>, CatalogError> {
        readable(self.reader(), Entity::find().order_by_asc(Column::Id)).await
    }
}

impl Transaction {
    /// One organization, locked for a change.
    pub async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, CatalogError> {
        one(self.db(), by_id(id).lock(TO_CHANGE)).await
    }

    /// The id of every organization, oldest first.
    pub async fn organization_ids(&self) -> Result<Vec<OrganizationId>, CatalogError> {
        let select = Entity::find().select_only().column(Column::Id).order_by_asc(Column::Id);
        let ids: Vec<Uuid> = select.into_tuple().all(self.db()).await?;
        Ok(ids.into_iter().map(OrganizationId::from_uuid).collect())
    }

    /// Adds an organization.
    pub async fn insert_organization(&self, organization: &Organization) -> Result<(), CatalogError> {
        Entity::insert(ActiveModel::try_from(organization)?)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::Organization))?;
        Ok(())
    }

    /// Writes everything except the creation time. The organization must exist.
    pub async fn update_organization(&self, organization: &Organization) -> Result<(), CatalogError> {
        let mut row = ActiveModel::try_from(organization)?;
        (row.id, row.created_at) = (NotSet, NotSet);
        let update = Entity::update_many().set(row).filter(Column::Id.eq(organization.id.uuid()));
        self.note(Change::Organization(organization.id));
        change(self.db(), update, Record::Organization).await
    }
}
