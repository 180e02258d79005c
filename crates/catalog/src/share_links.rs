//! The share links of a track or a collection, and the texts of their keys, sealed.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QueryTrait, Set};
use tonearm_domain::{ApiKey, ApiKeyId, KeyType, OrganizationId, ShareTarget};

use crate::catalog::Catalog;
use crate::entity::{api_key, share_key_text};
use crate::error::CatalogError;
use crate::query::{checked, first_readable};
use crate::transaction::Transaction;

impl Catalog {
    /// The share keys that are for exactly this track or collection and are not revoked, the newest first, at most `limit`;
    /// with `before`, those that are older than that key.
    pub async fn share_keys(
        &self,
        organization: OrganizationId,
        target: ShareTarget,
        before: Option<ApiKeyId>,
        limit: u64,
    ) -> Result<Vec<ApiKey>, CatalogError> {
        use api_key::{Column, Entity};
        let select = Entity::find()
            .filter(checked(Column::OrganizationId.eq(organization.uuid())))
            .filter(Column::ApiKeyTypeId.eq(KeyType::Share.as_str()))
            .filter(Column::RevokedAt.is_null());
        let select = match target {
            ShareTarget::Track(id) => select.filter(Column::TrackId.eq(id.uuid())),
            ShareTarget::Collection(id) => {
                select.filter(Column::TrackId.is_null()).filter(Column::CollectionId.eq(id.uuid()))
            }
        };
        let select = select
            .apply_if(before, |select, before| select.filter(Column::Id.lt(before.uuid())))
            .order_by_desc(Column::Id);
        first_readable(self.reader(), select, limit).await
    }

    /// The sealed texts of keys. Keys without one are left out.
    pub async fn share_key_texts(
        &self,
        ids: &[ApiKeyId],
    ) -> Result<HashMap<ApiKeyId, Vec<u8>>, CatalogError> {
        use share_key_text::{Column, Entity};
        let select = Entity::find().filter(Column::ApiKeyId.is_in(ids.iter().map(|id| id.uuid())));
        let rows = select.all(self.reader()).await?;
        Ok(rows.into_iter().map(|row| (ApiKeyId::from_uuid(row.api_key_id), row.sealed)).collect())
    }
}

impl Transaction {
    /// Adds the sealed text of a share key.
    pub async fn insert_share_key_text(&self, id: ApiKeyId, sealed: Vec<u8>) -> Result<(), CatalogError> {
        let row = share_key_text::ActiveModel { api_key_id: Set(id.uuid()), sealed: Set(sealed) };
        share_key_text::Entity::insert(row).exec_without_returning(self.db()).await?;
        Ok(())
    }

    /// Removes the text of a key, if it has one.
    pub async fn delete_share_key_text(&self, id: ApiKeyId) -> Result<(), CatalogError> {
        share_key_text::Entity::delete_by_id(id.uuid()).exec(self.db()).await?;
        Ok(())
    }
}
