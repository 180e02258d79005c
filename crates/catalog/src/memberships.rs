//! Memberships of people in organizations.

use std::collections::HashMap;

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
    TryInsertResult,
};
use tonearm_domain::{Membership, Organization, OrganizationId, Person, PersonId, Role, Timestamp};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::ending::one_to_end;
use crate::entity::membership::{ActiveModel, Column, Entity};
use crate::entity::{organization, person, undo_entry, upload_session};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, all, one, readable};
use crate::transaction::Transaction;

/// The owners of an organization who may sign in.
fn active_owners(organization: OrganizationId) -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::PersonId)
        .inner_join(person::Entity)
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .filter(Column::Role.eq(Role::Owner.as_str()))
        .filter(person::Column::DisabledAt.is_null())
}

impl Catalog {
    /// The organizations that a person belongs to with the role in each, sorted by name.
    pub async fn organizations_of(
        &self,
        person: PersonId,
    ) -> Result<Vec<(Organization, Role)>, CatalogError> {
        let own = Entity::find().filter(Column::PersonId.eq(person.uuid()));
        let ids = own.clone().select_only().column(Column::OrganizationId).into_query();
        let organizations = organization::Entity::find()
            .filter(organization::Column::Id.in_subquery(ids))
            .order_by_asc(organization::Column::Name)
            .order_by_asc(organization::Column::Id);
        let own: Vec<Membership> = readable(self.reader(), own).await?;
        let roles: HashMap<OrganizationId, Role> =
            own.into_iter().map(|membership| (membership.organization_id, membership.role)).collect();
        let found: Vec<Organization> = readable(self.reader(), organizations).await?;
        let with_role = |found: Organization| roles.get(&found.id).map(|role| (found, *role));
        Ok(found.into_iter().filter_map(with_role).collect())
    }

    /// The members of an organization, in the order in which they joined.
    pub async fn members(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<(Person, Membership)>, CatalogError> {
        let own = Entity::find().filter(Column::OrganizationId.eq(organization.uuid()));
        let ids = own.clone().select_only().column(Column::PersonId).into_query();
        let people = person::Entity::find().filter(person::Column::Id.in_subquery(ids));
        let own = own.order_by_asc(Column::CreatedAt).order_by_asc(Column::PersonId);
        let own: Vec<Membership> = readable(self.reader(), own).await?;
        let people: Vec<Person> = readable(self.reader(), people).await?;
        let mut people: HashMap<PersonId, Person> =
            people.into_iter().map(|person| (person.id, person)).collect();
        let with_person = |own: Membership| people.remove(&own.person_id).map(|person| (person, own));
        Ok(own.into_iter().filter_map(with_person).collect())
    }
}

impl Transaction {
    /// A person's membership in an organization. Locks the organization, so that its members do not change meanwhile.
    pub async fn membership(
        &self,
        organization: OrganizationId,
        person: PersonId,
    ) -> Result<Option<Membership>, CatalogError> {
        self.organization(organization).await?;
        one(self.db(), Entity::find_by_id((organization.uuid(), person.uuid()))).await
    }

    /// The same, for ending the membership.
    pub async fn membership_to_end(
        &self,
        organization: OrganizationId,
        person: PersonId,
    ) -> Result<Option<Membership>, CatalogError> {
        self.organization(organization).await?;
        one_to_end(self.db(), Entity::find_by_id((organization.uuid(), person.uuid()))).await
    }

    /// Whether a person is an owner of an organization and may sign in. Locks the organization, so that this holds until
    /// the end of the transaction: disabling or removing an owner locks it, too.
    pub async fn is_owner(
        &self,
        organization: OrganizationId,
        person: PersonId,
    ) -> Result<bool, CatalogError> {
        self.organization(organization).await?;
        let select = active_owners(organization).filter(Column::PersonId.eq(person.uuid()));
        Ok(select.count(self.db()).await? > 0)
    }

    /// Whether a person may edit in an organization, and sign in. Locks the person, so that this holds until the end of the
    /// transaction: whoever ends it locks the person first.
    pub async fn is_editor(
        &self,
        organization: OrganizationId,
        person: PersonId,
    ) -> Result<bool, CatalogError> {
        let is_active = self.person(person).await?.is_some_and(|person| person.is_active());
        let own = Entity::find_by_id((organization.uuid(), person.uuid()));
        let own: Option<Membership> = one(self.db(), own).await?;
        Ok(is_active && own.is_some_and(|own| own.role >= Role::Editor))
    }

