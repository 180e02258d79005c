//! API keys. Only hashes of the secrets are stored.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, Set};
use tonearm_domain::{ApiKey, ApiKeyId, OrganizationId, Timestamp};

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::entity::api_key::{ActiveModel, Column, Entity};
use crate::error::{CatalogError, Record};
use crate::query::{all, one};
use crate::transaction::Transaction;

impl Catalog {
    /// The key whose secret has this SHA-256, even if it is revoked or has expired.
    pub async fn api_key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<ApiKey>, CatalogError> {
        one(self.reader(), Entity::find().filter(Column::KeyHash.eq(hash.to_vec()))).await
    }

    /// Every key of the organization, also revoked and expired ones, oldest first.
    pub async fn api_keys(&self, organization: OrganizationId) -> Result<Vec<ApiKey>, CatalogError> {
        let select =
            Entity::find().filter(Column::OrganizationId.eq(organization.uuid())).order_by_asc(Column::Id);
        all(self.reader(), select).await
    }
}

impl Transaction {
    /// Adds a key, known by the SHA-256 of its secret.
    pub async fn insert_api_key(&self, key: &ApiKey, hash: &[u8; 32]) -> Result<(), CatalogError> {
        let mut row = ActiveModel::try_from(key)?;
        row.key_hash = Set(hash.to_vec());
        Entity::insert(row)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::ApiKey))?;
        Ok(())
    }

    /// Revokes a key. Tells whether it was there and not revoked yet.
    pub async fn revoke_api_key(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        self.note(Change::ApiKeys(organization));
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
    /// Notes when keys were last used. Moments only move forward.
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
