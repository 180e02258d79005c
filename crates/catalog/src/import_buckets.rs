//! Buckets that organizations import files from: the `import_bucket` table.

use sea_orm::sea_query::{ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use tonearm_domain::{BucketName, ImportBucket, LimitOffset, OrganizationId, Timestamp};

use crate::catalog::Catalog;
use crate::ending::one_to_end;
use crate::entity::import_bucket::{ActiveModel, Column, Entity};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, one, page};
use crate::transaction::Transaction;

fn of_organization(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization.uuid()))
}

fn by_name(organization: OrganizationId, bucket: &BucketName) -> Select<Entity> {
    Entity::find_by_id((organization.uuid(), bucket.to_string()))
}

impl Catalog {
    /// The number of buckets that the organization has credentials for, and a page of them, sorted by name.
    pub async fn import_bucket_page(
        &self,
        organization: OrganizationId,
        window: LimitOffset,
    ) -> Result<(u64, Vec<ImportBucket>), CatalogError> {
        page(self.reader(), of_organization(organization).order_by_asc(Column::Bucket), window).await
    }

    /// The organization's credentials for a bucket.
    pub async fn import_bucket(
        &self,
        organization: OrganizationId,
        bucket: &BucketName,
    ) -> Result<Option<ImportBucket>, CatalogError> {
        one(self.reader(), by_name(organization, bucket)).await
    }
}

impl Transaction {
    /// The organization's credentials for a bucket, locked for a change.
    pub async fn import_bucket(
        &self,
        organization: OrganizationId,
        bucket: &BucketName,
    ) -> Result<Option<ImportBucket>, CatalogError> {
        one(self.db(), by_name(organization, bucket).lock(TO_CHANGE)).await
    }

    /// The same, for removing them.
    pub async fn import_bucket_to_end(
        &self,
        organization: OrganizationId,
        bucket: &BucketName,
    ) -> Result<Option<ImportBucket>, CatalogError> {
        one_to_end(self.db(), by_name(organization, bucket).lock(TO_CHANGE)).await
    }

    /// Whether the organization has credentials for a bucket that have not ended.
    pub async fn has_import_bucket(
        &self,
        organization: OrganizationId,
        bucket: &BucketName,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let is_live = Column::ExpiresAt.is_null().or(Column::ExpiresAt.gt(now.unix_millis()));
        Ok(by_name(organization, bucket).filter(is_live).count(self.db()).await? > 0)
    }

    /// The number of buckets that the organization has credentials for.
    pub async fn count_import_buckets(&self, organization: OrganizationId) -> Result<u64, CatalogError> {
        Ok(of_organization(organization).count(self.db()).await?)
    }

    /// Stores credentials for a bucket, replacing those that the organization already has.
    pub async fn put_import_bucket(&self, bucket: &ImportBucket) -> Result<(), CatalogError> {
        let replace = OnConflict::columns([Column::OrganizationId, Column::Bucket])
            .update_columns([
                Column::Endpoint,
                Column::Region,
                Column::AccessKeyId,
                Column::Secret,
                Column::MadeByKey,
                Column::ExpiresAt,
            ])
            .to_owned();
        Entity::insert(ActiveModel::from(bucket))
            .on_conflict(replace)
            .exec_without_returning(self.db())
            .await?;
        Ok(())
    }

    /// Deletes the organization's credentials for a bucket. Returns whether there were any.
    pub async fn delete_import_bucket(
        &self,
        organization: OrganizationId,
        bucket: &BucketName,
    ) -> Result<bool, CatalogError> {
        let row = Entity::delete_by_id((organization.uuid(), bucket.to_string()));
        Ok(row.exec(self.db()).await?.rows_affected > 0)
    }
}
