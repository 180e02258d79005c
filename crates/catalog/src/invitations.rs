//! Links that let somebody in once. Only hashes of their secrets are stored.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use tonearm_domain::{EmailAddress, Invitation, InvitationId, OrganizationId, PersonId, Timestamp};

use crate::catalog::Catalog;
use crate::entity::invitation::{ActiveModel, Column, Entity, MEMBER, NEW_PASSWORD};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, all, change, one};
use crate::transaction::Transaction;

impl Catalog {
    /// The link whose secret has this SHA-256, even if it was used or is over.
    pub async fn invitation_by_hash(&self, hash: &[u8; 32]) -> Result<Option<Invitation>, CatalogError> {
        one(self.reader(), Entity::find().filter(Column::TokenHash.eq(hash.to_vec()))).await
    }

    /// The links to an organization that nobody has used, also those that are over, the last one first.
    pub async fn open_invitations(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<Invitation>, CatalogError> {
        let select = Entity::find()
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::Purpose.eq(MEMBER))
            .filter(Column::UsedAt.is_null())
            .order_by_desc(Column::Id);
        all(self.reader(), select).await
    }
}

impl Transaction {
    /// The links to organizations that were made for an address and that nobody has used, also those that are over, locked.
    /// At most `most` of them.
    pub async fn open_invitations_for(
        &self,
        email: &EmailAddress,
        most: u64,
    ) -> Result<Vec<Invitation>, CatalogError> {
        let select = Entity::find()
            .filter(Column::Email.eq(email.as_str()))
            .filter(Column::Purpose.eq(MEMBER))
            .filter(Column::UsedAt.is_null())
            .limit(most)
            .lock(TO_CHANGE);
        all(self.db(), select).await
    }

    /// The link whose secret has this SHA-256, locked, so that it is used once.
    pub async fn invitation_by_hash(&self, hash: &[u8; 32]) -> Result<Option<Invitation>, CatalogError> {
        one(self.db(), Entity::find().filter(Column::TokenHash.eq(hash.to_vec())).lock(TO_CHANGE)).await
    }

    /// Adds a link, known by the SHA-256 of its secret.
    pub async fn insert_invitation(
        &self,
        invitation: &Invitation,
        hash: &[u8; 32],
    ) -> Result<(), CatalogError> {
        let mut row = ActiveModel::from(invitation);
        row.token_hash = Set(hash.to_vec());
        Entity::insert(row).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Notes that a link was used.
    pub async fn note_invitation_used(&self, id: InvitationId, now: Timestamp) -> Result<(), CatalogError> {
        let update = Entity::update_many()
            .col_expr(Column::UsedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::UsedAt.is_null());
        change(self.db(), update, Record::Invitation).await
    }

    /// Takes a link to an organization back. Tells whether it was there and not used yet.
    pub async fn delete_invitation(
        &self,
        organization: OrganizationId,
        id: InvitationId,
    ) -> Result<bool, CatalogError> {
        let deleted = Entity::delete_many()
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::UsedAt.is_null())
            .exec(self.db())
            .await?;
        Ok(deleted.rows_affected > 0)
    }

    /// Takes back the links that a person made and nobody has used.
    pub async fn delete_invitations_by(&self, person: PersonId) -> Result<(), CatalogError> {
        Entity::delete_many()
            .filter(Column::CreatedBy.eq(person.uuid()))
            .filter(Column::UsedAt.is_null())
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Takes back the links that let a person choose a new password.
    pub async fn delete_password_links(&self, person: PersonId) -> Result<(), CatalogError> {
        Entity::delete_many()
            .filter(Column::PersonId.eq(person.uuid()))
            .filter(Column::Purpose.eq(NEW_PASSWORD))
            .exec(self.db())
            .await?;
        Ok(())
    }
}
