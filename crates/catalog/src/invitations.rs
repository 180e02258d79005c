//! One-time links: invitations to organizations, and links for a new password. Only hashes of their secrets are stored.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use tonearm_domain::{EmailAddress, Invitation, InvitationId, OrganizationId, PersonId, Timestamp};

use crate::catalog::Catalog;
use crate::entity::invitation::{ActiveModel, Column, Entity, FIRST_ADMINISTRATOR, MEMBER, NEW_PASSWORD};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, all, change, one, readable};
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
        readable(self.reader(), select).await
    }
}

impl Transaction {
    /// The link whose secret has this SHA-256, even if it was used or has expired. It is not locked.
    pub async fn invitation_by_hash(&self, hash: &[u8; 32]) -> Result<Option<Invitation>, CatalogError> {
        one(self.db(), Entity::find().filter(Column::TokenHash.eq(hash.to_vec()))).await
    }

    /// At most `most` of the valid links to organizations that were created for an email address, in the order of the
    /// organizations. They are not locked.
    pub async fn open_invitations_for(
        &self,
        email: &EmailAddress,
        now: Timestamp,
        most: u64,
    ) -> Result<Vec<Invitation>, CatalogError> {
        let select = Entity::find()
            .filter(Column::Email.eq(email.as_str()))
            .filter(Column::Purpose.eq(MEMBER))
            .filter(Column::UsedAt.is_null())
            .filter(Column::ExpiresAt.gt(now.unix_millis()))
            .order_by_asc(Column::OrganizationId)
            .order_by_asc(Column::Id)
            .limit(most);
        all(self.db(), select).await
    }

    /// One link, locked, so that it is used only once. Lock first what its maker's right depends on: whoever ends that
    /// right locks in this order, too.
    pub async fn invitation(&self, id: InvitationId) -> Result<Option<Invitation>, CatalogError> {
        one(self.db(), Entity::find_by_id(id.uuid()).lock(TO_CHANGE)).await
    }

    /// Locks all links for the first administrator, so that only one of them is used.
    pub async fn lock_first_administrator_links(&self) -> Result<(), CatalogError> {
        let links = Entity::find().filter(Column::Purpose.eq(FIRST_ADMINISTRATOR));
        links.order_by_asc(Column::Id).lock(TO_CHANGE).all(self.db()).await?;
        Ok(())
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
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let of_id = Column::Id.eq(id.uuid()).and(Column::OrganizationId.eq(organization.uuid()));
        self.end_unused(of_id, now).await
    }

    /// Deletes unused links. Those that were tried with the addresses of existing accounts stay as used ones, for
    /// [`Self::taken_addresses`]. Returns whether there were any.
    async fn end_unused(&self, which: SimpleExpr, now: Timestamp) -> Result<bool, CatalogError> {
        let used = Entity::update_many()
            .col_expr(Column::UsedAt, Expr::value(now.unix_millis()))
            .filter(which.clone())
            .filter(Column::UsedAt.is_null())
            .filter(Column::TakenAddresses.gt(0))
            .exec(self.db())
            .await?;
        let deleted =
            Entity::delete_many().filter(which).filter(Column::UsedAt.is_null()).exec(self.db()).await?;
        Ok(used.rows_affected + deleted.rows_affected > 0)
    }

    /// How often the invitations of an organization were tried with the addresses of existing accounts. The result is only
    /// reliable while the organization is locked.
    pub async fn taken_addresses(&self, organization: OrganizationId) -> Result<i64, CatalogError> {
        let tried = Entity::find()
            .select_only()
            .column(Column::TakenAddresses)
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::TakenAddresses.gt(0))
            .limit(Invitation::MOST_TAKEN_ADDRESSES_TOGETHER.unsigned_abs());
        let tried: Vec<i32> = tried.into_tuple().all(self.db()).await?;
        Ok(tried.into_iter().map(i64::from).sum())
    }

    /// Counts that an invitation was tried with the address of an existing account. After
    /// [`Invitation::MOST_TAKEN_ADDRESSES`] times, it counts as used. Returns whether it is still valid.
    pub async fn note_taken_address(&self, id: InvitationId, now: Timestamp) -> Result<bool, CatalogError> {
        let update = Entity::update_many()
            .col_expr(Column::TakenAddresses, Expr::col(Column::TakenAddresses).add(1))
            .filter(Column::Id.eq(id.uuid()));
        change(self.db(), update, Record::Invitation).await?;
        let over = Entity::update_many()
            .col_expr(Column::UsedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::TakenAddresses.gt(Invitation::MOST_TAKEN_ADDRESSES));
        Ok(over.exec(self.db()).await?.rows_affected == 0)
    }

    /// Revokes the unused links that a person created, and the invitations that were made for the person's address. With
    /// an organization, only those to it.
    pub async fn delete_invitations_of(
        &self,
        person: PersonId,
        organization: Option<OrganizationId>,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        use crate::entity::person;
        let address = Query::select()
            .column(person::Column::Email)
            .from(person::Entity)
            .and_where(person::Column::Id.eq(person.uuid()))
            .take();
        let own = Column::CreatedBy.eq(person.uuid()).or(Column::Email.in_subquery(address));
        let which = match organization {
            Some(organization) => own.and(Column::OrganizationId.eq(organization.uuid())),
            None => own,
        };
        self.end_unused(which, now).await.map(drop)
    }

    /// Revokes the unused links that a person created.
    pub async fn delete_links_by(&self, maker: PersonId, now: Timestamp) -> Result<(), CatalogError> {
        self.end_unused(Column::CreatedBy.eq(maker.uuid()), now).await.map(drop)
    }

    /// Revokes the unused links for new passwords that a person created.
    pub async fn delete_password_links_by(&self, maker: PersonId) -> Result<(), CatalogError> {
        Entity::delete_many()
            .filter(Column::CreatedBy.eq(maker.uuid()))
            .filter(Column::Purpose.eq(NEW_PASSWORD))
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
