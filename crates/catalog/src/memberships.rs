//! Who belongs to which organization.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, TryInsertResult,
};
use tonearm_domain::{Membership, Organization, OrganizationId, Person, PersonId, Role};

use crate::catalog::Catalog;
use crate::entity::membership::{ActiveModel, Column, Entity};
use crate::entity::{organization, person};
use crate::error::CatalogError;
use crate::query::one;
use crate::transaction::Transaction;

impl Catalog {
    /// The organizations that a person belongs to with the role in each, by name.
    pub async fn organizations_of(
        &self,
        person: PersonId,
    ) -> Result<Vec<(Organization, Role)>, CatalogError> {
        let rows = Entity::find()
            .find_also_related(organization::Entity)
            .filter(Column::PersonId.eq(person.uuid()))
            .order_by_asc(organization::Column::Name)
            .order_by_asc(organization::Column::Id)
            .all(self.reader())
            .await?;
        let found = rows.into_iter().filter_map(|(row, organization)| Some((row, organization?)));
        found.map(|(row, found)| Ok((found.try_into()?, Membership::try_from(row)?.role))).collect()
    }

    /// The members of an organization, in the order in which they came.
    pub async fn members(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<(Person, Membership)>, CatalogError> {
        let rows = Entity::find()
            .find_also_related(person::Entity)
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .order_by_asc(Column::CreatedAt)
            .order_by_asc(Column::PersonId)
            .all(self.reader())
            .await?;
        let found = rows.into_iter().filter_map(|(row, person)| Some((row, person?)));
        found.map(|(row, person)| Ok((person.try_into()?, row.try_into()?))).collect()
    }
}

impl Transaction {
    /// A person's place in an organization. Locks the organization, so that its members do not change meanwhile.
    pub async fn membership(
        &self,
        organization: OrganizationId,
        person: PersonId,
    ) -> Result<Option<Membership>, CatalogError> {
        self.organization(organization).await?;
        one(self.db(), Entity::find_by_id((organization.uuid(), person.uuid()))).await
    }

    /// How many members have a role.
    pub async fn count_members(&self, organization: OrganizationId, role: Role) -> Result<u64, CatalogError> {
        let select = Entity::find()
            .select_only()
            .column(Column::PersonId)
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::Role.eq(role.as_str()));
        Ok(select.count(self.db()).await?)
    }

    /// Makes a person a member; tells whether the person was none before. Who is one keeps the role.
    pub async fn insert_membership(&self, membership: &Membership) -> Result<bool, CatalogError> {
        let inserted = Entity::insert(ActiveModel::from(membership))
            .on_conflict_do_nothing_on([Column::OrganizationId, Column::PersonId])
            .exec_without_returning(self.db())
            .await?;
        Ok(matches!(inserted, TryInsertResult::Inserted(1..)))
    }

    /// Gives a member another role. Tells whether there is such a member.
    pub async fn set_role(
        &self,
        organization: OrganizationId,
        person: PersonId,
        role: Role,
    ) -> Result<bool, CatalogError> {
        let updated = Entity::update_many()
            .col_expr(Column::Role, Expr::value(role.as_str()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::PersonId.eq(person.uuid()))
            .exec(self.db())
            .await?;
        Ok(updated.rows_affected > 0)
    }

    /// Ends a membership. Tells whether there was one.
    pub async fn delete_membership(
        &self,
        organization: OrganizationId,
        person: PersonId,
    ) -> Result<bool, CatalogError> {
        let deleted = Entity::delete_by_id((organization.uuid(), person.uuid())).exec(self.db()).await?;
        Ok(deleted.rows_affected > 0)
    }
}
