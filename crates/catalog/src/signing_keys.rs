//! Keys that organizations sign delivery URLs with. The texts of the keys are derived and never stored.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use tonearm_domain::{ApiKeyId, LimitOffset, OrganizationId, ShortId, SigningKey, Timestamp};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::parsed;
use crate::entity::signing_key::{ActiveModel, Column, Entity};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, all, one, page};
use crate::transaction::Transaction;

fn of_organization(organization: OrganizationId) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id)
}

fn by_id(organization: OrganizationId, id: ShortId) -> Select<Entity> {
    Entity::find_by_id(id.to_string()).filter(Column::OrganizationId.eq(organization.uuid()))
}

fn is_live(now: Timestamp) -> Condition {
    let lasts =
        Condition::any().add(Column::ExpiresAt.is_null()).add(Column::ExpiresAt.gt(now.unix_millis()));
    Condition::all().add(Column::RevokedAt.is_null()).add(lasts)
}

impl Catalog {
    /// Every signing key of the organization, including revoked ones, oldest first.
    pub async fn signing_keys(&self, organization: OrganizationId) -> Result<Vec<SigningKey>, CatalogError> {
        all(self.reader(), of_organization(organization)).await
    }

    /// The number of signing keys of the organization, including revoked ones, and a page of them, oldest first.
    pub async fn signing_key_page(
        &self,
        organization: OrganizationId,
        window: LimitOffset,
    ) -> Result<(u64, Vec<SigningKey>), CatalogError> {
        page(self.reader(), of_organization(organization), window).await
    }

    /// One signing key of the organization, even if it is revoked.
    pub async fn signing_key(
        &self,
        organization: OrganizationId,
        id: ShortId,
    ) -> Result<Option<SigningKey>, CatalogError> {
        one(self.reader(), by_id(organization, id)).await
    }

    /// The ids of all signing keys of all organizations that are neither revoked nor expired, in a fixed order.
    pub async fn live_signing_keys(
        &self,
        now: Timestamp,
    ) -> Result<Vec<(OrganizationId, ShortId)>, CatalogError> {
        let select = Entity::find()
            .select_only()
            .columns([Column::OrganizationId, Column::Id])
            .filter(is_live(now))
            .order_by_asc(Column::Id);
        let rows: Vec<(Uuid, String)> = select.into_tuple().all(self.reader()).await?;
        rows.into_iter()
            .map(|(organization, id)| {
                Ok((OrganizationId::from_uuid(organization), parsed("signing_key.id", &id)?))
            })
            .collect()
    }
}

impl Transaction {
    /// One signing key of the organization, locked for a change.
    pub async fn signing_key(
        &self,
        organization: OrganizationId,
        id: ShortId,
    ) -> Result<Option<SigningKey>, CatalogError> {
        one(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// The signing keys that an API key made and that are not revoked, locked for a change.
    pub async fn signing_keys_made_by(
        &self,
        organization: OrganizationId,
        maker: ApiKeyId,
    ) -> Result<Vec<SigningKey>, CatalogError> {
        let made = of_organization(organization)
            .filter(Column::MadeByKey.eq(maker.uuid()))
            .filter(Column::RevokedAt.is_null());
        all(self.db(), made.lock(TO_CHANGE)).await
    }

    /// How many signing keys of the organization are neither revoked nor expired.
    pub async fn count_live_signing_keys(
        &self,
        organization: OrganizationId,
        now: Timestamp,
    ) -> Result<u64, CatalogError> {
        let live = Entity::find().filter(Column::OrganizationId.eq(organization.uuid())).filter(is_live(now));
        Ok(live.count(self.db()).await?)
    }

    /// Adds a signing key.
    pub async fn insert_signing_key(&self, key: &SigningKey) -> Result<(), CatalogError> {
        Entity::insert(ActiveModel::from(key))
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::SigningKey))?;
        Ok(())
    }

    /// Revokes a signing key. Returns whether it existed and was not revoked yet.
    pub async fn revoke_signing_key(
        &self,
        organization: OrganizationId,
        id: ShortId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let revoked = Entity::update_many()
            .col_expr(Column::RevokedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.to_string()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::RevokedAt.is_null())
            .exec(self.db())
            .await?;
        Ok(revoked.rows_affected > 0)
    }
}
