//! Quotas of organizations and their usage. Triggers keep the counts, per collection.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Select, Set};
use tonearm_domain::{OrganizationId, QuotaUsage, Quotas, UploadKind};

use crate::catalog::Catalog;
use crate::column::{byte_count, size};
use crate::entity::{collection, organization, quota, replaced_object, upload};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, one};
use crate::transaction::Transaction;

fn collections(organization: OrganizationId) -> Select<collection::Entity> {
    use collection::Column;
    collection::Entity::find().select_only().filter(Column::OrganizationId.eq(organization.uuid()))
}

/// PostgreSQL returns sums in an unbounded type, which the driver does not read as an integer.
fn sum(of: SimpleExpr) -> SimpleExpr {
    Expr::expr(of).sum().cast_as("bigint")
}

fn kept_bytes() -> SimpleExpr {
    use collection::Column;
    sum(Column::KeptBytes.into_expr().add(Column::CoverBytes.into_expr()))
}

/// The bytes of uploads that are no track's source, or not yet.
fn arrived(organization: OrganizationId) -> Select<upload::Entity> {
    use upload::Column;
    upload::Entity::find()
        .select_only()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .filter(
            Condition::any()
                .add(Column::IsComplete.eq(false))
                .add(Column::Kind.eq(UploadKind::Partial.as_str())),
        )
        .expr(sum(Column::Offset.into_expr()))
}

/// The bytes of objects that no row names any more, until they are removed.
fn replaced(organization: OrganizationId) -> Select<replaced_object::Entity> {
    use replaced_object::Column;
    replaced_object::Entity::find()
        .select_only()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .expr(sum(Column::Bytes.into_expr()))
}

/// Reads a row for each collection that the organization has had, in two queries, because living and deleted
/// collections have separate indexes, and one for each of its uploads and replaced objects of the last days.
async fn usage<C: ConnectionTrait>(db: &C, organization: OrganizationId) -> Result<QuotaUsage, CatalogError> {
    use collection::Column;
    let living = collections(organization)
        .filter(Column::DeletedAt.is_null())
        .expr(kept_bytes())
        .expr(sum(Column::TrackCount.into_expr()))
        .expr(sum(Column::SoundMillis.into_expr()));
    let living: Option<(Option<i64>, Option<i64>, Option<i64>)> = living.into_tuple().one(db).await?;
    let (bytes, tracks, millis) = living.unwrap_or_default();
    let deleted = collections(organization).filter(Column::DeletedAt.is_not_null()).expr(kept_bytes());
    let deleted: Option<Option<i64>> = deleted.into_tuple().one(db).await?;
    let own = organization::Entity::find_by_id(organization.uuid()).select_only();
    let own: Option<i64> = own.column(organization::Column::CoverBytes).into_tuple().one(db).await?;
    let arrived: Option<Option<i64>> = arrived(organization).into_tuple().one(db).await?;
    let replaced: Option<Option<i64>> = replaced(organization).into_tuple().one(db).await?;
    let bytes =
        [bytes, deleted.flatten(), own, arrived.flatten(), replaced.flatten()].into_iter().flatten().sum();
    Ok(QuotaUsage {
        bytes: size("collection.kept_bytes", bytes)?,
        tracks: size("collection.track_count", tracks.unwrap_or(0))?,
        milliseconds: size("collection.sound_millis", millis.unwrap_or(0))?,
    })
}

impl Catalog {
    /// The quotas of an organization.
    pub async fn quotas(&self, organization: OrganizationId) -> Result<Quotas, CatalogError> {
        let quotas = one(self.reader(), quota::Entity::find_by_id(organization.uuid())).await?;
        Ok(quotas.unwrap_or_default())
    }

    /// What an organization uses of its quotas.
    pub async fn quota_usage(&self, organization: OrganizationId) -> Result<QuotaUsage, CatalogError> {
        usage(self.reader(), organization).await
    }
}

impl Transaction {
    /// The quotas of an organization. If it has any, the next transaction that calls this waits for the end of this
    /// one. Call this before locking anything else.
    pub async fn quotas(&self, organization: OrganizationId) -> Result<Quotas, CatalogError> {
        let select = quota::Entity::find_by_id(organization.uuid()).lock(TO_CHANGE);
        Ok(one(self.db(), select).await?.unwrap_or_default())
    }

    /// What an organization uses of its quotas, including the changes of this transaction.
    pub async fn quota_usage(&self, organization: OrganizationId) -> Result<QuotaUsage, CatalogError> {
        usage(self.db(), organization).await
    }

    /// Sets the quotas of an organization.
    pub async fn set_quotas(&self, organization: OrganizationId, quotas: Quotas) -> Result<(), CatalogError> {
        use quota::{ActiveModel, Column, Entity};
        if quotas.is_unlimited() {
            Entity::delete_by_id(organization.uuid()).exec(self.db()).await?;
            return Ok(());
        }
        let row = ActiveModel {
            organization_id: Set(organization.uuid()),
            bytes: Set(quotas.bytes.map(byte_count)),
            tracks: Set(quotas.tracks.map(byte_count)),
            minutes: Set(quotas.minutes.map(byte_count)),
        };
        let replace = OnConflict::column(Column::OrganizationId)
            .update_columns([Column::Bytes, Column::Tracks, Column::Minutes])
            .to_owned();
        Entity::insert(row).on_conflict(replace).exec_without_returning(self.db()).await?;
        Ok(())
    }
}
