//! One-time links: invitations to organizations, and links for a new password. Only hashes of their secrets are stored.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use tonearm_domain::{EmailAddress, Invitation, InvitationId, OrganizationId, PersonId, Timestamp};

use crate::catalog::Catalog;
use crate::entity::invitation::{ActiveModel, Column, Entity, MEMBER, NEW_PASSWORD};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, all, change, one};
use crate::transaction::Transaction;

impl Catalog {
    /// The link whose secret has this SHA-256, even if it was used or has expired.
    pub async fn invitation_by_hash(&self, hash: &[u8; 32]) -> Result<Option<Invitation>, CatalogError> {
        one(self.reader(), Entity::find().filter(Column::TokenHash.eq(hash.to_vec()))).await
    }

    /// The unused links to an organization, including expired ones, the newest first.
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
    /// At most `most` of the unused links to organizations that were created for an email address, including expired
    /// ones, locked.
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

    /// The link whose secret has this SHA-256, locked, so that it is used only once.
    pub async fn invitation_by_hash(&self, hash: &[u8; 32]) -> Result<Option<Invitation>, CatalogError> {
        one(self.db(), Entity::find().filter(Column::TokenHash.eq(hash.to_vec())).lock(TO_CHANGE)).await
    }

    /// Adds a link, identified by the SHA-256 of its secret.
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

    /// Marks a link as used.
    pub async fn note_invitation_used(&self, id: InvitationId, now: Timestamp) -> Result<(), CatalogError> {
        let update = Entity::update_many()
            .col_expr(Column::UsedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::UsedAt.is_null());
        change(self.db(), update, Record::Invitation).await
    }

    /// Revokes a link to an organization. Returns whether it existed and was unused.
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

    /// Revokes the unused links that a person created.
    pub async fn delete_invitations_by(&self, person: PersonId) -> Result<(), CatalogError> {
        Entity::delete_many()
            .filter(Column::CreatedBy.eq(person.uuid()))
            .filter(Column::UsedAt.is_null())
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Revokes the links with which a person can choose a new password.
    pub async fn delete_password_links(&self, person: PersonId) -> Result<(), CatalogError> {
        Entity::delete_many()
            .filter(Column::PersonId.eq(person.uuid()))
            .filter(Column::Purpose.eq(NEW_PASSWORD))
            .exec(self.db())
            .await?;
        Ok(())
    }
}