    /// Whether an organization has another owner who may sign in, besides this person.
    pub async fn has_owner_besides(
        &self,
        organization: OrganizationId,
        person: PersonId,
    ) -> Result<bool, CatalogError> {
        let select = active_owners(organization).filter(Column::PersonId.ne(person.uuid())).limit(1);
        Ok(select.count(self.db()).await? > 0)
    }

    /// The organizations that would have no owner who may sign in without this person, sorted by name. All
    /// organizations that the person owns are locked, so that their members do not change meanwhile.
    pub async fn organizations_owned_alone(
        &self,
        person: PersonId,
    ) -> Result<Vec<Organization>, CatalogError> {
        let owned = || {
            Entity::find()
                .select_only()
                .column(Column::OrganizationId)
                .filter(Column::PersonId.eq(person.uuid()))
                .filter(Column::Role.eq(Role::Owner.as_str()))
        };
        let locked = organization::Entity::find()
            .filter(organization::Column::Id.in_subquery(owned().into_query()))
            .order_by_asc(organization::Column::Id)
            .lock(TO_CHANGE);
        let organizations: Vec<Organization> = all(self.db(), locked).await?;
        // Queried after locking: their members may have changed while this waited for the locks.
        let has_another = Entity::find()
            .select_only()
            .column(Column::OrganizationId)
            .inner_join(person::Entity)
            .filter(Column::OrganizationId.in_subquery(owned().into_query()))
            .filter(Column::Role.eq(Role::Owner.as_str()))
            .filter(Column::PersonId.ne(person.uuid()))
            .filter(person::Column::DisabledAt.is_null());
        let still_owned: Vec<Uuid> = owned().into_tuple().all(self.db()).await?;
        let shared: Vec<Uuid> = has_another.into_tuple().all(self.db()).await?;
        let is_alone = |id: Uuid| still_owned.contains(&id) && !shared.contains(&id);
        let mut alone: Vec<Organization> =
            organizations.into_iter().filter(|found| is_alone(found.id.uuid())).collect();
        alone.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(alone)
    }

    /// The organizations of which a person is a member.
    pub async fn organizations_with(&self, person: PersonId) -> Result<Vec<OrganizationId>, CatalogError> {
        let select = Entity::find()
            .select_only()
            .column(Column::OrganizationId)
            .filter(Column::PersonId.eq(person.uuid()));
        let ids: Vec<Uuid> = select.into_tuple().all(self.db()).await?;
        Ok(ids.into_iter().map(OrganizationId::from_uuid).collect())
    }

    /// Makes a person a member. Returns `false` if the person already was one; the role is then unchanged.
    pub async fn insert_membership(&self, membership: &Membership) -> Result<bool, CatalogError> {
        let inserted = Entity::insert(ActiveModel::from(membership))
            .on_conflict_do_nothing_on([Column::OrganizationId, Column::PersonId])
            .exec_without_returning(self.db())
            .await?;
        Ok(matches!(inserted, TryInsertResult::Inserted(1..)))
    }

    /// Ends what a person has left open with the role of an editor: upload sessions, uploads, imports, and changes that can
    /// be undone. With an organization, only there.
    pub async fn end_editing(
        &self,
        person: PersonId,
        organization: Option<OrganizationId>,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        let mut sessions = upload_session::Entity::update_many()
            .col_expr(upload_session::Column::ExpiresAt, Expr::value(now.unix_millis()))
            .filter(upload_session::Column::PersonId.eq(person.uuid()))
            .filter(upload_session::Column::ExpiresAt.gt(now.unix_millis()));
        let mut undo =
            undo_entry::Entity::delete_many().filter(undo_entry::Column::PersonId.eq(person.uuid()));
        if let Some(organization) = organization {
            sessions = sessions.filter(upload_session::Column::OrganizationId.eq(organization.uuid()));
            undo = undo.filter(undo_entry::Column::OrganizationId.eq(organization.uuid()));
        }
        sessions.exec(self.db()).await?;
        undo.exec(self.db()).await?;
        self.end_uploads_of_person(person, organization, now).await
    }

    /// Changes the role of a member. Returns whether there is such a member.
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

    /// Deletes a membership. Returns whether there was one.
    pub async fn delete_membership(
        &self,
        organization: OrganizationId,
        person: PersonId,
    ) -> Result<bool, CatalogError> {
        let deleted = Entity::delete_by_id((organization.uuid(), person.uuid())).exec(self.db()).await?;
        Ok(deleted.rows_affected > 0)
    }
}
