//! API keys. Only hashes of the secrets are stored.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, Set,
};
use tonearm_domain::{ApiKey, ApiKeyId, KeyType, LimitOffset, OrganizationId, Timestamp};

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::entity::api_key::{ActiveModel, Column, Entity};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, all, change, one, page};
use crate::transaction::Transaction;

fn by_id(organization: OrganizationId, id: ApiKeyId) -> Select<Entity> {
    Entity::find_by_id(id.uuid()).filter(Column::OrganizationId.eq(organization.uuid()))
}

fn of_organization(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization.uuid())).order_by_asc(Column::Id)
}

impl Catalog {
    /// The key whose secret has this SHA-256, even if it is revoked or has expired.
    pub async fn api_key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<ApiKey>, CatalogError> {
        one(self.reader(), Entity::find().filter(Column::KeyHash.eq(hash.to_vec()))).await
    }

    /// All keys of the organization, including revoked and expired ones, oldest first.
    pub async fn api_keys(&self, organization: OrganizationId) -> Result<Vec<ApiKey>, CatalogError> {
        all(self.reader(), of_organization(organization)).await
    }

    /// The number of the organization's keys, of one type or of all types, and a page of them, oldest first. Revoked
    /// and expired keys are included.
    pub async fn api_key_page(
        &self,
        organization: OrganizationId,
        key_type: Option<KeyType>,
        window: LimitOffset,
    ) -> Result<(u64, Vec<ApiKey>), CatalogError> {
        let select = of_organization(organization)
            .apply_if(key_type, |select, only| select.filter(Column::ApiKeyTypeId.eq(only.as_str())));
        page(self.reader(), select, window).await
    }

    /// One key of the organization, even if it is revoked or has expired.
    pub async fn api_key(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<Option<ApiKey>, CatalogError> {
        one(self.reader(), by_id(organization, id)).await
    }
}

impl Transaction {
    /// Adds a key, identified by the SHA-256 of its secret.
    pub async fn insert_api_key(&self, key: &ApiKey, hash: &[u8; 32]) -> Result<(), CatalogError> {
        let mut row = ActiveModel::try_from(key)?;
        row.key_hash = Set(hash.to_vec());
        Entity::insert(row)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::ApiKey))?;
        Ok(())
    }

    /// One key of the organization, locked for a change.
    pub async fn api_key(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<Option<ApiKey>, CatalogError> {
        one(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// Updates the title, selection, downloads, expiry and allowed origins of a key. It must exist.
    pub async fn update_api_key(&self, key: &ApiKey) -> Result<(), CatalogError> {
        self.note(Change::ApiKeys(key.organization_id));
        let all = ActiveModel::try_from(key)?;
        let row = ActiveModel {
            title: all.title,
            selection: all.selection,
            is_downloadable: all.is_downloadable,
            expires_at: all.expires_at,
            allowed_origins: all.allowed_origins,
            ..Default::default()
        };
        let update = Entity::update_many()
            .set(row)
            .filter(Column::Id.eq(key.id.uuid()))
            .filter(Column::OrganizationId.eq(key.organization_id.uuid()));
        change(self.db(), update, Record::ApiKey).await
    }

    /// Revokes a key. Returns whether it existed and was not revoked yet.
    pub async fn revoke_api_key(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        self.end_old_api_key(organization, id).await?;
        let revoked = Entity::update_many()
            .col_expr(Column::RevokedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::RevokedAt.is_null())
            .exec(self.db())
            .await?;
        Ok(revoked.rows_affected > 0)
    }
}

impl Catalog {
    /// Records when keys were last used. An earlier time never replaces a later one.
    pub async fn note_keys_used(&self, used: &[(ApiKeyId, Timestamp)]) -> Result<(), CatalogError> {
        let tx = self.begin().await?;
        for (id, at) in used {
            let earlier = Condition::any()
                .add(Column::LastUsedAt.is_null())
                .add(Column::LastUsedAt.lt(at.unix_millis()));
            Entity::update_many()
                .col_expr(Column::LastUsedAt, Expr::value(at.unix_millis()))
                .filter(Column::Id.eq(id.uuid()))
                .filter(earlier)
                .exec(tx.db())
                .await?;
        }
        tx.commit().await
    }
}
