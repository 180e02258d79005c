//! Previous secrets of API keys. Each key has at most one that still works.

use std::collections::HashMap;

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set};
use tonearm_domain::{ApiKey, ApiKeyId, OrganizationId, Timestamp};

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::column::moment;
use crate::entity::api_key;
use crate::entity::old_api_key::{ActiveModel, Column, Entity};
use crate::error::{CatalogError, Record};
use crate::query::{change, one};
use crate::transaction::Transaction;

impl Catalog {
    /// The key whose previous secret has this SHA-256. The returned key expires when that secret does, or earlier.
    pub async fn api_key_by_old_hash(&self, hash: &[u8; 32]) -> Result<Option<ApiKey>, CatalogError> {
        let select = Entity::find().filter(Column::KeyHash.eq(hash.to_vec()));
        let Some(old) = select.one(self.reader()).await? else { return Ok(None) };
        let until = moment("old_api_key.valid_until", old.valid_until)?;
        let found: Option<ApiKey> = one(self.reader(), api_key::Entity::find_by_id(old.api_key_id)).await?;
        Ok(found.map(|key| {
            let ends = key.expires_at.map_or(until, |at| at.min(until));
            ApiKey { expires_at: Some(ends), ..key }
        }))
    }

    /// Until when the old secrets of keys work. Keys without an old secret are left out. A secret that has expired may
    /// still be listed.
    pub async fn old_keys_until(
        &self,
        ids: &[ApiKeyId],
    ) -> Result<HashMap<ApiKeyId, Timestamp>, CatalogError> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let select = Entity::find().filter(Column::ApiKeyId.is_in(ids.iter().map(|id| id.uuid())));
        let rows = select.all(self.reader()).await?.into_iter();
        let read = rows.map(|row| {
            Ok((ApiKeyId::from_uuid(row.api_key_id), moment("old_api_key.valid_until", row.valid_until)?))
        });
        read.collect()
    }
}

impl Transaction {
    /// Until when the old secret of a key works, if it has one. The caller must have locked the key.
    pub async fn old_api_key_until(&self, id: ApiKeyId) -> Result<Option<Timestamp>, CatalogError> {
        let found = Entity::find_by_id(id.uuid()).one(self.db()).await?;
        found.map(|row| moment("old_api_key.valid_until", row.valid_until)).transpose()
    }

    /// Replaces the secret of a key, which must exist and be locked. The previous secret works until `old_until`; with
    /// `None` it stops working at once.
    pub async fn replace_api_key_hash(
        &self,
        key: &ApiKey,
        hash: &[u8; 32],
        old_until: Option<Timestamp>,
    ) -> Result<(), CatalogError> {
        self.end_old_api_key(key.organization_id, key.id).await?;
        if let Some(until) = old_until {
            let row = api_key::Entity::find_by_id(key.id.uuid()).one(self.db()).await?;
            let before = row.ok_or(CatalogError::Missing(Record::ApiKey))?.key_hash;
            let old = ActiveModel {
                api_key_id: Set(key.id.uuid()),
                key_hash: Set(before),
                valid_until: Set(until.unix_millis()),
            };
            Entity::insert(old).exec_without_returning(self.db()).await?;
        }
        let update = api_key::Entity::update_many()
            .col_expr(api_key::Column::KeyHash, Expr::value(hash.to_vec()))
            .filter(api_key::Column::Id.eq(key.id.uuid()))
            .filter(api_key::Column::OrganizationId.eq(key.organization_id.uuid()));
        change(self.db(), update, Record::ApiKey).await
    }

    /// Revokes the old secret of a key. Returns whether it had one.
    pub async fn end_old_api_key(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<bool, CatalogError> {
        self.note(Change::ApiKeys(organization));
        Ok(Entity::delete_by_id(id.uuid()).exec(self.db()).await?.rows_affected > 0)
    }
}
